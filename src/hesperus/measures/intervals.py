"""Closed forms: an interval for a share without resampling."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from hesperus.types import Estimate


def wilson(successes: int, n: int, *, level: float = 0.95) -> Estimate:
    """A share with its Wilson score interval, which stays inside [0, 1] and has width at 0 and 1.

    Args:
        successes: Items that have the property.
        n: Items in all; 0 leaves the share undefined.
        level: Coverage, in (0, 1).

    Raises:
        ValueError: The counts do not fit, or the level lies outside (0, 1).

    Reference: Wilson (1927).

    Example:
        >>> share = wilson(10, 10)
        >>> share.value, round(share.low, 3), round(share.high, 3)
        (1.0, 0.722, 1.0)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    z = _quantile(level)
    if n == 0:
        return Estimate(None, reason="no item to measure")
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Estimate(share, low, high, n)


def _quantile(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise ValueError(f"the level of an interval lies between 0 and 1, not {level}")
    return NormalDist().inv_cdf((1 + level) / 2)
