"""Items as a polars frame, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

import polars as pl

from hesperus.errors import DataError
from hesperus.frames import frame_of
from hesperus.tasks.itemset import ItemSet
from hesperus.tasks.packed import PackedItems
from hesperus.types import Item

_FIELD, _GROUP = "field:", "group:"
_AT_ONCE = 1 << 13
"""Items that are held as such at once."""

ACCEPTED = pl.List(pl.Struct({"label": pl.String, "texts": pl.List(pl.String)}))
"""Type of the column ``accepted``."""

_COLUMNS = ("item", "language", "gold", "options")


def items_frame(items: Mapping[str, Sequence[Item]]) -> pl.DataFrame:
    """Items as a table, one row per item and language.

    Args:
        items: Language to its items, such as an ItemSet.

    Returns:
        ``item``, ``language``, ``gold`` (text), ``options`` (list of text), where an answer is open ``accepted`` (list
        of label and texts), then ``field:NAME`` and ``group:NAME`` for every field and group; null where an item does
        not have it.
    """
    every = chain.from_iterable(items.values())
    parts = [_part(())]
    while part := tuple(islice(every, _AT_ONCE)):
        parts.append(_part(part))
    frame = pl.concat(parts, how="diagonal")
    return frame.select(item_columns(frame.columns))


def item_columns(names: Sequence[str]) -> list[str]:
    """Columns of a table of items in their order: those that all items have, fields, groups, then the others."""
    first = [name for name in (*_COLUMNS, "accepted") if name in names]
    for kind in (_FIELD, _GROUP):
        first += [name for name in names if name.startswith(kind)]
    return [*first, *(name for name in names if name not in first)]


def _part(every: Sequence[Item]) -> pl.DataFrame:
    fields = dict.fromkeys(name for item in every for name in item.fields)
    groups = dict.fromkeys(name for item in every for name in item.groups)
    columns: dict[str, list[Any]] = {
        "item": [item.id for item in every],
        "language": [item.language for item in every],
        "gold": [item.gold for item in every],
        "options": [item.options for item in every],
    }
    if any(item.accepted for item in every):
        columns["accepted"] = [
            [{"label": label, "texts": list(texts)} for label, texts in item.accepted.items()] or None
            for item in every
        ]
    columns |= {_FIELD + name: [item.fields.get(name) for item in every] for name in fields}
    columns |= {_GROUP + name: [item.groups.get(name) for item in every] for name in groups}
    kinds = {"options": pl.List(pl.String), "accepted": ACCEPTED}
    return frame_of(columns, {name: kinds.get(name, pl.String) for name in columns})


def items_from_frame(frame: pl.DataFrame, *, task: str = "") -> ItemSet:
    """Items from a table as items_frame makes it, or from the items of a run; other columns are ignored.

    Args:
        frame: The table. Of a run's items, which also hold what models made of them (columns `input` and `model`), only
            the originals are taken.
        task: Name of the task.

    Raises:
        DataError: A column is missing, no column is a field, or an item is twice in a language.
    """
    for name in _COLUMNS:
        if name not in frame.columns:
            raise DataError(f"the items have no column {name!r}; there are {', '.join(frame.columns)}")
    if {"input", "model"} <= set(frame.columns):
        frame = frame.filter(pl.col("model").is_null())
    names = {kind: [c for c in frame.columns if c.startswith(kind)] for kind in (_FIELD, _GROUP)}
    if not names[_FIELD]:
        raise DataError("the items have no field: no column begins with 'field:'")
    by_language: dict[str, dict[str, Item]] = {}
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        if row["item"] is None or row["language"] is None:
            raise DataError("item and language must not be null", line=number)
        options = row["options"]
        item = Item(
            id=row["item"],
            language=row["language"],
            fields=_present(row, names[_FIELD], _FIELD),
            gold=row["gold"],
            options=tuple(options) if options is not None else None,
            groups=_present(row, names[_GROUP], _GROUP),
            accepted=accepted_of(row.get("accepted")),
        )
        items = by_language.setdefault(item.language, {})
        if item.id in items:
            raise DataError(f"stands twice in {item.language!r}", line=number, item=item.id)
        items[item.id] = item
    return ItemSet(task, {language: PackedItems(items.values()) for language, items in by_language.items()})


def accepted_of(cell: object) -> dict[str, tuple[str, ...]]:
    """A cell of the column ``accepted`` as an Item holds it; empty for null."""
    return {part["label"]: tuple(part["texts"]) for part in cell} if isinstance(cell, list) else {}


def _present(row: Mapping[str, object], columns: Sequence[str], kind: str) -> dict[str, str]:
    return {name.removeprefix(kind): str(row[name]) for name in columns if row[name] is not None}
