"""Large records files a few models at a time: a measure within models needs no other model in memory.

A file that hesperus wrote was held to the contract as it was written, so its parts are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.records.labels import OPEN_RULES
from hesperus.records.reading import RECORDS_FILE
from hesperus.records.schema import MEASURED, SCHEMA, SCHEMA_VERSION, VERSION_KEY

_LARGE = 1 << 18
"""Rows above which a file is read in parts."""

_PART = 1 << 18
"""Rows that a part has at least, of as many models as it takes."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelParts:
    """The records of a large file, some models at a time, in the order of their names.

    Attributes:
        scan: All of it, with the columns that are wanted.
        spans: First and last model of each part.
    """

    scan: pl.LazyFrame
    spans: tuple[tuple[str, str], ...]

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for first, last in self.spans:
            # A range can be tested on the statistics of a row group, a list of names cannot.
            yield self.scan.filter(pl.col("model").is_between(pl.lit(first), pl.lit(last))).collect()


def trusted_scan(path: Path) -> pl.LazyFrame | None:
    """A Parquet file, or that of a run folder, that today's hesperus wrote; None for any other, which must be checked."""
    file = path / RECORDS_FILE if path.is_dir() else path
    if file.suffix.lower() not in (".parquet", ".pq") or not file.is_file():
        return None
    try:
        version = pl.read_parquet_metadata(file).get(VERSION_KEY)
    except pl.exceptions.PolarsError:
        return None
    return pl.scan_parquet(file) if version == str(SCHEMA_VERSION) else None


def model_parts(
    path: Path, columns: Sequence[str] = (), *, models: Sequence[str] = (), tasks: Sequence[str] = ()
) -> ModelParts | None:
    """Split a large file where its parts give the numbers that the whole gives.

    Args:
        path: Run folder or records file.
        columns: Further columns that are wanted, as read_records takes them.
        models: Only these models; none: all.
        tasks: Only these tasks; none: all.

    Returns:
        None for a file that is to be read whole: a small one; one that hesperus did not write; one whose models were asked
        different items, or have different options or right answers; one with free answers, or a name that it lacks.
    """
    scan = trusted_scan(path)
    if scan is None or scan.select(pl.len()).collect().item() <= _LARGE:
        return None
    present = scan.collect_schema().names()
    if set(columns) - set(present):
        return None
    counts = scan.group_by("model", "task").len().sort("model").collect(engine="streaming")
    if set(models) - set(counts["model"]) or set(tasks) - set(counts["task"]):
        return None
    for name, wanted in (("model", models), ("task", tasks)):
        if wanted:
            scan = scan.filter(pl.col(name).is_in(list(wanted)))
            counts = counts.filter(pl.col(name).is_in(list(wanted)))
    if not _is_even(scan, present, counts["model"].n_unique()):
        return None
    wanted = [name for name in present if name in MEASURED or name in columns]
    absent = [pl.lit(None, dtype=kind).alias(name) for name, kind in SCHEMA.items() if name not in wanted]
    others = [name for name in wanted if name not in SCHEMA]
    rows = counts.group_by("model", maintain_order=True).agg(pl.col("len").sum())
    return ModelParts(scan.select(wanted).with_columns(absent).select(*SCHEMA, *others), tuple(_spans(rows)))


def _spans(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    first, held = None, 0
    for model, count in rows.iter_rows():
        first, held = first or model, held + count
        if held >= _PART:
            yield first, model
            first, held = None, 0
    if first is not None:
        yield first, rows["model"][-1]


def _is_even(scan: pl.LazyFrame, present: Sequence[str], models: int) -> bool:
    """Whether each item was asked of every model, with as many options and one right answer, all in closed form."""
    gold = pl.when(pl.col("outcome") != "error").then(pl.col("gold").hash())
    options = pl.col("options").list.len()
    is_open = pl.col("rule").is_in(OPEN_RULES).fill_null(False).any() if "rule" in present else pl.lit(False)
    items = scan.group_by("task", "item").agg(
        models=pl.col("model").n_unique(),
        golds=gold.max() != gold.min(),
        lengths=options.max() != options.min(),
        loose=pl.col("options").null_count() > 0,
        open=is_open,
    )
    uneven = items.select(
        (
            (pl.col("models") != models)
            | pl.any_horizontal("golds", "lengths", "loose", "open").fill_null(False)
        ).any()
    )
    return not uneven.collect(engine="streaming").item()
