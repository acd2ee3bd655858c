"""Readers of data files: Parquet, JSON lines, JSON, CSV, TSV and Arrow, gzipped or not."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path

import orjson
import polars as pl

from hesperus.errors import DataError, UsageError, first_line
from hesperus.tables import DAMAGED, broken_row, read_separated, separator_of, unpacked, unpacked_lines
from hesperus.tasks.packed import PackedBytes, PackedColumn
from hesperus.tasks.rows import Rows
from hesperus.tasks.task_parts import Source
from hesperus.text_files import decoded

ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".arrow")
"""Endings of the files that can be read; all but Parquet and Arrow may be followed by ``.gz``."""


def is_data_file(path: Path) -> bool:
    """Whether a file has an ending that can be read."""
    return _ending(path) in ENDINGS


def read_rows(path: Path, source: Source | None = None) -> Rows:
    """Read a data file.

    Values of CSV and TSV files stay text, so that ids keep their zeros. A TSV file does not quote its values unless
    the source says so; a CSV file does.

    Args:
        path: The file; its ending tells what it is.
        source: How headers and quotes are meant; None for a file with a header.

    Raises:
        UsageError: No such file, or an ending that cannot be read.
        DataError: A file that is not what its ending says, with the line where that is known.
    """
    source = source or Source()
    if not path.is_file():
        raise UsageError(f"no such data file: {path}")
    ending = _ending(path)
    if ending == ".parquet":
        return _frame(path, lambda: pl.read_parquet(path), "Parquet")
    if ending == ".arrow":
        return _frame(path, lambda: pl.read_ipc_stream(path), "Arrow")
    if ending in (".jsonl", ".ndjson"):
        return _json_lines(path, unpacked_lines(path))
    if ending == ".json":
        return _json(path)
    if ending in (".csv", ".tsv"):
        return _separated(path, source, ending)
    known = ", ".join(ENDINGS)
    raise UsageError(
        f"{path}: this ending is none of those that can be read: {known} (the text ones also with .gz)"
    )


def rows_of_frame(frame: pl.DataFrame, place: str) -> Rows:
    """A polars frame as rows."""
    return Rows(place, {name: PackedColumn.of_series(frame[name]) for name in frame.columns})


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""


def _bytes(path: Path) -> bytes:
    return unpacked(path).removeprefix(b"\xef\xbb\xbf")


def _frame(path: Path, read: Callable[[], pl.DataFrame], kind: str) -> Rows:
    try:
        frame = read()
    except DAMAGED as error:
        raise DataError(f"no readable {kind} file: {first_line(error)}", file=path) from None
    return rows_of_frame(frame, str(path))


def _json_lines(path: Path, lines: Iterable[bytes]) -> Rows:
    numbers = array("q")

    def records() -> Iterator[dict[str, object]]:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise DataError(f"no JSON: {first_line(error)}", file=path, line=number) from None
            if not isinstance(record, dict):
                raise DataError("each line must hold one object in braces", file=path, line=number)
            numbers.append(number)
            yield record

    return _records(path, records(), numbers)


def _json(path: Path) -> Rows:
    """One JSON array of objects; or lines of objects, which many publish under this ending."""
    raw = _bytes(path)
    if not raw.lstrip().startswith(b"["):
        return _json_lines(path, BytesIO(raw))
    try:
        records = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise DataError(f"no JSON: {first_line(error)}", file=path) from None
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise DataError(f"element {number} of the array is no object in braces", file=path)
    return _records(path, records, None)


def _records(path: Path, records: Iterable[dict[str, object]], numbers: Sequence[int] | None) -> Rows:
    """Rows of records, of which each is let go as soon as its values are in the columns."""
    columns: dict[str, PackedColumn] = {}
    packed, count = PackedBytes(), 0
    for count, record in enumerate(records, start=1):
        for name, value in record.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = PackedColumn(packed)
            if len(column) < count - 1:
                column.fill(count - 1)
            column.append(value)
    if not count:
        raise DataError("the file holds no rows", file=path)
    for column in columns.values():
        column.fill(count)
    return Rows(str(path), columns, numbers)


def _separated(path: Path, source: Source, ending: str) -> Rows:
    quoted = source.quoted if source.quoted is not None else ending == ".csv"
    raw = _bytes(path)
    decoded(raw, path)
    separator = (
        separator_of(raw, ending[1:]) if source.header is None else {".csv": ",", ".tsv": "\t"}[ending]
    )
    try:
        if quoted and source.header is None:
            frame = read_separated(raw, separator)
        else:
            frame = pl.read_csv(
                raw,
                separator=separator,
                has_header=source.header is None,
                quote_char='"' if quoted else None,
                infer_schema=False,
            )
    except pl.exceptions.PolarsError as error:
        line, why = broken_row(raw, separator) if quoted and source.header is None else (None, "")
        said = f"no readable {ending[1:].upper()} file: {why or first_line(error)}"
        if quoted and raw.count(b'"') % 2:
            said += "; a quotation mark has no partner (inside a quoted value it is written twice)"
        raise DataError(said, file=path, line=line) from None
    if source.header is not None:
        if frame.width < len(source.header):
            raise DataError(f"{frame.width} columns, {len(source.header)} expected", file=path)
        frame = frame.select(frame.columns[: len(source.header)])
        frame.columns = list(source.header)
    # A copy of a file that is published without a header may have been given one
    named = source.header is None or (frame.height > 0 and frame.row(0) == source.header)
    if named and source.header is not None:
        frame = frame.slice(1)
    if frame.height == 0:
        raise DataError("the file holds no rows", file=path)
    rows = rows_of_frame(frame, str(path))
    return Rows(rows.place, rows.columns, _lines(rows, raw, 2 if named else 1))


def _lines(rows: Rows, raw: bytes, start: int) -> Sequence[int]:
    """The line of each row; a quoted value may go over several."""
    whole = raw.count(b"\n") + (not raw.endswith(b"\n"))
    if whole == len(rows) + start - 1:
        return range(start, start + len(rows))
    lines, line = [], start
    for values in zip(*rows.columns.values(), strict=True):
        lines.append(line)
        line += 1 + sum(value.count("\n") for value in values if isinstance(value, str))
    return lines
