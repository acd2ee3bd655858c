"""Tests of two samples, and of two lists of numbers, that take what they are given for independent.

Pairs of runs share runs, hence are not: there p means nothing, as in the literature (see mantel for a test that knows).
Needs scipy, so that measuring without testing does not load it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr  # type: ignore[import-untyped]

from hesperus.measures.resample import Floats

_EXACT_UP_TO = 8
"""Values of the smaller sample up to which the exact distribution of U is counted, where there are no ties."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a test found.

    Attributes:
        statistic: Its statistic: U, or a correlation; None if it is undefined.
        p: Two-sided p value, in [0, 1]; None if the test cannot be made.
        test: Name of the test.
        n: Values it rests on.
        reason: Why something is missing; empty otherwise.
        dropped: Runs (Mantel) that were left out so that every pair of the others is defined, as indices.
    """

    statistic: float | None
    p: float | None
    test: str
    n: int = 0
    reason: str = ""
    dropped: tuple[int, ...] = ()


def mann_whitney(x: npt.ArrayLike, y: npt.ArrayLike) -> Relation:
    """Mann-Whitney's U of two samples; U counts the pairs in which x is larger, ties by half.

    Args:
        x: First sample; undefined values (NaN) are left out.
        y: Second sample.

    Returns:
        U of the first sample and its two-sided p value: exact where the smaller sample has at most 8 values and none
        are tied, else by the normal approximation with corrections for ties and continuity. None if a sample is
        empty.

    Reference: Mann and Whitney (1947).

    Example:
        >>> found = mann_whitney([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
        >>> found.statistic, found.p
        (0.0, 0.1)
    """
    first, second = _defined(x), _defined(y)
    m, n = len(first), len(second)
    if not m or not n:
        return Relation(None, None, "mann_whitney", m + n, "one of the samples is empty")
    values, places, counts = np.unique(
        np.concatenate([first, second]), return_inverse=True, return_counts=True
    )
    ranks = (counts.cumsum() - (counts - 1) / 2)[places]
    u = float(ranks[:m].sum()) - m * (m + 1) / 2
    if len(values) == m + n and min(m, n) <= _EXACT_UP_TO:
        chances = _u_distribution(m, n)
        tail = chances[int(max(u, m * n - u)) :].sum()
        return Relation(u, min(1.0, 2.0 * float(tail)), "mann_whitney", m + n)
    total = m + n
    ties = float((counts.astype(np.float64) ** 3 - counts).sum())
    variance = m * n / 12 * ((total + 1) - ties / (total * (total - 1)))
    if variance <= 0:
        return Relation(u, None, "mann_whitney", total, "all values are the same")
    z = (abs(u - m * n / 2) - 0.5) / np.sqrt(variance)
    return Relation(u, min(1.0, 2.0 * float(ndtr(-z))), "mann_whitney", total)


_ON_A_LINE = 1e-12
"""1 − r² below which a correlation is perfect, but for rounding."""


def pearson_test(x: npt.ArrayLike, y: npt.ArrayLike) -> Relation:
    """Pearson's correlation of two lists of numbers, with the p value of the t distribution.

    Args:
        x: Numbers; a place where either is undefined (NaN) is left out.
        y: As many.

    Returns:
        r and its two-sided p value; undefined where fewer than three places remain or a side does not vary. Points that
        lie on one line have r alone: the t distribution would call three of them certain.

    Raises:
        ValueError: The lengths differ.

    Example:
        >>> found = pearson_test([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0])
        >>> round(found.statistic, 3), round(found.p, 3)
        (0.8, 0.2)
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"a correlation needs two lists of one length: {first.shape} and {second.shape}")
    kept = np.isfinite(first) & np.isfinite(second)
    n = int(kept.sum())
    r = correlations(first[kept][None, :], second[kept][None, :])[0] if n >= 3 else np.nan
    if np.isnan(r):
        return Relation(
            None, None, "pearson", n, "fewer than three pairs of numbers, or one side does not vary"
        )
    room = 1.0 - float(r) ** 2
    if room < _ON_A_LINE:
        return Relation(
            float(r), None, "pearson", n, f"all {n} points lie on one line, which leaves no chance to test"
        )
    p = 2.0 * float(stdtr(n - 2, -abs(float(r)) * np.sqrt((n - 2) / room)))
    return Relation(float(r), p, "pearson", n)


def correlations(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of each row of two tables, [rows, numbers]; NaN where a side does not vary."""
    u, v = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    uu, vv, uv = (u * u).sum(axis=1), (v * v).sum(axis=1), (u * v).sum(axis=1)
    # A constant row leaves only rounding of the mean.
    varies = (uu > 1e-24 * (x * x).sum(axis=1)) & (vv > 1e-24 * (y * y).sum(axis=1))
    found = np.full(len(uv), np.nan)
    found[varies] = np.clip(uv[varies] / np.sqrt(uu[varies] * vv[varies]), -1.0, 1.0)
    return found


def _defined(values: npt.ArrayLike) -> Floats:
    found = np.asarray(values, dtype=np.float64).reshape(-1)
    return found[np.isfinite(found)]


def _u_distribution(m: int, n: int) -> Floats:
    """Chance of each value of U, 0 to m n: partitions into at most m parts of at most n, by the usual quotient."""
    counts = np.zeros(m * n + 1)
    counts[0] = 1.0
    for part in range(1, min(m, n) + 1):
        larger = max(m, n) + part
        # times (1 − q^larger), then over (1 − q^part)
        counts[larger:] -= counts[: max(0, len(counts) - larger)].copy()
        for start in range(part, len(counts)):
            counts[start] += counts[start - part]
    chances: Floats = counts / counts.sum()
    return chances
