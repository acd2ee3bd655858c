"""Spearman's rank correlation of two per-item numbers, with ties, an item bootstrap and a permutation test.

Every resample is ranked anew: a drawn item counts as often as it was drawn, and its copies are tied.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hesperus.measures.permuting import permuted_correlation_p
from hesperus.measures.resample import Bootstrap, Floats, draws, intervals
from hesperus.types import Estimate

_TOO_FEW = "fewer than three items have both numbers"


def spearman(x: npt.ArrayLike, y: npt.ArrayLike, *, bootstrap: Bootstrap | None = None) -> Estimate:
    """Spearman's ρ: Pearson's correlation of the ranks, ties at the mean of their places, in [−1, 1].

    Args:
        x: [items]; NaN where an item has no number.
        y: [items], likewise.
        bootstrap: How to resample the items; None leaves the interval out.

    Returns:
        The estimate over the items that have both numbers. Undefined where fewer than three do, or where all values of a
        side are the same; the reason says which. Without an interval where so few items vary that more of the resamples
        than the interval may leave out do not vary at all.

    Raises:
        ValueError: The two have different items.

    Example:
        >>> spearman([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]).value
        0.8
    """
    first, second, lost = _both(x, y)
    n, reason = len(first), f"{lost} without both numbers" if lost else ""
    why = _undefined(first, second)
    if why:
        return Estimate(None, n=n, excluded=lost, reason="; ".join(filter(None, (why, reason))))
    value = float(_rho(first, second, np.ones((1, n)))[0])
    shared = draws(n, bootstrap) if bootstrap is not None else None
    if shared is None or bootstrap is None:
        return Estimate(value, None, None, n, lost, reason)
    spread = np.concatenate([_rho(first, second, block.astype(np.float64)) for block in shared.blocks()])
    alike = float((~np.isfinite(spread)).mean())
    if shared.bayesian:
        # Two pseudo-items, wholly in step and wholly out of step, each as far from the middle as the items are on average.
        # Every item keeps a weight, so how often draws with replacement would vary is known from the items alone.
        with_both, against = (shared.corners(2) * shared.scale[:, None]).T
        spread = (n * spread + with_both - against) / (n + with_both + against)
        alike = max(_never_drawn(first), _never_drawn(second))
    # Where one or two items carry all that varies, the resamples that hold them say where these items stand among the
    # others and nothing of how sure that is; their percentiles would shut out 0 by chance.
    if alike > 1 - bootstrap.level:
        few = "too few items vary, so there is no interval"
        return Estimate(value, None, None, n, lost, "; ".join(filter(None, (few, reason))))
    low, high = intervals(spread[None, :], np.array([value]), bootstrap)
    return Estimate(value, float(low[0]), float(high[0]), n, lost, reason)


def _never_drawn(values: Floats) -> float:
    """How likely as many draws with replacement as there are items hold one value only: the one that most items have."""
    return float((np.unique(values, return_counts=True)[1].max() / len(values)) ** len(values))


def spearman_p(
    x: npt.ArrayLike, y: npt.ArrayLike, *, resamples: int = 10_000, seed: int = 0, ceiling: int = 0
) -> float | None:
    """Two-sided p value of Spearman's ρ by permuting one side, exact for any ties up to chance: (1 + extreme) / (1 + all).

    Args:
        x: [items]; NaN where an item has no number.
        y: [items], likewise.
        resamples: Permutations; 0 leaves p out.
        seed: Seed of the generator.
        ceiling: Permutations up to which more are drawn where p is small (see permuting.monte_carlo_p).

    Returns:
        In (0, 1]; None if ρ is undefined, or nothing is permuted.

    Raises:
        ValueError: The two have different items.
    """
    first, second, _ = _both(x, y)
    if _undefined(first, second) or not resamples:
        return None
    return permuted_correlation_p(
        _ranks(first), _ranks(second), resamples=resamples, ceiling=ceiling, seed=seed
    )


def _both(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats, int]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"a correlation needs the same items: {first.shape} and {second.shape}")
    kept = np.isfinite(first) & np.isfinite(second)
    return first[kept], second[kept], int((~kept).sum())


def _undefined(first: Floats, second: Floats) -> str:
    if len(first) < 3:
        return _TOO_FEW
    same = [
        f"the {name} side"
        for name, values in (("first", first), ("second", second))
        if (values == values[0]).all()
    ]
    return f"all values of {' and of '.join(same)} are the same, so no correlation is defined" if same else ""


def _ranks(values: Floats) -> Floats:
    ranks: Floats = _weighted_ranks(values, np.ones((1, len(values))))[0]
    return ranks


def _weighted_ranks(values: Floats, counts: Floats) -> Floats:
    """Mean places of the items where each counts as often as it was drawn, [resamples, items]."""
    distinct, places = np.unique(values, return_inverse=True)
    member = np.zeros((len(values), len(distinct)))
    member[np.arange(len(values)), places] = 1.0
    drawn = counts @ member
    middle: Floats = drawn.cumsum(axis=1) - (drawn - 1.0) / 2.0
    return middle[:, places]


def _rho(x: Floats, y: Floats, counts: Floats) -> Floats:
    a, b = _weighted_ranks(x, counts), _weighted_ranks(y, counts)
    # Ranks average to the same middle in every resample, so that centring needs no sums.
    middle = (counts.sum(axis=1, keepdims=True) + 1.0) / 2.0
    a -= middle
    b -= middle
    over = (counts * a * b).sum(axis=1)
    under = np.sqrt((counts * a * a).sum(axis=1) * (counts * b * b).sum(axis=1))
    rho = np.full(len(over), np.nan)
    np.divide(over, under, out=rho, where=under > 1e-9)
    clipped: Floats = np.clip(rho, -1.0, 1.0)
    return clipped
