"""Differences of two sets of items that have nothing to do with each other: each is resampled by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit  # type: ignore[import-untyped]

from hesperus.measures.permuting import monte_carlo_p
from hesperus.measures.power import Apart
from hesperus.measures.resample import Bootstrap, Floats, draws, intervals
from hesperus.measures.statistic import Column, Statistic, finished, influences
from hesperus.types import Estimate

Ratio = tuple[Column, Column]
"""What is summed over items, and out of how many."""


def unmatched_difference(a: Statistic, b: Statistic, bootstrap: Bootstrap | None = None) -> Estimate:
    """The number a − b where a and b are measured on different items.

    Args:
        a: A statistic over one set of items.
        b: A statistic over the other.
        bootstrap: How to resample each set; the second has draws of its own. None leaves the interval out.

    Returns:
        The estimate; `n` is that of the smaller set. Undefined where either is.

    Example:
        >>> import numpy as np
        >>> from hesperus.measures import share_statistic
        >>> some, many = np.array([True, False]), np.array([True, True, True, False])
        >>> a = share_statistic(many, np.ones(4, bool))
        >>> unmatched_difference(a, share_statistic(some, np.ones(2, bool))).value
        0.25
    """
    value = _point(a) - _point(b)
    both = replace(
        a,
        n=min(a.n, b.n),
        excluded=a.excluded + b.excluded,
        reason="; ".join(dict.fromkeys(text for text in (a.reason, b.reason) if text)),
        undefined=a.undefined if np.isnan(_point(a)) else b.undefined,
    )
    return finished(both, value, _ends(a, b, value, bootstrap) if bootstrap is not None else None)


def unmatched_p(a: Ratio, b: Ratio, *, resamples: int, seed: int = 0, ceiling: int = 0) -> float | None:
    """Two-sided p value of two ratios of sums being the same on different items: items change sets at random.

    The difference is divided by its standard error, so that the test also holds where the items of one set vary more than
    those of the other; random sets that are exactly as far apart count by half (mid-p).

    Args:
        a: The items of one set: what is summed, such as right answers, and out of how many, each [items]. Items of which
            nothing counts are left out.
        b: Those of the other.
        resamples: Random divisions of all items into two sets of these sizes.
        seed: Seed of the generator.
        ceiling: Divisions up to which more are drawn where p is small (see permuting.monte_carlo_p).

    Returns:
        In (0, 1]; None without resamples, and of sets of fewer than two items.

    Reference: Chung and Romano (2013), Exact and asymptotically robust permutation tests.

    Example:
        >>> import numpy as np
        >>> ones = np.ones(20)
        >>> unmatched_p((np.arange(20) < 18, ones), (np.arange(20) < 4, ones), resamples=999) < 0.01
        True
    """
    sides = [np.column_stack([np.asarray(column, dtype=np.float64) for column in side]) for side in (a, b)]
    sides = [side[side[:, 1] > 0] for side in sides]
    sizes = [len(side) for side in sides]
    if not resamples or min(sizes) < 2:
        return None
    # Items that are alike are interchangeable: only how many of each kind are drawn matters.
    kinds, counts = np.unique(np.concatenate(sides), axis=0, return_counts=True)
    value, answers = kinds.T
    columns = np.column_stack([value, answers, value * value, value * answers, answers * answers])
    whole = counts @ columns
    observed = _apart(_moments(sides[0])[None, :], whole, sizes)[0]
    slack = 1e-9 * max(1.0, float(observed)) if np.isfinite(observed) else 0.0
    generator = np.random.default_rng(seed)

    def extreme(rows: int) -> float:
        drawn = generator.multivariate_hypergeometric(counts, sizes[0], size=rows)
        apart = _apart(drawn @ columns, whole, sizes)
        same = apart == observed if np.isinf(observed) else np.abs(apart - observed) <= slack
        # Nothing is less extreme than no difference at all.
        half = 0.5 if observed > slack else 1.0
        return float((apart[~same] > observed).sum()) + half * float(same.sum())

    return monte_carlo_p(extreme, width=5 * len(kinds), resamples=resamples, ceiling=ceiling)


def unmatched_detectable(
    a: Statistic, b: Statistic, sides: tuple[float, float], *, level: float = 0.95, power: float = 0.8
) -> float | None:
    """The smallest difference a − b of two paired differences, on different items, that unmatched_p would find.

    The items of `a` move and those of `b` stay as they are; by how much more the items of `a` then vary is as Apart has it.

    Args:
        a: The difference of two conditions over one set of items, as tax_statistic gives it.
        b: The difference of the same conditions over the other set.
        sides: The two shares of which `a` is the difference, each in [0, 1].
        level: 1 − the two-sided error of the first kind.
        power: Chance of finding the difference.

    Returns:
        In (0, 1]; None of fewer than two items on a side, where nothing differs, or if not even the largest difference that
        there is room for would be found so often.
    """
    moves, others = influences(a), influences(b)
    if min(len(moves), len(others)) < 2 or not np.abs(moves).max() > 0.0:
        return None
    # Slow to load, for a solver that only comparisons need.
    from scipy.optimize import brentq  # type: ignore[import-untyped]

    square = float((moves**2).mean())
    apart = Apart(len(moves), square, square / float(np.abs(moves).mean()), sides, (0.0, 1.0))
    freedom = len(moves) + len(others) - 2
    reach = float(stdtrit(freedom, (1 + level) / 2) + stdtrit(freedom, power))
    rest = float(others.var()) / len(others)

    def short(difference: float) -> float:
        varied = max(0.0, apart.squared(difference) - difference**2) / len(moves)
        return difference - reach * float(np.sqrt(varied + rest))

    return float(brentq(short, 0.0, apart.most, xtol=1e-9)) if short(apart.most) > 0.0 else None


def _moments(items: Floats) -> Floats:
    value, answers = items.T
    sums: Floats = np.array(
        [column.sum() for column in (value, answers, value * value, value * answers, answers * answers)]
    )
    return sums


def _apart(first: Floats, whole: Floats, sizes: Sequence[int]) -> Floats:
    """How many standard errors two ratios lie apart, [rows].

    Args:
        first: Sums of the first set: values, answers, and products of the two, [rows, 5].
        whole: The same of both sets together, [5].
        sizes: Items of either set.
    """
    ratios, variances = [], []
    for sums, n in ((first, sizes[0]), (whole - first, sizes[1])):
        value, answers, squares, products, others = sums.T
        ratio = value / answers
        ratios.append(ratio)
        variances.append((squares - 2 * ratio * products + ratio**2 * others) / answers**2 * n / (n - 1))
    apart, error = np.abs(ratios[0] - ratios[1]), np.sqrt(np.maximum(sum(variances), 0.0))
    flat = error <= 1e-9
    # Where neither set varies, any difference is more than any standard error.
    found: Floats = np.where(flat, np.where(apart > 1e-9, np.inf, 0.0), apart / np.where(flat, 1.0, error))
    return found


def _ends(a: Statistic, b: Statistic, value: float, bootstrap: Bootstrap) -> tuple[float, float] | None:
    # The same seed would pair the resamples of two sets that happen to be equally large.
    first = draws(len(a.columns[0]), bootstrap)
    second = draws(len(b.columns[0]), replace(bootstrap, seed=bootstrap.seed + 1))
    if first is None or second is None:
        return None
    spread = a.resampled(first.sums(_matrix(a)), first) - b.resampled(second.sums(_matrix(b)), second)
    low, high = intervals(spread[None, :], np.array([value]), bootstrap)
    return float(low[0]), float(high[0])


def _point(statistic: Statistic) -> float:
    return float(statistic.reduce(_matrix(statistic).sum(axis=0)))


def _matrix(statistic: Statistic) -> Floats:
    columns: list[npt.NDArray[np.float64]] = [np.asarray(c, dtype=np.float64) for c in statistic.columns]
    return np.stack(columns, axis=1)
