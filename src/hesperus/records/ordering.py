"""Puts records in the order of their key, as they are written: in memory, or many files of them some rows at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from hesperus.records.schema import KEY

_ALIKE = 16
"""Rows that share a value of a column, where its distinct values alone are sorted."""

_OF_ITEM = list(KEY[:3])
"""The part of the key that is of an item; records of one item are put in order together."""

_SAMPLES = 4
"""Places at which each file may be cut, for as many rows as are put in order at once and each file."""

_LEAST_STEP = 64
"""Rows from one such place to the next, at least."""

_AT_ONCE = 2
"""Columns that are moved at once; each is put together from its logs first, and more of them would take more memory."""


def in_key_order(records: pl.DataFrame) -> pl.DataFrame:
    """The rows in the order that ``sort(KEY)`` gives, in a third of its time.

    Parts of the key have few distinct values, each in many rows. Only those are compared as text; the rows are put in
    order by one whole number each.

    Args:
        records: Rows that differ in their key.
    """
    place: pl.Expr | None = None
    many = 1
    for name in KEY:
        values = records[name].unique()
        many *= max(len(values), 1)
        if many >= 1 << 64:
            return records.sort(KEY)
        if len(values) > 1:
            rank = _rank(name, values, records.height)
            place = rank if place is None else place * len(values) + rank
    if place is None:
        return records
    rows = records.select(pl.arg_sort_by(place)).to_series()
    if rows.is_sorted():
        return records
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return pl.DataFrame(list(threads.map(lambda column: column.rechunk().gather(rows), records)))


def _rank(name: str, values: pl.Series, rows: int) -> pl.Expr:
    """The place of each value of a column among its distinct values; where few are alike, all are sorted, which is quicker."""
    if len(values) * _ALIKE > rows:
        first = 0 if values.null_count() else 1  # null comes first
        return pl.col(name).rank("dense").cast(pl.UInt64).fill_null(0) - first
    return pl.col(name).replace_strict(values.sort(), pl.int_range(len(values), dtype=pl.UInt64, eager=True))


def merged(files: Sequence[Path], at_once: int) -> Iterator[pl.DataFrame]:
    """The rows of files in the order of their key, some items at a time; each file is in that order by itself.

    Args:
        files: Parquet files with small row groups, of which those alone are read that hold the items of a part.
        at_once: How many rows a part has, about; more where an item has more.
    """
    cuts = _cuts(files, at_once)
    spans = [_spans(file, cuts) for file in files]
    for number in range(len(cuts) + 1):
        parts = [
            pl.scan_parquet(file).slice(ends[number], ends[number + 1] - ends[number])
            for file, ends in zip(files, spans, strict=True)
            if ends[number] < ends[number + 1]
        ]
        if parts:
            yield in_key_order(pl.concat(parts).collect())


def _cuts(files: Sequence[Path], at_once: int) -> list[tuple[str, ...]]:
    """Items at which the rows of all files together are cut into parts of about that size, from a sample of each file."""
    step = max(_LEAST_STEP, at_once // (_SAMPLES * len(files)))
    sampled = [pl.read_parquet(file, columns=_OF_ITEM).gather_every(step) for file in files]
    every = max(1, at_once // step)
    cuts = pl.concat(sampled).sort(_OF_ITEM).gather_every(every, every).unique(maintain_order=True)
    return cuts.rows()


def _spans(file: Path, cuts: Sequence[tuple[str, ...]]) -> list[int]:
    """Rows at which each part begins in one file, and where the last ends."""
    rows = pl.read_parquet(file, columns=_OF_ITEM)
    starts = [bisect_left(range(rows.height), cut, key=rows.row) for cut in cuts]
    return [0, *starts, rows.height]
