"""Frames of Python values, and texts that stay in a frame until they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import polars as pl

_AT_ONCE = 1 << 12
"""Texts that are made together where all are gone through."""

_ROWS_AT_ONCE = 1 << 16
"""Rows that are looked at together."""


class TextColumn(Sequence[str]):
    """The texts of a column without nulls, each made where it is looked at: a text of Python's takes twenty times a code's memory.

    Args:
        series: Texts, or codes of texts.
    """

    __slots__ = ("series",)

    def __init__(self, series: pl.Series) -> None:
        self.series = series

    def __len__(self) -> int:
        return len(self.series)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self.series.slice(start, _AT_ONCE).to_list()

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> TextColumn: ...
    def __getitem__(self, place: int | slice) -> str | TextColumn:
        """One text, or some."""
        return TextColumn(self.series[place]) if isinstance(place, slice) else self.series[place]

    def __eq__(self, other: object) -> bool:
        """Whether another sequence holds the same texts."""
        if isinstance(other, TextColumn):
            return self.series.dtype == other.series.dtype and self.series.equals(other.series)
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))


def places_among(column: pl.Series, names: pl.Series) -> npt.NDArray[np.int32]:
    """Index of each value in `names`, which hold all of them once; -1 for null.

    Args:
        column: Texts, codes of texts, or whole numbers without null.
        names: Texts, or codes of texts; numbers in ascending order if the column holds numbers.
    """
    found: npt.NDArray[np.int32]
    if column.dtype.is_integer():
        numbers = names.to_numpy()
        if len(numbers) and int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1:
            found = column.to_numpy().astype(np.int32) - np.int32(numbers[0])
        else:
            found = np.searchsorted(numbers, column.to_numpy()).astype(np.int32)
        return found
    if isinstance(column.dtype, pl.Categorical):
        codes = names.cast(column.dtype).to_physical().to_numpy()
        table = np.full(
            (int(codes.max()) if len(codes) else 0) + 2, -1, dtype=np.int32
        )  # null has the last place
        table[codes] = np.arange(len(codes), dtype=np.int32)
        found = table[column.to_physical().fill_null(len(table) - 1).to_numpy()]
        return found
    places = column.cast(pl.Enum(names)).to_physical().cast(pl.Int32)
    return (places.fill_null(-1) if places.null_count() else places).to_numpy()


def slices(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows of a frame, some at a time, at least once: columns of one value throughout, and lists, take much where they are laid out."""
    return (frame.slice(start, _ROWS_AT_ONCE) for start in range(0, max(frame.height, 1), _ROWS_AT_ONCE))


def distinct_rows(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The distinct rows of some columns, with how many there are of each (``len``), in the order in which they first occur."""
    parts = [_counted(part.select(columns), pl.len()) for part in slices(frame)]
    return _counted(pl.concat(parts), pl.col("len").sum()) if len(parts) > 1 else parts[0]


def _counted(frame: pl.DataFrame, count: pl.Expr) -> pl.DataFrame:
    names = [name for name in frame.columns if name != "len"]
    return frame.group_by(names, maintain_order=True).agg(count)


def frame_of(columns: Mapping[str, Sequence[Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """A frame of values column by column.

    A column of lists is cut from one series of all their values: Polars itself makes a series for each list, at four
    kilobytes and eight microseconds each.

    Args:
        columns: The values; None is null.
        schema: Type of each column, in order.
    """
    made = {
        name: _lists(columns[name], kind.inner) if isinstance(kind, pl.List) else columns[name]
        for name, kind in schema.items()
    }
    return pl.DataFrame(made, schema=dict(schema))


def _lists(rows: Sequence[Sequence[Any] | None], inner: Any) -> pl.Series:
    lengths = {None if row is None else len(row) for row in rows}
    if lengths == {None}:
        return pl.Series([None], dtype=pl.List(inner)).new_from_index(0, len(rows))
    if len(lengths) == 1 and (length := lengths.pop()):
        values = pl.Series([value for row in rows if row is not None for value in row], dtype=inner)
        return values.reshape((len(rows), length)).arr.to_list()
    frame = pl.DataFrame(
        {
            "row": pl.Series(range(len(rows)), dtype=pl.UInt32),
            "count": pl.Series([len(row) if row is not None else None for row in rows], dtype=pl.UInt32),
        }
    )
    owners = frame.filter(pl.col("count") > 0).select(pl.col("row").repeat_by("count").explode()).to_series()
    values = pl.Series("value", [value for row in rows if row is not None for value in row], dtype=inner)
    lists = pl.DataFrame([owners, values]).group_by("row", maintain_order=True).agg("value")
    empty = pl.lit(pl.Series([[]], dtype=pl.List(inner))).first()
    joined = frame.join(lists, on="row", how="left", maintain_order="left")
    return joined.select(pl.when(pl.col("count") == 0).then(empty).otherwise(pl.col("value"))).to_series()
