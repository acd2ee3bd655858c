"""Tests of paired differences: the same items on both sides.

The only file of the room that needs scipy, so that measuring without testing does not load it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr  # type: ignore[import-untyped]

from hesperus.measures.classes import Mask
from hesperus.measures.resample import Floats

_EXACT_UP_TO = 14
"""Items that differ, up to which every pattern of signs is tried (2^14 patterns)."""

_BLOCK = 1 << 22
"""Signs held at a time."""


@dataclass(frozen=True, slots=True)
class PValue:
    """What a test found.

    Attributes:
        value: Two-sided p value in [0, 1]; None where the test cannot be made.
        test: Name of the test.
        n: Items it rests on.
        reason: Why the value is None; empty otherwise.
    """

    value: float | None
    test: str
    n: int = 0
    reason: str = ""


def sign_test(wins: int, losses: int) -> PValue:
    """Exact two-sided sign test: are wins and losses equally likely? Ties do not count.

    Args:
        wins: Items that favour the first side.
        losses: Items that favour the second.

    Raises:
        ValueError: A count is negative.

    Example:
        >>> sign_test(9, 1).value
        0.021484375
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"counts cannot be negative: {wins}, {losses}")
    n = wins + losses
    value = min(1.0, 2.0 * float(bdtr(min(wins, losses), n, 0.5))) if n else 1.0
    return PValue(value, "sign", n)


def mcnemar_test(a: Mask, b: Mask, *, counted: Mask) -> PValue:
    """Exact McNemar test of two paired yes/no results: the sign test on the items where they differ.

    Args:
        a: Items with the property on the first side, [items].
        b: Items with the property on the second side.
        counted: Items that count.

    Returns:
        The p value; None where no item counts.
    """
    n = int(counted.sum())
    if n == 0:
        return PValue(None, "mcnemar", 0, "no item counts on both sides")
    found = sign_test(int((a & ~b & counted).sum()), int((b & ~a & counted).sum()))
    return PValue(found.value, "mcnemar", n)


def permutation_test(differences: Floats, *, resamples: int = 10_000, seed: int = 0) -> PValue:
    """Paired permutation test of a mean difference: the two sides of each item are exchanged at random.

    Args:
        differences: First minus second side, [items].
        resamples: Random sign patterns where trying all is too much.
        seed: Seed of the generator.

    Returns:
        The two-sided p value: exact where at most 14 items differ, else (1 + as extreme) / (1 + resamples), which is
        never 0. None where there is no item.

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
    # Sums of the same numbers in another order differ by rounding, and must count as equally extreme.
    bar = abs(float(moved.sum())) - 1e-9 * float(np.abs(moved).sum())
    if len(moved) <= _EXACT_UP_TO:
        patterns = np.arange(1 << len(moved))[:, None] >> np.arange(len(moved)) & 1
        return PValue(float(np.mean(np.abs((1.0 - 2.0 * patterns) @ moved) >= bar)), "permutation", n)
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(moved))
    extreme = 0
    for start in range(0, resamples, rows):
        height = min(rows, resamples - start)
        signs = 1.0 - 2.0 * generator.integers(0, 2, (height, len(moved)), dtype=np.int8)
        extreme += int((np.abs(signs @ moved) >= bar).sum())
    return PValue((1 + extreme) / (1 + resamples), "permutation", n)
