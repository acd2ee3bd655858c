"""Tables that users bring and take: CSV, TSV, JSON lines or Parquet, by the ending of their name; faults name their line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO

import polars as pl

from hesperus.errors import DataError, UsageError
from hesperus.spreadsheets import guarded_frame, unguarded_frame

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        ".csv": "csv",
        ".tsv": "tsv",
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
        ".parquet": "parquet",
        ".pq": "parquet",
    }
)
"""Ending of a name to format; the texts may also be packed, with ``.gz`` behind."""

DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises over a damaged Parquet file; its panics are no Exception."""

_PACKED = ".gz"
_BOM = b"\xef\xbb\xbf"
_SEPARATORS = {"csv": ",", "tsv": "\t"}


def read_table(path: Path | str) -> pl.DataFrame:
    """Read a table as it is written: in CSV and TSV every value stays text, so that ``01`` is another name than ``1``.

    A row with fewer fields than the heading lacks the last ones.

    Raises:
        UsageError: No such file, or its ending is not known.
        DataError: The file cannot be read; the message names the line if there is one.
    """
    file = Path(path)
    kind = _kind(file)
    if kind is None:
        raise UsageError(
            f"{file}: not a table; expected a name that ends in {', '.join(FORMATS)} (text also with {_PACKED})"
        )
    if not file.is_file():
        raise UsageError(f"{file}: no such file")
    try:
        if kind == "parquet":
            return pl.read_parquet(file)
        content = _content(file)
        if kind == "jsonl":
            return pl.read_ndjson(content, infer_schema_length=None)
        return unguarded_frame(read_separated(content, _SEPARATORS[kind]))
    except DAMAGED as error:
        raise broken_table(file, error) from None


def broken_table(file: Path, error: BaseException) -> DataError:
    """Why a table cannot be read, with the line if there is one.

    Args:
        file: The table.
        error: What its reader raised.

    Raises:
        DataError: The file is empty, is not UTF-8 or cannot be opened.
    """
    kind = _kind(file) or "parquet"
    if isinstance(error, OSError):
        return DataError(f"cannot be read: {_first(error)}", file=file)
    if kind == "parquet":
        said = f"cannot be read as PARQUET: {_first(error)}" if file.stat().st_size else "is empty"
        return DataError(said, file=file)
    content = _content(file)
    line, why = _broken_json(content) if kind == "jsonl" else _broken_row(content, _SEPARATORS[kind])
    return DataError(f"cannot be read as {kind.upper()}: {why or _first(error)}", file=file, line=line)


def write_table(table: pl.DataFrame, to: Path | IO[bytes], kind: str) -> None:
    """Write a table.

    Args:
        table: The rows.
        to: A file, or an open stream.
        kind: ``csv``, ``tsv``, ``jsonl`` or ``parquet``.

    Raises:
        UsageError: No such format, or cells that it cannot hold.
    """
    writers: dict[str, Callable[[], object]] = {
        "csv": lambda: guarded_frame(table).write_csv(to),
        "tsv": lambda: guarded_frame(table).write_csv(to, separator="\t"),
        "jsonl": lambda: table.write_ndjson(to),
        "parquet": lambda: table.write_parquet(to),
    }
    if kind not in writers:
        raise UsageError(f"format {kind!r} is not one of {', '.join(writers)}")
    try:
        writers[kind]()
    except pl.exceptions.ComputeError as error:
        raise UsageError(
            f"the table cannot be written as {kind} ({error}); jsonl and parquet hold all"
        ) from error


def row_line(row: int, file: object) -> int:
    """Line of a row of a table, counted from 0, in its file; CSV and TSV begin with a heading."""
    return row + (2 if _kind(Path(str(file))) in _SEPARATORS else 1)


def _kind(file: Path) -> str | None:
    if file.suffix.lower() != _PACKED:
        return FORMATS.get(file.suffix.lower())
    kind = FORMATS.get(Path(file.stem).suffix.lower())
    return None if kind == "parquet" else kind


def _first(error: BaseException) -> str:
    return (str(error).splitlines() or ["?"])[0]


def _content(file: Path) -> bytes:
    content = file.read_bytes()
    if file.suffix.lower() == _PACKED:
        try:
            content = gzip.decompress(content)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"is no whole gzip file: {error}", file=file) from None
    content = content.removeprefix(_BOM)
    if not content.strip():
        raise DataError("is empty", file=file)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8; save it as UTF-8", file=file, line=line) from None
    return content


def read_separated(content: bytes, separator: str) -> pl.DataFrame:
    """The rows of CSV or TSV under a heading, as text.

    The heading is read by the standard library: polars leaves doubled quotation marks in it as they are, and of a heading
    with a single one it makes a table without rows.

    Raises:
        PolarsError: It cannot be read.
    """
    lines = io.BytesIO(content)
    try:
        names = next(filter(None, csv.reader(map(bytes.decode, lines), delimiter=separator, strict=True)), [])
    except csv.Error as error:
        raise pl.exceptions.ComputeError(f"the heading: {error}") from None
    seen: Counter[str] = Counter()
    columns = []
    for name in names:
        columns.append(f"{name}_duplicated_{seen[name] - 1}" if seen[name] else name)
        seen[name] += 1
    if len(set(columns)) != len(columns):
        raise pl.exceptions.DuplicateError("two columns of the heading have the same name")
    plain = separator.join(map(str, range(len(columns)))).encode() + b"\n"
    table = pl.read_csv(plain + content[lines.tell() :], infer_schema=False, separator=separator)
    return table.rename(dict(zip(table.columns, columns, strict=True)))


def _broken_row(content: bytes, separator: str) -> tuple[int | None, str]:
    """The line at which a table breaks its form, and how; None if that cannot be told."""
    rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""), delimiter=separator, strict=True)
    try:
        width = len(next(rows))
        for row in rows:
            if len(row) > width:
                told = f"{len(row)} fields where the heading has {width}"
                return rows.line_num, f"{told}; a separator inside a text needs quotation marks"
    except csv.Error as error:
        return rows.line_num, str(error)
    if b'"' in content:
        return None, "a text that holds a quotation mark needs quotation marks around it, and its own doubled"
    return None, ""


def _broken_json(content: bytes) -> tuple[int | None, str]:
    """The line that is no JSON object, and why; None if that cannot be told."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            row = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError) as error:
            return number, f"no JSON: {error}"
        if not isinstance(row, dict):
            return number, f"expected an object, found {type(row).__name__}"
    return None, ""
