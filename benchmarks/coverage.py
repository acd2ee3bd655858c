"""How often an interval of a nominal 95 % holds the truth: simulated data sets for each kind of measure.

Each cell draws data sets from a world whose truth is known (the same measure on a million items), measures each with the
code that users run, and counts the intervals that hold the truth. Data sets in which the value is undefined or without
an interval are left out and told. All data sets of one size share their resamples.

    python -m benchmarks coverage
    python benchmarks/coverage.py [--datasets 400] [--only tax] [--interval percentile] [--sizes 20 60 200]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import numpy as np
from result_rows import keep

from hesperus.measures import (
    INTERVAL_METHODS,
    Bootstrap,
    HardRuns,
    Key,
    SenseRuns,
    Statistic,
    TaxPairs,
    ac3_statistic,
    agreement_statistics,
    classifier_statistics,
    cohen_statistic,
    decomposition_statistics,
    difference,
    estimate,
    estimates,
    fleiss_statistic,
    gwet_statistic,
    information_statistics,
    kappa_p_statistic,
    krippendorff_alpha,
    mean_statistic,
    nominal_alpha_statistic,
    pearson_statistic,
    percent_statistic,
    rank_consistency_statistic,
    share_statistic,
    spearman,
    split_statistics,
    subset_consistency_statistic,
    tax_statistic,
    unmatched_difference,
)
from hesperus.measures.agreement import PairStatistic
from hesperus.measures.pair_basis import pair_basis
from hesperus.measures.pair_moments import pairs_by_moments
from hesperus.types import Estimate

WANTED = 0.93
POPULATION = 1_000_000
Rng = np.random.Generator
World = Callable[[Rng, int], Statistic]
"""Draws a data set of so many items and gives the measure of it."""

OPTIONS = 4


def _key(items: int) -> Key:
    """Each option is right alike often."""
    return Key((np.arange(items) % OPTIONS).astype(np.int32), np.full(items, OPTIONS, np.int32))


def _whole(items: int) -> np.ndarray:
    return np.ones(items, bool)


def _answers(rng: Rng, runs: int, items: int, accuracy: float, *, alike: float = 0.5) -> np.ndarray:
    """Answers of runs: with a share of the items, pairs of runs answer as one common source does."""
    gold = _key(items).gold

    def fresh(count: int) -> np.ndarray:
        wrong = (gold + rng.integers(1, OPTIONS, (count, items))) % OPTIONS
        return np.where(rng.random((count, items)) < accuracy, gold, wrong)

    return np.where(rng.random((runs, items)) < alike**0.5, fresh(1), fresh(runs)).astype(np.int32)


def share(rng: Rng, items: int, p: float) -> Statistic:
    return share_statistic(rng.random(items) < p, _whole(items))


def conditional(rng: Rng, items: int, wrong: float) -> Statistic:
    a = (rng.random(items) < wrong).astype(np.int32)
    b = np.where(rng.random(items) < 0.5, a, 1 - a).astype(np.int32)
    return split_statistics(a, b, gold=np.zeros(items, np.int32))[1]


def paired(rng: Rng, items: int, first: float, second: float) -> Statistic:
    """Shares of items right on the first side only, and on the second side only."""
    drawn = rng.random(items)
    only_a, only_b = drawn < first, (drawn >= first) & (drawn < first + second)
    both = ~only_a & ~only_b & (rng.random(items) < 0.7)
    return difference(
        share_statistic(only_a | both, _whole(items)), share_statistic(only_b | both, _whole(items))
    )


def agreement(rng: Rng, items: int, name: str, accuracy: float, alike: float = 0.5) -> Statistic:
    return agreement_statistics(*_answers(rng, 2, items, accuracy, alike=alike), key=_key(items))[name]


def agreement_difference(rng: Rng, items: int, accuracy: float) -> Statistic:
    runs = _answers(rng, 4, items, accuracy)
    first, second = (agreement_statistics(runs[i], runs[i + 1], key=_key(items))["kappa_p"] for i in (0, 2))
    return difference(first, second)


def _probabilities(rng: Rng, items: int, accuracy: float) -> np.ndarray:
    """Two runs that favour an option with about that accuracy, and spread the rest."""
    chosen = _answers(rng, 2, items, accuracy)
    scores = rng.normal(0.0, 0.7, (2, items, OPTIONS)) + 3.0 * (chosen[:, :, None] == np.arange(OPTIONS))
    odds = np.exp(scores)
    found: np.ndarray = odds / odds.sum(axis=2, keepdims=True)
    return found


def soft(rng: Rng, items: int, accuracy: float) -> Statistic:
    return kappa_p_statistic(*_probabilities(rng, items, accuracy), key=_key(items))


def ranks(rng: Rng, items: int, accuracy: float) -> Statistic:
    return rank_consistency_statistic(*_probabilities(rng, items, accuracy), key=_key(items))


def verdicts(rng: Rng, raters: int, items: int, passed: float, alike: float) -> np.ndarray:
    """Pass or fail: raters see the same with a probability, else each for itself."""
    common, own = rng.random((1, items)) < passed, rng.random((raters, items)) < passed
    return np.where(rng.random((raters, items)) < alike**0.5, common, own).astype(np.float64)


def scale(rng: Rng, raters: int, items: int, alike: float) -> np.ndarray:
    """Points from 1 to 5 about a true place."""
    true = rng.normal(size=items)
    seen = alike**0.5 * true + (1.0 - alike) ** 0.5 * rng.normal(size=(raters, items))
    return np.digitize(seen, (-1.5, -0.5, 0.5, 1.5)) + 1.0


def pass_fail_kappa(rng: Rng, items: int, passed: float, alike: float) -> Statistic:
    return cohen_statistic(*verdicts(rng, 2, items, passed, alike))


def weighted_kappa(rng: Rng, items: int, alike: float) -> Statistic:
    return cohen_statistic(*scale(rng, 2, items, alike), weights="quadratic")


def fleiss(rng: Rng, items: int, passed: float, alike: float) -> Statistic:
    return fleiss_statistic(verdicts(rng, 3, items, passed, alike))


def labels(rng: Rng, raters: int, items: int, alike: float) -> np.ndarray:
    """One of 4 labels, of which one is frequent: raters see the same with a probability, else each for itself."""
    common, own = (rng.choice(4, (count, items), p=(0.7, 0.1, 0.1, 0.1)) for count in (1, raters))
    return np.where(rng.random((raters, items)) < alike**0.5, common, own).astype(np.float64)


def label_kappa(rng: Rng, items: int, alike: float) -> Statistic:
    return cohen_statistic(*labels(rng, 2, items, alike))


def label_fleiss(rng: Rng, items: int, alike: float) -> Statistic:
    return fleiss_statistic(labels(rng, 3, items, alike))


def gwet(rng: Rng, items: int, passed: float, alike: float) -> Statistic:
    return gwet_statistic(verdicts(rng, 2, items, passed, alike))


def percent(rng: Rng, items: int, passed: float, alike: float) -> Statistic:
    return percent_statistic(verdicts(rng, 3, items, passed, alike))


def alpha_of_runs(rng: Rng, items: int, runs: int, accuracy: float) -> Statistic:
    return nominal_alpha_statistic(_answers(rng, runs, items, accuracy))


def subsets(rng: Rng, items: int, accuracy: float) -> Statistic:
    return subset_consistency_statistic(_answers(rng, 6, items, accuracy), size=3)


def ac3(rng: Rng, items: int, accuracy: float) -> Statistic:
    return ac3_statistic(_answers(rng, 6, items, accuracy), key=_key(items), size=3)


def claims(rng: Rng, items: int, name: str, supported: float) -> Statistic:
    """Three pairs of texts a prompt, each with 5 claims either way; prompts differ in how many are supported."""
    strength = 4.0
    level = rng.beta(strength * supported, strength * (1.0 - supported), items)
    precision, recall = (rng.binomial(5, np.repeat(level, 3)) / 5.0 for _ in range(2))
    return information_statistics(precision, recall, items=np.repeat(np.arange(items), 3))[name]


def _taxed(rng: Rng, models: int, items: int, lost: float, won: float) -> TaxPairs:
    """Models that lose and win items on the way; a third of what changes does so in all models."""
    drawn = np.where(
        rng.random(items) < 1 / 3, rng.random((1, items)).repeat(models, 0), rng.random((models, items))
    )
    only_first, only_second = drawn < lost, (drawn >= lost) & (drawn < lost + won)
    both = ~only_first & ~only_second & (rng.random((1, items)) < 0.7)
    valid = np.ones((models, items), bool)
    return TaxPairs(only_first | both, only_second | both, valid, valid, valid)


def tax(rng: Rng, items: int, models: int, lost: float, won: float) -> Statistic:
    return tax_statistic(_taxed(rng, models, items, lost, won))


def tax_between_groups(rng: Rng, items: int, lost: float, won: float) -> Statistic:
    pairs = _taxed(rng, 6, items, lost, won)
    return difference(tax_statistic(pairs.of_models([0, 1, 2])), tax_statistic(pairs.of_models([3, 4, 5])))


def part(rng: Rng, items: int, name: str, moved: float) -> Statistic:
    """Senses in which answers move: the input three times as often as the instruction or a repeat."""
    source = np.zeros(items, np.int32)
    input_moves, instruction_moves, noise = (rng.random(items) < p for p in (3 * moved, moved, moved))
    moves = (input_moves | instruction_moves, instruction_moves, input_moves, noise)
    return decomposition_statistics(SenseRuns(source, *(m.astype(np.int32) for m in moves)))[name]


def classifier(rng: Rng, items: int, name: str, right: float) -> Statistic:
    gold = (rng.random(items) < 0.3).astype(int)
    said = np.where(rng.random(items) < right, gold, 1 - gold)
    return classifier_statistics(gold, said)[name]


def correlation(rng: Rng, items: int, r: float) -> Statistic:
    x = rng.normal(size=items)
    return pearson_statistic(x, r * x + (1 - r * r) ** 0.5 * rng.normal(size=items))


def mean_score(rng: Rng, items: int, mean: float) -> Statistic:
    scores = 100.0 * rng.beta(4.0 * mean, 4.0 * (1.0 - mean), items)
    return mean_statistic(scores, _whole(items))


CELLS: dict[str, World] = {
    **{f"share {p:g}": partial(share, p=p) for p in (0.8, 0.95, 0.99)},
    "conditional share, 10 % in it": partial(conditional, wrong=0.1),
    "paired difference .02 − 0": partial(paired, first=0.02, second=0.0),
    "paired difference .05 − .05": partial(paired, first=0.05, second=0.05),
    "paired difference .20 − .10": partial(paired, first=0.2, second=0.1),
    **{f"κ_p hard, accuracy {p:g}": partial(agreement, name="kappa_p", accuracy=p) for p in (0.6, 0.9, 0.97)},
    **{f"κ_p soft, accuracy {p:g}": partial(soft, accuracy=p) for p in (0.6, 0.9, 0.97)},
    **{f"difference of two κ_p, accuracy {p:g}": partial(agreement_difference, accuracy=p) for p in (0.6, 0.9)},
    **{f"Cohen's κ, accuracy {p:g}": partial(agreement, name="cohen_kappa", accuracy=p) for p in (0.6, 0.9)},
    **{f"Scott's π, accuracy {p:g}": partial(agreement, name="scott_pi", accuracy=p) for p in (0.6, 0.9)},
    **{
        f"error consistency, accuracy {p:g}": partial(agreement, name="error_consistency", accuracy=p)
        for p in (0.6, 0.9, 0.97)
    },
    **{
        f"{told} of runs that are much alike, accuracy {p:g}": partial(agreement, name=name, accuracy=p, alike=0.9)
        for told, name in (
            ("κ_p", "kappa_p"), ("Cohen's κ", "cohen_kappa"), ("Scott's π", "scott_pi"), ("error consistency", "error_consistency"),
        )
        for p in (0.6, 0.9)
    },
    "RankC, accuracy 0.9": partial(ranks, accuracy=0.9),
    "κ of pass and fail, 80 % pass": partial(pass_fail_kappa, passed=0.8, alike=0.7),
    "κ of pass and fail, 95 % pass": partial(pass_fail_kappa, passed=0.95, alike=0.7),
    "weighted κ on 5 points": partial(weighted_kappa, alike=0.7),
    "κ of 4 labels, 70 % the first": partial(label_kappa, alike=0.7),
    "Fleiss' κ of 4 labels, 70 % the first": partial(label_fleiss, alike=0.7),
    "Fleiss' κ, 90 % pass": partial(fleiss, passed=0.9, alike=0.7),
    "AC1, 80 % pass": partial(gwet, passed=0.8, alike=0.7),
    "AC1, 95 % pass": partial(gwet, passed=0.95, alike=0.7),
    "percent agreement, 95 % pass": partial(percent, passed=0.95, alike=0.7),
    "α of 2 runs, accuracy 0.6": partial(alpha_of_runs, runs=2, accuracy=0.6),
    **{f"α of 6 runs, accuracy {p:g}": partial(alpha_of_runs, runs=6, accuracy=p) for p in (0.6, 0.9, 0.95)},
    "consistency of 3 of 6 runs, accuracy 0.9": partial(subsets, accuracy=0.9),
    **{f"AC3 of 6 runs, accuracy {p:g}": partial(ac3, accuracy=p) for p in (0.6, 0.9)},
    **{f"F of claims, {p:g} supported": partial(claims, name="f_of_means", supported=p) for p in (0.6, 0.93)},
    "mean F of claims, 0.93 supported": partial(claims, name="mean_f", supported=0.93),
    "tax of 3 models .05 − .03": partial(tax, models=3, lost=0.05, won=0.03),
    "tax of 3 models .02 − .01": partial(tax, models=3, lost=0.02, won=0.01),
    "tax of 3 models .20 − .10": partial(tax, models=3, lost=0.2, won=0.1),
    "tax of 8 models .02 − .01": partial(tax, models=8, lost=0.02, won=0.01),
    "tax of 1 model .10 − .05": partial(tax, models=1, lost=0.1, won=0.05),
    "difference in differences .05 − .03": partial(tax_between_groups, lost=0.05, won=0.03),
    "decomposition, input": partial(part, name="input", moved=0.03),
    "decomposition, interaction": partial(part, name="interaction", moved=0.1),
    "F1 of a classifier": partial(classifier, name="f1", right=0.9),
    "macro F1 of a classifier": partial(classifier, name="macro_f1", right=0.9),
    "precision of a classifier": partial(classifier, name="precision", right=0.9),
    "Pearson's r 0": partial(correlation, r=0.0),
    "Pearson's r .3": partial(correlation, r=0.3),
    "Pearson's r .9": partial(correlation, r=0.9),
    "mean score 30 of 100": partial(mean_score, mean=0.3),
    "mean score 95 of 100": partial(mean_score, mean=0.95),
}  # fmt: skip

Measured = tuple[float, Iterator[Estimate]]
"""The truth, and the estimate of each data set."""


def _statistics(world: World, rng: Rng, items: int, bootstrap: Bootstrap) -> Measured:
    truth = estimate(world(np.random.default_rng(1), POPULATION)).value
    assert truth is not None

    def found() -> Iterator[Estimate]:
        while True:
            yield from estimates([world(rng, items) for _ in range(100)], bootstrap)

    return truth, found()


def native_gap(rng: Rng, items: int, bootstrap: Bootstrap) -> Measured:
    """.95 right of so many translated items, .9 of twice as many native ones."""

    def found() -> Iterator[Estimate]:
        while True:
            yield unmatched_difference(share(rng, items, 0.95), share(rng, 2 * items, 0.9), bootstrap)

    return 0.05, found()


def alpha_on_scale(rng: Rng, items: int, bootstrap: Bootstrap, *, level: str, alike: float) -> Measured:
    """α of two raters on 5 points."""

    def found() -> Iterator[Estimate]:
        while True:
            yield krippendorff_alpha(scale(rng, 2, items, alike), level, bootstrap=bootstrap)  # type: ignore[arg-type]

    truth = krippendorff_alpha(scale(np.random.default_rng(1), 2, POPULATION, alike), level).value  # type: ignore[arg-type]
    assert truth is not None
    return truth, found()


def rank_correlation(rng: Rng, items: int, bootstrap: Bootstrap) -> Measured:
    """ρ of two ratings on 5 points."""

    def found() -> Iterator[Estimate]:
        while True:
            yield spearman(*scale(rng, 2, items, 0.5), bootstrap=bootstrap)

    truth = spearman(*scale(np.random.default_rng(1), 2, POPULATION, 0.5)).value
    assert truth is not None
    return truth, found()


def by_moments(
    rng: Rng, items: int, bootstrap: Bootstrap, *, name: PairStatistic, accuracy: float
) -> Measured:
    """Agreement of two runs as it is measured among very many pairs: a hundred data sets are as many pairs."""
    pairs = np.arange(200).reshape(100, 2)

    def found() -> Iterator[Estimate]:
        while True:
            codes = np.concatenate([_answers(rng, 2, items, accuracy) for _ in pairs])
            runs = HardRuns(codes, _key(items))
            spread = pairs_by_moments(runs, pairs, pair_basis(runs, pairs), bootstrap)[name]
            for value, low, high in zip(spread.value, spread.low, spread.high, strict=True):
                ends = (None, None) if np.isnan(low) else (float(low), float(high))
                yield Estimate(None if np.isnan(value) else float(value), *ends)

    truth = estimate(agreement(np.random.default_rng(1), POPULATION, name, accuracy)).value
    assert truth is not None
    return truth, found()


MOMENTS: tuple[tuple[str, PairStatistic, tuple[float, ...]], ...] = (
    ("raw agreement", "raw", (0.6, 0.9, 0.97)),
    ("κ_p hard", "kappa_p", (0.6, 0.9, 0.97)),
    ("Cohen's κ", "cohen_kappa", (0.6, 0.9)),
    ("Scott's π", "scott_pi", (0.6, 0.9)),
    ("error consistency", "error_consistency", (0.6, 0.9, 0.97)),
)

OTHERS: dict[str, Callable[[Rng, int, Bootstrap], Measured]] = {
    "native gap .95 − .90": native_gap,
    "α of 2 raters, ordinal": partial(alpha_on_scale, level="ordinal", alike=0.7),
    "α of 2 raters, nominal": partial(alpha_on_scale, level="nominal", alike=0.7),
    "Spearman's ρ on 5 points": rank_correlation,
    **{
        f"{said} by moments, accuracy {p:g}": partial(by_moments, name=name, accuracy=p)
        for said, name, accuracies in MOMENTS
        for p in accuracies
    },
}


def covered(measured: Measured, datasets: int) -> tuple[float, int, float]:
    """Share of the intervals that hold the truth, how many data sets have one, and their mean width."""
    truth, found = measured
    ends = np.array(
        [(e.low, e.high) for e in islice(found, datasets) if e.low is not None and e.high is not None],
        dtype=float,
    ).reshape(-1, 2)
    if not len(ends):
        return np.nan, 0, np.nan
    held = (ends[:, 0] - 1e-9 <= truth) & (truth <= ends[:, 1] + 1e-9)
    return float(held.mean()), len(ends), float(np.diff(ends).mean())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 60, 200])
    parser.add_argument("--interval", choices=INTERVAL_METHODS, default="bayesian")
    parser.add_argument("--only", default="", help="cells whose name holds this")
    given = parser.parse_args()
    bootstrap = Bootstrap(given.resamples, interval=given.interval)
    print(f"| {given.datasets:,} data sets a cell | " + " | ".join(f"n = {n}" for n in given.sizes) + " |")
    print("|---|" + "---|" * len(given.sizes))
    low: list[str] = []
    start = time.perf_counter()
    for name in (n for n in (*CELLS, *OTHERS) if given.only in n):
        cells = []
        for items in given.sizes:
            rng = np.random.default_rng(items)
            measured = (
                _statistics(CELLS[name], rng, items, bootstrap)
                if name in CELLS
                else OTHERS[name](rng, items, bootstrap)
            )
            share_held, sets, width = covered(measured, given.datasets)
            few = f", {sets / given.datasets:.0%} have one" if sets < given.datasets else ""
            keep(f"{name}, n = {items}", share_held, "share of intervals that hold the truth")
            cells.append(f"{share_held:.3f} ({width:.2f}{few})")
            if share_held < WANTED:
                low.append(f"{name}, n = {items}: {share_held:.3f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print(f"\ncovered (mean width); {time.perf_counter() - start:.0f} s")
    error = (0.95 * 0.05 / given.datasets) ** 0.5
    print(f"below {WANTED:g} (standard error {error:.3f}): {'; '.join(low) or 'none'}")
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main())
