"""Writes records: atomic, and the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.errors import UsageError
from hesperus.records.conform import conform
from hesperus.records.earlier import refuse_to_replace
from hesperus.records.files import parts_folder, write_part, write_whole
from hesperus.records.labels import TaskLabels
from hesperus.records.ordering import in_key_order
from hesperus.records.schema import SCHEMA_VERSION, VERSION_KEY

_ROW_GROUP = 1 << 17
_AT_ONCE = 1 << 15
"""Rows that are checked and sorted at once where records come from disk."""


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
    """Write parts in the order of the key, each of some items of one task by one model."""
    labels = TaskLabels.of(records)
    models = records.select(pl.col("model").unique()).collect(engine="streaming")["model"].sort()
    places = (place for model in models for place in _places(records, model))
    for number, place in enumerate(places):
        part = in_key_order(conform(records.filter(place).collect(engine="streaming"), labels=labels))
        write_part(part, folder / f"{number:06}.parquet")


def _places(records: pl.LazyFrame, model: str) -> Iterator[pl.Expr]:
    """Conditions that cut the records of one model into parts of some items of one task."""
    of_model = records.filter(pl.col("model") == model)
    counts = of_model.group_by("task", "item").len().collect(engine="streaming").sort("task", "item")
    part = (pl.col("len").cum_sum().over("task") - 1) // _AT_ONCE
    cuts = counts.group_by("task", part.alias("part"), maintain_order=True).agg(
        pl.col("item").first().alias("first"), pl.col("item").last().alias("last")
    )
    for task, _, first, last in cuts.iter_rows():
        # What is tested on the statistics of a row group comes first: most of them are not read.
        yield pl.all_horizontal(
            pl.col("item").is_between(pl.lit(first), pl.lit(last)),
            pl.col("model") == model,
            pl.col("task") == task,
        )


def write_parquet(
    frame: pl.DataFrame | pl.LazyFrame, path: Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a frame, whole or not at all, with settings under which equal frames give equal bytes."""
    rows = frame if isinstance(frame, pl.LazyFrame) else frame.rechunk().lazy()
    settings: dict[str, Any] = {
        "compression": "zstd", "compression_level": 3, "row_group_size": _ROW_GROUP, "metadata": dict(metadata or {})
    }  # fmt: skip
    write_whole(path, lambda partial: rows.sink_parquet(partial, **settings))
