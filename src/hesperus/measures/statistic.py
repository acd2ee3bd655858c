"""A measure in two parts: columns with a row per item, and how the sums of the columns become the number.

Everything else follows from the two parts: the point value reduces the plain sums, the bootstrap reduces the sums of
each resample, a difference reduces two sets of sums beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from hesperus.measures.resample import Bootstrap, Draws, Floats, draws
from hesperus.types import Estimate

Column = npt.NDArray[np.bool_] | npt.NDArray[np.float64]
Reduce = Callable[[Floats], Floats]

_COLUMNS_AT_ONCE = 384
"""Columns that go through one matrix product; bounds the memory of a table of many pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A measure of some items, before it is reduced to a number.

    Attributes:
        columns: Arrays over the same items, 0 where an item does not count. An array that several statistics share
            (the same object) is resampled once.
        reduce: Sums of the columns, [..., k], to values, [...]; NaN where the measure is undefined.
        n: Items that the number rests on.
        excluded: Items left out.
        reason: Why items were left out.
        undefined: What to say where the number is undefined.
    """

    columns: tuple[Column, ...]
    reduce: Reduce
    n: int
    excluded: int = 0
    reason: str = ""
    undefined: str = "no item to measure"


def ratio(sums: Floats) -> Floats:
    """First sum over second, NaN where the second is 0."""
    return divide(sums[..., 0], sums[..., 1])


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    quotient = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def difference(a: Statistic, b: Statistic) -> Statistic:
    """The statistic a − b over the same items; resamples are shared, so it is paired.

    Raises:
        ValueError: The two are over different numbers of items.
    """
    if len(a.columns[0]) != len(b.columns[0]):
        raise ValueError(f"a difference needs the same items: {len(a.columns[0])} and {len(b.columns[0])}")
    cut = len(a.columns)
    reasons = dict.fromkeys(reason for reason in (a.reason, b.reason) if reason)
    return Statistic(
        columns=a.columns + b.columns,
        reduce=lambda sums: a.reduce(sums[..., :cut]) - b.reduce(sums[..., cut:]),
        n=min(a.n, b.n),
        excluded=max(a.excluded, b.excluded),
        reason="; ".join(reasons),
        undefined=a.undefined if np.isnan(_point(a)) else b.undefined,
    )


def summed_by(statistic: Statistic, places: npt.NDArray[np.int64]) -> Statistic:
    """The same statistic with a row for each item in place of one for each of its units.

    The point value stays as it is. Resamples then draw items, and all units of an item travel together.

    Args:
        statistic: The measure over units.
        places: Item of each unit, as 0, 1, 2, …, [units].

    Raises:
        ValueError: There is not one place for each unit.
    """
    if len(places) != len(statistic.columns[0]):
        raise ValueError(f"{len(places)} places for {len(statistic.columns[0])} units")
    size = int(places.max(initial=-1)) + 1
    summed = {
        id(c): np.bincount(places, weights=c, minlength=size).astype(np.float64) for c in statistic.columns
    }
    return replace(statistic, columns=tuple(summed[id(column)] for column in statistic.columns))


def estimate(statistic: Statistic, bootstrap: Bootstrap | None = None) -> Estimate:
    """Reduce a statistic to its estimate, with a percentile interval over resamples of its items.

    Args:
        statistic: The measure.
        bootstrap: How to resample; None (or no resamples) leaves the interval out.
    """
    return estimates([statistic], bootstrap)[0]


def estimates(statistics: Iterable[Statistic], bootstrap: Bootstrap | None = None) -> list[Estimate]:
    """Reduce many statistics over the same items with shared resamples, in blocks of bounded memory.

    Args:
        statistics: Any number of them, consumed one by one.
        bootstrap: See estimate.

    Raises:
        ValueError: The statistics are over different numbers of items.
    """
    found: list[Estimate] = []
    for block in _blocks(statistics):
        shared = draws(len(block[0].columns[0]), bootstrap) if bootstrap else None
        found += _block_estimates(block, shared)
    return found


def _point(statistic: Statistic) -> float:
    sums = np.array([column.sum(dtype=np.float64) for column in statistic.columns])
    return float(statistic.reduce(sums))


def _blocks(statistics: Iterable[Statistic]) -> Iterator[list[Statistic]]:
    block: list[Statistic] = []
    seen: set[int] = set()
    for statistic in statistics:
        block.append(statistic)
        seen.update(map(id, statistic.columns))
        if len(seen) >= _COLUMNS_AT_ONCE:
            yield block
            block, seen = [], set()
    if block:
        yield block


def _block_estimates(block: Sequence[Statistic], shared: Draws | None) -> list[Estimate]:
    unique = {id(column): column for column in chain.from_iterable(s.columns for s in block)}
    items = {len(column) for column in unique.values()}
    if len(items) != 1:
        raise ValueError(f"statistics that are reduced together need the same items, not {sorted(items)}")
    place = {key: index for index, key in enumerate(unique)}
    matrix = np.empty((items.pop(), len(unique)), dtype=np.float64, order="F")
    for key, column in unique.items():
        matrix[:, place[key]] = column
    sums = matrix.sum(axis=0)
    picks = [[place[id(column)] for column in statistic.columns] for statistic in block]
    values = [float(s.reduce(sums[pick])) for s, pick in zip(block, picks, strict=True)]
    if shared is None:
        return [finished(s, value, None) for s, value in zip(block, values, strict=True)]
    resampled = shared.sums(matrix)
    spread = np.column_stack([s.reduce(resampled[:, pick]) for s, pick in zip(block, picks, strict=True)])
    ends = _intervals(spread, shared.bootstrap.level)
    return [finished(s, value, end) for s, value, end in zip(block, values, ends, strict=True)]


def _intervals(spread: Floats, level: float) -> list[tuple[float, float] | None]:
    """Percentile intervals of the columns of [resamples, k]; resamples where a value is undefined are left out."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    defined = np.isfinite(spread)
    whole = defined.all(axis=0)
    ends = np.full((2, spread.shape[1]), np.nan)
    if whole.any():
        ends[:, whole] = np.quantile(spread[:, whole], tails, axis=0)
    for column in np.flatnonzero(~whole):
        kept = spread[defined[:, column], column]
        # An interval from a minority of resamples would describe another population than the point value.
        if 2 * len(kept) > len(spread):
            ends[:, column] = np.quantile(kept, tails)
    return [None if np.isnan(low) else (float(low), float(high)) for low, high in ends.T]


def finished(statistic: Statistic, value: float, interval: tuple[float, float] | None) -> Estimate:
    """A reduced value as an estimate: NaN becomes None with its reason, and what was left out is said."""
    if np.isnan(value):
        reason = "; ".join(text for text in (statistic.undefined, statistic.reason) if text)
        return Estimate(None, n=statistic.n, excluded=statistic.excluded, reason=reason)
    low, high = interval or (None, None)
    return Estimate(value, low, high, statistic.n, statistic.excluded, statistic.reason)
