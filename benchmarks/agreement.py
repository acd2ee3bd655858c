"""κ_p of all pairs of runs, beside the machine's own rate of matrix products in the same run, and from a file.

160 runs × 13,844 items × 4 options give 12,720 pairs, by one product of the runs with themselves: 2 × 160² × 13,844 × 4 =
2.8 × 10⁹ operations. The floor is held against these, as the figure is counted that set it (37 ms, 74 % of 103 GFLOP/s).
The product holds each pair twice, and BLAS computes only one half: the share with each pair counted once is printed beside
it, and so is the time of that product alone, which nothing built on it can beat. The bare rate is that of a product of
two square matrices in float64. Rounds alternate, and each figure is the best of its rounds, so that other work on the machine
falls on both alike; shares are told by the clock and by the seconds of the processor, since on a busy machine the threads
of a product wait for each other. OPENBLAS_NUM_THREADS=1 shuts that out. The same is timed from a records file, from
opening it to the last pair.

    python benchmarks/agreement.py [--models 8] [--languages 20] [--items 13844] [--rounds 7]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from result_rows import keep

from hesperus.analysis.similarity.run_arrays import RecordStream
from hesperus.measures import HardRuns, Key, SoftRuns, hard_pairs, soft_pairs
from hesperus.records import write_records

RATE_FLOOR, FILE_CEILING = 0.6, 2.0
OPTIONS = 4
SQUARE = 2048


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, and of the processor over all threads."""

    clock: float
    processor: float

    @classmethod
    def best(cls, rounds: Sequence[Taken]) -> Taken:
        return cls(min(one.clock for one in rounds), min(one.processor for one in rounds))


def taken_by(work: Callable[[], object]) -> Taken:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - clock, time.process_time() - processor)


def seconds(work: Callable[[], object]) -> float:
    return taken_by(work).clock


def world(models: int, languages: int, items: int) -> tuple[SoftRuns, HardRuns]:
    """Runs that share what is easy about an item, and err each in its own way."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, OPTIONS, items).astype(np.int32)
    scores = rng.normal(size=(models * languages, items, OPTIONS)) + rng.normal(size=(items, OPTIONS))
    scores[:, np.arange(items), gold] += 1.0
    probs = np.exp(scores)
    probs /= probs.sum(axis=2, keepdims=True)
    key = Key(gold, np.full(items, OPTIONS, np.int32))
    return SoftRuns(probs, key), HardRuns(probs.argmax(axis=2).astype(np.int32), key)


def records(runs: SoftRuns, hard: HardRuns, languages: int) -> pl.DataFrame:
    """The same as a records table."""
    labels = np.array(list("ABCD"))
    items = [f"subject_{place % 57}/test/{place}" for place in range(len(runs.key.gold))]
    options = pl.Series("options", [list(labels)], dtype=pl.List(pl.String)).new_from_index(0, len(items))
    frames = []
    for place, probs in enumerate(runs.probs):
        model, language = divmod(place, languages)
        frames.append(
            pl.DataFrame(
                {"item": items, "answer": labels[hard.codes[place]], "gold": labels[runs.key.gold], "options": options,
                 "probs": pl.Series(probs, dtype=pl.Array(pl.Float64, OPTIONS)).arr.to_list()}
            ).with_columns(
                model=pl.lit(f"hf/model-{model}"), task=pl.lit("global-mmlu"), instruction=pl.lit(f"l{language:02}"),
                input=pl.lit(f"l{language:02}"),
            )
        )  # fmt: skip
    return pl.concat(frames)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--languages", type=int, default=20)
    parser.add_argument("--items", type=int, default=13_844)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    soft, hard = world(given.models, given.languages, given.items)
    count = given.models * given.languages
    square = np.random.default_rng(1).random((SQUARE, SQUARE))
    distinct = count * (count - 1) // 2
    flat = soft.probs.reshape(count, -1)
    rounds: dict[str, list[Taken]] = {"bare": [], "product": [], "pairs": [], "labels": []}
    for _ in range(given.rounds):
        rounds["bare"].append(taken_by(lambda: square @ square))
        rounds["product"].append(taken_by(lambda: flat @ flat.T))
        rounds["pairs"].append(taken_by(lambda: soft_pairs(soft.probs, key=soft.key)))
        rounds["labels"].append(taken_by(lambda: hard_pairs(hard.codes, key=hard.key)))
    bare, product, pairs, labels = (Taken.best(many) for many in rounds.values())
    # Operations of the product of the runs with themselves, over those of the bare product.
    share = count**2 * flat.shape[1] / SQUARE**3
    by_clock, by_processor = share * bare.clock / pairs.clock, share * bare.processor / pairs.processor
    once = distinct / count**2
    print(f"float64 matrix products: {2.0 * SQUARE**3 / bare.clock / 1e9:.0f} GFLOP/s")
    print(
        f"{distinct} pairs of {count} runs × {given.items} items × {OPTIONS} options, probabilities: "
        f"{pairs.clock * 1e3:.0f} ms, of which the product alone takes {product.clock * 1e3:.0f} ms"
    )
    print(
        f"  {by_clock:.0%} of the bare rate by the clock, {by_processor:.0%} by the processor; each pair counted once, "
        f"{once * by_clock:.0%} and {once * by_processor:.0%}"
    )
    print(f"  labels, with Cohen, Scott and error consistency: {labels.clock * 1e3:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        write_records(records(soft, hard, given.languages), path)

        def from_file() -> None:
            laid = RecordStream(path).whole()
            assert laid.probs is not None
            hard_pairs(laid.codes, key=laid.key)
            soft_pairs(laid.probs, key=laid.soft_key)

        reading = Taken.best([taken_by(lambda: pl.read_parquet(path)) for _ in range(3)])
        whole = Taken.best([taken_by(from_file) for _ in range(3)])
    print(
        f"from a file of {count * given.items} records: {whole.clock:.2f} s, {whole.processor:.2f} s of the processor "
        f"(bare reading: {reading.clock:.2f} s, {reading.processor:.2f} s)"
    )
    for name, taken, peer, bare_taken in (
        ("pairs of runs", pairs, "numpy, the bare product", product),
        ("records from a file to pairs", whole, "polars, reading", reading),
    ):
        keep(name, taken.processor, "s CPU", peer=peer, ratio=taken.processor / bare_taken.processor)
    failed = max(by_clock, by_processor) < RATE_FLOOR or whole.clock > FILE_CEILING
    print(
        f"wanted: {RATE_FLOOR:.0%} of the bare rate, {FILE_CEILING:g} s from a file: {'missed' if failed else 'met'}"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
