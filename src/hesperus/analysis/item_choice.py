"""Which rows of an item matrix a page shows, and how many items have each mark."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from hesperus.analysis.item_filter import IN_A_SENSE, mark_of, telling
from hesperus.analysis.item_matrix import ItemMatrix

_EACH = (12, 8, 5, 3, 2, 1)


def doubtful_rows(matrix: ItemMatrix) -> pl.DataFrame:
    """Rows with an answer that changes, says less, is wrong or is missing, the most telling first."""
    marks = ("changed", "wrong", "unanswered", "lost")
    return telling(matrix.rows).filter(pl.any_horizontal(pl.col(mark) > 0 for mark in marks))


def chosen_rows(matrix: ItemMatrix, rows: pl.DataFrame, most: int) -> tuple[pl.DataFrame, int]:
    """Rows that a page keeps, so that every number leads to some.

    Args:
        matrix: The matrix.
        rows: Rows of it, the most telling first.
        most: How many are kept.

    Returns:
        The rows, and how many were taken of each model in each sense before the most telling of all; 0: none was.
    """
    if rows.height <= most:
        return rows, 0
    placed = rows.select("row", pl.col("model").cast(pl.Categorical)).with_row_index("place")
    doubtful = pl.col("mark").is_in(["wrong", "unanswered"]) | pl.col("changed") | pl.col("lost")
    cells = matrix.cells.filter(doubtful.fill_null(False)).select("row", "column")
    # Each in its turn is among the first of those that the largest number takes.
    ranked = (
        cells.join(placed, on="row").sort("place", "column").group_by("model", "column", maintain_order=True)
    )
    first = ranked.head(_EACH[0]).sort("place", "column")
    for each in _EACH:
        kept = first.group_by("model", "column", maintain_order=True).head(each)["row"].unique()
        if kept.len() <= most:
            rest = rows.filter(~pl.col("row").is_in(kept.implode())).head(most - kept.len())["row"]
            shown = rows.filter(pl.col("row").is_in(pl.concat([kept, rest]).implode()))
            return shown, each
    return rows.head(most), 0


def marked_totals(matrix: ItemMatrix) -> Mapping[tuple[str, str, str], int]:
    """How many items have each mark, by model and key of the sense."""
    keys = {column.number: column.key for column in matrix.columns}
    counts = (
        matrix.cells.join(matrix.rows.select("row", pl.col("model").cast(pl.Categorical)), on="row")
        .group_by("model", "column")
        .agg(mark_of(mark).sum().alias(mark) for mark in IN_A_SENSE)
        .sort("model", "column")
    )
    return {
        (row["model"], keys[row["column"]], mark): row[mark]
        for row in counts.iter_rows(named=True)
        for mark in IN_A_SENSE
        if row[mark]
    }
