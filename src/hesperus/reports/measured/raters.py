"""Agreement of raters from any long table: a row per rating, a table of statistics out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import (
    LEVELS,
    WEIGHTS,
    Bootstrap,
    Level,
    Statistic,
    Weights,
    bias_statistic,
    cohen_statistic,
    confusion,
    estimates,
    fleiss_statistic,
    gwet_statistic,
    krippendorff_alpha,
    percent_statistic,
)
from hesperus.reports.measured.settings import DEFAULT_BOOTSTRAP
from hesperus.reports.table import ESTIMATE_COLUMNS, Table, estimate_cells, table
from hesperus.tables import row_line

Duplicates = Literal["error", "first", "last"]
"""What holds where a rater rated a unit twice, differently."""

DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)


@dataclass(frozen=True, slots=True)
class RaterSettings:
    """Which columns hold what, and what the ratings mean.

    Attributes:
        unit: Columns that together name what was rated.
        rater: Column of who rated.
        rating: Column of the rating; an empty one is none.
        level: Level of measurement.
        by: Columns by whose values everything is measured apart.
        scale: Lowest and highest rating that there can be, or None.
        order: Names of ordered ratings, lowest first; they count as 0, 1, 2, …
        duplicates: What holds where a rater rated a unit twice, differently.
        bootstrap: How intervals over units are made.
    """

    unit: tuple[str, ...]
    rater: str
    rating: str
    level: Level = "nominal"
    by: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    order: tuple[str, ...] = ()
    duplicates: Duplicates = "error"
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP

    def __post_init__(self) -> None:
        if not self.unit:
            raise UsageError("what was rated? give --unit COLUMN")
        if self.level not in LEVELS:
            raise UnknownNameError("level of measurement", self.level, LEVELS)
        if self.duplicates not in DUPLICATES:
            raise UnknownNameError("rule for duplicates", self.duplicates, DUPLICATES)
        if self.level == "nominal" and self.scale is not None:
            raise UsageError("a nominal scale has no ends; leave --scale out, or say --level ordinal")
        named = (*self.unit, self.rater, self.rating)
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"the column {twice!r} is named twice; unit, rater and rating are three things")

    def signed(self) -> dict[str, JSON]:
        """The signature of a table made with these settings."""
        return signature(self)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of one group.

    Attributes:
        group: Values of the columns of `by`.
        raters: Names, in the order of the rows.
        table: [raters, units]; NaN where there is none.
        names: What a number stands for, for ratings that were names.
    """

    group: Mapping[str, object]
    raters: tuple[str, ...]
    table: npt.NDArray[np.float64]
    names: tuple[str, ...] = ()


def raters_table(frame: pl.DataFrame, settings: RaterSettings, *, file: object = None) -> Table:
    """Agreement of all raters, of every two, and how each differs from the rest.

    Args:
        frame: A row per rating.
        settings: Columns and level.
        file: Named in messages.

    Returns:
        Rows by `statistic`: ``percent``, ``krippendorff_alpha``, ``fleiss_kappa``, ``gwet_ac1`` of all raters;
        ``cohen_kappa`` (and, above the nominal level, ``cohen_kappa_linear``, ``cohen_kappa_quadratic``) of every two;
        ``bias`` of each against the mean of the others. `signature` counts rows without a rating and repeated rows.

    Raises:
        UnknownNameError: A column does not exist.
        DataError: A rating is no number where the level needs one, or out of scale; a rater rated a unit twice; or
            fewer than two raters.
    """
    groups, counts = _groups(frame, settings, file)
    rows = [row for ratings in groups for row in _rows(ratings, settings)]
    columns = (*settings.by, "statistic", "rater_a", "rater_b", *ESTIMATE_COLUMNS)
    return table("raters", columns, rows=rows, signature={**settings.signed(), **counts})


def confusion_table(frame: pl.DataFrame, settings: RaterSettings, *, file: object = None) -> Table:
    """How often one rater said this where another said that, for every two raters and every two ratings that occur.

    Raises:
        UnknownNameError: See raters_table.
        DataError: See raters_table.
    """
    groups, counts = _groups(frame, settings, file)
    rows = [row for ratings in groups for row in _confused(ratings)]
    columns = (*settings.by, "rater_a", "rater_b", "rating_a", "rating_b", "count")
    return table("raters confusion", columns, rows=rows, signature={**settings.signed(), **counts})


def _rows(ratings: Ratings, settings: RaterSettings) -> Iterator[dict[str, object]]:
    base = {**ratings.group, "rater_a": "", "rater_b": ""}
    alpha = krippendorff_alpha(ratings.table, settings.level, bootstrap=settings.bootstrap)
    yield {**base, "statistic": "krippendorff_alpha", **estimate_cells(alpha)}
    named = list(_statistics(ratings, settings.level))
    found = estimates((statistic for _, statistic in named), settings.bootstrap)
    for (cells, _), estimate in zip(named, found, strict=True):
        yield {**base, **cells, **estimate_cells(estimate)}


def _statistics(ratings: Ratings, level: Level) -> Iterator[tuple[dict[str, object], Statistic]]:
    rated, raters = ratings.table, ratings.raters
    yield {"statistic": "percent"}, percent_statistic(rated)
    yield {"statistic": "fleiss_kappa"}, fleiss_statistic(rated)
    yield {"statistic": "gwet_ac1"}, gwet_statistic(rated)
    kinds: tuple[Weights, ...] = ("none",) if level == "nominal" else WEIGHTS
    for a, b in combinations(range(len(raters)), 2):
        for weights in kinds:
            name = "cohen_kappa" if weights == "none" else f"cohen_kappa_{weights}"
            cells: dict[str, object] = {"statistic": name, "rater_a": raters[a], "rater_b": raters[b]}
            yield cells, cohen_statistic(rated[a], rated[b], weights=weights)
    if level != "nominal":
        for place, rater in enumerate(raters):
            yield {"statistic": "bias", "rater_a": rater}, bias_statistic(rated, place)


def _confused(ratings: Ratings) -> Iterator[dict[str, object]]:
    for a, b in combinations(range(len(ratings.raters)), 2):
        values, counts = confusion(ratings.table[a], ratings.table[b])
        shown = [ratings.names[int(value)] if ratings.names else f"{value:g}" for value in values]
        for i, j in np.ndindex(counts.shape):
            yield {
                **ratings.group, "rater_a": ratings.raters[a], "rater_b": ratings.raters[b],
                "rating_a": shown[i], "rating_b": shown[j], "count": int(counts[i, j]),
            }  # fmt: skip


def _groups(
    frame: pl.DataFrame, settings: RaterSettings, file: object
) -> tuple[list[Ratings], dict[str, JSON]]:
    """The ratings of every group, and what was left out."""
    for name in (*settings.by, *settings.unit, settings.rater, settings.rating):
        if name not in frame.columns:
            raise UnknownNameError(f"column of {file or 'the ratings'}", name, frame.columns)
    keys = [*settings.by, *settings.unit, settings.rater]
    absent = frame.with_row_index("__row").filter(pl.any_horizontal(pl.col(keys).is_null()))
    if len(absent):
        name = next(name for name in keys if absent[name][0] is None)
        raise DataError(
            "is empty; every rating needs a unit and a rater",
            file=file,
            line=row_line(absent["__row"][0], file),
            field=name,
        )
    rated = frame.with_row_index("__row").with_columns(
        pl.col(settings.rating).cast(pl.String).str.strip_chars().alias("__rating"),
        pl.col(settings.rater).cast(pl.String).alias("__rater"),
    )
    given = rated.filter(pl.col("__rating").is_not_null() & (pl.col("__rating") != ""))
    coded, names = _coded(given, settings, file)
    single, repeated = _single(coded, [*settings.by, *settings.unit, "__rater"], settings, file)
    parts = single.partition_by(settings.by, maintain_order=True) if settings.by else [single]
    groups = [_pivoted(part, settings, names, file) for part in parts if len(part)]
    if not groups:
        raise DataError("there is no rating", file=file, field=settings.rating)
    return groups, {"without_rating": len(rated) - len(given), "repeated": repeated}


def _coded(
    given: pl.DataFrame, settings: RaterSettings, file: object
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Ratings as numbers: themselves, their place in the order, or any number for a name."""
    if settings.order or settings.level == "nominal":
        names = settings.order or tuple(sorted(set(given["__rating"])))
        unknown = given.filter(~pl.col("__rating").is_in(names))
        if len(unknown):
            raise DataError(
                f"{unknown['__rating'][0]!r} is not in the order given ({', '.join(names)})",
                file=file, line=row_line(unknown["__row"][0], file), field=settings.rating,
            )  # fmt: skip
        places = {name: float(place) for place, name in enumerate(names)}
        return given.with_columns(pl.col("__rating").replace_strict(places, return_dtype=pl.Float64)), names
    return _numbers(given, settings, file), ()


def _numbers(given: pl.DataFrame, settings: RaterSettings, file: object) -> pl.DataFrame:
    """Ratings that are numbers as the level needs them and the scale has them."""
    numbers = given.with_columns(pl.col("__rating").cast(pl.Float64, strict=False).alias("__number"))
    number = pl.col("__number")
    refused = [
        (number.is_null() | ~number.is_finite(), f"is no number, which the level {settings.level} needs (or give --order)")
    ]  # fmt: skip
    if settings.scale is not None:
        low, high = settings.scale
        refused.append((~number.is_between(low, high), f"is out of the scale from {low:g} to {high:g}"))
    if settings.level == "ratio":
        refused.append((number < 0, "is below 0, and a ratio scale begins there (or give --level interval)"))
    for which, why in refused:
        wrong = numbers.filter(which)
        if len(wrong):
            first = wrong.row(0, named=True)
            raise DataError(
                f"{first['__rating']!r} of rater {first['__rater']!r} {why}",
                file=file, line=row_line(first["__row"], file), field=settings.rating,
            )  # fmt: skip
    return numbers.with_columns(number.alias("__rating"))


def _single(
    coded: pl.DataFrame, keys: list[str], settings: RaterSettings, file: object
) -> tuple[pl.DataFrame, int]:
    """One rating for each rater and unit; the same one given again is counted and left out."""
    different = coded.unique([*keys, "__rating"], keep="first", maintain_order=True)
    if settings.duplicates == "error":
        doubled = different.filter(pl.struct(keys).is_duplicated())
        if len(doubled):
            first = doubled.row(0, named=True)
            unit = ", ".join(f"{name}={first[name]}" for name in (*settings.by, *settings.unit))
            raise DataError(
                f"{first['__rater']} rated {unit} more than once, differently; say which holds: --duplicates last",
                file=file, line=row_line(doubled["__row"][0], file),
            )  # fmt: skip
        return different, len(coded) - len(different)
    # The last of all rows holds, not the last of the different ones: 1, 2, 1 is 1.
    kept = coded.unique(keys, keep=settings.duplicates, maintain_order=True)
    return kept, len(coded) - len(kept)


def _pivoted(part: pl.DataFrame, settings: RaterSettings, names: tuple[str, ...], file: object) -> Ratings:
    raters = sorted(set(part["__rater"]))
    group = {name: part[name][0] for name in settings.by}
    if len(raters) < 2:
        where = ", ".join(f"{name}={value}" for name, value in group.items())
        raise DataError(
            f"{where + ': ' if where else ''}agreement needs two raters, found {len(raters)}", file=file
        )
    units = (
        part.select(pl.struct(settings.unit).rank("dense").cast(pl.Int64).alias("place"))["place"].to_numpy()
        - 1
    )
    rows = part["__rater"].replace_strict({name: i for i, name in enumerate(raters)}, return_dtype=pl.Int64)
    filled = np.full((len(raters), int(units.max()) + 1), np.nan)
    filled[rows.to_numpy(), units] = part["__rating"].to_numpy()
    return Ratings(group, tuple(raters), filled, names)
