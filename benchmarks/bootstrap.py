"""The item bootstrap of every pair, beside the bare products that it cannot do without, in the same run.

First 8 models × 190 pairs of languages × 10,000 resamples, weights drawn once and shared; then all pairs of all runs.
The bare products are resamples × items times items × pairs in float32, on matrices that are there already. Ratios are
told by the clock and by the seconds of the processor: on a busy machine the threads of a product wait for each other.

    python benchmarks/bootstrap.py [--models 8] [--languages 20] [--items 13844] [--resamples 10000] [--all]
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations

import numpy as np
from agreement import Taken, seconds, taken_by, world
from result_rows import keep

from hesperus.measures import Bootstrap, HardRuns, SoftRuns, bootstrap_pairs, draws

CEILING, RATIO_CEILING = 6.0, 1.5
CHUNK, SLAB = 2048, 1024


def bare_products(resamples: int, items: int, pairs: int) -> Taken:
    """What is taken by the products alone, in slabs and chunks of the same sizes, from one chunk of the pairs."""
    weights = np.ones((SLAB, items), dtype=np.float32)
    columns = np.ones((min(pairs, CHUNK), items), dtype=np.float32)
    slabs = max(1, resamples // SLAB)

    def one_chunk() -> None:
        for _ in range(slabs):
            columns @ weights.T

    one, times = taken_by(one_chunk), resamples / (slabs * SLAB) * pairs / len(columns)
    return Taken(one.clock * times, one.processor * times)


def beside(
    runs: SoftRuns | HardRuns, pairs: np.ndarray, setting: Bootstrap, groups: list[np.ndarray]
) -> tuple[Taken, Taken]:
    """What is taken by the bootstrap, and by its bare products as they are just before and just after it."""
    shape = (setting.resamples, len(runs.key.gold), len(pairs))
    before = bare_products(*shape)
    taken = taken_by(lambda: bootstrap_pairs(runs, pairs, bootstrap=setting, groups=groups))
    after = bare_products(*shape)
    return taken, Taken((before.clock + after.clock) / 2, (before.processor + after.processor) / 2)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--languages", type=int, default=20)
    parser.add_argument("--items", type=int, default=13_844)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--all", action="store_true", help="all pairs of all runs too (about half a minute)")
    given = parser.parse_args()
    soft, hard = world(given.models, given.languages, given.items)
    setting = Bootstrap(given.resamples)
    own = list(combinations(range(given.languages), 2))
    pairs = np.array(
        [(a + m * given.languages, b + m * given.languages) for m in range(given.models) for a, b in own]
    )
    groups = np.arange(len(pairs)).reshape(given.models, -1)
    drawn = draws(given.items, setting)
    assert drawn is not None
    drawing = seconds(lambda: sum(len(block) for block in drawn.blocks()))

    print(f"drawing {given.resamples} resamples of {given.items} items, once: {drawing:.2f} s")
    failed = False
    for runs, name in ((soft, "probabilities"), (hard, "labels")):
        taken, bare = beside(runs, pairs, setting, list(groups))
        whole = taken.clock + drawing
        print(
            f"{given.models} models × {len(own)} pairs, {name}: {whole:.2f} s with drawing (wanted: {CEILING:g} s), "
            f"bare products: {bare.clock:.2f} s; {taken.processor:.2f} and {bare.processor:.2f} s of the processor"
        )
        keep(
            f"resampled pairs, {name}", taken.processor, "s CPU", peer="numpy, bare products",
            ratio=taken.processor / bare.processor,
        )  # fmt: skip
        failed |= whole > CEILING
    if given.all:
        every = np.array(list(combinations(range(len(hard.codes)), 2)))
        taken, bare = beside(soft, every, setting, [np.arange(len(every))])
        print(
            f"all {len(every)} pairs, probabilities: {taken.clock:.1f} s, {taken.clock / bare.clock:.2f} times the bare "
            f"products by the clock, {taken.processor / bare.processor:.2f} by the processor (wanted: {RATIO_CEILING:g})"
        )
        failed |= min(taken.clock / bare.clock, taken.processor / bare.processor) > RATIO_CEILING
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
