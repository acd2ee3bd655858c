"""What a measure of many pairs of runs comes to, gathered as its pairs are measured, a chunk at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hesperus.measures.pair_basis import PairBasis
from hesperus.measures.resample import Bootstrap, Draws, Floats, intervals
from hesperus.measures.statistic import NO_INTERVAL, divide


@dataclass(frozen=True, slots=True, eq=False)
class PairSpread:
    """A measure of many pairs, with what resampling the items makes of it; NaN where undefined.

    Attributes:
        n: Items that each pair rests on, [pairs].
        value: [pairs].
        low: Lower ends of intervals, [pairs]; NaN too where resampling gives none (see resample.intervals).
        high: Upper ends, [pairs].
        means: Mean over the pairs of each group that have a value, [groups].
        spread: The same in each resample, [groups, resamples].
    """

    n: npt.NDArray[np.int64]
    value: Floats
    low: Floats
    high: Floats
    means: Floats
    spread: Floats

    def columns(self, basis: PairBasis) -> dict[str, list[object]]:
        """The estimates of all pairs, as the columns of a table; what is undefined is None, with its reason.

        Args:
            basis: What the same measure of the same pairs rests on.

        Returns:
            The fields of Estimate, each with a cell for each pair.
        """
        bare = np.isnan(self.low) if self.spread.shape[1] else np.zeros(len(self.value), dtype=np.bool_)
        undefined = np.isnan(self.value)
        reason = list(basis.reason)
        for place in np.flatnonzero(undefined | bare).tolist():
            why = basis.undefined[place] if undefined[place] else NO_INTERVAL
            reason[place] = "; ".join(text for text in (why, reason[place]) if text)
        return {
            "value": _cells(self.value), "low": _cells(self.low), "high": _cells(self.high),
            "n": list(basis.n.tolist()), "excluded": list(basis.excluded.tolist()), "reason": list(reason),
        }  # fmt: skip


def _cells(numbers: Floats) -> list[object]:
    return [None if number != number else number for number in numbers.tolist()]


class GatheredSpread:
    """Values, ends of intervals and means of groups of a measure, as the chunks of pairs come in."""

    def __init__(
        self, pairs: int, resampled: Draws | None, groups: Sequence[npt.NDArray[np.integer]]
    ) -> None:
        self._bootstrap = resampled.bootstrap if resampled else Bootstrap(0)
        self._n = np.zeros(pairs, dtype=np.int64)
        self._value, self._low, self._high = (np.full(pairs, np.nan) for _ in range(3))
        self._groups = groups
        self._member = np.zeros((len(groups), pairs))
        for row, group in zip(self._member, groups, strict=True):
            row[np.asarray(group, dtype=np.intp)] = 1.0
        width = self._bootstrap.resamples
        self._sums, self._counts = np.zeros((len(groups), width)), np.zeros((len(groups), width))

    def values(self, part: slice, n: npt.NDArray[np.int64], value: Floats) -> None:
        """Take the items and values of some pairs."""
        self._n[part], self._value[part] = n, value

    def resamples(self, part: slice, reduced: Floats) -> None:
        """Take the resampled values of some pairs, [pairs, resamples]; their values must be there."""
        # Pseudo-items give a value also to pairs that have none.
        member = self._member[:, part] * np.isfinite(self._value[part])
        groups = member.any(axis=1)
        bad = not np.isfinite(reduced.sum())
        if groups.any():
            filled = np.nan_to_num(reduced) if bad else reduced
            self._sums[groups] += member[groups] @ filled
            self._counts[groups] += (
                member[groups] @ np.isfinite(reduced).astype(np.float64)
                if bad
                else member[groups].sum(axis=1, keepdims=True)
            )
        self._low[part], self._high[part] = intervals(reduced, self._value[part], self._bootstrap)

    def spread(self) -> PairSpread:
        """All that came in."""
        defined = np.isfinite(self._value)
        counts = (self._member * defined).sum(axis=1)
        means = divide(self._member @ np.where(defined, self._value, 0.0), counts)
        return PairSpread(
            self._n, self._value, self._low, self._high, means, divide(self._sums, self._counts)
        )
