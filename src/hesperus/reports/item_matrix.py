"""The items behind the numbers: the most telling ones in every sense, as a table of answers with their marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from hesperus.analysis.item_filter import TELLING, telling
from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn, item_matrix
from hesperus.item_views.matrix_view import matrix_view
from hesperus.records import Run
from hesperus.reports.blocks import Block, Column, Grid, Mark, Section, Sentences
from hesperus.wording import MISSING, sense_label, target_label

MOST_ROWS = 100


def items_blocks(run: Run, *, most: int = MOST_ROWS) -> Iterator[Block]:
    """The section of items: rows of the item matrix by a stated rule.

    Args:
        run: The run; its texts are shown if it has them.
        most: Rows that are shown.
    """
    if run.records.is_empty():
        return
    matrix = item_matrix({"run": run}).whole
    if len(matrix.columns) < 2:
        return
    rows = telling(matrix.rows).filter(
        (pl.col("changed") > 0) | (pl.col("wrong") > 0) | (pl.col("unanswered") > 0)
    )
    yield Section("Items: which questions", "items", listed="Items")
    if rows.is_empty():
        yield Sentences(("Every item has the same answer in all senses.",))
        return
    shown = rows.head(most)
    yield Sentences(
        (
            f"{shown.height:,} of {rows.height:,} items with an answer that changes, is wrong or is missing, of "
            f"{matrix.rows.height:,} items and models. {TELLING} hesperus view RUN shows all of them, with their texts in "
            "every language.",
        )
    )
    yield _grid(matrix, shown)


class _NoLinks:
    """A page is one file: nothing in its matrix leads elsewhere."""

    def question(self, row: Mapping[str, Any], column: MatrixColumn | None) -> None:
        """None: no question has a page of its own."""

    def filtered(self, mark: str, column: MatrixColumn) -> None:
        """None: the page's own script filters."""

    def is_on(self, mark: str, column: MatrixColumn) -> bool:
        """Whether a filter is on: never."""
        return False

    def ordered(self, by: str) -> None:
        """None: the page's own script sorts."""

    def order_of(self, by: str) -> None:
        """None, likewise."""


def _grid(matrix: ItemMatrix, rows: pl.DataFrame) -> Grid:
    view = matrix_view(matrix, rows, _NoLinks())
    named = [name for name in ("model", "task") if name in view.named]
    asked = any(row.snippet for row in view.rows)
    lines = tuple(
        (
            row.item,
            *((row.snippet or MISSING,) if asked else ()),
            *(getattr(row, name) for name in named),
            row.gold or MISSING,
            *(
                Mark(cell.text, cell.mark, cell.changed) if cell.mark != "absent" else ""
                for cell in row.cells
            ),
        )
        for row in view.rows
    )
    heads = ("Item", *(("Question",) if asked else ()), *map(str.capitalize, named), "Right answer")
    senses = [sense_label(column.input) if place == 0 else target_label(column.input)
              for place, column in enumerate(matrix.columns_of(rows))]  # fmt: skip
    return Grid(
        "Answers in every sense. ✓ right, ✗ wrong, – no answer, ≠ another answer than in the sense that it is compared with.",
        tuple(Column(head) for head in (*heads, *senses)),
        lines,
    )
