"""The items behind the numbers: the most telling ones in every sense, as a table of answers with their marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from hesperus.analysis.item_filter import TELLING, TELLING_SCORED, chosen_rows, doubtful_rows, marked_totals
from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn, item_matrix
from hesperus.item_views.matrix_view import matrix_view
from hesperus.records import Run
from hesperus.reports.blocks import Block, Items, Section, note
from hesperus.reports.item_questions import questions
from hesperus.wording import counted, own_senses

MOST_ROWS = 200
_MOST_CELLS = 4000
"""Cells of the matrix in a page: a page of 20 languages stays below 3 MB."""

_LABELED = "Answers in every sense. A click on a row or an answer opens the question in all languages."
_SCORED = "Scores of the replies against the reference's answer. A click on a row or a score opens the prompt in all languages."


def items_blocks(run: Run, *, most: int = MOST_ROWS) -> Iterator[Block]:
    """The section of items: rows of the item matrix by a stated rule."""
    if run.records.is_empty():
        return
    everything = item_matrix({"run": run})
    matrix = everything.whole
    if len(matrix.columns) < 2:
        return
    rows = doubtful_rows(matrix)
    yield Section("Items: which questions", "items", listed="Items")
    if rows.is_empty():
        yield note("Every item has the same answer in all senses.")
        return
    is_scored = matrix.is_scored
    shown, each = chosen_rows(matrix, rows, min(most, max(20, _MOST_CELLS // len(matrix.columns))))
    yield note(_said(matrix, rows, shown, each, is_scored=is_scored))
    yield items_block(everything, shown, own_senses(run.study, run.items))


def items_block(matrix: ItemMatrix, rows: pl.DataFrame, own: frozenset[str]) -> Items:
    """Rows of a matrix as a block, with the senses that its rows have."""
    is_scored = matrix.whole.is_scored
    caption = _SCORED if is_scored else _LABELED
    links = _NoLinks()
    near = matrix.with_texts(rows)
    whole = replace(matrix.whole, cells=near.whole.cells)
    asked = tuple(questions((near, whole), rows, links, own))
    return Items(caption, matrix_view(whole, rows, links), whole.columns, marked_totals(matrix), asked)


def _said(matrix: ItemMatrix, rows: pl.DataFrame, shown: pl.DataFrame, each: int, *, is_scored: bool) -> str:
    what = (
        "an answer that says less or is missing"
        if is_scored
        else "an answer that changes, is wrong or is missing"
    )
    asked = counted(matrix.rows.n_unique(["task", "item"]), "item")
    head = f"{rows.height:,} of {matrix.rows.height:,} pairs of item and model ({asked}) have {what}"
    order = TELLING_SCORED if is_scored else TELLING
    if shown.height == rows.height:
        return f"{head}. {order}"
    rule = f"the {each} most telling of each model in each sense, then " if each else ""
    return f"{head}; here are {shown.height:,}: {rule}the most telling of all. {order} `hesperus view RUN` shows all."


class _NoLinks:
    """A page is one file: its own script filters and sorts, and no question has a page of its own."""

    def question(self, row: Mapping[str, Any], column: MatrixColumn | None) -> None:
        """None."""

    def filtered(self, mark: str, column: MatrixColumn) -> None:
        """None."""

    def is_on(self, mark: str, column: MatrixColumn) -> bool:
        """Whether a filter is on: never."""
        return False

    def ordered(self, by: str) -> None:
        """None."""

    def order_of(self, by: str) -> None:
        """None."""
