"""Long tables of ratings as arrays: one for each question and group, on the level that is declared for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.settings import DEFAULT_BOOTSTRAP
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import LEVELS, Bootstrap, Level
from hesperus.records.labels import one_spelling_of
from hesperus.tables import row_line

Duplicates = Literal["error", "first", "last"]
"""What holds where a rater rated a unit twice, differently."""

_SPELLINGS = 3
"""Ratings in another spelling of which a note shows so many."""

DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)

QUESTION, LEVEL, ORDER, ITEM = "question", "level", "order", "item"
"""Columns of an export that are read without being named: what was asked, on which level, which order the names have,
and the item to which a unit belongs."""


@dataclass(frozen=True, slots=True)
class RaterSettings:
    """Which columns hold what, and what the ratings mean.

    Attributes:
        unit: Columns that together name what was rated.
        rater: Column of who rated.
        rating: Column of the rating; an empty cell is no rating.
        level: Level of measurement; None takes it from the column ``level`` of the table, as the scheme of an export
            declares it for each question. Without a scheme, a scale or an order says ordinal, nothing says nominal.
        by: Columns that split the units; everything is measured for each value; the column ``question`` is always one.
        questions: Only these values of the column ``question``; empty takes all.
        scale: Lowest and highest rating that there can be, or None.
        order: Names of ordered ratings, lowest first; they count as 0, 1, 2, … Otherwise the table's column ``order``.
        duplicates: What holds where a rater rated a unit twice, differently.
        bootstrap: How intervals over items are made.
    """

    unit: tuple[str, ...]
    rater: str
    rating: str
    level: Level | None = None
    by: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    order: tuple[str, ...] = ()
    duplicates: Duplicates = "error"
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP

    def __post_init__(self) -> None:
        if not self.unit:
            raise UsageError("what was rated? give --unit COLUMN")
        if self.level is not None and self.level not in LEVELS:
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
    """Ratings of one group: answers to one question, on one level.

    Attributes:
        group: Values of the columns by which groups are told apart.
        level: Level of measurement.
        raters: Names, in the order of the rows.
        table: [raters, units]; NaN if absent.
        names: What a number represents, for ratings that were names.
        items: Item of each unit, as 0, 1, 2, …, [units]; None if every unit is an item of its own.
    """

    group: Mapping[str, object]
    level: Level
    raters: tuple[str, ...]
    table: npt.NDArray[np.float64]
    names: tuple[str, ...] = ()
    items: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class GroupedRatings:
    """All groups of a table.

    Attributes:
        groups: One for each question and group.
        by: The columns that tell them apart.
        counts: Rows without a rating, and rows that were repeated.
        notes: What a reader of the numbers must know.
    """

    groups: Sequence[Ratings]
    by: tuple[str, ...]
    counts: Mapping[str, JSON]
    notes: Sequence[str]


def grouped_ratings(
    frame: pl.DataFrame, settings: RaterSettings, *, file: object = None, raters: int = 2
) -> GroupedRatings:
    """The ratings of every question and group.

    Some group must have so many `raters`.

    Raises:
        UnknownNameError: A column, a question or a level does not exist.
        UsageError: Several questions would be pooled.
        DataError: A rating is no number where the level needs one, or out of scale; a rater rated a unit twice; the
            rows of a question declare two levels; or fewer than two raters.
    """
    for name in (*settings.by, *settings.unit, settings.rater, settings.rating):
        if name not in frame.columns:
            raise UnknownNameError(f"column of {file or 'the ratings'}", name, frame.columns)
    by = _by(frame, settings, file)
    keys = [*by, *settings.unit, settings.rater]
    rows = _of_questions(frame.with_row_index("__row"), settings, file)
    absent = rows.filter(pl.any_horizontal(pl.col(keys).is_null()))
    if len(absent):
        name = next(name for name in keys if absent[name][0] is None)
        raise DataError(
            "is empty; every rating needs a unit and a rater",
            file=file,
            line=row_line(absent["__row"][0], file),
            field=name,
        )
    rated = rows.with_columns(
        pl.col(settings.rating).cast(pl.String).str.strip_chars().alias("__rating"),
        pl.col(settings.rater).cast(pl.String).alias("__rater"),
    )
    given = rated.filter(pl.col("__rating").is_not_null() & (pl.col("__rating") != ""))
    if given.is_empty():
        raise DataError("there is no rating", file=file, field=settings.rating)
    given, notes = _spelt(given, by, settings.order)
    parts = given.partition_by(by, maintain_order=True) if by else [given]
    groups, repeated = [], 0
    for part in parts:
        if part.is_empty():
            continue
        level, order, declared = _level(part, settings, file)
        coded, names = _coded(part, settings, level, order, file)
        single, left = _single(coded, [*by, *settings.unit, "__rater"], settings, file)
        repeated += left
        groups.append(_pivoted(single, settings, by, level, names))
        numbers = part["__rating"].cast(pl.Float64, strict=False)
        if not declared and numbers.null_count() == 0 and numbers.n_unique() > 2:
            notes.append(
                f"{_where(groups[-1].group)}the ratings are numbers, and nothing says that they are a scale: they count as "
                "names (--level ordinal counts how far apart they are)"
            )
    if all(len(group.raters) < raters for group in groups):
        raise DataError(f"{_where(groups[0].group)}agreement needs two raters, found 1", file=file)
    if blank := len(rated) - len(given):
        notes.append(f"{blank:,} of {len(rated):,} rows hold no rating and are not counted")
    return GroupedRatings(
        groups, by, {"without_rating": len(rated) - len(given), "repeated": repeated}, notes
    )


def _spelt(
    given: pl.DataFrame, by: Sequence[str], preferred: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Ratings of a question in one spelling, as labels of records are: Pass and pass, 1 and 1.0; and what was changed."""
    parts = given.partition_by(QUESTION, maintain_order=True) if QUESTION in by else [given]
    found, notes = [], []
    for part in parts:
        changed = one_spelling_of(Counter(part["__rating"]), preferred)
        if changed:
            shown = "; ".join(f"{name!r} as {best!r}" for name, best in sorted(changed.items())[:_SPELLINGS])
            many = int(part["__rating"].is_in(list(changed)).sum())
            notes.append(f"{many:,} ratings count in another spelling: {shown}")
        found.append(part.with_columns(pl.col("__rating").replace(changed)))
    return pl.concat(found), notes


def _by(frame: pl.DataFrame, settings: RaterSettings, file: object) -> tuple[str, ...]:
    """The columns that tell groups apart: those that were named, and the question, over which nothing is pooled."""
    if QUESTION not in frame.columns or QUESTION in (*settings.by, settings.rater, settings.rating):
        return settings.by
    exported = LEVEL in frame.columns or "state" in frame.columns
    if QUESTION in settings.unit:
        if exported and len(settings.unit) > 1:
            raise UsageError(
                f"{file or 'the table'} holds the ratings of several questions, and agreement is measured for each: leave "
                "question out of --unit"
            )
        return settings.by
    # In a table of a user's own, `question` may be the text of the unit; then no unit has two.
    units = frame.group_by(list(settings.unit)).agg(pl.col(QUESTION).n_unique().alias("__asked"))
    asked = exported or frame[QUESTION].n_unique() == 1 or bool((units["__asked"] > 1).any())
    return (*settings.by, QUESTION) if asked else settings.by


def _of_questions(rows: pl.DataFrame, settings: RaterSettings, file: object) -> pl.DataFrame:
    if not settings.questions:
        return rows
    if QUESTION not in rows.columns:
        raise UnknownNameError(f"column of {file or 'the ratings'}", QUESTION, rows.columns)
    known = rows[QUESTION].cast(pl.String).drop_nulls().unique().to_list()
    for name in settings.questions:
        if name not in known:
            raise UnknownNameError("question of the ratings", name, known)
    return rows.filter(pl.col(QUESTION).cast(pl.String).is_in(settings.questions))


def _level(part: pl.DataFrame, settings: RaterSettings, file: object) -> tuple[Level, tuple[str, ...], bool]:
    """Level and order of one question, and whether anything declares it: what was asked for, then what the table says."""
    order = settings.order or tuple(filter(None, (_declared(part, ORDER, file) or "").split(",")))
    if settings.level is not None:
        return settings.level, order, True
    said = _declared(part, LEVEL, file)
    for level in LEVELS:
        if said == level:
            return level, order if level == "ordinal" else (), True
    if said is not None:
        raise UnknownNameError(f"level of measurement in {file or 'the ratings'}", said, LEVELS)
    if order or settings.scale is not None:
        return "ordinal", order, True
    return "nominal", (), False


def _declared(part: pl.DataFrame, column: str, file: object) -> str | None:
    """What all rows of a question say in a column, or None if none says anything.

    Raises:
        DataError: They say different things.
    """
    if column not in part.columns:
        return None
    values = part[column].cast(pl.String).drop_nulls().str.strip_chars().unique().sort().to_list()
    values = [value for value in values if value]
    if len(values) > 1:
        raise DataError(f"says {values[0]!r} and {values[1]!r} of one question", file=file, field=column)
    return values[0] if values else None


def _coded(
    given: pl.DataFrame, settings: RaterSettings, level: Level, order: tuple[str, ...], file: object
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Ratings as numbers: themselves, their place in the order, or any number for a name."""
    if order or level == "nominal":
        names = order or tuple(sorted(set(given["__rating"])))
        unknown = given.filter(~pl.col("__rating").is_in(names))
        if len(unknown):
            raise DataError(
                f"{unknown['__rating'][0]!r} is not in the order given ({', '.join(names)})",
                file=file, line=row_line(unknown["__row"][0], file), field=settings.rating,
            )  # fmt: skip
        places = {name: float(place) for place, name in enumerate(names)}
        return given.with_columns(pl.col("__rating").replace_strict(places, return_dtype=pl.Float64)), names
    return _numbers(given, settings, level, file), ()


def _numbers(given: pl.DataFrame, settings: RaterSettings, level: Level, file: object) -> pl.DataFrame:
    """Ratings that are numbers as the level needs them and the scale has them."""
    numbers = given.with_columns(pl.col("__rating").cast(pl.Float64, strict=False).alias("__number"))
    number = pl.col("__number")
    refused = [
        (number.is_null() | ~number.is_finite(), f"is no number, which the level {level} needs (or give --order)")
    ]  # fmt: skip
    if settings.scale is not None:
        low, high = settings.scale
        refused.append((~number.is_between(low, high), f"is out of the scale from {low:g} to {high:g}"))
    if level == "ratio":
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
            unit = ", ".join(f"{name}={first[name]}" for name in keys[:-1])
            raise DataError(
                f"{first['__rater']} rated {unit} more than once, differently; {_advice(doubled, keys)}",
                file=file, line=row_line(doubled["__row"][0], file),
            )  # fmt: skip
        return different, len(coded) - len(different)
    # The last of all rows holds, not the last of the different ones: 1, 2, 1 is 1.
    kept = coded.unique(keys, keep=settings.duplicates, maintain_order=True)
    return kept, len(coded) - len(kept)


def _advice(doubled: pl.DataFrame, keys: Sequence[str]) -> str:
    """What to do about units that a rater rated twice: a column may tell the ratings apart, else one of them holds."""
    for name in doubled.columns:
        if name in keys or name.startswith("__"):
            continue
        told = doubled[name].n_unique() < len(doubled) / 2
        if told and not doubled.select(pl.struct(*keys, name).is_duplicated().any()).item():
            return f"the ratings differ in {name!r}: measure each of its values apart (--by {name})"
    return "say which holds: --duplicates first or last"


def _pivoted(
    part: pl.DataFrame,
    settings: RaterSettings,
    by: tuple[str, ...],
    level: Level,
    names: tuple[str, ...],
) -> Ratings:
    raters = sorted(set(part["__rater"]))
    group = {name: part[name][0] for name in by}
    units = part.select(pl.struct(settings.unit).rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
    rows = part["__rater"].replace_strict({name: i for i, name in enumerate(raters)}, return_dtype=pl.Int64)
    filled = np.full((len(raters), int(units.max()) + 1), np.nan)
    filled[rows.to_numpy(), units] = part["__rating"].to_numpy()
    return Ratings(group, level, tuple(raters), filled, names, _items(part, settings, units))


def _items(
    part: pl.DataFrame, settings: RaterSettings, units: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """Item of each unit, where the table tells it and an item has several units."""
    if ITEM not in part.columns or ITEM in settings.unit or part[ITEM].null_count():
        return None
    key = [name for name in ("task", ITEM) if name in part.columns and not part[name].null_count()]
    items = part.select(pl.struct(key).rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
    places = np.zeros(int(units.max()) + 1, dtype=np.int64)
    places[units] = items
    several = len(np.unique(places)) < len(places)
    # A unit of two items is no part of one: its units are drawn by themselves.
    return places if several and bool((places[units] == items).all()) else None


def _where(group: Mapping[str, object]) -> str:
    where = ", ".join(f"{name}={value}" for name, value in group.items())
    return f"{where}: " if where else ""
