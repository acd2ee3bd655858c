"""Models of transformers in this process beside lm-evaluation-harness and bare transformers, on one checkpoint in one run.

The checkpoint is written here, with random weights (Llama, 8 layers of width 512, 32,000 tokens, each a word). Questions have
40 to 160 tokens behind an instruction of 30, or behind five examples too, and four or ten options of one token or of 2 to 12.
Replies are drawn at temperature 1 and end by themselves after about 40 tokens, or at 160. Each process computes with one
thread; rounds alternate, and each figure is the least of its rounds.

lm-evaluation-harness is run by the interpreter that HESPERUS_LM_EVAL_PYTHON names; it gets the same texts, and its best of the
given batch sizes counts. Two questions of a round are scored by bare transformers too, one option at a time; it also writes
replies in batches of 32 of like length.

    python -m benchmarks local_models [--questions 12] [--replies 128] [--rounds 2] [--device cpu] [--dtype float32]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from result_rows import keep
from tokenizers import Tokenizer, models, pre_tokenizers

from hesperus.models import Loading, ModelOptions
from hesperus.models.hf import HfModel
from hesperus.types import Prompt, Request, Settings

WANTED, NEAR = 4.0, 1e-4
"""Times lm-evaluation-harness, over all questions; largest difference from one option at a time."""

WORDS, ENDS, LONGEST, ALONE = 32000, 800, 160, 2
PEER = Path(__file__).parent / "peers" / "lm_eval_model.py"
HARNESS = "lm-evaluation-harness"


@dataclass(frozen=True)
class Case:
    """Questions of one kind.

    Attributes:
        name: Of the kind.
        before: Tokens that all questions begin with.
        options: How many each has.
        tokens: Fewest and most tokens of an option.
    """

    name: str
    before: int
    options: int
    tokens: tuple[int, int]

    def requests(self, count: int, rng: np.random.Generator) -> list[Request]:
        """Questions of the kind."""
        begun = words(self.before, rng)
        letters = tuple(f" w{1 + n}" for n in range(self.options))
        made = []
        for _ in range(count):
            text = f"{begun} {words(int(rng.integers(40, 160)), rng)}"
            lengths = rng.integers(self.tokens[0], self.tokens[1] + 1, self.options)
            options = letters if self.tokens[1] == 1 else tuple(f" {words(int(n), rng)}" for n in lengths)
            made.append(Request("x", Prompt(text), options=options))
        return made


CASES = (
    Case("4 letters", 30, 4, (1, 1)),
    Case("4 letters after five examples", 400, 4, (1, 1)),
    Case("4 texts", 30, 4, (2, 12)),
    Case("10 texts after five examples", 400, 10, (2, 12)),
)


def words(count: int, rng: np.random.Generator) -> str:
    """Words of no meaning, none of which ends a reply."""
    return " ".join(f"w{n}" for n in rng.integers(20, WORDS - ENDS, count))


def checkpoint(folder: Path) -> Path:
    """A Llama of random weights whose tokens are whole words; the last of them end a reply."""
    raw = Tokenizer(
        models.WordLevel({f"w{n}": n for n in range(WORDS)} | {"<unk>": WORDS}, unk_token="<unk>")
    )
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    held = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", pad_token="<unk>", eos_token=f"w{WORDS - 1}"
    )
    held.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=WORDS + 1, hidden_size=512, intermediate_size=1376, num_hidden_layers=8, num_attention_heads=8,
        num_key_value_heads=4, max_position_embeddings=2048, initializer_range=0.05, eos_token_id=None, bos_token_id=None,
    )  # fmt: skip
    made = transformers.LlamaForCausalLM(config)
    made.generation_config.eos_token_id = list(range(WORDS - ENDS, WORDS))
    made.save_pretrained(folder)
    return folder


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds of the processor and of the clock, and what came out."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return time.process_time() - cpu, time.perf_counter() - wall, found


class Harness:
    """lm-evaluation-harness in a process of its own.

    Args:
        python: Its interpreter.
        folder: The checkpoint.
        rows: Rows of a batch.
    """

    def __init__(self, python: str, folder: Path, rows: int) -> None:
        self._process = subprocess.Popen(
            [python, str(PEER), str(folder), str(rows)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, pairs: Sequence[tuple[str, Any]]) -> tuple[float, float, Any]:
        """Seconds of the processor and of the clock, and what came out."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(pairs) + "\n")
        self._process.stdin.flush()
        row = json.loads(self._process.stdout.readline())
        return row["cpu"], row["wall"], row["found"]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True)
class Peers:
    """Who computes.

    Attributes:
        ours: hesperus.
        model: The same checkpoint, as transformers loads it.
        words: Its tokenizer.
        harnesses: lm-evaluation-harness, once for each batch size; none where it is not installed.
    """

    ours: HfModel
    model: Any
    words: Any
    harnesses: Sequence[Harness]

    def alone(self, requests: Sequence[Request]) -> list[tuple[float, ...]]:
        """Each option by itself: one row, no padding, no cache."""
        found = []
        for request in requests:
            row = []
            begun = len(self.words(request.prompt.user)["input_ids"])
            for option in request.options or ():
                ids = torch.tensor(
                    [self.words(request.prompt.user + option)["input_ids"]], device=self.model.device
                )
                with torch.inference_mode():
                    chances = self.model(ids).logits[0].float().log_softmax(-1)
                places = torch.arange(begun, ids.shape[1], device=ids.device)
                row.append(float(chances[places - 1, ids[0, begun:]].sum()))
            found.append(tuple(row))
        return found

    def written(self, requests: Sequence[Request], rows: int = 32) -> int:
        """Tokens that transformers writes, in batches of like length that end with their longest reply."""
        self.words.padding_side = "left"
        texts = sorted((request.prompt.user for request in requests), key=len)
        count = 0
        for start in range(0, len(texts), rows):
            ids = self.words(texts[start : start + rows], return_tensors="pt", padding=True).to(
                self.model.device
            )
            with torch.inference_mode():
                out = self.model.generate(
                    **ids, do_sample=True, top_k=0, max_new_tokens=LONGEST, pad_token_id=WORDS
                )
            count += int((out[:, ids["input_ids"].shape[1] :] < WORDS - ENDS).sum())
        return count


def scoring(case: Case, peers: Peers, count: int, rounds: int) -> tuple[list[float], float]:
    """Least processor time of hesperus and of the harness, and the largest difference from one option at a time."""
    rng = np.random.default_rng(len(case.name))
    best: dict[str, tuple[float, float]] = {}
    gap = 0.0
    for _ in range(rounds):
        requests = case.requests(count, rng)
        pairs = [(request.prompt.user, option) for request in requests for option in request.options or ()]
        cpu, wall, found = timed(lambda: peers.ours.replies(requests))  # noqa: B023
        figures = {"hesperus": (cpu, wall)}
        for harness in peers.harnesses:
            cpu, wall, theirs = harness.ask(pairs)
            figures[HARNESS] = min(figures.get(HARNESS, (cpu, wall)), (cpu, wall))
            values = [value for reply in found for value in reply.option_logprobs or ()]
            gap = max(gap, *(abs(a - b) for a, b in zip(values, theirs, strict=True)))
        for reply, one in zip(found[:ALONE], peers.alone(requests[:ALONE]), strict=True):
            gap = max(gap, *(abs(a - b) for a, b in zip(reply.option_logprobs or (), one, strict=True)))
        best = {name: min(best.get(name, tuple(figure)), tuple(figure)) for name, figure in figures.items()}
    told(f"{count} questions, {case.name}", best)
    return [best[name][0] for name in best], gap


def writing(peers: Peers, count: int, rounds: int) -> None:
    """Replies of many lengths: processor time of a token."""
    rng = np.random.default_rng(9)
    sums = {
        name: [0.0, 0.0, 0] for name in ("hesperus", "transformers", *([HARNESS] if peers.harnesses else []))
    }
    for number in range(rounds):
        begun = words(30, rng)
        texts = [f"{begun} {words(int(rng.integers(40, 160)), rng)}" for _ in range(count)]
        requests = [Request("x", Prompt(text), Settings(1.0, LONGEST, seed=number)) for text in texts]
        cpu, wall, replies = timed(lambda: peers.ours.replies(requests))  # noqa: B023
        figures = {"hesperus": (cpu, wall, sum(reply.tokens_out or 0 for reply in replies))}
        figures["transformers"] = timed(lambda: peers.written(requests))  # noqa: B023
        if peers.harnesses:
            settings = {
                "until": [],
                "do_sample": True,
                "temperature": 1.0,
                "top_k": 0,
                "max_gen_toks": LONGEST,
            }
            cpu, wall, found = peers.harnesses[-1].ask([(text, settings) for text in texts])
            figures[HARNESS] = (cpu, wall, sum(len(text.split()) for text in found))
        for name, figure in figures.items():
            sums[name] = [a + b for a, b in zip(sums[name], figure, strict=True)]
    told(
        f"{count} replies, of 1,000 tokens of them",
        {name: (1000 * cpu / n, 1000 * wall / n) for name, (cpu, wall, n) in sums.items()},
    )


def told(name: str, best: dict[str, tuple[float, float]]) -> None:
    """Keep and print figures of one kind of work."""
    (cpu, wall), *_ = best.values()
    for peer, (other, clock) in best.items():
        if peer != "hesperus":
            keep(name, cpu, "s", peer=peer, ratio=cpu / other)
            print(
                f"{name}: {cpu:.2f} s of the processor ({wall:.2f} on the clock), {peer} {other:.2f} ({clock:.2f}): "
                f"{other / cpu:.1f} times as fast"
            )
    if HARNESS not in best:
        keep(name, None, "not installed", peer=f"{HARNESS} (HESPERUS_LM_EVAL_PYTHON)")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--replies", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[16])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    given = parser.parse_args()
    torch.set_num_threads(1)
    python = os.environ.get("HESPERUS_LM_EVAL_PYTHON") if given.device == "cpu" else None
    with tempfile.TemporaryDirectory() as scratch:
        folder = checkpoint(Path(scratch))
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, given.dtype))
        peers = Peers(
            HfModel(f"hf/{folder}", ModelOptions(loading=Loading(given.device, given.dtype))),
            model.to(given.device).eval(),
            transformers.AutoTokenizer.from_pretrained(folder),
            [Harness(python, folder, rows) for rows in given.batch_sizes] if python else [],
        )
        peers.ours.replies(CASES[0].requests(2, np.random.default_rng(0)))
        totals, gap = [], 0.0
        for case in CASES:
            figures, apart = scoring(case, peers, given.questions, given.rounds)
            totals.append(figures)
            gap = max(gap, apart)
        writing(peers, given.replies, given.rounds)
        for harness in peers.harnesses:
            harness.close()
    missed = given.dtype == "float32" and gap > NEAR
    print(
        f"largest difference from one option at a time{' and from the harness' if python else ''}: {gap:.1e}"
    )
    if python:
        ours, theirs = np.sum(totals, axis=0)
        keep("all questions", float(ours), "s", peer=HARNESS, ratio=float(ours / theirs))
        missed |= theirs / ours < WANTED
        print(f"all questions: {theirs / ours:.1f} times as fast as {HARNESS}")
    print(f"wanted: {WANTED:g} times as fast, {NEAR:g} in float32: {'missed' if missed else 'met'}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
