"""Sentences per second through CTranslate2, beside Hugging Face's generate and bare CTranslate2, in one run.

One small checkpoint in NLLB's architecture with random weights, made here and converted here; all three translate the same
sentences greedily, on one thread, and their outputs are compared. generate gets batches of like length, which is more than
most scripts give it. The bare client cuts, translates and joins, and checks nothing. Rounds alternate, and each figure is
the median over rounds; CPU time counts beside the clock, for other work on the machine slows the clock alone.

    python benchmarks/translating.py [--sentences 512] [--rounds 5] [--width 64] [--quantization int8]
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import ctranslate2
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.utils import logging

from hesperus.translation import TranslatorOptions, convert
from hesperus.translation.translators.ctranslate2 import CTranslate2Translator

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from result_rows import keep

import tiny_translators

LONGEST = 32
BATCH = 32
TOKENS = 1024
SPEEDUP_GOAL, OVERHEAD_GOAL = 3.0, 0.05

Run = Callable[[], list[str]]


def sentences(number: int) -> list[str]:
    """Sentences of unlike length, each once."""
    parts = itertools.permutations(tiny_translators.SENTENCES, 2)
    joined = (" ".join(pair) for pair in parts)
    texts = itertools.chain(tiny_translators.SENTENCES, joined)
    numbered = (f"{count} {text}" for count, text in enumerate(itertools.cycle(list(texts))))
    return list(itertools.islice(numbered, number))


def generate(checkpoint: Path, texts: list[str]) -> Run:
    """Hugging Face: tokenizer, generate, decode."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint, src_lang="eng_Latn")
    model = AutoModelForSeq2SeqLM.from_pretrained(checkpoint)
    first = tokenizer.convert_tokens_to_ids("spa_Latn")

    def run() -> list[str]:
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        made: dict[int, str] = {}
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            inputs = tokenizer([texts[place] for place in places], return_tensors="pt", padding=True)
            with torch.inference_mode():
                ids = model.generate(
                    **inputs, forced_bos_token_id=first, max_new_tokens=LONGEST + 1, num_beams=1
                )
            texts_back = tokenizer.batch_decode(ids, skip_special_tokens=True)
            made.update(zip(places, (text.strip() for text in texts_back), strict=True))
        return [made[place] for place in range(len(texts))]

    return run


def bare(folder: Path, texts: list[str]) -> Run:
    """CTranslate2 with the least around it."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    translator = ctranslate2.Translator(str(folder), device="cpu", intra_threads=1)

    def run() -> list[str]:
        cut = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        word = [tokenizer.id_to_token(number) for number in range(tokenizer.get_vocab_size())]
        results = translator.translate_batch(
            [["eng_Latn", *(word[number] for number in one.ids), "</s>"] for one in cut],
            [["spa_Latn"]] * len(cut),
            beam_size=1, max_batch_size=TOKENS, batch_type="tokens", max_decoding_length=LONGEST + 1,
        )  # fmt: skip
        ids = [[tokenizer.token_to_id(token) for token in result.hypotheses[0][1:]] for result in results]
        return [text.strip() for text in tokenizer.decode_batch(ids)]

    return run


def timed(run: Run) -> tuple[float, float, list[str]]:
    """Seconds on the clock and of the processor, and what came back."""
    clock, processor = time.perf_counter(), time.process_time()
    made = run()
    return time.perf_counter() - clock, time.process_time() - processor, made


def main() -> int:
    """Print the table; the exit code is 1 where a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--quantization", help="store the converted weights so, e.g. int8")
    given = parser.parse_args()
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    texts = sentences(given.sentences)
    with tempfile.TemporaryDirectory() as held:
        checkpoint = tiny_translators.nllb(Path(held) / "hf", width=given.width)
        folder = Path(held) / "ct2"
        convert(str(checkpoint), folder, quantization=given.quantization)
        options = TranslatorOptions(device="cpu", threads=1, batch_tokens=TOKENS, max_output_tokens=LONGEST)
        ours = CTranslate2Translator(folder, options)
        runs: dict[str, Run] = {
            "hesperus": lambda: list(ours.translate(texts, "en", "es")),
            "bare CTranslate2": bare(folder, texts),
            "generate": generate(checkpoint, texts),
        }
        for run in runs.values():
            run()
        rounds = [{name: timed(run) for name, run in runs.items()} for _ in range(given.rounds)]
    return report(rounds, len(texts))


def report(rounds: list[dict[str, tuple[float, float, list[str]]]], number: int) -> int:
    """Rates, ratios within rounds, and how many outputs agree."""
    print(f"{'':18} {'sentences/s':>12} {'per CPU second':>15}")
    for name in rounds[0]:
        clock, processor = (statistics.median(one[name][part] for one in rounds) for part in (0, 1))
        print(f"{name:18} {number / clock:12,.0f} {number / processor:15,.0f}")

    def ratio(over: str, under: str, part: int) -> float:
        return statistics.median(float(one[over][part]) / float(one[under][part]) for one in rounds)  # type: ignore[arg-type]

    speedup, overhead = ratio("generate", "hesperus", 1), ratio("hesperus", "bare CTranslate2", 1) - 1
    keep(
        "translating", 1 / speedup, "of the CPU of the peer", peer="transformers, generate", ratio=1 / speedup
    )
    keep(
        "translating, beside bare",
        1 + overhead,
        "of the CPU of the peer",
        peer="CTranslate2, bare",
        ratio=1 + overhead,
    )
    print(
        f"\nfaster than generate: {speedup:.1f} times in CPU time, {ratio('generate', 'hesperus', 0):.1f} on the clock"
    )
    print(
        f"over bare CTranslate2: {overhead:+.1%} in CPU time, {ratio('hesperus', 'bare CTranslate2', 0) - 1:+.1%} on the clock"
    )
    last = rounds[-1]
    for name in ("bare CTranslate2", "generate"):
        same = sum(one == other for one, other in zip(last["hesperus"][2], last[name][2], strict=True))
        print(f"outputs equal to {name}: {same} of {number}")
    reached = speedup >= SPEEDUP_GOAL and overhead <= OVERHEAD_GOAL
    print(
        f"goals (at least {SPEEDUP_GOAL:g} times, at most {OVERHEAD_GOAL:.0%}): {'reached' if reached else 'MISSED'}"
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
