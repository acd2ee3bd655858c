"""Differences of two sets of items that have nothing to do with each other: each is resampled by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hesperus.measures.resample import Bootstrap, Floats, draws, intervals
from hesperus.measures.statistic import Statistic, finished
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
    both = replace(
        a,
        n=min(a.n, b.n),
        excluded=a.excluded + b.excluded,
        reason="; ".join(dict.fromkeys(text for text in (a.reason, b.reason) if text)),
        undefined=a.undefined if np.isnan(_point(a)) else b.undefined,
    )
    return finished(both, value, _ends(a, b, value, bootstrap) if bootstrap is not None else None)


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
