"""Rows of data as they lie in a file, and the columns of a task found in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import overload

import orjson

from hesperus.errors import DataError
from hesperus.tasks.task_parts import Column
from hesperus.tasks.text_lists import list_from_text

LONGEST_CELL = 1_000_000
"""Most characters of a cell. No benchmark comes near; a longer cell is a file read the wrong way."""


@dataclass(frozen=True, slots=True)
class DataColumn:
    """A column found in the data.

    Attributes:
        name: The name under which it was found, with the language's code put in.
        values: One for each row; None if a row does not have it.
    """

    name: str
    values: Sequence[object]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table read from one place.

    Attributes:
        place: Where it came from, as a person named it.
        columns: Column name to its values; all of one length.
        lines: Number of each row in its file, 1-based, header included; None if rows have no lines.
        places: File of each row, where they come from several; None if all are from ``place``.
    """

    place: str
    columns: Mapping[str, Sequence[object]]
    lines: Sequence[int] | None = None
    places: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def line(self, row: int) -> int:
        """Where a row (0-based) is in its file: its line, or its 1-based row number."""
        return self.lines[row] if self.lines is not None else row + 1

    def file(self, row: int) -> str:
        """The file in which a row (0-based) is."""
        return self.places[row] if self.places is not None else self.place

    def only(self, rows: Sequence[int]) -> Rows:
        """Some of the rows (0-based), in that order; each keeps its file and line."""
        columns = {name: [values[row] for row in rows] for name, values in self.columns.items()}
        places = None if self.places is None else [self.places[row] for row in rows]
        return Rows(self.place, columns, [self.line(row) for row in rows], places)

    def find(self, column: Column, code: str = "", *, key: str | None = None) -> DataColumn:
        """Find a column.

        Args:
            column: Its names; the first that is there counts.
            code: The benchmark's code of the language, put in for ``{language}``.
            key: Key of the task file that names the column, for errors.

        Raises:
            DataError: None of the names is there; the message lists the columns and the nearest.
        """
        names = [name.replace("{language}", code) for name in column]
        for name in names:
            values = self._values(name)
            if values is not None:
                return DataColumn(name, values)
        raise DataError(self._missing(names[0]), file=self.place, field=key)

    def text(self, value: object, row: int, column: str) -> str | None:
        """The text of a cell of a row (0-based); None if it is empty.

        Raises:
            DataError: The cell holds something that is no text.
        """
        try:
            return cell_text(value)
        except ValueError as error:
            raise DataError(str(error), file=self.file(row), line=self.line(row), field=column) from None

    def texts(self, column: DataColumn) -> Texts:
        """The cells of a column as text, each made where it is looked at."""
        return Texts(self, column)

    def _values(self, name: str) -> Sequence[object] | None:
        if name in self.columns:
            return self.columns[name]
        head, *steps = name.split(".")
        if not steps or head not in self.columns:
            return None
        values = self.columns[head]
        for step in steps:
            values = [_step(value, step) for value in values]
        return values if any(value is not None for value in values) else None

    def _missing(self, wanted: str) -> str:
        head, *steps = wanted.split(".")
        if steps and head in self.columns:
            return self._missing_inside(head, steps)
        there = list(self.columns)
        if not there:
            return f"no column {wanted!r}; there are no columns at all"
        return f"no column {wanted!r}{_nearest(head if steps else wanted, there)}; the columns are {_listed(there)}"

    def _missing_inside(self, head: str, steps: Sequence[str]) -> str:
        """The step of a path at which no row goes on, and what is there instead."""
        values, path = self.columns[head], head
        for step in steps:
            further = [_step(value, step) for value in values]
            if not any(value is not None for value in further):
                break
            values, path = further, f"{path}.{step}"
        inside = list(dict.fromkeys(name for value in values for name in _names(value)))
        said = f"no row has {'.'.join((head, *steps))!r}"
        return f"{said}{_nearest(step, inside)}; {path!r} holds {_listed(inside)}" if inside else said


class Texts(Sequence[str | None]):
    """The cells of a column as text; DataError where a cell holds something that is no text.

    Args:
        rows: The table.
        column: One of its columns.
    """

    def __init__(self, rows: Rows, column: DataColumn) -> None:
        self._rows, self._column = rows, column

    def __len__(self) -> int:
        return len(self._column.values)

    def __iter__(self) -> Iterator[str | None]:
        return (
            self._rows.text(value, row, self._column.name) for row, value in enumerate(self._column.values)
        )

    @overload
    def __getitem__(self, row: int) -> str | None: ...
    @overload
    def __getitem__(self, row: slice) -> list[str | None]: ...
    def __getitem__(self, row: int | slice) -> str | None | list[str | None]:
        """One text, or some as a list."""
        if isinstance(row, slice):
            return [self[place] for place in range(*row.indices(len(self)))]
        return self._rows.text(self._column.values[row], row, self._column.name)


def _opened(value: object) -> object:
    """A mapping or list that a cell holds as text (JSON, or a list as Python writes it); any other value as it is."""
    start = value.lstrip()[:1] if isinstance(value, str) else ""
    if start in ("{", "["):
        with suppress(ValueError):
            return orjson.loads(str(value))
    if start == "[":
        with suppress(ValueError):
            return list_from_text(str(value))
    return value


def _step(value: object, step: str) -> object:
    value = _opened(value)
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        if step.isdecimal():
            return value[int(step)] if int(step) < len(value) else None
        if step.endswith(":") and step[:-1].isdecimal():
            return value[int(step[:-1]) :]
        if value and all(isinstance(part, Mapping) for part in value):
            parts = [part.get(step) for part in value]
            return parts if any(part is not None for part in parts) else None
    return None


def _names(value: object) -> list[str]:
    """The names by which a path can go on inside a value."""
    value = _opened(value)
    if isinstance(value, Mapping):
        return list(map(str, value))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [str(name) for part in value if isinstance(part, Mapping) for name in part]
    return []


def _nearest(wanted: str, there: Sequence[str]) -> str:
    folded = {name.casefold(): name for name in reversed(there)}
    near = get_close_matches(wanted.casefold(), folded, n=1, cutoff=0.5)
    return f"; did you mean {shortened(folded[near[0]])!r}?" if near else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(shortened(name)) for name in names[:20]) + (
        f" and {len(names) - 20} more" if len(names) > 20 else ""
    )


def shortened(text: str) -> str:
    """A value of the data for an error: all of it, or the beginning of a long one."""
    return text if len(text) <= 60 else f"{text[:59]}…"


def text_of(value: object) -> str | None:
    """A value as text: whole floats without their point, truth values in lower case, None for none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def cell_text(value: object) -> str | None:
    """A cell that must hold one text as text_of writes it; NaN, which spreadsheets write for nothing, is None.

    Raises:
        ValueError: The cell holds a list, a mapping or bytes, or more than LONGEST_CELL characters.
    """
    if value is None or (type(value) is str and len(value) <= LONGEST_CELL):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    for kind, name in ((Mapping, "a mapping"), ((bytes, bytearray), "bytes")):
        if isinstance(value, kind):
            raise ValueError(f"the cell holds {name}, where one text or number belongs")
    if isinstance(value, Sequence) and not isinstance(value, str):
        raise ValueError("the cell holds a list, where one text or number belongs")
    text = text_of(value)
    if text is not None and len(text) > LONGEST_CELL:
        raise ValueError(f"the cell holds {len(text):,} characters; {LONGEST_CELL:,} are the most")
    return text


def joined(parts: Sequence[Rows]) -> Rows:
    """Several tables of the same columns, one under the other (the shards of a data set, or its configurations).

    Raises:
        DataError: Their columns differ.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    for part in parts[1:]:
        if set(part.columns) != set(first.columns):
            differ = sorted(set(part.columns) ^ set(first.columns))
            raise DataError(
                f"its columns differ from those of {first.place}: {_listed(differ)}", file=part.place
            )
    columns = {name: [value for part in parts for value in part.columns[name]] for name in first.columns}
    lines = [part.line(row) for part in parts for row in range(len(part))]
    places = [part.file(row) for part in parts for row in range(len(part))]
    return Rows(f"{first.place} and {len(parts) - 1} more", columns, lines, places)
