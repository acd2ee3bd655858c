"""Writes records: atomic, and the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.errors import UsageError
from hesperus.records.conform import check_unique, conform
from hesperus.records.earlier import refuse_to_replace
from hesperus.records.files import parts_folder, write_part, write_whole
from hesperus.records.labels import TaskLabels
from hesperus.records.ordering import in_key_order, merged
from hesperus.records.schema import SCHEMA_VERSION, VERSION_KEY

_ROW_GROUP, _LEAST_GROUP = 1 << 15, 1 << 10
"""Rows that are packed together in a file, at most and at least; some times as many are in memory as it is written."""
_GROUP_BYTES = 1 << 24
"""Bytes of text of rows that are packed together, about."""
_AT_ONCE, _FIRST = 1 << 15, 1 << 10
"""Rows that are checked and sorted at once where records come from disk; of the first it is seen how long they are."""
_BYTES_AT_ONCE = 1 << 25
"""Bytes of rows that are checked and sorted at once."""


def write_records(records: pl.DataFrame | pl.LazyFrame, path: Path | str) -> None:
    """Write a records table as Parquet, sorted by its key, with the version of the schema in its metadata.

    Args:
        records: Records; they are held to the contract first. Those on disk are read, checked and sorted some items at a time.
        path: File ending in .parquet; it appears whole or not at all.

    Raises:
        DataError: The table breaks the contract, or the file holds records of a later version.
        UsageError: The path does not end in .parquet.
    """
    path = Path(path)
    if path.suffix.lower() not in (".parquet", ".pq"):
        raise UsageError(f"{path}: records are written as Parquet; let the name end in .parquet")
    refuse_to_replace(path)
    version = {VERSION_KEY: str(SCHEMA_VERSION)}
    if isinstance(records, pl.LazyFrame):
        with parts_folder(path) as parts:
            _write_sorted(records, parts)
            write_parquet(pl.scan_parquet(sorted(parts.glob("*.parquet"))), path, version)
        return
    write_parquet(in_key_order(conform(records)), path, version)


def _write_sorted(records: pl.LazyFrame, folder: Path) -> None:
    """Write parts in the order of the key, each of some items: rows are put in order as they come, then merged."""
    labels, runs = TaskLabels.of(records), list[Path]()
    count = records.select(pl.len()).collect(engine="streaming").item()
    (folder / "runs").mkdir()
    start, at_once = 0, _FIRST
    while start < count:
        part = records.slice(start, at_once).collect()
        runs.append(folder / "runs" / f"{len(runs):06}.parquet")
        write_part(in_key_order(conform(part, labels=labels)), runs[-1])
        start += at_once
        at_once = min(_AT_ONCE, max(1, _BYTES_AT_ONCE * part.height // max(1, int(part.estimated_size()))))
    for number, part in enumerate(merged(runs, at_once)):
        check_unique(part)
        write_part(part, folder / f"{number:06}.parquet")


def write_parquet(
    frame: pl.DataFrame | pl.LazyFrame, path: Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a frame, whole or not at all, with settings under which equal frames give equal bytes."""
    rows = frame if isinstance(frame, pl.LazyFrame) else frame.rechunk().lazy()
    settings: dict[str, Any] = {
        "compression": "zstd", "compression_level": 3, "row_group_size": _group_size(rows), "metadata": dict(metadata or {})
    }  # fmt: skip
    write_whole(path, lambda partial: rows.sink_parquet(partial, **settings))


def _group_size(rows: pl.LazyFrame) -> int:
    """How many rows are packed together: fewer, by powers of two, where their texts are long on average."""
    text = pl.sum_horizontal(pl.lit(0, pl.Int64), pl.col(pl.String).str.len_bytes().cast(pl.Int64).sum())
    count, length = rows.select(pl.len(), text.alias("text")).collect(engine="streaming").row(0)
    size = _ROW_GROUP
    while size > _LEAST_GROUP and size * length > _GROUP_BYTES * count:
        size //= 2
    return size
