"""What raters said about a question: the ratings that lie in the run folder, next to its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.analysis.tax.tax_settings import CHECKS_FILE, RATINGS_FILE
from hesperus.errors import DataError
from hesperus.tables import read_table

_NEEDED = ("unit", "rater", "question")
_SENSES = ("a", "b", "language", "input", "instruction", "sense")


@dataclass(frozen=True, slots=True)
class Rating:
    """What a rater said.

    An empty `rating` is one who could not judge; `sense` is empty if the table does not say which texts were rated.
    """

    sense: str
    question: str
    rater: str
    rating: str
    comment: str


def read_ratings(folder: Path) -> pl.DataFrame | None:
    """The ratings in a run folder, every value as text; None without any. Where no column names the item, a unit is one.

    Raises:
        DataError: A file cannot be read, or is no table of ratings.
    """
    found = []
    for name in (RATINGS_FILE, CHECKS_FILE):
        file = folder / name
        if not file.is_file():
            continue
        frame = read_table(file)
        missing = [column for column in (*_NEEDED, "rating") if column not in frame.columns]
        if missing:
            raise DataError(f"missing columns: {', '.join(missing)}; expected a table of ratings", file=file)
        if "item" not in frame.columns:
            frame = frame.with_columns(item="unit")
        found.append(frame.select(pl.all().cast(pl.String)))
    return pl.concat(found, how="diagonal") if found else None


def ratings_of(ratings: pl.DataFrame, row: Mapping[str, Any]) -> tuple[Rating, ...]:
    """The ratings of a question, and of the answers of its model where they are of answers."""
    same = pl.col("item") == row["item"]
    for name in ("model", "task"):
        if name in ratings.columns:
            same &= pl.col(name).is_null() | (pl.col(name) == row[name])
    senses = [name for name in _SENSES if name in ratings.columns]
    comment = pl.col("comment") if "comment" in ratings.columns else pl.lit(None, pl.String)
    shown = ratings.filter(same).select(
        pl.concat_str(senses, separator=" · ", ignore_nulls=True).alias("sense") if senses else pl.lit("").alias("sense"),
        "question", "rater", "rating", comment.alias("comment"),
    ).unique(maintain_order=True).sort("question", "sense", "rater", maintain_order=True)  # fmt: skip
    return tuple(Rating(*(value or "" for value in values)) for values in shown.iter_rows())
