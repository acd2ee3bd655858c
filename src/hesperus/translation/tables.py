"""Tables of texts, read and written by the ending of their name: CSV, TSV, JSONL, Parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO

import polars as pl

from hesperus.errors import DataError, UsageError

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
"""Ending of a name to format."""


def read_table(path: Path) -> pl.DataFrame:
    """Read a table; the cells of CSV and TSV stay text as they are.

    Raises:
        DataError: The file cannot be read, or its ending names no table.
    """
    kind = FORMATS.get(path.suffix.lower())
    readers: dict[str, Callable[[], pl.DataFrame]] = {
        "csv": lambda: pl.read_csv(path, infer_schema=False),
        "tsv": lambda: pl.read_csv(path, separator="\t", infer_schema=False),
        "jsonl": lambda: pl.read_ndjson(path, infer_schema_length=None),
        "parquet": lambda: pl.read_parquet(path),
    }
    if kind is None:
        raise DataError(f"is no table; its name must end in {', '.join(FORMATS)}", file=path)
    try:
        return readers[kind]()
    except pl.exceptions.NoDataError as error:
        raise DataError("is empty", file=path) from error
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"cannot be read as {kind}: {str(error).splitlines()[0]}", file=path) from error


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
        "csv": lambda: table.write_csv(to),
        "tsv": lambda: table.write_csv(to, separator="\t"),
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
