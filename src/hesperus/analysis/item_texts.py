"""Texts of items as a page shows them: each with its language and direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.wording import direction

FIELD_PREFIX = "field:"
_NO_FIELD = frozenset({"task", "item", "language", "input", "model", "gold", "options"})


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the language it is in, for ``lang`` and ``dir``."""

    text: str
    language: str | None = None
    direction: str = "auto"


def texts_of(held: Mapping[str, Any], tag: str) -> tuple[tuple[tuple[str, Text], ...], tuple[Text, ...]]:
    """Fields by name and options of a row of the items table; fields that are empty are left out."""
    fields = tuple(
        (name.removeprefix(FIELD_PREFIX), Text(value, tag, direction(tag)))
        for name in field_columns(tuple(held))
        if isinstance(value := held[name], str) and value
    )
    return fields, tuple(Text(option, tag, direction(tag)) for option in held.get("options") or ())


def field_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Columns of an items table that hold texts: those marked as fields, or else all that are nothing else."""
    marked = tuple(name for name in columns if name.startswith(FIELD_PREFIX))
    return marked or tuple(name for name in columns if name not in _NO_FIELD)


def of_task(items: pl.DataFrame, task: str) -> pl.DataFrame:
    """Rows of an items table that are of a task; all where the table is of one and does not name it."""
    return items.filter(pl.col("task") == task) if "task" in items.columns else items


def rows_in(items: pl.DataFrame, item: str, code: str) -> pl.DataFrame:
    """Rows of an items table with the texts of an item in a sense, or in a language where the table names no senses."""
    place = "input" if "input" in items.columns else "language"
    if place not in items.columns:
        return items.clear()
    return items.filter((pl.col("item") == item) & (pl.col(place) == code))


def row_in(items: pl.DataFrame, item: str, code: str, model: str) -> Mapping[str, Any] | None:
    """The row with the texts that a model was asked, its own before one that all models share; None if they are not kept."""
    found = rows_in(items, item, code).to_dicts()
    if "model" in items.columns:
        own = [row for row in found if row["model"] == model]
        found = own or [row for row in found if row["model"] is None]
    return found[0] if found else None
