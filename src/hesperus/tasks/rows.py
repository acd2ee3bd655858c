"""Rows of data as they lie in a file, and the columns of a task found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from hesperus.errors import DataError
from hesperus.tasks.definition import Column


@dataclass(frozen=True, slots=True)
class Rows:
    """A table read from one place.

    Attributes:
        place: Where it came from, as a person named it.
        columns: Column name to its values; all of one length.
        lines: Number of each row in its file, 1-based, header included; None where rows have no lines.
    """

    place: str
    columns: Mapping[str, Sequence[object]]
    lines: Sequence[int] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def line(self, row: int) -> int:
        """Where a row (0-based) stands in its file: its line, or its 1-based row number."""
        return self.lines[row] if self.lines is not None else row + 1

    def only(self, rows: Sequence[int]) -> Rows:
        """Some of the rows (0-based), in that order; each keeps its line."""
        columns = {name: [values[row] for row in rows] for name, values in self.columns.items()}
        return Rows(self.place, columns, [self.line(row) for row in rows])

    def values(self, column: Column, code: str = "") -> Sequence[object]:
        """The values of a column, one for each row; None where a row does not have it.

        Args:
            column: Its names; the first that is there counts.
            code: The benchmark's code of the language, put in for ``{language}``.

        Raises:
            DataError: None of the names is there; the message lists the columns and the nearest.
        """
        for name in column:
            found = self._find(name.replace("{language}", code))
            if found is not None:
                return found
        raise self._missing([name.replace("{language}", code) for name in column])

    def _find(self, name: str) -> Sequence[object] | None:
        if name in self.columns:
            return self.columns[name]
        head, *steps = name.split(".")
        if not steps or head not in self.columns:
            return None
        values = self.columns[head]
        for step in steps:
            values = [_step(value, step) for value in values]
        return values if any(value is not None for value in values) else None

    def _missing(self, names: list[str]) -> DataError:
        wanted = names[0]
        there = list(self.columns)
        said = f"no column {wanted!r}"
        head = wanted.split(".")[0]
        if "." in wanted and head in self.columns:
            first = next((value for value in self.columns[head] if value), None)
            inside = sorted(map(str, first)) if isinstance(first, Mapping) else []
            said = f"no row has {wanted!r}"
            if inside:
                said += f"; {head!r} holds {_listed(inside)}"
        else:
            near = get_close_matches(wanted, there, n=1, cutoff=0.5)
            said += f"; did you mean {near[0]!r}?" if near else ""
            said += f"; the columns are {_listed(there)}" if there else "; there are no columns at all"
        return DataError(said, file=self.place)


def _step(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if step.isdecimal():
            return value[int(step)] if int(step) < len(value) else None
        if step.endswith(":") and step[:-1].isdecimal():
            return value[int(step[:-1]) :]
    return None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def text_of(value: object) -> str | None:
    """A value as text: whole floats without their point, truth values in lower case, None for none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def joined(parts: Sequence[Rows]) -> Rows:
    """Several tables of the same columns, one under the other (the shards of a data set).

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
    return Rows(f"{first.place} and {len(parts) - 1} more", columns)
