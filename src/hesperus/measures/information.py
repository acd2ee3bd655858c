"""Information consistency: precision, recall and F of claims over pairs of texts.

Per pair, precision is the share of the candidate's claims that the reference supports, recall the share of the
reference's claims that the candidate supports. Over pairs there are two F: the harmonic mean of the two means, which
the paper reports, and the mean of each pair's own harmonic mean.

Reference: Gupta, Mehta, Xu and Srikumar, Found in Translation: Measuring Multilingual LLM Consistency as Simple as
Translate then Evaluate, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from hesperus.measures.resample import Bootstrap, Floats
from hesperus.measures.statistic import Statistic, divide, estimates, ratio, share_corners
from hesperus.types import Estimate

INFORMATION = ("precision", "recall", "f_of_means", "mean_f")
"""The four numbers, in the order in which they are shown."""


def harmonic_mean(a: Floats, b: Floats) -> Floats:
    """2ab / (a + b) of numbers of [0, 1]; 0 where both are 0, NaN where one is NaN."""
    total = a + b
    found = divide(2.0 * a * b, total)
    return np.where(total == 0.0, 0.0, found)


def information(
    precision: npt.ArrayLike,
    recall: npt.ArrayLike,
    *,
    items: npt.ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> Mapping[str, Estimate]:
    """Precision, recall and both F over pairs of texts (see information_statistics).

    Example:
        >>> found = information([1.0, 0.5], [0.5, 0.5])
        >>> found["precision"].value, found["recall"].value, found["f_of_means"].value
        (0.75, 0.5, 0.6)
    """
    statistics = information_statistics(precision, recall, items=items)
    return dict(zip(statistics, estimates(statistics.values(), bootstrap), strict=True))


def information_statistics(
    precision: npt.ArrayLike,
    recall: npt.ArrayLike,
    *,
    items: npt.ArrayLike | None = None,
    excluded: int = 0,
    reason: str = "",
) -> Mapping[str, Statistic]:
    """The four numbers before they are reduced.

    Args:
        precision: Per pair, in [0, 1], [pairs]; NaN leaves the pair out of all four.
        recall: Likewise.
        items: Which item each pair belongs to, as any whole numbers, [pairs]: pairs of one item (several languages)
            are resampled together. None: every pair is an item of its own.
        excluded: Pairs that were left out before.
        reason: Why.

    Returns:
        A statistic for each name of INFORMATION; `n` counts pairs. Undefined where no pair is left.

    Raises:
        ValueError: The arrays differ in length or hold numbers outside [0, 1].
    """
    p, r, own = _checked(precision, recall, items)
    counted = np.isfinite(p) & np.isfinite(r)

    def summed(values: Floats) -> Floats:
        column: Floats = np.bincount(own, weights=np.where(counted, values, 0.0)).astype(np.float64)
        return column

    n = int(counted.sum())
    dropped = len(p) - n
    reasons = [reason] if reason else []
    reasons += [f"{dropped} without a precision or recall"] if dropped else []
    pairs = summed(np.ones(len(p)))
    each = share_corners(pairs)[0][0]
    precisions, recalls = summed(p), summed(r)
    columns = MappingProxyType(
        {
            "precision": ((precisions, pairs), ratio),
            "recall": ((recalls, pairs), ratio),
            "f_of_means": ((precisions, recalls, pairs), _f_of_means),
            "mean_f": ((summed(harmonic_mean(p, r)), pairs), ratio),
        }
    )
    return {
        name: Statistic(
            columns=sums,
            reduce=reduce,
            # All claims supported, or none, in as many pairs as an item has on average.
            corners=tuple((claims,) * (len(sums) - 1) + (each,) for claims in (each, 0.0)),
            n=n,
            excluded=excluded + dropped,
            reason="; ".join(reasons),
            undefined="no pair of texts to score",
            limits=(0.0, 1.0),
        )
        for name, (sums, reduce) in columns.items()
    }


def _checked(
    precision: npt.ArrayLike, recall: npt.ArrayLike, items: npt.ArrayLike | None
) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Both scores of every pair, and the place of its item among the items."""
    p, r = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    if p.shape != r.shape or p.ndim != 1:
        raise ValueError(f"precision and recall need the same pairs: {p.shape} and {r.shape}")
    for name, values in (("precision", p), ("recall", r)):
        if ((values < 0.0) | (values > 1.0)).any():
            raise ValueError(f"{name} lies in [0, 1]")
    named = np.arange(len(p)) if items is None else np.asarray(items)
    if named.shape != p.shape:
        raise ValueError(f"{len(p)} pairs need as many items, not {named.shape}")
    return p, r, np.unique(named, return_inverse=True)[1]


def _f_of_means(sums: Floats) -> Floats:
    precision, recall = divide(sums[..., 0], sums[..., 2]), divide(sums[..., 1], sums[..., 2])
    return harmonic_mean(precision, recall)
