"""The item bootstrap: which items a resample holds is drawn once, by counting, and shared by every measure.

The unit is the item, and all answers to a drawn item travel together: two measures on the same items see the same
resamples, so their difference is paired by itself. A resample is a row of counts; the resampled sums of any number of
per-item columns are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.unsignedinteger]
Floats = npt.NDArray[np.float64]

_BLOCK = 1 << 20
"""Counts that are held as floats at a time; a block of this size stays in the cache of a core."""

_KEPT = 1 << 28
"""Bytes of counts that are kept for the next measure; beyond it they are drawn again, in the same order."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made.

    Attributes:
        resamples: Resamples of the items; 0 gives no intervals.
        seed: Seed of the generator; the same seed and number of items give the same resamples.
        level: Coverage of the interval, in (0, 1).
    """

    resamples: int = 2000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 0:
            raise ValueError(f"resamples must be 0 or more, not {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"the seed must be 0 or more, not {self.seed}")
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"the level of an interval lies between 0 and 1, not {self.level}")


class Draws:
    """Counted resamples of a number of items."""

    def __init__(self, items: int, bootstrap: Bootstrap) -> None:
        self.items = items
        self.bootstrap = bootstrap
        self._kept: list[Counts] | None = None

    def blocks(self) -> Iterator[Counts]:
        """Give the resamples in blocks of rows: how often each drew each item, [rows, items]."""
        if self._kept is not None:
            yield from self._kept
            return
        keep = self.bootstrap.resamples * self.items <= _KEPT
        kept: list[Counts] = []
        for block in self._drawn():
            if keep:
                kept.append(block)
            yield block
        if keep:
            self._kept = kept

    def _drawn(self) -> Iterator[Counts]:
        generator = np.random.default_rng(self.bootstrap.seed)
        index = np.uint16 if self.items <= 1 << 16 else np.uint32
        rows = max(1, _BLOCK // max(1, self.items))
        for start in range(0, self.bootstrap.resamples, rows):
            height = min(rows, self.bootstrap.resamples - start)
            counts = np.empty((height, self.items), dtype=np.uint32)
            for row in counts:
                drawn = generator.integers(0, self.items, self.items, dtype=index)
                row[:] = np.bincount(drawn, minlength=self.items)
            yield counts.astype(np.uint8) if counts.max(initial=0) < 256 else counts

    def slabs(self, rows: int = 1024) -> Iterator[npt.NDArray[np.float32]]:
        """Give the same resamples in larger blocks of floats, for products with many columns.

        Args:
            rows: Resamples in a slab; a product repacks its other side once for each slab.

        Returns:
            Counts as float32, [at most rows, items], in the order of `blocks`; the array is used again for the next
            slab. Counts and their sums are whole, hence exact up to 2^24.
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
        """Sums of per-item columns over each resample.

        Args:
            columns: [items, k].

        Returns:
            [resamples, k]; sums of whole numbers are exact.
        """
        if columns.shape[0] != self.items:
            raise ValueError(f"the draws are of {self.items} items, the columns of {columns.shape[0]}")
        total = np.empty((self.bootstrap.resamples, columns.shape[1]))
        start = 0
        for block in self.blocks():
            np.matmul(block.astype(np.float64), columns, out=total[start : start + len(block)])
            start += len(block)
        return total


@lru_cache(maxsize=4)
def draws(items: int, bootstrap: Bootstrap) -> Draws | None:
    """The resamples of so many items; the same object each time, so that all measures share them.

    Args:
        items: How many items there are.
        bootstrap: How many resamples, and the seed.

    Returns:
        None where there is nothing to draw: no items, or no resamples wanted.
    """
    return Draws(items, bootstrap) if items and bootstrap.resamples else None


def percentiles(spread: Floats, level: float) -> tuple[Floats, Floats]:
    """Both ends of percentile intervals of the rows of [rows, resamples], with linear interpolation.

    Args:
        spread: Resampled values; those that are undefined (NaN) are left out.
        level: Coverage of the interval, in (0, 1).

    Returns:
        Lower and upper ends, [rows]; NaN where fewer than half of the resamples are defined.
    """
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
    marks = sorted({place for below, above, _ in ends for place in (below, above)})
    rows = spread if whole.all() else spread[whole]
    ordered = np.partition(rows, marks, axis=1)
    for target, (below, above, share) in zip((low, high), ends, strict=True):
        target[whole] = ordered[:, below] + (ordered[:, above] - ordered[:, below]) * share
    for row in np.flatnonzero(~whole):
        kept = spread[row][np.isfinite(spread[row])]
        # An interval from a minority of resamples would describe another population than the point value.
        if 2 * len(kept) > count:
            low[row], high[row] = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return low, high
