"""Agreement of people who rated the same units: percent, Fleiss' κ, Gwet's AC1, Cohen's κ of two, bias, confusion.

Every measure is a Statistic over units, so intervals come from resampled units and are shared; Krippendorff's α, which
reduces otherwise, is in hesperus.measures.alpha. Ratings are numbers, names are coded as any distinct numbers.

References:
    Cohen (1960), A coefficient of agreement for nominal scales; (1968), Weighted kappa.
    Fleiss (1971), Measuring nominal scale agreement among many raters.
    Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement; (2014),
        Handbook of inter-rater reliability, for units with different numbers of ratings.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from hesperus.measures.agreement import beyond_chance
from hesperus.measures.classes import Mask
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import SHARE, Corners, NoCorners, Statistic, divide, ratio

Weights = Literal["none", "linear", "quadratic"]
"""How far apart two different ratings are: all alike, by their difference, by its square."""

WEIGHTS: tuple[Weights, ...] = get_args(Weights)

_CERTAIN = 1e-12
"""Below this, what chance leaves to agree upon is rounding."""

_SAME = "all ratings are the same, so agreement beyond chance is undefined"
_ALONE = "no unit has two ratings"
_NEVER = NoCorners("it is undefined whatever is drawn")


def percent_statistic(ratings: npt.ArrayLike) -> Statistic:
    """Share of pairs of ratings of a unit that are the same, averaged over units, in [0, 1].

    Args:
        ratings: [raters, units]; NaN where a rater did not rate a unit.

    Raises:
        ValueError: The table is not two-dimensional, or a rating is infinite.
    """
    rated = _Rated(ratings)
    return Statistic((rated.same, rated.kept), ratio, SHARE, rated.n, rated.excluded, rated.reason, _ALONE)


def fleiss_statistic(ratings: npt.ArrayLike) -> Statistic:
    """Fleiss' κ, at most 1; undefined where units have different numbers of ratings, as its definition wants them equal.

    Args:
        ratings: [raters, units]; NaN where a rater did not rate a unit.

    Raises:
        ValueError: The table is not two-dimensional, or a rating is infinite.
    """
    rated = _Rated(ratings)
    numbers = np.unique(rated.given[rated.kept])
    if len(numbers) > 1:
        why = f"units have from {int(numbers[0])} to {int(numbers[-1])} ratings; κ of Fleiss needs as many for each"
        return Statistic((rated.kept,), _undefined, _NEVER, 0, rated.n + rated.excluded, rated.reason, why)
    shares = np.where(rated.kept[:, None], rated.shares, 0.0)
    columns = (rated.kept, rated.same, *shares.T)

    def reduce(sums: Floats) -> Floats:
        n = sums[..., :1]
        expected = (divide(sums[..., 2:], n) ** 2).sum(axis=-1)
        return beyond_chance(divide(sums[..., 1], n[..., 0]), expected)

    each = alike_each(len(rated.labels))
    corners: Corners = (*((one, one, *labels) for one, labels in each), (1.0, 0.0, *rated.labels))
    return Statistic(columns, reduce, corners, rated.n, rated.excluded, rated.reason, rated.undefined)


def gwet_statistic(ratings: npt.ArrayLike) -> Statistic:
    """Gwet's AC1, at most 1: chance agreement is that of raters who guess where they are unsure.

    Args:
        ratings: [raters, units]; NaN where a rater did not rate a unit. Units with one rating enter the shares of the
            categories, as in Gwet (2014), and no more; categories are those that occur.

    Raises:
        ValueError: The table is not two-dimensional, or a rating is infinite.
    """
    rated = _Rated(ratings)
    some = rated.given > 0
    columns = (rated.kept, rated.same, some, *rated.shares.T)
    categories = rated.shares.shape[1]

    def reduce(sums: Floats) -> Floats:
        share = divide(sums[..., 3:], sums[..., 2:3])
        expected = (share * (1.0 - share)).sum(axis=-1) / max(categories - 1, 1)
        return beyond_chance(divide(sums[..., 1], sums[..., 0]), expected)

    if categories < 2:
        return Statistic(
            (rated.kept,), _undefined, _NEVER, rated.n, rated.excluded, rated.reason, rated.undefined
        )
    labels = rated.labels
    corners: Corners = ((1.0, 1.0, 1.0, *labels), (1.0, 0.0, 1.0, *labels))
    return Statistic(columns, reduce, corners, rated.n, rated.excluded, rated.reason, rated.undefined)


def cohen_statistic(a: npt.ArrayLike, b: npt.ArrayLike, *, weights: Weights = "none") -> Statistic:
    """Cohen's κ of two raters, at most 1, plain or weighted by how far apart two ratings are.

    Args:
        a: Ratings of one, [units]; NaN if missing.
        b: Ratings of the other.
        weights: ``none``; ``linear`` and ``quadratic`` take the ratings for places on a line.

    Raises:
        ValueError: The two have different units, a rating is infinite, or the weights do not exist.
    """
    if weights not in WEIGHTS:
        raise ValueError(f"the weights are one of {', '.join(WEIGHTS)}, not {weights!r}")
    pair = _pair(a, b)
    both: Mask = np.asarray(np.isfinite(pair).all(axis=0))
    alone = int((np.isfinite(pair).any(axis=0) & ~both).sum())
    values = np.unique(pair[:, both])
    first, second = (np.asarray(both[:, None] & (row[:, None] == values)) for row in pair)
    apart = _apart(values, values, weights)
    found = np.where(both, _apart_each(np.where(both, pair, 0.0), weights), 0.0)
    size = len(values)

    def reduce(sums: Floats) -> Floats:
        n = sums[..., 0]
        left, right = sums[..., 2 : 2 + size], sums[..., 2 + size :]
        expected = np.einsum("...k,kl,...l->...", left, apart, right)
        chance = divide(expected, n * n)
        return 1.0 - divide(divide(sums[..., 1], n), np.where(chance > _CERTAIN, chance, 0.0))

    undefined = _SAME if both.any() else "no unit that both rated"
    reason = f"{alone} rated by one of the two only" if alone else ""
    n = int(both.sum())
    margins = (1.0 / max(size, 1),) * (2 * size)
    if weights == "none":
        alike, far = alike_each(size), 1.0
    else:
        # Alike at either end of the scale; else as far apart as two ratings are that have nothing to do with each other.
        alike, far = alike_each(size, ends=True), float(apart.mean()) if size > 1 else 1.0
    sides = ((one, 0.0, *labels, *labels) for one, labels in alike)
    corners: Corners = (*sides, (1.0, far, *margins))
    return Statistic((both, found, *first.T, *second.T), reduce, corners, n, alone, reason, undefined)


def bias_statistic(ratings: npt.ArrayLike, rater: int) -> Statistic:
    """How much higher a rater rates than the others do on the same units, on average, in units of the scale.

    Args:
        ratings: [raters, units]; NaN where a rater did not rate a unit.
        rater: Row of the rater.

    Raises:
        ValueError: The table is not two-dimensional, a rating is infinite, or there is no such row.
    """
    table = rating_table(ratings)
    if not 0 <= rater < len(table):
        raise ValueError(f"there is no rater {rater} among {len(table)}")
    others = np.delete(table, rater, axis=0)
    known = np.isfinite(others)
    mean = divide(np.where(known, others, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))
    both = np.isfinite(table[rater]) & np.isfinite(mean)
    alone = int(np.isfinite(table[rater]).sum()) - int(both.sum())
    apart = np.where(both, np.nan_to_num(table[rater]) - np.nan_to_num(mean), 0.0)
    reason = f"{alone} rated by nobody else" if alone else ""
    # The furthest that two ratings of this scale can be apart, either way; of ratings that are all the same, nothing is known.
    known_ratings = table[np.isfinite(table)]
    width = float(np.ptp(known_ratings)) if known_ratings.size else 0.0
    corners: Corners = ((width, 1.0), (-width, 1.0))
    return Statistic(
        (apart, both), ratio, corners, int(both.sum()), alone, reason, "no unit that another rated too"
    )


def category_statistic(ratings: npt.ArrayLike, category: float) -> Statistic:
    """Share of units that raters put into a category, in [0, 1]; raters who differ about a unit share it.

    Args:
        ratings: [raters, units]; NaN where a rater did not rate a unit.
        category: The rating to give the share of.

    Raises:
        ValueError: The table is not two-dimensional, or a rating is infinite.
    """
    table = rating_table(ratings)
    given = np.isfinite(table).sum(axis=0).astype(np.float64)
    kept = given > 0
    share = np.where(kept, (table == category).sum(axis=0) / np.maximum(given, 1.0), 0.0)
    left = int((~kept).sum())
    reason = f"{left} rated by nobody" if left else ""
    return Statistic((share, kept), ratio, SHARE, int(kept.sum()), left, reason, "no unit is rated")


def confusion(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.int64]]:
    """What one rater said where the other said what.

    Args:
        a: Ratings of one, [units]; NaN if missing.
        b: Ratings of the other.

    Returns:
        The distinct ratings of units that both rated, ascending, [values]; and how often the first gave the row's rating
        and the second the column's, [values, values].

    Raises:
        ValueError: The two have different units, or a rating is infinite.
    """
    pair = _pair(a, b)
    both = pair[:, np.isfinite(pair).all(axis=0)]
    values, places = np.unique(both, return_inverse=True)
    places = places.reshape(both.shape)
    counts = np.zeros((len(values), len(values)), dtype=np.int64)
    np.add.at(counts, (places[0], places[1]), 1)
    return values, counts


class _Rated:
    """What measures of many raters need: how often each unit got each rating.

    Attributes:
        given: Ratings of each unit, [units].
        kept: Units with two ratings or more.
        shares: Share of each unit's ratings that each category got, [units, categories].
        same: Share of a unit's pairs of ratings that are the same, 0 where it has none.
        labels: Share of each category in a pseudo-unit: all alike.
    """

    def __init__(self, ratings: npt.ArrayLike) -> None:
        table = rating_table(ratings)
        values = np.unique(table[np.isfinite(table)])
        counts = np.stack(
            [(table == value).sum(axis=0) for value in values] or [np.zeros(table.shape[1])], axis=1
        )
        counts = counts.astype(np.float64)
        self.given = counts.sum(axis=1)
        self.kept = self.given >= 2
        self.shares = np.nan_to_num(divide(counts, self.given[:, None]))
        pairs = self.given * (self.given - 1.0)
        same = np.nan_to_num(divide((counts * (counts - 1.0)).sum(axis=1), pairs))
        self.same = np.where(self.kept, same, 0.0)
        self.labels = (1.0 / self.shares.shape[1],) * self.shares.shape[1]
        self.n = int(self.kept.sum())
        self.excluded = int((self.given == 1).sum())
        self.reason = f"{self.excluded} rated once" if self.excluded else ""
        self.undefined = _SAME if self.n else _ALONE


def _pair(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """The ratings of two, [2, units]."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"ratings are numbers, as many for each rater: {first.shape} and {second.shape}")
    return rating_table(np.stack([first, second]))


def rating_table(ratings: npt.ArrayLike) -> Floats:
    """Ratings as numbers, [raters, units]; NaN without one.

    Raises:
        ValueError: They are no table of finite numbers.
    """
    try:
        table = np.asarray(ratings, dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"ratings are numbers, as many for each rater: {error}") from None
    if table.ndim != 2:
        raise ValueError(f"ratings are [raters, units], not {table.ndim}-dimensional")
    if np.isinf(table).any():
        raise ValueError("ratings are finite, or NaN where there is none")
    return table


def _apart(x: Floats, y: Floats, weights: Weights) -> Floats:
    """Disagreement of every rating of x with every rating of y."""
    return _weighted(x[:, None] - y[None, :], weights)


def _apart_each(pair: Floats, weights: Weights) -> Floats:
    return _weighted(pair[0] - pair[1], weights)


def _weighted(difference: Floats, weights: Weights) -> Floats:
    if weights == "none":
        return np.asarray(difference != 0, dtype=np.float64)
    far: Floats = np.abs(difference) if weights == "linear" else difference**2
    return far


def alike_each(labels: int, *, ends: bool = False) -> list[tuple[float, tuple[float, ...]]]:
    """Pseudo-units on which raters agree, one for each label.

    A single one with every label would say that ratings vary where nearly all are the same. Of more than four labels
    they count as four, so as not to outweigh the units.

    Args:
        labels: How many there are.
        ends: Only the first and the last.

    Returns:
        What each counts, and what it adds to the count of each label.
    """
    if not labels:
        return [(1.0, ())]
    places = sorted({0, labels - 1}) if ends else list(range(labels))
    one = min(1.0, 4.0 / len(places))
    return [(one, tuple(one * (at == place) for at in range(labels))) for place in places]


def _undefined(sums: Floats) -> Floats:
    return np.full(sums.shape[:-1], np.nan)
