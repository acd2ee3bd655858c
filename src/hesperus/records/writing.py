"""Writes records: atomic, and the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.errors import UsageError
from hesperus.records.conform import conform
from hesperus.records.earlier import refuse_to_replace
from hesperus.records.files import write_whole
from hesperus.records.ordering import in_key_order
from hesperus.records.schema import SCHEMA_VERSION, VERSION_KEY

_ROW_GROUP = 1 << 17


def write_records(frame: pl.DataFrame, path: Path | str) -> None:
    """Write a records table as Parquet, sorted by its key, with the version of the schema in its metadata.

    Args:
        frame: Records; it is held to the contract first.
        path: File ending in .parquet; it appears whole or not at all.

    Raises:
        DataError: The table breaks the contract, or the file holds records of a later version.
        UsageError: The path does not end in .parquet.
    """
    path = Path(path)
    if path.suffix.lower() not in (".parquet", ".pq"):
        raise UsageError(f"{path}: records are written as Parquet; let the name end in .parquet")
    refuse_to_replace(path)
    ordered = in_key_order(conform(frame))
    write_parquet(ordered, path, {VERSION_KEY: str(SCHEMA_VERSION)})


def write_parquet(frame: pl.DataFrame, path: Path, metadata: Mapping[str, str] | None = None) -> None:
    """Write a frame, whole or not at all, with settings under which equal frames give equal bytes."""
    settings: dict[str, Any] = {"compression": "zstd", "compression_level": 3, "row_group_size": _ROW_GROUP}
    whole = frame.rechunk()
    write_whole(path, lambda partial: whole.write_parquet(partial, metadata=dict(metadata or {}), **settings))
