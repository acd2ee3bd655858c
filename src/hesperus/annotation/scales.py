"""Ratings of a long table, held to the scale on which they were given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.annotation.unit_tables import first_line, read_frame
from hesperus.errors import DataError, UsageError

LONG = ("unit", "rater", "question", "rating")
"""What a long table of ratings must have; ``item`` may be next to ``unit``, where one item has several units."""

_KEY = ["unit", "rater", "question"]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A table of numbers on the scale.

    Attributes:
        frame: The rows of the file. ``rating`` is text, or null where nothing was said.
        repeated: Rows that said once more what the same rater had said of the same question and unit; left out.
    """

    frame: pl.DataFrame
    repeated: int


def read_scaled(path: Path | str, scale: tuple[float, float]) -> Scaled:
    """Read a long table of ratings and refuse it as a whole where a rating is not on the scale.

    A question without a single number is answered in words: it has no scale and is left as it is.

    Args:
        path: CSV, TSV, JSON lines or Parquet with ``unit, rater, question, rating``.
        scale: Lowest and highest rating that there can be.

    Raises:
        UsageError: No such file, or a scale without length.
        DataError: A column is missing, a unit, rater or question is empty, a rating is no number or out of scale, or a
            rater gave two ratings to one question of a unit; names row, column, rater and item.
    """
    low, high = scale
    if not low < high:
        raise UsageError(f"a scale has a lowest and a highest rating, not {low:g} to {high:g}")
    frame = read_frame(path)
    for name in LONG:
        if name not in frame.columns:
            raise DataError(f"no column {name!r}; there are {', '.join(frame.columns)}", file=path)
    for name in _KEY:
        empty = frame[name].is_null().arg_true()
        if len(empty):
            raise DataError("is empty", file=path, line=int(empty[0]) + first_line(path), field=name)
    rows = frame.with_row_index("__row").with_columns(
        pl.col("rating").cast(pl.String).str.strip_chars().replace("", None), pl.col(_KEY).cast(pl.String)
    )
    rows = rows.with_columns(pl.col("rating").cast(pl.Float64, strict=False).alias("__number"))
    given = rows.filter(pl.col("rating").is_not_null())
    numbered = given.filter(pl.col("__number").is_not_null().any().over("question"))
    off = numbered.filter(~pl.col("__number").is_between(low, high).fill_null(False))
    if len(off):
        row = off.row(0, named=True)
        raise _refused(
            row, path, f"{row['rating'][:60]!r} is not on the scale from {low:g} to {high:g}; mend it, or name the scale"
        )  # fmt: skip
    # 4 and 4.0 are one rating.
    said = pl.coalesce(pl.col("__number").cast(pl.String), pl.col("rating")).alias("__said")
    different = given.with_columns(said).unique([*_KEY, "__said"], keep="first", maintain_order=True)
    twice = different.filter(~pl.struct(_KEY).is_first_distinct())
    if len(twice):
        row = twice.row(0, named=True)
        raise _refused(
            row, path, "the same rater gave this question of this unit another rating before; keep one"
        )
    repeated = set(given["__row"]) - set(different["__row"])
    kept = rows.filter(~pl.col("__row").is_in(sorted(repeated)))
    return Scaled(kept.drop("__row", "__number"), len(repeated))


def _refused(row: dict[str, Any], path: Path | str, why: str) -> DataError:
    """An error that names all of: file, row, column, rater, question and item."""
    item = str(row.get("item") or row["unit"])
    place = int(row["__row"]) + first_line(path)
    return DataError(
        f"rater {str(row['rater'])!r}, question {str(row['question'])!r}: {why}",
        file=path, line=place, field="rating", item=item,
    )  # fmt: skip
