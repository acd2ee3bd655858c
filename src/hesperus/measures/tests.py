"""Tests of paired differences: the same items on both sides.

The only file of the room that needs scipy, so that measuring without testing does not load it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, betainc, ndtr, ndtri  # type: ignore[import-untyped]

from hesperus.measures.classes import Mask
from hesperus.measures.permuting import monte_carlo_p
from hesperus.measures.resample import Floats

_EXACT_UP_TO = 14
"""Items that differ, up to which every pattern of signs is tried (2^14 patterns)."""

_TAIL = 0.01
"""Share of the resamples, at either end, beyond which the tail is continued as that of a normal distribution."""

_FEWEST = 40
"""Resamples below which no tail is continued."""

_SMALLEST = 1e-6
"""The least p value of resampled items: what a continued tail says beyond it rests on nothing."""


@dataclass(frozen=True, slots=True)
class PValue:
    """What a test found.

    Attributes:
        value: Two-sided p value in [0, 1]; None if the test cannot be made.
        test: Name of the test.
        n: Items it rests on.
        reason: Why the value is missing; empty otherwise.
    """

    value: float | None
    test: str
    n: int = 0
    reason: str = ""


def sign_test(wins: int, losses: int, *, exact: bool = False) -> PValue:
    """Two-sided sign test: are wins and losses equally likely? Ties do not count.

    The Bayesian form is worked out from the weights of resampled items that make the interval of a paired difference:
    Exp(1) for each item, Gamma(1/2) in the corners "only the first" and "only the second". The share of resamples on the
    other side of 0 is then a tail of Beta(wins + 1/2, losses + 1/2), and p is twice the smaller one. Its false positives
    at 5 % lie between 3 and 6 % from 3 expected wins and losses on; with fewer nothing can be found that often, and 4 of
    one kind are the fewest that lie below 5 %. The exact form, which cannot exceed 5 %, has 0.2 to 3.8 %.

    Args:
        wins: Items that favour the first side.
        losses: Items that favour the second.
        exact: The exact form, as papers print it.

    Raises:
        ValueError: A count is negative.

    Reference: Jeffreys' prior of a share, Brown, Cai and DasGupta (2001), which they find close to the mid-p interval.

    Example:
        >>> round(sign_test(9, 1).value, 4), round(sign_test(9, 1, exact=True).value, 4)
        (0.0074, 0.0215)
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"counts cannot be negative: {wins}, {losses}")
    n, rarer = wins + losses, min(wins, losses)
    name = "exact sign" if exact else "Bayesian sign"
    tail = bdtr(rarer, n, 0.5) if exact else betainc(n - rarer + 0.5, rarer + 0.5, 0.5)
    return PValue(1.0 if wins == losses else min(1.0, 2.0 * float(tail)), name, n)


def mcnemar_test(a: Mask, b: Mask, *, counted: Mask, exact: bool = False) -> PValue:
    """McNemar's test of two paired yes/no results: the sign test on the items where they differ.

    Args:
        a: Items with the property on the first side, [items].
        b: Items with the property on the second side.
        counted: Items that count.
        exact: The exact form in place of the Bayesian one (see sign_test).

    Returns:
        The p value; None if no item counts.
    """
    n = int(counted.sum())
    name = "exact McNemar" if exact else "Bayesian McNemar"
    if n == 0:
        return PValue(None, name, 0, "no item counts on both sides")
    found = sign_test(int((a & ~b & counted).sum()), int((b & ~a & counted).sum()), exact=exact)
    return PValue(found.value, name, n)


def permutation_test(
    differences: Floats, *, resamples: int = 10_000, seed: int = 0, ceiling: int = 0, mid: bool = False
) -> PValue:
    """Paired permutation test of a mean difference: the two sides of each item are exchanged at random.

    Args:
        differences: First minus second side, [items]. Of several models their sum over an item: its models are exchanged
            together, since they share what is odd about it.
        resamples: Random sign patterns where trying all is too much.
        seed: Seed of the generator.
        ceiling: Patterns up to which more are drawn where p is small (see permuting.monte_carlo_p).
        mid: The mid-p form, which counts patterns that are exactly as extreme by half.

    Returns:
        The two-sided p value: exact where at most 14 items differ, else (1 + as extreme) / (1 + resamples), which is
        never 0. None if there is no item.

    Raises:
        ValueError: A difference is not finite, or `resamples` is less than 1.
    """
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more, not {resamples}")
    if not np.isfinite(differences).all():
        raise ValueError(f"the difference of item {int(np.argmin(np.isfinite(differences)))} is not finite")
    n = len(differences)
    if n == 0:
        return PValue(None, "permutation", 0, "no item counts on both sides")
    moved = differences[differences != 0]
    if not len(moved):
        return PValue(1.0, "permutation", n)
    # Sums of the same numbers in another order differ by rounding, and must count as equally extreme.
    seen, slack = abs(float(moved.sum())), 1e-9 * float(np.abs(moved).sum())

    def counted(sums: Floats) -> float:
        over = float((sums >= seen - slack).sum())
        # Nothing is less extreme than a sum of 0, whose p is 1 in either form.
        return over - 0.5 * float((np.abs(sums - seen) <= slack).sum()) if mid and seen > slack else over

    if len(moved) <= _EXACT_UP_TO:
        patterns = np.arange(1 << len(moved))[:, None] >> np.arange(len(moved)) & 1
        return PValue(counted(np.abs((1.0 - 2.0 * patterns) @ moved)) / len(patterns), "permutation", n)
    generator = np.random.default_rng(seed)

    def extreme(rows: int) -> float:
        signs = 1.0 - 2.0 * generator.integers(0, 2, (rows, len(moved)), dtype=np.int8)
        return counted(np.abs(signs @ moved))

    found = monte_carlo_p(extreme, width=len(moved), resamples=resamples, ceiling=ceiling)
    return PValue(found, "permutation", n)


def resampled_p(spread: Floats) -> float | None:
    """Two-sided p value of a number being 0, from the same resamples of items as its interval.

    Twice the share of resamples on the other side of 0, so that an interval of the quantiles 2.5 % and 97.5 % excludes 0
    where p lies below 0.05. Where fewer than 1 % lie there, their count says little, and could never be significant in a
    large family: the tail beyond the 1 % quantile is then continued as that of a normal distribution through it and
    the median.

    Args:
        spread: The number in every resample, [resamples]; undefined ones (NaN) are left out.

    Returns:
        In [10^-6, 1]; None if fewer than half of the resamples are defined, or there are no resamples, or if all are alike
        and not 0: they then say nothing of what other items would show.
    """
    kept = np.sort(spread[np.isfinite(spread)])
    count = len(kept)
    if not count or 2 * count <= len(spread):
        return None
    below, above = int((kept <= 0).sum()), int((kept >= 0).sum())
    least = min(below, above)
    if kept[0] == kept[-1] != 0:
        return None
    bar = max(1, round(_TAIL * count))
    if least >= bar or count < _FEWEST:
        return min(1.0, 2.0 * (1 + least) / (1 + count))
    if above < below:
        kept = -kept[::-1]
    middle, end = float(np.median(kept)), float(kept[bar - 1])
    if middle <= end:
        return None
    z = -float(ndtri((1 + bar) / (1 + count)))
    return max(_SMALLEST, 2.0 * float(ndtr(-z * middle / (middle - end))))
