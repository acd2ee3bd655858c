"""Tables that users bring and take: CSV, TSV, JSON or Parquet, by the ending of their name; faults name their line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import IO, cast

import orjson
import polars as pl

from hesperus.errors import DataError, UsageError, first_line
from hesperus.spreadsheets import guarded_frame, unguarded_frame
from hesperus.text_files import decoded

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

INDEX = "(index)"
"""Name of a column that has none: what spreadsheets and pandas call the number of the row, and the names of JSON objects."""

LANGUAGE_COLUMNS = ("language", "lang", "locale", "language_code", "lang_code", "input_language")
"""Names of columns and fields that tell the language of a row."""

_PACKED = ".gz"
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_MOST_UNPACKED, _RATIO = 1 << 26, 100
"""Bytes that a packed file may become, or so many times its own: JSON becomes 5 to 30 times smaller, a file that is made
to fill the memory a thousand times."""

_SEPARATORS = {"csv": ",", "tsv": "\t"}

_OTHER_SEPARATORS = (";", "\t")
"""What a spreadsheet puts between the fields of a `.csv` where the comma is the decimal sign, or where it copies cells."""


def read_table(path: Path | str, called: str | None = None) -> pl.DataFrame:
    """Read a table as it is written: in CSV and TSV every value stays text, so that ``01`` is another name than ``1``.

    A row with fewer fields than the heading lacks the last ones. JSON is an array of objects, alone or as the only list of
    an object; or an object of objects by their id; or lines of objects.

    Args:
        path: The file.
        called: Its name in messages, if another.

    Raises:
        UsageError: No such file, or its ending is not known.
        DataError: The file cannot be read; the message names the line if there is one.
    """
    file = Path(path)
    kind = table_kind(file)
    if kind is None:
        known = ", ".join((*FORMATS, ".json"))
        raise UsageError(
            f"{file}: not a table; expected a name that ends in {known} (text also with {_PACKED})"
        )
    if not file.is_file():
        raise UsageError(f"{file}: no such file")
    try:
        if kind == "parquet":
            return pl.read_parquet(file)
        content = _content(file, called)
        if kind in ("json", "jsonl"):
            return _of_json(content, kind, called or file)
        return unguarded_frame(read_separated(content, separator_of(content, kind)))
    except DAMAGED as error:
        raise broken_table(file, error, called) from None


def broken_table(file: Path, error: BaseException, called: str | None = None) -> DataError:
    """Why a table cannot be read, with the line if there is one.

    Args:
        file: The table.
        error: What its reader raised.
        called: Its name in messages, if another.

    Raises:
        DataError: The file is empty, is not UTF-8 or cannot be opened.
    """
    kind, name = table_kind(file) or "parquet", called or file
    if isinstance(error, OSError):
        return DataError(f"cannot be read: {first_line(error)}", file=name)
    if kind == "parquet":
        said = f"cannot be read as PARQUET: {first_line(error)}" if file.stat().st_size else "is empty"
        return DataError(said, file=name)
    content = _content(file, called)
    if kind in ("json", "jsonl"):
        line, why = _broken_json(content)
    else:
        line, why = broken_row(content, separator_of(content, kind))
    return DataError(f"cannot be read as {kind.upper()}: {why or first_line(error)}", file=name, line=line)


def write_table(table: pl.DataFrame, to: Path | IO[bytes], kind: str) -> None:
    """Write a table.

    Args:
        table: The rows.
        to: A file, or an open stream.
        kind: ``csv``, ``tsv``, ``jsonl`` or ``parquet``.

    In CSV and TSV a list is written as JSON, as records read it, and so is what has fields of its own; what a spreadsheet
    would run has an apostrophe in front, which is taken off when it is read.

    Raises:
        UsageError: No such format, or a column that it cannot hold.
    """
    # Polars tells a column that a format cannot hold like a full disk, or panics.
    unheld = (pl.Object,) if kind == "parquet" else (pl.Object, pl.Binary)
    for name, held in table.schema.items():
        if any(isinstance(part, unheld) for part in _parts(held)):
            raise UsageError(f"the column {name!r} holds {held}, which {kind} cannot; leave it out")
    if kind in _SEPARATORS:
        guarded_frame(_flat(table)).write_csv(to, separator=_SEPARATORS[kind])
    elif kind == "jsonl":
        table.write_ndjson(to)
    elif kind == "parquet":
        table.write_parquet(to)
    else:
        raise UsageError(f"format {kind!r} is not one of {', '.join(dict.fromkeys(FORMATS.values()))}")


def _parts(kind: pl.DataType) -> Iterator[pl.DataType]:
    """A type, and those of what it holds."""
    yield kind
    fields = [field.dtype for field in kind.fields] if isinstance(kind, pl.Struct) else []
    for held in (*fields, getattr(kind, "inner", None)):
        if isinstance(held, pl.DataType):
            yield from _parts(held)


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists and structs as JSON text; what JSON has no word for, such as a date, as its text."""
    return frame.with_columns(
        pl.Series(name, [_json(value) for value in frame[name].to_list()], dtype=pl.String)
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.List | pl.Array | pl.Struct)
    )


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def row_line(row: int, file: object) -> int:
    """Line of a row of a table, counted from 0, in its file; CSV and TSV begin with a heading."""
    return row + (2 if table_kind(Path(str(file))) in _SEPARATORS else 1)


def table_kind(file: Path) -> str | None:
    """``json`` or one of FORMATS, by the ending of a name; None if it is no table."""
    kinds = {**FORMATS, ".json": "json"}
    if file.suffix.lower() != _PACKED:
        return kinds.get(file.suffix.lower())
    kind = kinds.get(Path(file.stem).suffix.lower())
    return None if kind == "parquet" else kind


def is_packed(path: Path) -> bool:
    """Whether a file is packed by gzip, told by its first bytes, not by its name."""
    with path.open("rb") as start:
        return start.read(len(_GZIP)) == _GZIP


def unpacked(path: Path, called: str | None = None) -> bytes:
    """All bytes of a file, unpacked where it is packed by gzip.

    Raises:
        DataError: It is packed and damaged, or claims far more than such a file holds.
    """
    with _opened(path, called or path) as (file, most):
        data = file.read(-1 if most is None else most + 1)
        if most is not None and len(data) > most:
            raise _claims_too_much(most, called or path)
        return data


def unpacked_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file as they are wanted, each with its end and the first without a byte order mark.

    Raises:
        DataError: As of unpacked.
    """
    with _opened(path, path) as (file, most):
        left = most
        line = file.readline(-1 if left is None else left + 1).removeprefix(_BOM)
        while line:
            if left is not None and most is not None:
                left -= len(line)
                if left < 0:
                    raise _claims_too_much(most, path)
            yield line
            line = file.readline(-1 if left is None else left + 1)


@contextmanager
def _opened(path: Path, called: object) -> Iterator[tuple[IO[bytes], int | None]]:
    """A file, unpacked as it is read, and how many bytes of it are believed where it is packed."""
    if not is_packed(path):
        if path.suffix.lower() == _PACKED:
            raise DataError("is no whole gzip file: it does not begin as one", file=called)
        with path.open("rb") as file:
            yield file, None
        return
    try:
        with gzip.open(path, "rb") as packed:
            yield cast(IO[bytes], packed), max(_MOST_UNPACKED, _RATIO * path.stat().st_size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"is no whole gzip file: {error}", file=called) from None


def _claims_too_much(most: int, called: object) -> DataError:
    return DataError(f"unpacks to more than {most:,} bytes; unpack it first", file=called)


def decode(line: bytes) -> object:
    """The value of JSON; NaN and Infinity, which Python writes, are taken as well.

    Raises:
        ValueError: It is no JSON.
    """
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(line)
            text = json.dumps(value, ensure_ascii=False)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
    # Half of a surrogate pair is JSON for Python, but no text.
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return value if plain == text else json.loads(plain)


def _content(file: Path, called: str | None) -> bytes:
    content = unpacked(file, called).removeprefix(_BOM)
    if not content.strip():
        raise DataError("is empty", file=called or file)
    decoded(content, called or file)
    return content


def _of_json(text: bytes, kind: str, file: object) -> pl.DataFrame:
    if kind == "jsonl" and not text.lstrip().startswith(b"["):
        return pl.read_ndjson(text, infer_schema_length=None)
    try:
        value = decode(text)
    except ValueError:
        # Lines of objects; or what is none either, whose fault is then named with its line.
        return pl.read_ndjson(text, infer_schema_length=None)
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list) and one]
        if len(lists) == 1 and isinstance(lists[0][0], dict):
            value = lists[0]
        elif value and all(isinstance(one, dict) for one in value.values()):
            value = [{INDEX: name, **one} for name, one in value.items()]
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value):
        raise DataError("a table in JSON is an array of objects, or lines of objects", file=file)
    rows = b"\n".join(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS) for row in value)
    return pl.read_ndjson(rows, infer_schema_length=None)


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
    heading, rows = content[: lines.tell()], content[lines.tell() :]
    if heading.endswith(
        b"\r\r\n"
    ):  # Python's text mode on Windows makes that of the ends of lines of its own csv
        rows = rows.replace(b"\r\r\n", b"\r\n")
    if rows.endswith(b"\r"):  # of a file that was cut in the middle of its last end of a line
        rows += b"\n"
    table = pl.read_csv(plain + rows, infer_schema=False, separator=separator)
    table.columns = columns
    if _may_be_joined(table) and not _is_read_alike(table, rows, separator):
        raise pl.exceptions.ComputeError("a quotation mark inside a text")
    return table


def _may_be_joined(table: pl.DataFrame) -> bool:
    """Whether a cell has a line that ends in a quotation mark: polars now and then joins rows at one that is not doubled."""
    marked = pl.any_horizontal(pl.all().str.contains(r'"\r?\n'))
    return bool(table.width) and bool(table.select(marked.any()).item())


def _is_read_alike(table: pl.DataFrame, rows: bytes, separator: str) -> bool:
    """Whether the standard library reads the same rows; those without any text, and how lines end in a cell, do not count."""
    theirs = csv.reader(io.StringIO(rows.decode(), newline=""), delimiter=separator, strict=True)
    ours = (_ended_alike(row) for row in table.iter_rows() if any(row))
    padding = [""] * table.width
    try:
        others = (_ended_alike([*row, *padding[len(row) :]]) for row in theirs if any(row))
        return all(one == other for one, other in zip_longest(ours, others))
    except csv.Error:
        return False


def _ended_alike(row: Iterable[str | None]) -> list[str]:
    return [(cell or "").replace("\r\n", "\n").replace("\r", "\n") for cell in row]


def separator_of(content: bytes, kind: str) -> str:
    """What is between the fields of a CSV or TSV: of a CSV whose heading has no comma, semicolons or tabs if it has those.

    Args:
        content: The file, or its beginning with the whole heading.
        kind: ``csv`` or ``tsv``.
    """
    heading = content.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    usual = _SEPARATORS[kind]
    if kind == "tsv" or usual in heading:
        return usual
    return next((other for other in _OTHER_SEPARATORS if other in heading), usual)


def broken_row(content: bytes, separator: str) -> tuple[int | None, str]:
    """The line at which a CSV or TSV under a heading breaks its form, and how; None and an empty text if that cannot be told.

    Args:
        content: The file, in UTF-8.
        separator: What is between its fields.
    """
    rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""), delimiter=separator, strict=True)
    try:
        width = len(next(rows, []))
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
