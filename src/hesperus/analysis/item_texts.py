"""Texts of items as a page shows them: each with its language and direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hesperus.wording import direction

FIELD_PREFIX = "field:"
_NO_FIELD = frozenset({"item", "language", "input", "model", "gold", "options"})


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the language it is in, for ``lang`` and ``dir``."""

    text: str
    language: str | None = None
    direction: str = "auto"


def texts_of(held: Mapping[str, Any], tag: str) -> tuple[tuple[tuple[str, Text], ...], tuple[Text, ...]]:
    """Fields by name and options of a row of the items table; fields that are empty are left out.

    Args:
        held: The row, with every column of the table.
        tag: The language that the texts are in.
    """
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
