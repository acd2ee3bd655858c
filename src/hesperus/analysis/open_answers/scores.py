"""The scores of every model in every language, with the ceiling that translation imposes."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from hesperus.analysis.open_answers.statistics import (
    BESIDE,
    need,
    scored,
    signature_cells,
)
from hesperus.analysis.table import ANSWER_COLUMNS, Table, table
from hesperus.measures import Bootstrap

CELL = ("model", "task", "language", "instruction", "input")
COLUMNS = (*CELL, "statistic", *ANSWER_COLUMNS, *BESIDE)


def scores_table(
    pairs: pl.DataFrame,
    what: str,
    *,
    signature: Mapping[str, object],
    bootstrap: Bootstrap | None = None,
) -> Table:
    """A row for each model, language and statistic.

    `statistic` is `precision`, `recall`, `f_of_means`, `mean_f` of information, or `agreement`; with the ending
    `_answered` it leaves out pairs with a side that gives no answer, which the others score by the rule; with the ending
    `_right_language` those with a reply in another language than the one asked for.

    Args:
        pairs: The table of pairs of an evaluation.
        what: What was evaluated.
        signature: How.
        bootstrap: How items are resampled; None leaves intervals out.

    Raises:
        DataError: The table is no table of pairs.
    """
    need(pairs, (*CELL, "item", "state"))
    rows: list[dict[str, object]] = []
    for cell, held in pairs.group_by(CELL, maintain_order=True):
        for statistic, found in scored(held, bootstrap).items():
            rows.append({**dict(zip(CELL, cell, strict=True)), "statistic": statistic, **found.cells()})
    return table(what, COLUMNS, rows=rows, signature=signature_cells(signature, bootstrap))
