"""Resampling of items: what a resample holds is drawn once and shared by every measure.

The unit is the item, and all answers to a drawn item travel together: two measures on the same items see the same
resamples, so their difference is paired by itself. A resample is a row of weights, one for each item; the resampled
sums of any number of per-item columns are one matrix product.

``bayesian`` (the default): each item weighs Exp(1), and pseudo-items that are in the corners of what an item can be
weigh Gamma(1/2) each (see Statistic). Away from the edge the interval is as wide as that of the percentile bootstrap;
where all items are alike it stays honest. Weights are whole numbers in units of 1/16, so that the sums of whole columns
are exact, also in float32, and the same whatever multiplies them.

``percentile``: each item weighs as often as it was drawn. Where resamples are alike the interval collapses: [1, 1] for
3 of 3.

References:
    Rubin (1981), The Bayesian bootstrap. Efron (1979), Bootstrap methods: another look at the jackknife.
    Gamma(1/2) in each corner gives a share the posterior of Jeffreys' prior; Brown, Cai and DasGupta (2001), Interval
        estimation for a binomial proportion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

ItemWeights = npt.NDArray[np.unsignedinteger]
Floats = npt.NDArray[np.float64]
IntervalMethod = Literal["bayesian", "percentile"]
"""How items are resampled, hence how intervals are made."""

INTERVAL_METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)

_BLOCK = 1 << 20
"""Weights that are held as floats at a time; a block of this size stays in the cache of a core."""

_KEPT = 1 << 28
"""Bytes of weights that are kept for the next measure; beyond it they are drawn again, in the same order."""

_SLAB = 1 << 23
"""Weights in a slab that many columns are multiplied with: tall enough that the columns are seldom read again."""

_SUMS_KEPT = 1 << 27
"""Bytes of sums that are kept for the next measure: tables of the same answers share most of their masks."""

_MASKS_AT_ONCE = 512
"""Masks that go through one matrix product."""

_EXACT = 1 << 24
"""Whole numbers up to here are exact in float32, which takes half the time."""

_UNIT = 16
"""Weight 1 in units of a Bayesian weight: those fit a byte, and only one in 10^7 is cut there."""

CORNER = 0.5
"""Shape of the Gamma weight of a pseudo-item: half an item on average."""

_NO_WIDTH = 1e-12
"""Ends that are nearer than this differ by rounding."""

_ROUNDING = 1e-5
"""Resampled values in float32 may miss the value in float64 by less."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made.

    Attributes:
        resamples: Resamples of the items; 0 gives no intervals.
        seed: Seed of the generator; the same seed and number of items give the same resamples.
        level: Coverage of the interval, in (0, 1).
        interval: ``bayesian``, which holds at the edge, or ``percentile``, as the papers print it.
    """

    resamples: int = 2000
    seed: int = 0
    level: float = 0.95
    interval: IntervalMethod = "bayesian"

    def __post_init__(self) -> None:
        if self.resamples < 0:
            raise ValueError(f"resamples must be 0 or more, not {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"the seed must be 0 or more, not {self.seed}")
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"the level of an interval lies between 0 and 1, not {self.level}")
        if self.interval not in INTERVAL_METHODS:
            raise ValueError(f"interval must be one of {', '.join(INTERVAL_METHODS)}, not {self.interval!r}")


class Draws:
    """Weighted resamples of a number of items.

    Attributes:
        items: How many items there are.
        bootstrap: How they are resampled.
    """

    def __init__(self, items: int, bootstrap: Bootstrap) -> None:
        self.items = items
        self.bootstrap = bootstrap
        self._kept: list[ItemWeights] | None = None
        self._scale: Floats | None = None
        self._corners = np.empty((bootstrap.resamples, 0))
        self._sums: dict[bytes, npt.NDArray[np.floating]] = {}

    @property
    def bayesian(self) -> bool:
        """Whether there are pseudo-items in the corners."""
        return self.bootstrap.interval == "bayesian"

    def blocks(self) -> Iterator[ItemWeights]:
        """Give the resamples in blocks of rows: how much each item weighs, [rows, items], whole numbers.

        Percentile weights are counts and add up to the number of items; see `scale` for Bayesian ones.
        """
        if self._kept is not None:
            yield from self._kept
            return
        keep = self.bootstrap.resamples * self.items <= _KEPT
        kept: list[ItemWeights] = []
        for block in self._weighted() if self.bayesian else self._counted():
            if keep:
                kept.append(block)
            yield block
        if keep:
            self._kept = kept

    def _counted(self) -> Iterator[ItemWeights]:
        generator = np.random.default_rng(self.bootstrap.seed)
        index = np.uint16 if self.items <= 1 << 16 else np.uint32
        for height in self._heights():
            counts = np.empty((height, self.items), dtype=np.uint32)
            for row in counts:
                drawn = generator.integers(0, self.items, self.items, dtype=index)
                row[:] = np.bincount(drawn, minlength=self.items)
            yield counts.astype(np.uint8) if counts.max(initial=0) < 256 else counts

    def _weighted(self) -> Iterator[ItemWeights]:
        generator = np.random.default_rng(self.bootstrap.seed)
        for height in self._heights():
            drawn = generator.standard_exponential((height, self.items), dtype=np.float32)
            drawn *= _UNIT
            np.rint(drawn, out=drawn)
            np.clip(drawn, 1, 255, out=drawn)
            yield drawn.astype(np.uint8)

    def _heights(self) -> Iterator[int]:
        rows = max(1, _BLOCK // max(1, self.items))
        for start in range(0, self.bootstrap.resamples, rows):
            yield min(rows, self.bootstrap.resamples - start)

    @property
    def scale(self) -> Floats:
        """What makes the weights of each resample add up to the number of items, [resamples]; 1 for counts."""
        if self._scale is None:
            if self.bayesian:
                totals = np.concatenate([block.sum(axis=1, dtype=np.float64) for block in self.blocks()])
                self._scale = self.items / totals
            else:
                self._scale = np.ones(self.bootstrap.resamples)
        return self._scale

    def corners(self, count: int) -> Floats:
        """Weights of pseudo-items in the units of `blocks`, [resamples, count]; 0 where resamples are counts.

        The same place is the same pseudo-item in every measure.
        """
        if not self.bayesian:
            return np.zeros((self.bootstrap.resamples, count))
        made = self._corners.shape[1]
        if made < count:
            more = [
                # Streams of their own, so that no measure changes what another draws.
                np.random.default_rng((self.bootstrap.seed, place + 1)).standard_gamma(
                    CORNER, self.bootstrap.resamples
                )
                for place in range(made, count)
            ]
            self._corners = np.column_stack([self._corners, _UNIT * np.stack(more, axis=1)])
        return self._corners[:, :count]

    def slabs(self, rows: int = 1024) -> Iterator[npt.NDArray[np.float32]]:
        """Give the same resamples in larger blocks of floats, for products with many columns.

        Args:
            rows: Resamples in a slab; a product repacks its other side once for each slab.

        Returns:
            Weights as float32, [at most rows, items], in the order of `blocks`; the array is used again for the next
            slab. Weights are whole, hence so are sums of whole columns: exact up to 2^24, which Bayesian weights reach
            at about a million items.
        """
        slab = np.empty((min(rows, max(1, self.bootstrap.resamples)), self.items), dtype=np.float32)
        filled = 0
        for block in self.blocks():
            start = 0
            while start < len(block):
                taken = min(len(block) - start, len(slab) - filled)
                slab[filled : filled + taken] = block[start : start + taken]
                filled, start = filled + taken, start + taken
                if filled == len(slab):
                    yield slab
                    filled = 0
        if filled:
            yield slab[:filled]

    def sums(self, columns: Floats) -> Floats:
        """Sums of per-item columns over each resample, without pseudo-items; the items weigh 1 on average.

        Args:
            columns: [items, k].

        Returns:
            [resamples, k]; sums of whole numbers are exact up to the one factor of each resample.
        """
        if columns.shape[0] != self.items:
            raise ValueError(f"the draws are of {self.items} items, the columns of {columns.shape[0]}")
        total = np.empty((self.bootstrap.resamples, columns.shape[1]))
        whole = self._whole(columns)
        if whole.any():
            single, start = columns[:, whole].astype(np.float32), 0
            for slab in self.slabs(max(1, _SLAB // max(1, self.items))):
                total[start : start + len(slab), whole] = slab @ single
                start += len(slab)
        if not whole.all():
            double, start = columns[:, ~whole], 0
            for block in self.blocks():
                total[start : start + len(block), ~whole] = block.astype(np.float64) @ double
                start += len(block)
        if self.bayesian:
            total *= self.scale[:, None]
        return total

    def of_masks(self, masks: Sequence[npt.NDArray[np.bool_]]) -> npt.NDArray[np.floating]:
        """Weights of the items of masks in each resample, in the units of `blocks`, without pseudo-items.

        Masks with the same items are weighed once, also by measures that come later.

        Args:
            masks: [items] each.

        Returns:
            [masks, resamples]; whole numbers, exact.
        """
        keys = [blake2b(np.packbits(mask).tobytes(), digest_size=16).digest() for mask in masks]
        new = {key: mask for key, mask in zip(keys, masks, strict=True) if key not in self._sums}
        found = {key: self._sums[key] for key in keys if key not in new}
        places = list(new)
        for start in range(0, len(places), _MASKS_AT_ONCE):
            part = places[start : start + _MASKS_AT_ONCE]
            found |= zip(part, self._weighed(np.stack([new[key] for key in part])), strict=True)
        self._keep({key: found[key] for key in new})
        return np.stack([found[key] for key in keys]) if keys else np.empty((0, self.bootstrap.resamples))

    def _keep(self, sums: dict[bytes, npt.NDArray[np.floating]]) -> None:
        room = _SUMS_KEPT // max(1, 8 * self.bootstrap.resamples)
        if len(sums) <= room:
            for key in [*self._sums][: max(0, len(self._sums) + len(sums) - room)]:
                del self._sums[key]
            # A row of a product would keep all of the product.
            self._sums |= {key: row.copy() for key, row in sums.items()}

    def _weighed(self, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.floating]:
        exact = 255 * self.items < _EXACT or self.items / float(self.scale.min(initial=1.0)) < _EXACT
        columns = masks.astype(np.float32 if exact else np.float64)
        total = np.empty((len(masks), self.bootstrap.resamples), dtype=columns.dtype)
        start = 0
        for slab in self.slabs(max(1, _SLAB // max(1, self.items))):
            np.matmul(columns, slab.T, out=total[:, start : start + len(slab)])
            start += len(slab)
        return total

    def _whole(self, columns: Floats) -> npt.NDArray[np.bool_]:
        """Columns whose weighed sums float32 holds exactly: of whole numbers, and small enough, [k]."""
        heaviest = self.items / float(self.scale.min(initial=1.0))
        return np.array(
            [
                heaviest * float(np.abs(column).max(initial=0.0)) < _EXACT
                and bool((column == np.rint(column)).all())
                for column in columns.T
            ],
            dtype=np.bool_,
        )


@lru_cache(maxsize=4)
def draws(items: int, bootstrap: Bootstrap) -> Draws | None:
    """The resamples of so many items; the same object each time, so that all measures share them.

    Args:
        items: How many items there are.
        bootstrap: How many resamples, the seed and the method.

    Returns:
        None if there is nothing to draw: no items, or no resamples wanted.
    """
    return Draws(items, bootstrap) if items and bootstrap.resamples else None


def intervals(spread: Floats, values: Floats, bootstrap: Bootstrap) -> tuple[Floats, Floats]:
    """Both ends of the intervals of many numbers: quantiles of what the resamples give, with linear interpolation.

    Args:
        spread: Resampled values, [rows, resamples]; those that are undefined (NaN) are left out.
        values: The numbers themselves, [rows].
        bootstrap: Its level and method. A Bayesian interval is widened, if need be, to hold its value; a percentile
            interval only by what rounding in float32 may have cost.

    Returns:
        Lower and upper ends, [rows]; NaN where the value is undefined, where no more than half of the resamples are
        defined, and where both ends would be the same: resamples that are all alike say nothing of other items, so
        that there is no interval. Percentile intervals keep such ends, as their definition has them.
    """
    values = np.asarray(values, dtype=np.float64)
    low, high = _quantiles(spread, bootstrap.level)
    with np.errstate(invalid="ignore"):
        near = np.full(len(values), np.inf if bootstrap.interval == "bayesian" else _ROUNDING)
        low = np.where((values < low) & (low - values <= near), values, low)
        high = np.where((values > high) & (values - high <= near), values, high)
        alike = (high - low <= _NO_WIDTH) if bootstrap.interval == "bayesian" else np.zeros(len(low), bool)
    nothing = ~np.isfinite(values) | alike
    low[nothing] = high[nothing] = np.nan
    return low, high


def evened(spread: Floats, bootstrap: Bootstrap, items: int) -> Floats:
    """Resampled values together with their mirror images about the median, as far from it as those of so many items must be.

    Exponential weights are more skewed than counts of drawn items. Where a number rests on few items that pull one way
    (means over groups of pairs of runs, nearly all of whose answers are right), the near tail of the resamples is too
    short and a p value from it too small. They also vary less than a mean of n items does, by the factor √((n − 1)/(n + 1)),
    and the tails of t are longer than the normal ones: of 60 items a p from them is below 5 % in 6.7 % of data sets.

    Args:
        spread: [resamples]; undefined ones (NaN) stay undefined.
        bootstrap: Percentile resamples are given back as they are.
        items: How many items are resampled.

    Reference: symmetric bootstrap intervals, Hall (1988), On symmetric bootstrap confidence intervals. t over z: the first
        term of the expansion of Cornish and Fisher (1938), Moments and cumulants in the specification of distributions.
    """
    if bootstrap.interval != "bayesian" or not np.isfinite(spread).any():
        return spread
    middle, freedom = float(np.nanmedian(spread)), max(items - 1, 1)
    z = NormalDist().inv_cdf((1 + bootstrap.level) / 2)
    away = (spread - middle) * np.sqrt((items + 1) / freedom) * (1 + (z * z + 1) / (4 * freedom))
    mirrored: Floats = np.concatenate([middle + away, middle - away])
    return mirrored


def _quantiles(spread: Floats, level: float) -> tuple[Floats, Floats]:
    low, high = np.full(len(spread), np.nan), np.full(len(spread), np.nan)
    if not spread.shape[1]:
        return low, high
    whole = np.isfinite(spread).all(axis=1)
    ends = []
    count = spread.shape[1]
    for tail in ((1 - level) / 2, (1 + level) / 2):
        place = tail * (count - 1)
        below = min(int(place), count - 1)
        ends.append((below, min(below + 1, count - 1), place - below))
    rows = spread if whole.all() else spread[whole]
    ordered = np.sort(rows, axis=1)  # vector units sort in a third of the time that they take for four marks
    for target, (below, above, share) in zip((low, high), ends, strict=True):
        target[whole] = ordered[:, below] + (ordered[:, above] - ordered[:, below]) * share
    for row in np.flatnonzero(~whole):
        kept = spread[row][np.isfinite(spread[row])]
        # An interval from a minority of resamples would describe another population than the point value.
        if 2 * len(kept) > count:
            low[row], high[row] = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return low, high
