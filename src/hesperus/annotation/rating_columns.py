"""The command for a table of ratings whose columns have other names, guessed from names and values."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import polars as pl

_RATERS = ("rater", "annotator", "coder", "judge", "worker", "reviewer", "evaluator", "who", "user")
_RATINGS = ("rating", "score", "grade", "value", "label", "choice", "category", "judgment", "judgement")
_UNITS = ("unit", "item", "id", "text", "question")
_SCALE = 20
"""Different values that one rater's column of a wide table has at most."""


def command_for(frame: pl.DataFrame, path: Path, what: str) -> str | None:
    """What to type for this table; None if it does not look like ratings.

    Args:
        frame: The table.
        path: Where it lies, as the user wrote it.
        what: The measure.

    Returns:
        `hesperus measure …` with its columns; of a table with a column for each rater two commands, of which the first writes
        the long table.
    """
    columns = _long(frame)
    if columns is not None:
        return _measure(path, what, *columns)
    unit, raters = _wide(frame)
    if unit is None or path.suffix.lower() != ".csv":
        return None
    long = path.with_name(f"{path.stem}_long.csv")
    file, names, index, out = (
        json.dumps(one, ensure_ascii=False) for one in (str(path), raters, unit, str(long))
    )
    script = (
        f'import polars as pl; pl.read_csv({file}).unpivot({names}, index={index}, variable_name="rater", '
        f'value_name="rating").drop_nulls("rating").write_csv({out})'
    )
    return f"python -c {shlex.quote(script)} && {_measure(long, what, unit, 'rater', 'rating')}"


def _measure(path: Path, what: str, unit: str, rater: str, rating: str) -> str:
    words = (str(path), "--unit", unit, "--rater", rater, "--rating", rating)
    return f"hesperus measure {what} {' '.join(map(shlex.quote, words))}"


def _long(frame: pl.DataFrame) -> tuple[str, str, str] | None:
    """Unit, rater and rating of a row each: those whose pairs of unit and rater hardly repeat."""
    named = _named(frame.columns, _RATERS)
    raters = [named] if named else [name for name, kind in frame.schema.items() if kind == pl.String()]
    for rater in raters:
        left = [name for name in frame.columns if name != rater]
        rating = _named(left, _RATINGS) or next(filter(lambda name: _is_numbers(frame[name]), left), None)
        units = [name for name in left if name != rating]
        unit = _named(units, _UNITS) or max(units, key=lambda name: frame[name].n_unique(), default=None)
        if rating is None or unit is None or frame.is_empty():
            continue
        raters_are_few = 2 <= frame[rater].n_unique() <= frame[unit].n_unique() < frame.height
        if raters_are_few and frame.select(unit, rater).n_unique() >= 0.9 * frame.height:
            return unit, rater, rating
    return None


def _wide(frame: pl.DataFrame) -> tuple[str | None, list[str]]:
    """The column of units, each in one row, and those of two or more raters, who use the same values."""
    unit = next((name for name in frame.columns if frame[name].n_unique() == frame.height > 1), None)
    raters = [name for name in frame.columns if name != unit and 1 <= frame[name].n_unique() <= _SCALE]
    return (unit, raters) if len(raters) >= 2 else (None, [])


def _is_numbers(column: pl.Series) -> bool:
    """Whether every value is a number; of CSV all columns are text."""
    return column.cast(pl.Float64, strict=False).null_count() == column.null_count() < column.len()


def _named(columns: Sequence[str], words: Sequence[str]) -> str | None:
    """The column whose name is one of the words, or else has one in it; in the order of the words."""
    for holds in (lambda name, word: name.lower() == word, lambda name, word: word in name.lower()):
        for word in words:
            for name in columns:
                if holds(name, word):
                    return name
    return None
