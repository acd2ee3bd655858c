"""What the agreement of many pairs of runs rests on: items that count, those left out and why, by products of masks.

The same as agreement_statistics says of one pair; of 400 runs there are 79,800.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import BY_CHANCE, NEVER_TWICE, NO_ITEM, Key, PairStatistic
from hesperus.measures.classes import (
    DROPPED,
    FAILED,
    MISSING,
    NO_REPLY,
    NONE_ANSWERED,
    ONE_SIDE,
    Mask,
    account,
    replied,
)
from hesperus.measures.paired_runs import HardRuns, Indices, Singles, SoftRuns

Counts = npt.NDArray[np.int64]

_EXACT = 1 << 24
"""Whole numbers are summed in float32 up to here."""


@dataclass(frozen=True, slots=True, eq=False)
class PairBasis:
    """What a measure of many pairs rests on.

    Attributes:
        n: Items that count, [pairs].
        excluded: Items that were asked at least once and do not count, [pairs].
        reason: Why they do not, one text for each pair.
        undefined: Why the measure of a pair has no value, if it has none.
    """

    n: Counts
    excluded: Counts
    reason: list[str]
    undefined: list[str]

    def without(self, lost: Counts, why: str) -> PairBasis:
        """The same with more items left out.

        Args:
            lost: How many of each pair, [pairs].
            why: What is said after the number.
        """
        if not lost.any():
            return self
        more = [f"{count} {why}" if count else "" for count in lost.tolist()]
        return replace(self, excluded=self.excluded + lost, reason=_joined(self.reason, more))


def pair_basis(runs: HardRuns | SoftRuns, pairs: Indices) -> Mapping[PairStatistic, PairBasis]:
    """What the measures of pairs rest on.

    Args:
        runs: The runs.
        pairs: Which pairs: indices of runs, [pairs, 2].

    Returns:
        A basis for each measure that these runs have, with n, excluded and reason as agreement_statistics,
        kappa_p_statistic and rank_consistency_statistic have them.
    """
    together = Together(pairs)
    counted = runs.counted()
    if isinstance(runs, HardRuns):
        both = _compared(runs, counted, together)
    else:
        n = together(counted, counted)
        alone = np.add(*together.both_ways(counted, ~counted))
        said = [f"{count} scored on one side only" if count else "" for count in alone.tolist()]
        both = PairBasis(n, alone, said, [NEVER_TWICE] * len(n))
    graded = _graded(runs, both, counted, together)
    found: dict[PairStatistic, PairBasis] = {}
    for name in runs.statistics:
        if name == "kappa_p":
            found[name] = _with_options(graded, runs.key, counted, together)
        else:
            found[name] = graded if name == "error_consistency" else both
    return found


class Together:
    """Counts the items that are in a mask of the first run of each pair and in another of the second.

    Args:
        pairs: Which pairs: indices of runs, [pairs, 2].
    """

    def __init__(self, pairs: Indices) -> None:
        self._there = (pairs[:, 0], pairs[:, 1])
        self.pairs = len(pairs)

    def __call__(self, first: Mask, second: Mask) -> Counts:
        """How many there are, [pairs].

        Args:
            first: [runs, items].
            second: The same shape.
        """
        return self._counted(first, second, (self._there,))[0]

    def both_ways(self, first: Mask, second: Mask) -> tuple[Counts, Counts]:
        """The same, and with the masks exchanged: one product has both.

        Args:
            first: [runs, items].
            second: The same shape.
        """
        there, back = self._counted(first, second, (self._there, self._there[::-1]))
        return there, back

    def _counted(self, first: Mask, second: Mask, ways: Sequence[tuple[Indices, Indices]]) -> list[Counts]:
        runs, items = first.shape
        totals: list[Counts] = [np.zeros(self.pairs, dtype=np.int64) for _ in ways]
        for start in range(0, items, _EXACT):
            part = slice(start, start + _EXACT)
            left: Singles = first[:, part].astype(np.float32)
            # Of a mask with itself BLAS computes one half.
            right: Singles = left if second is first else second[:, part].astype(np.float32)
            # Few pairs of many runs: the product of all with all would be most of the work.
            product = None if self.pairs < runs else left @ right.T
            for total, (a, b) in zip(totals, ways, strict=True):
                sums = np.einsum("pi,pi->p", left[a], right[b]) if product is None else product[a, b]
                total += np.rint(sums).astype(np.int64)
        return totals


def _compared(runs: HardRuns, counted: Mask, together: Together) -> PairBasis:
    """As classes.compare accounts for a pair."""
    has, failed = replied(runs.codes), np.asarray(runs.codes == FAILED)
    absent = np.asarray(runs.codes == MISSING)
    n = together(counted, counted)
    silent = _silent(n, runs.answered(), counted, together)
    nobody = np.ones_like(failed)
    lost = {
        NO_REPLY: np.add(*together.both_ways(failed, nobody)) - together(failed, failed),
        ONE_SIDE: np.add(*together.both_ways(has, absent)),
        DROPPED: together(has, has) - n,
        NONE_ANSWERED: np.where(silent, n, 0),
    }
    n = np.where(silent, 0, n)
    return PairBasis(n, sum(lost.values(), start=np.zeros_like(n)), _accounts(lost), _undefined(n))


def _graded(runs: HardRuns | SoftRuns, both: PairBasis, counted: Mask, together: Together) -> PairBasis:
    """The items that have a gold label; none if a run answers none of them."""
    known = counted & (runs.key.gold >= 0)
    n = np.where(both.n, together(known, known), 0)
    silent = _silent(n, runs.answered() & known, known, together)
    lost = {"without a gold label": both.n - n, NONE_ANSWERED: np.where(silent, n, 0)}
    n = np.where(silent, 0, n)
    excluded = both.excluded + sum(lost.values(), start=np.zeros_like(n))
    return PairBasis(n, excluded, _joined(both.reason, _accounts(lost)), _undefined(n))


def _silent(n: Counts, answered: Mask, counted: Mask, together: Together) -> Mask:
    """Pairs with items of which one run answers none."""
    return np.asarray((n > 0) & (np.minimum(*together.both_ways(answered, counted)) == 0))


def _with_options(graded: PairBasis, key: Key, counted: Mask, together: Together) -> PairBasis:
    """The basis of κ_p, with its own reason where the number of options of an item that counts is not known."""
    short = (key.options < 2) & (key.gold >= 0)
    if not short.any():
        return graded
    lacking = np.where(graded.n, together(counted & short, counted), 0)
    undefined = [
        Key.lacking_options(few, n) or why
        for few, n, why in zip(lacking.tolist(), graded.n.tolist(), graded.undefined, strict=True)
    ]
    return replace(graded, undefined=undefined)


def _undefined(n: Counts) -> list[str]:
    return [BY_CHANCE if count else NO_ITEM for count in n.tolist()]


def _accounts(lost: Mapping[str, Counts]) -> list[str]:
    """What was left out of each pair, in words."""
    return _texts(
        np.stack(list(lost.values()), axis=1), lambda row: account(dict(zip(lost, row, strict=True)))
    )


def _texts(counts: Counts, text: Callable[[list[int]], str]) -> list[str]:
    """A text for each row; rows that are alike share theirs."""
    known: dict[tuple[int, ...], str] = {}
    rows = list(zip(*counts.T.tolist(), strict=True))
    for row in set(rows):
        known[row] = text(list(row))
    return list(map(known.__getitem__, rows))


def _joined(first: list[str], second: list[str]) -> list[str]:
    return [f"{a}; {b}" if a and b else a or b for a, b in zip(first, second, strict=True)]
