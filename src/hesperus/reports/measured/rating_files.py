"""Long tables of ratings as files: Parquet, CSV, TSV, JSON lines, the text ones also packed with gzip."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UsageError

_KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_PACKED = ".gz"
_BOM = b"\xef\xbb\xbf"


def read_ratings(path: Path | str) -> pl.DataFrame:
    """Read a long table of ratings: Parquet, or CSV, TSV or JSON lines, plain or with ``.gz``.

    In CSV and TSV ratings stay as they are written: `01` is another name than `1` on a nominal scale. A row with fewer
    fields than the heading lacks the last ones.

    Raises:
        UsageError: No such file, or its ending is not known.
        DataError: The file cannot be read; the message names the line where there is one.
    """
    file = Path(path)
    packed = file.suffix.lower() == _PACKED
    kind = _KINDS.get(Path(file.stem if packed else file.name).suffix.lower())
    if not file.is_file() or kind is None or (packed and kind == "parquet"):
        raise UsageError(
            f"{file}: no such table of ratings; expected one ending in {', '.join(_KINDS)} (text also with {_PACKED})"
        )
    try:
        if kind == "parquet":
            return pl.read_parquet(file)
        content = _content(file, packed)
        if kind == "jsonl":
            return _json_lines(content, file)
        return _separated(content, file, "\t" if kind == "tsv" else ",")
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"cannot be read: {(str(error).splitlines() or ['?'])[0]}", file=file) from None


def rating_line(row: int, file: object) -> int:
    """Line of a row of a table, counted from 0, in its file; CSV and TSV begin with a heading."""
    headless = (".jsonl", ".ndjson", ".parquet", ".pq")
    return row + (1 if str(file).lower().removesuffix(_PACKED).endswith(headless) else 2)


def _content(file: Path, packed: bool) -> bytes:
    content = file.read_bytes()
    if packed:
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


def _separated(content: bytes, file: Path, separator: str) -> pl.DataFrame:
    try:
        return pl.read_csv(content, infer_schema=False, separator=separator)
    except pl.exceptions.PolarsError as error:
        line, why = _broken_line(content, separator)
        said = why or str(error).splitlines()[0]
        raise DataError(f"cannot be read: {said}", file=file, line=line) from None


def _broken_line(content: bytes, separator: str) -> tuple[int | None, str]:
    """The line at which a table breaks its form, and how; None where that cannot be told."""
    rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""), delimiter=separator, strict=True)
    try:
        width = len(next(rows))
        for row in rows:
            if len(row) > width:
                told = f"{len(row)} fields where the heading has {width}"
                return rows.line_num, f"{told}; a separator inside a text needs quotation marks"
    except csv.Error as error:
        return rows.line_num, str(error)
    return None, ""


def _json_lines(content: bytes, file: Path) -> pl.DataFrame:
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            row = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError) as error:
            raise DataError(f"is no JSON: {error}", file=file, line=number) from None
        if not isinstance(row, dict):
            raise DataError(f"expected an object, found {type(row).__name__}", file=file, line=number)
    return pl.read_ndjson(content, infer_schema_length=None)
