"""Agreement of very many pairs of runs of hard answers, with intervals from moments in place of resamples.

An item of a pair is of one of a few kinds: both right, only the first, …; for κ and π one for each two labels. The weights
of the Bayesian bootstrap (see resample) add up to one Gamma(items + pseudo-items) for each kind, so that the counts of the
kinds say all that resamples would: nothing is drawn, and no work grows with pairs × items × resamples.

Each measure is 1 − D/E, with D the share of items that differ and E the share that would by chance. Raw agreement (E = 1)
is a Beta, whose quantiles are taken. For the others log(D/E) has its mean, variance and third cumulant from the first two
derivatives by the weight of each kind (the delta method to second order), and from what the logarithms of two Gammas, as
uncertain as D and E, have beyond that. The ends are those of the logarithm of a Gamma, scaled and moved, with the same three
moments: exact where D alone varies. Where chance rests on few items the fit is rough, and where items are few resamples are
cheap: such pairs are resampled.

References:
    Lo (1987), A large sample study of the Bayesian bootstrap. Prentice (1974), A log gamma model and its maximum likelihood
    estimation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from hesperus.measures.agreement import (
    Key,
    PairStatistic,
    class_count,
    cohen_of_sums,
    error_consistency_of_sums,
    kappa_p_of_sums,
    pair_corners,
    scott_of_sums,
)
from hesperus.measures.classes import Mask
from hesperus.measures.pair_basis import Counts, PairBasis, Together
from hesperus.measures.pair_bootstrap import bootstrap_pairs
from hesperus.measures.pair_spread import PairSpread
from hesperus.measures.paired_runs import HardRuns, Indices
from hesperus.measures.resample import CORNER, Bootstrap, Floats
from hesperus.measures.statistic import Reduce, divide

_ITEMS, _SHAPE = 200, 30.0
"""Items of a pair, and shape of a Gamma as uncertain as E, below which a pair is resampled in any case."""

_STEP = 1e-3
"""Step of the derivatives, in parts of the items that differ."""

_BLOCK = 1 << 12
"""Pairs that are reduced at a time; they stay in the cache."""

_CORRECT: tuple[PairStatistic, ...] = ("kappa_p", "error_consistency")

_REDUCE: Mapping[PairStatistic, Reduce] = {
    "raw": lambda sums: divide(sums[..., 1], sums[..., 0]),
    "kappa_p": kappa_p_of_sums,
    "cohen_kappa": cohen_of_sums,
    "scott_pi": scott_of_sums,
    "error_consistency": error_consistency_of_sums,
}


def pairs_by_moments(
    runs: HardRuns, pairs: Indices, basis: Mapping[PairStatistic, PairBasis], bootstrap: Bootstrap
) -> dict[PairStatistic, PairSpread]:
    """Measure pairs of runs as bootstrap_pairs does, nearly without resamples.

    Args:
        runs: The runs.
        pairs: Which pairs: indices of runs, [pairs, 2].
        basis: What the measures of these pairs rest on (see pair_basis).
        bootstrap: Level of the intervals; seed and resamples of the pairs that are resampled nevertheless.

    Returns:
        A spread for each measure of hard answers, without groups.
    """
    together = Together(pairs)
    correct, labelled = _by_correctness(runs, together), _by_labels(runs, together)
    found: dict[PairStatistic, PairSpread] = {}
    for name in runs.statistics:
        kinds = correct if name in _CORRECT else labelled
        columns, corners = kinds.summed(name, runs)
        blocks = [
            _ends(name, columns, corners, kinds.counts[start : start + _BLOCK], bootstrap.level)
            for start in range(0, len(pairs), _BLOCK)
        ]
        value, low, high, shape = (np.concatenate(part) for part in zip(*blocks, strict=True))
        n = basis[name].n
        value[(n == 0) | (kinds.lacking & (name == "kappa_p"))] = np.nan
        rough = np.flatnonzero(
            np.isfinite(value) & ~((shape >= _SHAPE) & (n >= _ITEMS) & np.isfinite(low + high))
        )
        if len(rough):
            drawn = bootstrap_pairs(runs, pairs[rough], statistics=(name,), bootstrap=bootstrap)[name]
            low[rough], high[rough] = drawn.low, drawn.high
        found[name] = PairSpread(
            n=n, value=value, low=np.minimum(low, value), high=np.maximum(high, value),
            means=np.empty(0), spread=np.empty((0, bootstrap.resamples)),
        )  # fmt: skip
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Kinds:
    """What an item of a pair can be, and how many items of each pair are so.

    Attributes:
        columns: What one item of a kind adds to sums over items, [kinds, columns].
        counts: Items, [pairs, kinds].
        lacking: Pairs with an item whose number of options is not known, [pairs].
    """

    columns: Floats
    counts: Floats
    lacking: Mask

    def summed(self, name: PairStatistic, runs: HardRuns) -> tuple[Floats, Floats]:
        """Columns of a measure, of each kind, and of each of its pseudo-items."""
        corners = np.array(pair_corners(name, runs.key))
        if name == "kappa_p":
            return self.columns, corners
        if name == "error_consistency":
            columns = self.columns[:, :4].copy()
            columns[:, 1] = columns[:, 2] == columns[:, 3]
            return columns, corners[:, :4]
        labels = np.full((len(corners), self.columns.shape[1] - 2), 1.0 / class_count(runs.key, runs.invalid))
        return self.columns, np.column_stack([corners[:, :2], labels])


def _by_correctness(runs: HardRuns, together: Together) -> _Kinds:
    """Both right, only the first, only the second, both wrong and alike, both wrong and different; by number of options.

    Sums are those of kappa_p_of_sums.
    """
    columns: list[tuple[float, ...]] = []
    counts: list[Counts] = []
    lacking = np.zeros(together.pairs, dtype=np.bool_)
    for options in np.unique(runs.key.options).tolist():
        part = (runs.key.gold >= 0) & (runs.key.options == options)
        of_part = HardRuns(
            runs.codes[:, part], Key(runs.key.gold[part], runs.key.options[part]), runs.invalid
        )
        counted, right = of_part.counted(), of_part.on_gold()
        n, both = together(counted, counted), together(right, right)
        first, second = (one - both for one in together.both_ways(right, counted))
        alike = sum((together(where, where) for where in of_part.classes()), start=-both)
        if options < 2:
            lacking |= n > 0
        others = 1.0 / max(options - 1, 1)
        kinds = (
            (1.0, 1.0, 1.0, 1.0),
            (1.0, 0.0, 1.0, 0.0),
            (1.0, 0.0, 0.0, 1.0),
            (1.0, 1.0, 0.0, 0.0),
            (1.0, 0.0, 0.0, 0.0),
        )
        columns += [(*kind, others) for kind in kinds]
        counts += [both, first, second, alike, n - both - first - second - alike]
    return _Kinds(np.array(columns), np.stack(counts, axis=1).astype(np.float64), lacking)


def _by_labels(runs: HardRuns, together: Together) -> _Kinds:
    """Each label of the first run with each of the second, or with none; sums are those of cohen_of_sums."""
    counted = runs.counted()
    classes = runs.classes()
    count = len(classes)
    where = [*classes, counted & ~np.any(classes, axis=0)] if classes else [counted]
    columns: list[tuple[float, ...]] = []
    counts: dict[tuple[int, int], Counts] = {}
    for i, first in enumerate(where):
        for j, second in enumerate(where):
            margins = np.zeros((max(count, 1), 2))
            margins[i : i + 1, 0], margins[j : j + 1, 1] = i < count, j < count
            columns.append((1.0, float(i == j < count), *margins.ravel()))
            if i <= j:
                counts[i, j], counts[j, i] = together.both_ways(first, second)
    return _Kinds(
        np.array(columns),
        np.stack([counts[labels] for labels in sorted(counts)], axis=1).astype(np.float64),
        np.zeros(together.pairs, dtype=np.bool_),
    )


def _ends(
    name: PairStatistic, columns: Floats, corners: Floats, counts: Floats, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Values, both ends, and the shape of a Gamma as uncertain as what chance rests on, [pairs] each."""
    reduce, tails = _REDUCE[name], ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    value = reduce(counts @ columns)
    weights = np.column_stack([counts, np.full((len(counts), len(corners)), CORNER)])
    kinds = np.concatenate([columns, corners])
    sums = weights @ kinds
    differ = sums[:, 0] - sums[:, 1]
    if name == "raw":
        # Counts: of many pairs few differ.
        distinct, place = np.unique(sums[:, 1] + 1j * differ, return_inverse=True)
        low, high = (special.betaincinv(distinct.real, distinct.imag, tail)[place] for tail in tails)
        return value, low, high, np.full(len(counts), np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, deviation, skew, shape = _moments(reduce, kinds, weights, sums, differ)
        # A small D is a large measure, so that the ends change places.
        high, low = (1.0 - np.exp(mean + deviation * quantile) for quantile in _log_gamma(skew, tails))
    return value, low, high, shape


def _moments(
    reduce: Reduce, kinds: Floats, weights: Floats, sums: Floats, differ: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean, standard deviation and skewness of log(D/E), and the shape of a Gamma with the variance of log E."""
    rows = np.ascontiguousarray(sums.T)  # a kind moves few of the columns

    def logarithm(step: Floats, towards: Sequence[float] | Floats, columns: Iterable[int]) -> Floats:
        moved = rows.copy()
        for column in columns:
            moved[column] += step * towards[column]
        return np.log1p(-reduce(moved.T))

    step = _STEP * differ
    here = logarithm(step, (), ())
    mean, variance, third, of_chance, shared = here.copy(), *np.zeros((4, len(sums)))
    direction = np.zeros_like(rows)
    for kind, weight in zip(kinds, weights.T, strict=True):
        columns = np.flatnonzero(kind).tolist()
        up, down = logarithm(step, kind, columns), logarithm(-step, kind, columns)
        slope = (up - down) / (2.0 * step)
        pull = weight * slope
        mean += weight * (up - 2.0 * here + down) / (2.0 * step * step)
        variance += pull * slope
        third += 2.0 * pull * slope**2
        for column in columns:
            direction[column] += pull * kind[column]
        of_difference = (kind[0] - kind[1]) / differ - kind[0] / rows[0]
        chance = of_difference - slope
        of_chance += weight * chance**2
        shared += weight * of_difference * chance
    step /= np.abs(direction).max(axis=0)
    every = range(len(rows))
    ahead, behind = logarithm(step, direction, every), logarithm(-step, direction, every)
    third += 3.0 * (ahead - 2.0 * here + behind) / (step * step)
    shape, slope = 1.0 / of_chance, shared / of_chance
    distinct, place = np.unique(differ, return_inverse=True)  # counts: of many pairs few differ
    of_d1, of_d2, of_d3 = (part[place] for part in _beyond_delta(distinct))
    of_e1, of_e2, of_e3 = _beyond_delta(shape)
    mean += of_d1 - of_e1
    variance += of_d2 + (1.0 - 2.0 * slope) * of_e2
    third += of_d3 + ((slope - 1.0) ** 3 - slope**3) * of_e3
    return mean, np.sqrt(variance), third / variance**1.5, shape


def _beyond_delta(shape: Floats) -> tuple[Floats, Floats, Floats]:
    """First three cumulants of the logarithm of a Gamma less what the delta method to second order has of them."""
    return (
        special.digamma(shape) - np.log(shape) + 0.5 / shape,
        special.zeta(2.0, shape) - 1.0 / shape,  # as polygamma has it, which makes the digamma besides
        -2.0 * special.zeta(3.0, shape) + 1.0 / shape**2,
    )


def _log_gamma(skew: Floats, tails: Sequence[float]) -> list[Floats]:
    """Quantiles of a distribution with mean 0, variance 1 and this skewness: of the logarithm of a Gamma, or its mirror."""
    skews, table = _log_gamma_table(*tails)
    place = -np.abs(skew)
    left = [np.interp(place, skews, row) for row in table]
    return [np.where(skew <= 0.0, below, -above) for below, above in zip(left, reversed(left), strict=True)]


@lru_cache(maxsize=4)
def _log_gamma_table(*tails: float) -> tuple[Floats, Floats]:
    """Skewness of the logarithm of a Gamma, rising, and its standardized quantiles, [tails, skews]; tails are even."""
    shapes = np.exp(np.linspace(np.log(0.1), np.log(1e6), 2000))
    spread = special.polygamma(1, shapes)
    table = [
        (np.log(special.gammaincinv(shapes, tail)) - special.digamma(shapes)) / np.sqrt(spread)
        for tail in tails
    ]
    return special.polygamma(2, shapes) / spread**1.5, np.array(table)
