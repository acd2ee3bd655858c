"""Models of transformers in this process beside lm-evaluation-harness and bare transformers, on one checkpoint in one run.

The checkpoint is written here, with random weights (Llama, 8 layers of width 512, 32,000 tokens, each a word). Questions have
40 to 160 tokens behind an instruction of 30, or behind five examples too, and four or ten options of one token or of 2 to 12.
Replies are drawn at temperature 1 and end by themselves after about 40 tokens, or at 160. Each process computes with one
thread; rounds alternate, and each figure is the least of its rounds.

lm-evaluation-harness is run by the interpreter that HESPERUS_LM_EVAL_PYTHON names; it gets the same texts, and its best of the
given batch sizes counts. Two questions of a round are scored by bare transformers too, one option at a time; it also writes
replies in batches of 32 of like length.

A share of the matrix rate is the products of weights and tokens (attention not counted) over the time, as a part of the rate at
which the same device multiplies two large matrices in the same precision, measured first. On an accelerator time is the clock's,
models are larger (`--shape 1b`, `8b`: as many weights as the Llamas of these names without their vocabulary), and the questions are
asked again with little memory, which has to give the same numbers, and to be said.

    python -m benchmarks local_models [--questions 12] [--replies 128] [--rounds 2] [--device cpu] [--dtype float32]
    python -m benchmarks local_models --device cuda --shape 1b --questions 512 --replies 256 --batch-sizes 16 64 256
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from local_checkpoint import CASES, ENDS, SHAPES, WORDS, Case, Counted, checkpoint, matrix_rate, timed, words
from result_rows import keep

from hesperus.errors import HesperusWarning
from hesperus.models import Loading, ModelOptions
from hesperus.models.hf import HfModel
from hesperus.types import Prompt, Reply, Request, Settings

WANTED, NEAR = 4.0, 1e-4
"""Times lm-evaluation-harness, over all questions; largest difference from one option at a time."""

LONGEST, ALONE = 160, 2
"""Most tokens of a reply; questions of a round that are scored one option at a time too."""

SPARE = 96 << 20
"""Bytes that are left beside the weights where an accelerator is to run out of memory."""

PEER = Path(__file__).parent / "peers" / "lm_eval_model.py"
HARNESS = "lm-evaluation-harness"


class Harness:
    """lm-evaluation-harness in a process of its own.

    Args:
        python: Its interpreter.
        folder: The checkpoint.
        rows: Rows of a batch.
        device: Where it computes.
        dtype: How precisely.
    """

    def __init__(self, python: str, folder: Path, rows: int, device: str, dtype: str) -> None:
        self._process = subprocess.Popen(
            [python, str(PEER), str(folder), str(rows), device, dtype], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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
        model: The model of hesperus, as transformers uses it.
        words: Its tokenizer.
        harnesses: lm-evaluation-harness, once for each batch size; none where it is not installed.
        device: Where all of them compute.
        counted: What goes through the model of hesperus.
        rate: Operations a second of the device.
    """

    ours: HfModel
    model: Any
    words: Any
    harnesses: Sequence[Harness]
    device: str
    counted: Counted
    rate: float

    @property
    def clock(self) -> int:
        """Which time counts: of the processor, or of the clock where the processor is not what computes."""
        return 0 if self.device == "cpu" else 1

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
                    **ids, do_sample=True, top_k=0, max_new_tokens=LONGEST, pad_token_id=WORDS,
                    eos_token_id=list(range(WORDS - ENDS, WORDS)),
                )  # fmt: skip
            count += int((out[:, ids["input_ids"].shape[1] :] < WORDS - ENDS).sum())
        return count


def scoring(case: Case, peers: Peers, count: int, rounds: int) -> tuple[list[float], float]:
    """Least time of hesperus and of the harness, and the largest difference from one option at a time."""
    rng = np.random.default_rng(len(case.name))
    best: dict[str, tuple[float, float]] = {}
    gap = 0.0
    for _ in range(rounds):
        requests = case.requests(count, rng)
        pairs = [(request.prompt.user, option) for request in requests for option in request.options or ()]
        peers.counted.taken()
        cpu, wall, found = timed(lambda: peers.ours.replies(requests), peers.device)  # noqa: B023
        work = peers.counted.taken()
        figures = {"hesperus": (cpu, wall)}
        for harness in peers.harnesses:
            cpu, wall, theirs = harness.ask(pairs)
            figures[HARNESS] = min(
                figures.get(HARNESS, (cpu, wall)), (cpu, wall), key=lambda figure: figure[peers.clock]
            )
            gap = max(gap, apart(found, theirs))
        alone = peers.alone(requests[:ALONE])
        gap = max(gap, apart(found[:ALONE], [value for row in alone for value in row]))
        best = {
            name: min(best.get(name, figure), figure, key=lambda figure: figure[peers.clock])
            for name, figure in figures.items()
        }
    name = f"{count} questions, {case.name}"
    told(name, best, peers.clock)
    shared(name, peers, count / best["hesperus"][1], "questions", work / best["hesperus"][1])
    return [figure[peers.clock] for figure in best.values()], gap


def apart(found: Sequence[Reply], right: Sequence[float]) -> float:
    """Largest difference of the log-probabilities of options."""
    values = [value for reply in found for value in reply.option_logprobs or ()]
    return max(abs(a - b) for a, b in zip(values, right, strict=True))


def writing(peers: Peers, count: int, rounds: int) -> None:
    """Replies of many lengths: time of a token."""
    rng = np.random.default_rng(9)
    sums = {
        name: [0.0, 0.0, 0] for name in ("hesperus", "transformers", *([HARNESS] if peers.harnesses else []))
    }
    work = 0.0
    for number in range(rounds):
        begun = words(30, rng)
        texts = [f"{begun} {words(int(rng.integers(40, 160)), rng)}" for _ in range(count)]
        requests = [Request("x", Prompt(text), Settings(1.0, LONGEST, seed=number)) for text in texts]
        peers.counted.taken()
        cpu, wall, replies = timed(lambda: peers.ours.replies(requests), peers.device)  # noqa: B023
        work += peers.counted.taken()
        figures = {"hesperus": (cpu, wall, sum(reply.tokens_out or 0 for reply in replies))}
        figures["transformers"] = timed(lambda: peers.written(requests), peers.device)  # noqa: B023
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
    name = f"{count} replies, of 1,000 tokens of them"
    told(
        name, {name: (1000 * cpu / n, 1000 * wall / n) for name, (cpu, wall, n) in sums.items()}, peers.clock
    )
    _, wall, tokens = sums["hesperus"]
    shared(name, peers, tokens / wall, "tokens", work / wall)


def told(name: str, best: dict[str, tuple[float, float]], clock: int) -> None:
    """Keep and print figures of one kind of work."""
    ours, *_ = best.values()
    for peer, theirs in best.items():
        if peer != "hesperus":
            ratio = ours[clock] / theirs[clock]
            keep(name, ours[clock], "s", peer=peer, ratio=ratio)
            print(
                f"{name}: {ours[0]:.2f} s of the processor ({ours[1]:.2f} on the clock), {peer} {theirs[0]:.2f} "
                f"({theirs[1]:.2f}): {1 / ratio:.1f} times as fast"
            )
    if HARNESS not in best:
        keep(name, None, "not installed", peer=f"{HARNESS} (HESPERUS_LM_EVAL_PYTHON)")


def shared(name: str, peers: Peers, rate: float, unit: str, operations: float) -> None:
    """Keep and print how much is done in a second, and how near that is to what the device can do."""
    share = operations / peers.rate
    keep(name, rate, f"{unit} a second")
    keep(name, operations / 1e12, "10^12 operations a second", peer="product of two matrices", ratio=share)
    print(f"{name}: {rate:.4g} {unit} a second, {100 * share:.0f} % of the matrix rate")


def with_little_memory(peers: Peers, count: int) -> float:
    """The largest difference that it makes that an accelerator runs out of memory; it has to run out, and to be said."""
    requests = CASES[2].requests(count, np.random.default_rng(1))
    found = peers.ours.replies(requests)
    torch.cuda.empty_cache()
    there = torch.cuda.get_device_properties(peers.device).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_allocated() + SPARE) / there)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        again = peers.ours.replies(requests)
    torch.cuda.set_per_process_memory_fraction(1.0)
    for warning in said:
        if issubclass(warning.category, HesperusWarning):
            print(f"with {SPARE >> 20} MB beside the weights: {str(warning.message).partition(': ')[2]}")
    ran_out = any("memory ran out" in str(warning.message) for warning in said)
    gap = apart(again, [value for reply in found for value in reply.option_logprobs or ()])
    keep(
        "with little memory, largest difference",
        gap,
        "of a log-probability" if ran_out else "did not run out",
    )
    print(f"with little memory: {'' if ran_out else 'DID NOT RUN OUT; '}largest difference {gap:.1e}")
    return gap if ran_out else float("inf")


def arguments() -> argparse.Namespace:
    """What is given on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--replies", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[16])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", help="default: float32 on a CPU, else bfloat16")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    given = parser.parse_args()
    given.dtype = given.dtype or ("float32" if given.device == "cpu" else "bfloat16")
    return given


def main() -> int:
    given = arguments()
    torch.set_num_threads(1)
    python = os.environ.get("HESPERUS_LM_EVAL_PYTHON")
    where = (given.device, given.dtype)
    rate = matrix_rate(*where)
    print(
        f"{given.device}, {given.dtype}: {rate / 1e12:.4g} x 10^12 operations a second in products of matrices"
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = checkpoint(Path(scratch), given.shape, *where)
        ours = HfModel(f"hf/{folder}", ModelOptions(loading=Loading(*where)))
        model = ours._ready().model  # noqa: SLF001
        peers = Peers(
            ours,
            model,
            transformers.AutoTokenizer.from_pretrained(folder),
            [Harness(python, folder, rows, *where) for rows in given.batch_sizes] if python else [],
            given.device,
            Counted(model),
            rate,
        )
        ours.replies(CASES[0].requests(given.questions if peers.clock else 2, np.random.default_rng(0)))
        totals, gap = [], 0.0
        for case in CASES:
            figures, far = scoring(case, peers, given.questions, given.rounds)
            totals.append(figures)
            gap = max(gap, far)
        writing(peers, given.replies, given.rounds)
        for harness in peers.harnesses:
            harness.close()
        missed = with_little_memory(peers, given.questions) == float("inf") if peers.clock else False
    missed |= given.dtype == "float32" and gap > NEAR
    print(
        f"largest difference from one option at a time{' and from the harness' if python else ''}: {gap:.1e}"
    )
    if python:
        spent, theirs = np.sum(totals, axis=0)
        keep("all questions", float(spent), "s", peer=HARNESS, ratio=float(spent / theirs))
        missed |= theirs / spent < WANTED
        print(f"all questions: {theirs / spent:.1f} times as fast as {HARNESS}")
    print(f"wanted: {WANTED:g} times as fast, {NEAR:g} in float32: {'missed' if missed else 'met'}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
