"""The items behind the numbers as a table of answers with their marks: of a page the most telling ones, of a notebook those that meet conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from hesperus.analysis.item_filter import (
    TELLING,
    TELLING_SCORED,
    chosen_rows,
    doubtful_rows,
    filter_of,
    marked_totals,
    matching_rows,
)
from hesperus.analysis.item_matrix import ItemMatrix, item_matrix
from hesperus.item_views.filter_address import condition_words, filter_pairs, references_of
from hesperus.item_views.matrix_view import Links, matrix_view
from hesperus.records import Run
from hesperus.reports.blocks import Block, Items, Page, Section, note
from hesperus.reports.html_page import ShownPage
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
    links = Links()
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


@dataclass(frozen=True, slots=True, eq=False)
class ShownItems:
    """Items with what was answered to them.

    Attributes:
        frame: A row for each model and item (see hesperus.analysis.item_matrix.ItemMatrix.frame).
        page: The first of them as a notebook shows them.
    """

    frame: pl.DataFrame
    page: ShownPage

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        return f"{self.page.page.title}\n{self.frame}"

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


def shown_items(name: str, run: Run, reference: str | None, conditions: Mapping[str, object]) -> ShownItems:
    """Items of a run that meet conditions.

    Conditions are keyword arguments of hesperus.api.results.RunResult.items.

    Raises:
        UnknownNameError: A condition, sense, group, model or mark that does not exist.
        DataError: The run has no records.
    """
    matrix = item_matrix({name: run}, reference=reference)
    wanted = filter_of(conditions)
    rows = matching_rows(matrix, wanted)
    words = ", ".join(condition_words(filter_pairs(wanted), references_of(matrix)))
    title = f"{counted(rows.height, 'row')} of {matrix.rows.height:,}" + (f": {words}" if words else "")
    said = f"The first {MOST_ROWS} are shown; `frame` has all." if rows.height > MOST_ROWS else ""
    blocks: list[Block | None] = [Section("Items", "items", listed=""), note(said) if said else None]
    if rows.height:
        blocks.append(items_block(matrix, rows.head(MOST_ROWS), own_senses(run.study, run.items)))
    return ShownItems(matrix.frame(rows), ShownPage(Page.of(title, [], blocks)))
