"""Differences of two sets of items that have nothing to do with each other: each is resampled by itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hesperus.measures.resample import Bootstrap, Floats, draws
from hesperus.measures.statistic import Statistic
from hesperus.types import Estimate


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
    reason = "; ".join(dict.fromkeys(text for text in (a.reason, b.reason) if text))
    n, excluded = min(a.n, b.n), a.excluded + b.excluded
    if np.isnan(value):
        missing = a.undefined if np.isnan(_point(a)) else b.undefined
        return Estimate(None, n=n, excluded=excluded, reason="; ".join(filter(None, (missing, reason))))
    low, high = _interval(a, b, bootstrap) if bootstrap is not None else (None, None)
    return Estimate(value, low, high, n, excluded, reason)


def _interval(a: Statistic, b: Statistic, bootstrap: Bootstrap) -> tuple[float | None, float | None]:
    # The same seed would pair the resamples of two sets that happen to be equally large.
    other = Bootstrap(bootstrap.resamples, bootstrap.seed + 1, bootstrap.level)
    first, second = draws(len(a.columns[0]), bootstrap), draws(len(b.columns[0]), other)
    if first is None or second is None:
        return None, None
    spread = a.reduce(first.sums(_matrix(a))) - b.reduce(second.sums(_matrix(b)))
    kept = spread[np.isfinite(spread)]
    # An interval from a minority of resamples would describe another population than the point value.
    if 2 * len(kept) <= len(spread):
        return None, None
    low, high = np.quantile(kept, [(1 - bootstrap.level) / 2, (1 + bootstrap.level) / 2])
    return float(low), float(high)


def _point(statistic: Statistic) -> float:
    return float(statistic.reduce(_matrix(statistic).sum(axis=0)))


def _matrix(statistic: Statistic) -> Floats:
    columns: list[npt.NDArray[np.float64]] = [np.asarray(c, dtype=np.float64) for c in statistic.columns]
    return np.stack(columns, axis=1)
