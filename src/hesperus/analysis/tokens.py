"""What a language costs: tokens of prompts and replies, and how many times those of the reference they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.summary import language_cells, reference_of
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, table
from hesperus.analysis.views import estimated, parts
from hesperus.measures import Bootstrap, Statistic
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import ratio
from hesperus.records import Cell

KINDS = ("tokens_in", "tokens_out")
NO_COUNT = "no count of tokens"


@measure(
    "tokens",
    help="Tokens of prompts and replies, and how many times those of the reference they are.",
    main=None,
    of_replies=True,
)
def tokens_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """Tokens of every language, as the endpoint or the model counted them; rows without a count are left out.

    Statistics: ``tokens_in`` and ``tokens_out``, means of a request's prompt and of its reply (thinking included where the
    endpoint counts it); ``tokens_in_ratio`` and ``tokens_out_ratio``, their sums over those of the reference, of the items
    that were asked in both: 2.0 means that the language costs twice as much (the tokenization premium of Petrov et al.
    2023, Language Model Tokenizers Introduce Unfairness Between Languages, arXiv:2305.15425).
    """
    absent = [name for name in KINDS if name not in records.columns]
    records = records.with_columns(pl.lit(None, pl.Int64).alias(name) for name in absent)
    first = records.filter(pl.col("repeat") == 1)
    rows: list[NewRow] = []
    for head, part in parts(first, ("model", "task"), by=settings.by):
        rows += _of_model(head, part, settings.bootstrap)
    keys = ("model", "task", *settings.by, "instruction", "input", "reference", "statistic")
    return table("tokens", (*keys, *ESTIMATE_COLUMNS), rows=rows, signature=settings.signed())


def _of_model(head: NewRow, records: pl.DataFrame, bootstrap: Bootstrap) -> list[NewRow]:
    cells = sorted(
        Cell(str(head["model"]), instruction, given, 1)
        for instruction, given in records.select("instruction", "input").unique().iter_rows()
    )
    languages = language_cells(cells)
    items = records.select("item").unique().sort("item")
    counts = {cell: _counts(records, items, cell) for cell in languages}

    def found() -> Iterator[tuple[NewRow, Statistic]]:
        for cell in languages:
            reference = reference_of(cell, languages)
            named: dict[str, Any] = {"instruction": cell.instruction, "input": cell.input}
            for kind in KINDS:
                own = counts[cell][kind]
                mean = _ratio(own, np.ones_like(own), counts[cell]["asked"])
                yield {**named, "reference": None, "statistic": kind}, mean
                if reference is not None:
                    both = counts[cell]["asked"] * counts[reference]["asked"]
                    compared = _ratio(own, counts[reference][kind], both)
                    yield {**named, "reference": reference.input, "statistic": f"{kind}_ratio"}, compared

    return estimated(head, found(), bootstrap)


def _counts(records: pl.DataFrame, items: pl.DataFrame, cell: Cell) -> dict[str, Floats]:
    """Tokens of each item, NaN if there is no count, and whether it was asked, [items]."""
    own = records.filter((pl.col("instruction") == cell.instruction) & (pl.col("input") == cell.input))
    held = items.join(
        own.select("item", *KINDS, asked=pl.lit(1.0)), on="item", how="left", maintain_order="left"
    )
    asked = held["asked"].fill_null(0.0).to_numpy()
    return {
        "asked": asked,
        **{kind: held[kind].cast(pl.Float64).fill_null(np.nan).to_numpy() for kind in KINDS},
    }


def _ratio(tokens: Floats, whole: Floats, asked: Floats) -> Statistic:
    """Sum over sum; its pseudo-items have the lowest and the highest quotient that occurs, at the mean of the whole."""
    kept = np.isfinite(tokens) & np.isfinite(whole) & (asked > 0) & (whole > 0)
    top, below = np.where(kept, tokens, 0.0), np.where(kept, whole, 0.0)
    lost = int((asked > 0).sum() - kept.sum())
    quotients = tokens[kept] / whole[kept]
    mean = float(whole[kept].mean()) if len(quotients) else 1.0
    low, high = (float(quotients.min()), float(quotients.max())) if len(quotients) else (0.0, 1.0)
    corners = ((high * mean, mean), (low * mean, mean))
    return Statistic((top, below), ratio, corners, int(kept.sum()), lost, NO_COUNT if lost else "")
