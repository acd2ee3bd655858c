"""The records table, the contract of the project: one row per answer. Tools outside may write it by hand."""

from __future__ import annotations

import polars as pl

SCHEMA_VERSION = 2
"""Stands in the metadata of every Parquet file written here, under VERSION_KEY. Since 2, labels are options of their
items, or in one spelling within a task; an older file is held to that as it is read."""

VERSION_KEY = "hesperus.records"

SCHEMA: dict[str, pl.DataType] = {
    "model": pl.String(),
    "task": pl.String(),
    "item": pl.String(),
    "instruction": pl.String(),
    "input": pl.String(),
    "repeat": pl.Int32(),
    "outcome": pl.String(),
    "answer": pl.String(),
    "gold": pl.String(),
    "options": pl.List(pl.String()),
    "probs": pl.List(pl.Float64()),
    "reply": pl.String(),
}
"""Columns of the contract, in order. More may follow; readers keep what they do not know."""

LAST_REPEAT = 2**31 - 1
"""The highest number of a repeat that the column holds."""

KEY = ("model", "task", "item", "instruction", "input", "repeat")
"""What no two rows may share."""

REQUIRED = ("model", "task", "item", "instruction", "input", "answer")
"""Columns that a file must have; the others have defaults or may be null."""

MEASURED = (
    *KEY,
    "outcome",
    "answer",
    "gold",
    "options",
    "probs",
    "rule",
    "reply_language",
    "tokens_in",
    "tokens_out",
)
"""All that measures look at; the rest may stay on disk. `rule`, `reply_language` and the tokens are no columns of the
contract and need not be there."""
