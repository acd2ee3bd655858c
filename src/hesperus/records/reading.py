"""Reads records from a run folder or a file: Parquet, CSV, TSV or JSON lines."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records.conform import conform
from hesperus.records.earlier import known_version, warn_of_records
from hesperus.records.schema import MEASURED, SCHEMA
from hesperus.spreadsheets import unguarded_frame
from hesperus.tables import DAMAGED, FORMATS, broken_table, separator_of

RECORDS_FILE = "records.parquet"

_HEAD = 1 << 16
"""Bytes at the beginning of a file in which its heading ends."""

_MANY_REPLIES = 100_000
"""Rows beyond which replies are read only if they are wanted."""

_held: ContextVar[dict[Hashable, pl.DataFrame] | None] = ContextVar("_held", default=None)
"""What was read last within `read_once`, by file and columns."""

_TEXT_COLUMNS = {name: pl.String() for name, kind in SCHEMA.items() if kind != SCHEMA["repeat"]}


def read_records(path: Path | str, *, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read a records table and hold it to the contract.

    Args:
        path: A run folder, or a file: Parquet, CSV, TSV or JSON lines (by its ending).
        columns: Further columns that are wanted; only what measures look at is read next to them, which spares the
            replies of a large file. None reads everything.

    Returns:
        The columns of the contract in their types and order, then the others as they were.

    Raises:
        UsageError: There is no such file, or its ending is not known.
        UnknownNameError: A wanted column is not in the file.
        DataError: The file cannot be read, or breaks the contract; the message names the row and the column.

    Example:
        >>> from hesperus.records import read_records
        >>> frame = read_records("runs/atlas")                                                   # doctest: +SKIP
    """
    file = records_file(Path(path))
    kind = FORMATS.get(file.suffix.lower())
    if kind is None:
        raise UsageError(f"{file}: not a records file; expected a run folder or {', '.join(FORMATS)}")
    held = _held.get()
    if held is None:
        return _conforming(file, kind, columns)
    state = file.stat()
    wanted = None if columns is None else frozenset(columns)
    which = (file.absolute(), state.st_ino, state.st_mtime_ns, state.st_size, wanted)
    if which not in held:
        held.clear()
        held[which] = _conforming(file, kind, columns)
    return held[which]


@contextmanager
def read_once() -> Iterator[None]:
    """Within the block, records that are read several times in a row are read and checked once, and kept in memory.

    What makes many tables of one run asks each of them for its records. A file that was changed is read again.
    """
    token = _held.set({}) if _held.get() is None else None
    try:
        yield
    finally:
        if token is not None:
            _held.reset(token)


def _conforming(file: Path, kind: str, columns: Sequence[str] | None) -> pl.DataFrame:
    try:
        frame = _parquet(file, columns) if kind == "parquet" else _text(file, kind)
    except (*DAMAGED, UnicodeDecodeError) as error:
        raise broken_table(file, error) from error
    if columns is not None:
        frame = frame.select(_wanted(file, frame.columns, columns, rows=frame.height))
    return conform(frame, file=file, header=1 if kind in ("csv", "tsv") else 0)


def records_file(path: Path) -> Path:
    """The records of a run folder, or the file itself.

    Raises:
        UsageError: No such file.
    """
    if path.is_dir():
        file = path / RECORDS_FILE
        if not file.is_file():
            raise UsageError(f"{path}: not a run folder, it has no {RECORDS_FILE}")
        return file
    if not path.is_file():
        raise UsageError(f"{path}: no such file or folder")
    return path


def _wanted(file: Path, present: Sequence[str], columns: Sequence[str], *, rows: int) -> list[str]:
    for name in columns:
        if name not in present:
            groups = [column for column in present if column not in SCHEMA]
            raise UnknownNameError(f"column of {file}", name, groups or present)
    looked_at = (*MEASURED, *columns, *(["reply"] if replies_tell_language(present, rows) else []))
    return [name for name in present if name in looked_at]


def replies_tell_language(present: Collection[str], rows: int) -> bool:
    """Whether replies are read for their language: no column has it, and they are not so many that they stay on disk."""
    return "reply_language" not in present and rows <= _MANY_REPLIES


def _parquet(file: Path, columns: Sequence[str] | None) -> pl.DataFrame:
    warn_of_records(file, known_version(file))
    scan = pl.scan_parquet(file)
    if columns is not None:
        rows = scan.select(pl.len()).collect().item()
        scan = scan.select(_wanted(file, scan.collect_schema().names(), columns, rows=rows))
    return scan.collect()


def _text(file: Path, kind: str) -> pl.DataFrame:
    """A table as text: columns of the contract are text, others are what all their values are."""
    if kind == "jsonl":
        return pl.read_ndjson(file, infer_schema_length=None)
    with file.open("rb") as opened:
        head = opened.read(_HEAD)
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise DataError("is not UTF-8; save it as UTF-8", file=file, line=1)
    separator = separator_of(head, kind)
    return unguarded_frame(
        pl.read_csv(file, separator=separator, schema_overrides=_TEXT_COLUMNS, infer_schema_length=None)
    )
