"""A measure in parts: columns with a row per item, how the sums of the columns become the number, and its corners.

Everything else follows from these: the point value reduces the plain sums, resampling reduces the sums of each
resample, a difference reduces two sets of sums next to each other. The corners are what the columns of one item can be
at the extremes (right, wrong); resampling adds a pseudo-item in each, so that intervals hold at the edge (see resample).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from hesperus.measures.resample import Bootstrap, Draws, Floats, draws, intervals
from hesperus.types import Estimate

Column = npt.NDArray[np.bool_] | npt.NDArray[np.float64]
Reduce = Callable[[Floats], Floats]
Corners = tuple[tuple[float, ...], ...]
"""Column values of pseudo-items, [corners][columns]."""

NO_INTERVAL = "all resamples are alike or undefined, so there is no interval"
"""Said where a value has no interval although one was wanted."""

SHARE: Corners = ((1.0, 1.0), (0.0, 1.0))
"""Corners of a part over its whole, each item counting once: in the part, or not."""

_COLUMNS_AT_ONCE = 384
"""Columns that go through one matrix product; bounds the memory of a table of many pairs."""


@dataclass(frozen=True, slots=True)
class NoCorners:
    """Declares that a statistic has no pseudo-items.

    Attributes:
        why: Why it needs none.
    """

    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A measure of some items, before it is reduced to a number.

    Attributes:
        columns: Arrays over the same items, 0 where an item does not count. An array that several statistics share
            (the same object) is resampled once.
        reduce: Sums of the columns, [..., k], to values, [...]; NaN where the measure is undefined.
        corners: What the columns of one item are at the extremes of what it can be, k numbers each; a pseudo-item in
            each keeps intervals honest where all items are alike. Or why it has no corners.
        n: Items that the number rests on.
        excluded: Items left out.
        reason: Why items were left out.
        undefined: What to say where the number is undefined.
        limits: The smallest and the largest value it can have; None if nobody needs them.
    """

    columns: tuple[Column, ...]
    reduce: Reduce
    corners: Corners | NoCorners
    n: int
    excluded: int = 0
    reason: str = ""
    undefined: str = "no item to measure"
    limits: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.corners, NoCorners):
            return
        wide = {len(corner) for corner in self.corners}
        if wide != {len(self.columns)}:
            raise ValueError(
                f"a corner has a number for each of {len(self.columns)} columns, not {sorted(wide)}"
            )

    def resampled(self, sums: Floats, drawn: Draws) -> Floats:
        """The number in each resample.

        Args:
            sums: Resampled sums of its columns, [resamples, k].
            drawn: The resamples, for the weights of its pseudo-items.
        """
        if not drawn.bayesian or isinstance(self.corners, NoCorners):
            return self.reduce(sums)
        table = np.asarray(self.corners, dtype=np.float64)
        return self.reduce(sums + (drawn.corners(len(table)) * drawn.scale[:, None]) @ table)


def share_corners(whole: Column) -> Corners:
    """Corners of a part over its whole where an item counts several times (runs, models, claims): all of it, or none.

    Args:
        whole: How often each item counts, [items]; a pseudo-item counts as often as the mean of those that do.
    """
    counted = whole[whole > 0]
    mean = float(counted.mean()) if len(counted) else 1.0
    return ((mean, mean), (0.0, mean))


def beside(*parts: Statistic) -> Corners | NoCorners:
    """Corners of a statistic whose columns are those of several, one after the other: each has its own pseudo-items."""
    wide = sum(len(part.columns) for part in parts)
    found: list[tuple[float, ...]] = []
    start = 0
    for part in parts:
        end = start + len(part.columns)
        if not isinstance(part.corners, NoCorners):
            found += [(0.0,) * start + corner + (0.0,) * (wide - end) for corner in part.corners]
        start = end
    if not found:
        return next(part.corners for part in parts if isinstance(part.corners, NoCorners))
    return tuple(found)


def ratio(sums: Floats) -> Floats:
    """First sum over second, NaN where the second is 0."""
    return divide(sums[..., 0], sums[..., 1])


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where the denominator is 0."""
    if np.all(denominator):  # several times as fast as with a mask
        return np.asarray(np.divide(numerator, denominator), dtype=np.float64)
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    quotient = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def _of_both(a: Statistic, b: Statistic) -> Corners | NoCorners:
    """Corners of one item on two sides: both sides high, only the first, only the second, both low.

    Items of shares can be as far apart as high and low are; of scores and claims they seldom are, so that the two sides
    of a pseudo-item are no further apart than those of the items. Statistics with more corners have their own on either
    side.
    """
    if isinstance(a.corners, NoCorners) or isinstance(b.corners, NoCorners):
        return beside(a, b)
    if len(a.corners) != 2 or len(b.corners) != 2:
        return beside(a, b)
    (high_a, low_a), (high_b, low_b) = np.array(a.corners), np.array(b.corners)
    near = 1.0
    if len(a.columns) == len(b.columns):
        apart = _furthest(a.columns, high_a - low_a, b.columns, high_b - low_b)
        near = min(apart, 1.0) if apart > 0.0 else 1.0
    rest = (1.0 - near) / 2.0
    up_a, down_a = high_a + rest * (low_a - high_a), low_a + rest * (high_a - low_a)
    up_b, down_b = high_b + rest * (low_b - high_b), low_b + rest * (high_b - low_b)
    sides = ((high_a, high_b), (up_a, down_b), (down_a, up_b), (low_a, low_b))
    return tuple(tuple(np.concatenate(side).tolist()) for side in sides)


def _furthest(first: Sequence[Column], width_a: Floats, second: Sequence[Column], width_b: Floats) -> float:
    """How far apart the sides of an item are at most, in widths from low to high; 0 where all are alike."""
    apart = [
        float(np.abs(a / wide_a - b / wide_b).max(initial=0.0))
        for a, wide_a, b, wide_b in zip(first, width_a, second, width_b, strict=True)
        if wide_a and wide_b
    ]
    return max(apart, default=0.0)


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
        corners=_of_both(a, b),
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
    corners = statistic.corners
    if not isinstance(corners, NoCorners):
        # A pseudo-item has as many units as items have on average.
        units = len(places) / max(len(np.unique(places)), 1)
        corners = tuple(tuple(units * number for number in corner) for corner in corners)
    return replace(
        statistic, columns=tuple(summed[id(column)] for column in statistic.columns), corners=corners
    )


def estimate(statistic: Statistic, bootstrap: Bootstrap | None = None) -> Estimate:
    """Reduce a statistic to its estimate, with an interval over resamples of its items.

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
    sums = np.array([_summed(column) for column in statistic.columns], dtype=np.float64)
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
    columns = list(unique.values())
    sums = np.array([_summed(column) for column in columns], dtype=np.float64)
    picks = [[place[id(column)] for column in statistic.columns] for statistic in block]
    values = [float(s.reduce(sums[pick])) for s, pick in zip(block, picks, strict=True)]
    if shared is None:
        return [finished(s, value, None) for s, value in zip(block, values, strict=True)]
    resampled = _resampled(columns, shared)
    spread = np.stack([s.resampled(resampled[:, pick], shared) for s, pick in zip(block, picks, strict=True)])
    low, high = intervals(spread, np.array(values), shared.bootstrap)
    return [
        finished(s, value, (below, above))
        for s, value, below, above in zip(block, values, low.tolist(), high.tolist(), strict=True)
    ]


def _summed(column: Column) -> float:
    return float(np.count_nonzero(column) if column.dtype == np.bool_ else column.sum(dtype=np.float64))


def _resampled(columns: Sequence[Column], shared: Draws) -> Floats:
    """Sums of columns over each resample, [resamples, columns]."""
    heights = [_height(column) for column in columns]
    masks = [place for place, height in enumerate(heights) if height is not None]
    others = [place for place, height in enumerate(heights) if height is None]
    total = np.empty((shared.bootstrap.resamples, len(columns)))
    if masks:
        weighed = shared.of_masks([columns[place].astype(np.bool_, copy=False) for place in masks]).T
        total[:, masks] = weighed * np.array([heights[place] for place in masks], dtype=np.float64)
        if shared.bayesian:
            total[:, masks] *= shared.scale[:, None]
    if others:
        total[:, others] = shared.sums(np.column_stack([columns[place] for place in others]))
    return total


def _height(column: Column) -> float | None:
    """The one number that a column holds where it is not 0; None if there are several."""
    if column.dtype == np.bool_:
        return 1.0
    top = float(column.max(initial=0.0))
    return top if top > 0.0 and bool(((column == 0.0) | (column == top)).all()) else None


_NUDGE = 1e-4
"""Share of all items by which one is made to weigh more to see its influence."""


def influences(statistic: Statistic) -> Floats:
    """What each item contributes, so that the mean over items is the value (infinitesimal jackknife).

    Of a mean these are the items' own values; a number that is no mean is taken for one near its value.

    Args:
        statistic: The measure.

    Returns:
        [items]; NaN where the value is undefined.

    Reference: Efron (1982), The jackknife, the bootstrap and other resampling plans, section 6.
    """
    items = len(statistic.columns[0])
    columns = np.column_stack([np.asarray(column, dtype=np.float64) for column in statistic.columns])
    whole = columns.sum(axis=0)
    nudge = _NUDGE * items
    value = statistic.reduce(whole)
    moved: Floats = (
        value + items * (statistic.reduce(whole + nudge * (columns - whole / items)) - value) / nudge
    )
    return moved


def score_interval(
    bootstrap: Bootstrap,
) -> Callable[[Floats, Reduce, Corners], tuple[float | None, float | None]]:
    """Makes the interval of a corpus score (BLEU, chrF).

    Args:
        bootstrap: How to resample.

    Returns:
        From columns [items, k], scores of their sums [..., k] (NaN if undefined) and corners: the ends, or None for both.
    """

    def ends(columns: Floats, reduce: Reduce, corners: Corners) -> tuple[float | None, float | None]:
        found = estimate(Statistic(tuple(columns.T.copy()), reduce, corners, len(columns)), bootstrap)
        return found.low, found.high

    return ends


def finished(statistic: Statistic, value: float, ends: tuple[float, float] | None) -> Estimate:
    """A reduced value as an estimate: NaN becomes None with its reason, and what was left out is said.

    Args:
        statistic: What was reduced.
        value: Its value.
        ends: Ends of its interval, NaN where resampling gave none; None if none was wanted.
    """
    if np.isnan(value):
        reason = "; ".join(text for text in (statistic.undefined, statistic.reason) if text)
        return Estimate(None, n=statistic.n, excluded=statistic.excluded, reason=reason)
    if ends is None:
        return Estimate(value, n=statistic.n, excluded=statistic.excluded, reason=statistic.reason)
    if np.isnan(ends[0]):
        reason = "; ".join(text for text in (NO_INTERVAL, statistic.reason) if text)
        return Estimate(value, n=statistic.n, excluded=statistic.excluded, reason=reason)
    return Estimate(value, *ends, statistic.n, statistic.excluded, statistic.reason)
