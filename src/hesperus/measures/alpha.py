"""Krippendorff's α of any number of raters, at every level of measurement, with missing ratings.

α = 1 − D_o / D_e, the disagreement observed within units over that expected from all ratings together. The distance of
two ratings is: nominal, whether they differ; ordinal, the number of ratings between them, (midrank difference)²;
interval, (x − y)²; ratio, ((x − y) / (x + y))².

Reference: Krippendorff (2011), Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from hesperus.measures.raters import rating_table
from hesperus.measures.resample import Bootstrap, Draws, Floats, draws, intervals
from hesperus.measures.statistic import NO_INTERVAL, divide
from hesperus.types import Estimate

Level = Literal["nominal", "ordinal", "interval", "ratio"]
"""What the numbers of a rating mean: names, an order, distances, or distances from a true zero."""

LEVELS: tuple[Level, ...] = get_args(Level)

_TILE = 1 << 22
"""Numbers that are held at a time while units are resampled."""


def krippendorff_alpha(
    ratings: npt.ArrayLike,
    level: Level = "nominal",
    *,
    bootstrap: Bootstrap | None = None,
    items: npt.NDArray[np.int64] | None = None,
) -> Estimate:
    """α, with an interval over resampled units, or over the items to which units belong.

    Args:
        ratings: [raters, units]; NaN where a rater did not rate a unit. Names are given as any distinct numbers.
        level: Level of measurement.
        bootstrap: How to resample; None leaves the interval out.
        items: Item of each unit, as 0, 1, 2, …, [units]; items are then drawn with all their units. None: each unit is one.

    Returns:
        The estimate; `n` counts units with two ratings or more, `excluded` those with one. Undefined if there is no
        such unit, or all their ratings are the same.

    Raises:
        ValueError: The level does not exist, the table is not two-dimensional, a rating is infinite, or one of a ratio
            scale is negative.

    Example:
        >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 1]]).value, 3)
        0.667
    """
    if level not in LEVELS:
        raise ValueError(f"the level of measurement is one of {', '.join(LEVELS)}, not {level!r}")
    table = rating_table(ratings)
    if level == "ratio" and (table < 0).any():
        raise ValueError("a ratio scale has no negative ratings")
    given = np.isfinite(table).sum(axis=0)
    kept = given >= 2
    n, single = int(kept.sum()), int((given == 1).sum())
    reason = f"{single} rated once" if single else ""
    if not n:
        why = "no unit has two ratings"
        return Estimate(None, n=0, excluded=single, reason="; ".join(filter(None, (why, reason))))
    units = _units(table[:, kept], level)
    value = float(_alpha(*units.sums(np.ones((1, n)))[:3])[0])
    if np.isnan(value):
        why = "all ratings are the same"
        return Estimate(None, n=n, excluded=single, reason="; ".join(filter(None, (why, reason))))
    places = None if items is None else np.unique(items[kept], return_inverse=True)[1]
    drawn = n if places is None else int(places.max()) + 1
    resampled = draws(drawn, bootstrap) if bootstrap else None
    if resampled is None:
        return Estimate(value, n=n, excluded=single, reason=reason)
    ends = intervals(_spread(units, resampled, places)[None, :], np.array([value]), resampled.bootstrap)
    low, high = (float(end[0]) for end in ends)
    if np.isnan(low):
        return Estimate(value, n=n, excluded=single, reason="; ".join(filter(None, (NO_INTERVAL, reason))))
    return Estimate(value, low, high, n, single, reason)


def _spread(units: _Units, resampled: Draws, places: npt.NDArray[np.intp] | None) -> Floats:
    """α in each resample.

    Two pseudo-units have each rating alike often: in one all raters agree, in the other they are split in halves that are
    as far apart as different ratings are on average. Where items have several units, a pseudo-item has as many as they have
    on average.
    """
    rows = max(1, _TILE // max(units.counts.shape))
    corners, ratings = resampled.corners(2), float(units.counts.sum(axis=1).mean())
    split = ratings * (ratings / 2.0) / (ratings - 1.0)
    found = np.empty(len(corners))
    start = 0
    for slab in resampled.slabs(min(rows, 1024)):
        part = slice(start, start + len(slab))
        scale = resampled.scale[part, None]
        agree, apart = (corners[part] * scale).T * (len(units.counts) / resampled.items)
        weights = slab if places is None else slab[:, places]
        n, observed, expected, different = units.sums(weights * scale, pseudo=ratings * (agree + apart))
        found[part] = _alpha(
            n, observed + apart * split * np.nan_to_num(divide(expected, different)), expected
        )
        start += len(slab)
    return found


def _alpha(n: Floats, observed: Floats, expected: Floats) -> Floats:
    return 1.0 - divide((n - 1.0) * observed, np.where(expected > 1e-12 * n * n, expected, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """What α needs of the units.

    Attributes:
        level: Level of measurement.
        values: Distinct ratings, ascending, [values].
        counts: How often each unit got each, [units, values].
    """

    level: Level
    values: Floats
    counts: Floats

    def sums(self, weights: Floats, *, pseudo: Floats | float = 0.0) -> tuple[Floats, Floats, Floats, Floats]:
        """Of resampled units: ratings, disagreement within units and by chance, and pairs of different ratings.

        Args:
            weights: [resamples, units].
            pseudo: Ratings beyond those of the units, [resamples], each value alike often; they are in all but the
                disagreement within units.

        Returns:
            [resamples] each; α is 1 − (ratings − 1) · within / by chance.
        """
        totals = weights @ self.counts + np.reshape(pseudo, (-1, 1)) / len(self.values)
        n = totals.sum(axis=1)
        if self.level in ("nominal", "ratio"):
            distance = self._distances()
            observed = weights @ self._within(distance)
            expected = np.einsum("rc,rc->r", totals @ distance, totals)
        else:
            places = self.values[None, :] - self.values.mean()
            if self.level == "ordinal":
                places = totals.cumsum(axis=1) - totals / 2
                places = places - places.mean(axis=1, keepdims=True)
            observed = self._squared(weights, places)
            mean = divide((totals * places).sum(axis=1), n)
            expected = 2.0 * n * (totals * (places - mean[:, None]) ** 2).sum(axis=1)
        return n, observed, expected, n * n - (totals**2).sum(axis=1)

    def _distances(self) -> Floats:
        if self.level == "nominal":
            return np.ones((len(self.values),) * 2) - np.eye(len(self.values))
        apart, sums = self.values[:, None] - self.values, self.values[:, None] + self.values
        # Two zeros are the same rating.
        shares: Floats = np.nan_to_num(divide(apart, sums))
        return shares**2

    def _within(self, distance: Floats) -> Floats:
        """Disagreement within each unit, over its ratings less one."""
        pairs: Floats = np.einsum("uc,uc->u", self.counts @ distance, self.counts)
        found: Floats = pairs / (self.counts.sum(axis=1) - 1.0)
        return found

    def _squared(self, weights: Floats, places: Floats) -> Floats:
        """The same for squared distances of places on a line, which may differ by resample."""
        ratings = self.counts.sum(axis=1)
        squares = weights @ (self.counts * (ratings / (ratings - 1.0))[:, None]) * places**2
        sums = places @ self.counts.T
        found: Floats = 2.0 * squares.sum(axis=1) - 2.0 * (weights / (ratings - 1.0) * sums**2).sum(axis=1)
        return found


def _units(table: Floats, level: Level) -> _Units:
    values, places = np.unique(table, return_inverse=True)
    places = places.reshape(table.shape)
    known = np.isfinite(values)
    counts = np.zeros((table.shape[1], int(known.sum())))
    raters, units = np.nonzero(np.isfinite(table))
    np.add.at(counts, (units, places[raters, units]), 1.0)
    return _Units(level, values[known], counts)
