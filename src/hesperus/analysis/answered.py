"""The share answered, next to every number that rests on answers: one column, joined to the rows of any table of a measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from hesperus.analysis.coverage import CELL, Coverage, coverage, together
from hesperus.analysis.table import ANSWERED, Row, Table
from hesperus.records import Cell

_NAMING = (
    "model", "model_a", "model_b", "task", "a", "b", "instruction", "input", "repeat", "sense", "group",
)  # fmt: skip
"""Columns that can say which records a row rests on, beside those that it was grouped by."""

_Key = tuple[str, ...]


def with_answered(found: Table, records: pl.DataFrame | pl.LazyFrame, by: Sequence[str] = ()) -> Table:
    """Add the column `answered` after `n`.

    Args:
        found: Table of a measure of these records. A row that names cells (`instruction` and `input`, or `a` and `b`, or a
            made `sense` and its `source`) rests on those; any other on all records of its model, or of its task, that are no repeats.
        records: The records that were measured.
        by: Columns that the rows were grouped by.
    """
    named = [name for name in by if name in found.columns and name in records.collect_schema()]
    return with_shares(found, Places(records, named))


def with_shares(found: Table, places: Places) -> Table:
    """Add the column `answered` after `n`, of several tables of the same records.

    Args:
        found: As with_answered takes it.
        places: The records by every way in which rows name them.
    """
    if "n" not in found.columns:
        return found
    named = places.naming(found.columns)
    # Of 400 runs there are 80,000 pairs with five rows each, one after the other.
    shares: list[float | None] = []
    last, share = None, None
    for key in zip(*(found.column(name) for name in named), strict=True):
        if key != last:
            last, share = key, places.share(dict(zip(named, key, strict=True)))
        shares.append(share)
    return found.with_column(ANSWERED, shares or [None] * len(found.rows), after="n")


class Places:
    """What became of the questions, by every way in which a row names its records."""

    def __init__(self, records: pl.DataFrame | pl.LazyFrame, by: Sequence[str]) -> None:
        self._by = by
        self._cells: dict[_Key, tuple[int, int]] = {}
        self._parts: dict[tuple[str, _Key], list[Coverage]] = {}
        self._wholes: dict[tuple[str, _Key], Coverage] = {}
        for values, own in coverage(records, (*CELL, *by)).items():
            model, task, instruction, given, repeat, *groups = values
            cell = Cell(str(model), str(instruction), str(given), int(repeat))
            where = (str(task), *map(str, groups))
            labels = [cell.label(repeat=True), *([cell.label()] if cell.repeat == 1 else [])]
            for label in labels:
                self._cells[cell.model, label, *where] = (own.answered, own.asked)
            # What is measured over all runs of a model or language leaves repeats out.
            wholes = (("model", cell.model), ("input", cell.input), ("task", "")) if cell.repeat == 1 else ()
            for kind, name in wholes:
                self._parts.setdefault((kind, (name, *where)), []).append(own)
            for sense in {cell.instruction, cell.input}:
                self._parts.setdefault(("sense", (cell.model, sense, *where)), []).append(own)

    def naming(self, columns: Sequence[str]) -> list[str]:
        """The columns that say which records a row rests on."""
        return [name for name in columns if name in _NAMING or name in self._by]

    def share(self, row: Row) -> float | None:
        """Share answered of the records of a row; None if absent."""
        where = (str(row["task"]) if "task" in row else "", *(str(row[name]) for name in self._by))
        if "a" in row and "b" in row:
            models = (row.get("model_a", row.get("model")), row.get("model_b", row.get("model")))
            both = {(str(model), str(row[side]), *where) for model, side in zip(models, "ab", strict=True)}
            return self._of_cells(both)
        if "instruction" in row and "input" in row:
            label = f"instruction={row['instruction']},input={row['input']}"
            again = f",repeat={row['repeat']}" if "repeat" in row else ""
            return self._of_cells([(str(row["model"]), label + again, *where)])
        if "sense" in row and "model" in row:
            return self._whole("sense", (str(row["model"]), str(row["sense"]), *where)).share
        if row.get("model") is not None:
            return self._whole("model", (str(row["model"]), *where)).share
        group = str(row.get("group"))
        kinds: Iterable[tuple[str, str]] = (("model", group), ("input", group), ("task", ""))
        for kind, name in kinds:
            own = self._whole(kind, (name, *where))
            if own.asked:
                return own.share
        return None

    def _of_cells(self, keys: Iterable[_Key]) -> float | None:
        answered, asked = map(sum, zip(*(self._cells.get(key, (0, 0)) for key in keys), strict=True))
        return answered / asked if asked else None

    def _whole(self, kind: str, key: _Key) -> Coverage:
        found = self._wholes.get((kind, key))
        if found is None:
            found = self._wholes[kind, key] = together(self._parts.get((kind, key), ()))
        return found
