"""What became of every pair: compared, silent on a side, unreadable, not translated, never asked; and the repairs."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from hesperus.analysis.open_answers.scores import CELL
from hesperus.analysis.open_answers.statistics import need
from hesperus.analysis.table import Table, table
from hesperus.types import OUTCOMES

STATES = (
    "compared", "reference_silent", "candidate_silent", "both_silent", "unreadable", "no_answer", "untranslated", "failed", "absent",
)  # fmt: skip
_TRANSLATED = ("sentences", "repaired", "unrepaired")


def counts_table(pairs: pl.DataFrame, *, signature: Mapping[str, object]) -> Table:
    """A row for each model and language: pairs by state, replies by outcome, sentences translated and repaired.

    Raises:
        DataError: The table is no table of pairs.
    """
    need(pairs, (*CELL, "state", "outcome", *_TRANSLATED))
    rows: list[dict[str, object]] = []
    for cell, held in pairs.group_by(CELL, maintain_order=True):
        row: dict[str, object] = {**dict(zip(CELL, cell, strict=True)), "pairs": held.height}
        row |= {state: held.filter(pl.col("state") == state).height for state in STATES}
        row |= {outcome: held.filter(pl.col("outcome") == outcome).height for outcome in OUTCOMES}
        row |= {name: int(held[name].sum() or 0) for name in _TRANSLATED}
        rows.append(row)
    return table("counts", (*CELL, "pairs", *STATES, *OUTCOMES, *_TRANSLATED), rows=rows, signature=signature)
