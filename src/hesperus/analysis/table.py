"""The one shape in which numbers leave hesperus: rows with columns, and the signature of how they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import polars as pl

from hesperus.analysis.interval_text import signed_interval_text
from hesperus.errors import UnknownNameError
from hesperus.fingerprint import JSON, JSONRows, plain
from hesperus.types import Estimate

Row = Mapping[str, Any]
"""A row of a table, as it is read: column to value; a value that is undefined is None."""

NewRow = dict[str, Any]
"""A row of a table while it is made."""

ESTIMATE_COLUMNS = ("value", "low", "high", "n", "excluded", "reason")
"""The columns that every estimate fills, in this order; `value` is None if it is undefined."""

ANSWERED = "answered"
"""Column of the share answered: answered questions over asked ones, of the records that a row rests on, in [0, 1]."""

ANSWER_COLUMNS = ("value", "low", "high", "n", ANSWERED, "excluded", "reason")
"""ESTIMATE_COLUMNS of a number that rests on answers."""


class ColumnRows(Sequence[Row]):
    """Rows that are kept as columns: of many rows that takes a fraction of the memory and time.

    Args:
        columns: Name to the cells of a column, all of one length.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.columns = columns
        self._kinds: dict[str, frozenset[type]] = {}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[Row]:
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        if isinstance(place, slice):
            return ColumnRows({name: cells[place] for name, cells in self.columns.items()})
        return {name: cells[place] for name, cells in self.columns.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def kinds(self, name: str) -> frozenset[type]:
        """Types of the cells of a column; they are looked at once."""
        if name not in self._kinds:
            self._kinds[name] = _kinds(self.columns[name])
        return self._kinds[name]


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Rows of a measure.

    Attributes:
        measure: What was measured, e.g. ``consistency``.
        columns: Names of the columns, in the order in which they are shown.
        rows: One mapping per row; every row has every column.
        signature: How the numbers were made: version, settings, seed (see hesperus.fingerprint).
    """

    measure: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    signature: Mapping[str, object]

    @property
    def by(self) -> tuple[str, ...]:
        """Columns of the records that its rows are grouped by (`--by`)."""
        settings = [part for part in self.signature.values() if isinstance(part, Mapping)]
        groups = [name for part in settings if isinstance(by := part.get("by"), list | tuple) for name in by]
        return tuple(str(name) for name in groups if name in self.columns)

    def only(self, column: str, values: Sequence[object]) -> Table:
        """The rows in which a column has one of the values.

        Raises:
            UnknownNameError: The table has no such column, or no row has one of the values.
        """
        if column not in self.columns:
            raise UnknownNameError(f"column of {self.measure}", column, self.columns)
        present = {row[column] for row in self.rows}
        for value in values:
            if value not in present:
                raise UnknownNameError(f"{column} of {self.measure}", str(value), map(str, present))
        return replace(self, rows=tuple(row for row in self.rows if row[column] in values))

    def column(self, name: str) -> Sequence[Any]:
        """The cells of a column.

        Raises:
            KeyError: The rows have no such column.
        """
        if isinstance(self.rows, ColumnRows):
            return self.rows.columns[name]
        return [row[name] for row in self.rows]

    def kinds(self, name: str) -> frozenset[type]:
        """Types of the cells of a column."""
        return self.rows.kinds(name) if isinstance(self.rows, ColumnRows) else _kinds(self.column(name))

    def written(self, rows: JSONRows) -> Iterator[list[str]]:
        """Its rows as JSON, some at a time.

        Args:
            rows: How they are written.
        """
        yield from rows(list(map(self.column, self.columns)), list(map(self.kinds, self.columns)))

    def with_column(self, name: str, cells: Sequence[object], *, after: str) -> Table:
        """The table with one more column."""
        place = self.columns.index(after) + 1
        rows: Sequence[Row]
        if isinstance(self.rows, ColumnRows):
            rows = ColumnRows({**self.rows.columns, name: cells})
        else:
            rows = tuple({**row, name: cell} for row, cell in zip(self.rows, cells, strict=True))
        return replace(self, columns=(*self.columns[:place], name, *self.columns[place:]), rows=rows)

    def frame(self) -> pl.DataFrame:
        """The rows as a polars frame; a column without any value has the type Null."""
        return pl.DataFrame(list(self.rows), schema=list(self.columns), infer_schema_length=None)

    def __repr__(self) -> str:
        # Of many columns polars shows the first and the last: value and interval, in the middle, would be the ones to go.
        with pl.Config(tbl_cols=-1, tbl_width_chars=200, fmt_str_lengths=40, tbl_hide_column_data_types=True):
            return f"{self.measure}\n{self.frame()}"

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()

    def document(self) -> dict[str, JSON]:
        """The table as one JSON document, ``{"measure", "rows", "intervals", "signature"}``.

        ``intervals`` says how intervals were made and over what they generalize; null if absent.

        Raises:
            TypeError: A cell holds something that JSON cannot say.
        """
        return {"measure": self.measure, "rows": list(self.plain_rows()), **self.said()}

    def plain_rows(self) -> Iterator[JSON]:
        """The rows of the document.

        Raises:
            TypeError: A cell holds something that JSON cannot say.
        """
        for row in self.rows:
            yield plain({name: row[name] for name in self.columns})

    def said(self) -> dict[str, JSON]:
        """What the document says of how the rows were made."""
        return {
            "intervals": signed_interval_text(self.signature) or None,
            "signature": plain(self.signature),
        }


def _kinds(cells: Sequence[object]) -> frozenset[type]:
    return frozenset(map(type, cells))


def table(
    measure: str,
    columns: Sequence[str],
    *,
    rows: Sequence[Row],
    signature: Mapping[str, object],
) -> Table:
    """Build a table, checking that every row has exactly the columns.

    Raises:
        ValueError: A row lacks a column or has one too many; the message names the row and the columns.
    """
    wanted = set(columns)
    if isinstance(rows, ColumnRows):
        return Table(
            measure, tuple(columns), ColumnRows({name: rows.columns[name] for name in columns}), signature
        )
    for number, row in enumerate(rows):
        if row.keys() != wanted:
            off = ", ".join(sorted(wanted ^ row.keys()))
            raise ValueError(f"row {number} of table {measure!r} does not fit its columns: {off}")
    return Table(measure, tuple(columns), tuple(rows), signature)


def estimate_cells(estimate: Estimate) -> NewRow:
    """The cells of an estimate, keyed by ESTIMATE_COLUMNS."""
    return {name: getattr(estimate, name) for name in ESTIMATE_COLUMNS}
