"""Items that meet conditions, for a notebook: the item matrix of a page, and the same as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from hesperus.analysis.item_filter import filter_of, matching_rows
from hesperus.analysis.item_matrix import item_matrix
from hesperus.item_views.filter_address import condition_words, filter_pairs, references_of
from hesperus.records import Run
from hesperus.reports.blocks import Block, Page, Section, note
from hesperus.reports.html_page import ShownPage
from hesperus.reports.item_section import MOST_ROWS, items_block
from hesperus.wording import counted, own_senses


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
