"""The records of a run folder as pages and measures take them: texts as codes, replies left on disk.

A file that hesperus wrote was held to the contract as it was written, so its columns are taken as they are: each text is a
code of a few bytes (polars' Categorical), which counts, compares and sorts as the text does. Replies differ nearly all and
are not measured: they are read for the items that are shown, and where nothing else tells their language.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import polars as pl

from hesperus.records.parts import trusted_scan
from hesperus.records.reading import replies_tell_language
from hesperus.records.runs import Run, read_run
from hesperus.records.schema import MEASURED, SCHEMA

LONG_TEXTS = frozenset(
    {"reply", "reply_translation", "note", "reasoning", "reasoning_language", "served_by", "finish", "line_language"}
)  # fmt: skip
"""Columns of text that are neither measured nor grouped by; they are read for single items."""

_AT_ONCE = 1 << 17
"""Rows of a column that are read at once."""

_COUNTS = ("tokens_in", "tokens_out")
"""Measured columns that no page of answers shows."""


def coded(scan: pl.LazyFrame, names: Collection[str]) -> pl.LazyFrame:
    """Some columns of a records table, each text as a code."""
    kinds = scan.collect_schema()
    return scan.select(
        pl.col(name).cast(_code_type(kinds[name])) if _code_type(kinds[name]) != kinds[name] else pl.col(name)
        for name in kinds
        if name in names
    )


def _code_type(kind: pl.DataType) -> pl.DataType:
    if kind == pl.String:
        return pl.Categorical()
    return pl.List(pl.Categorical()) if kind == pl.List(pl.String) else kind


def packed_run(folder: Path) -> Run | None:
    """A run folder with packed records; None if its records must be checked first (see trusted_scan)."""
    scan = trusted_scan(folder) if folder.is_dir() else None
    if scan is None:
        return None
    return replace(read_run(folder, in_part=True, records=packed_records(scan)), scan=scan)


def packed_records(scan: pl.LazyFrame) -> pl.DataFrame:
    """What is measured of records that hesperus wrote, and columns to group by, each text as a code.

    Args:
        scan: The records (see trusted_scan).
    """
    kinds = scan.collect_schema()
    tells = replies_tell_language(kinds, scan.select(pl.len()).collect().item())
    wanted = [
        name
        for name, kind in kinds.items()
        if (name in MEASURED and name not in _COUNTS)
        or (name == "reply" and tells)
        or (name not in LONG_TEXTS and name not in SCHEMA and kind == pl.String)
    ]
    # Column by column: the texts of one take as much as the codes of all.
    columns = [_packed_column(coded(scan, [name])) for name in wanted]
    held = [column for column in columns if isinstance(column, pl.Series)]
    rest = [column for column in columns if isinstance(column, pl.Expr)]
    return pl.DataFrame(held).with_columns(rest).select(wanted)


def _packed_column(scan: pl.LazyFrame) -> pl.Series | pl.Expr:
    """One column; a literal where it has one value throughout, which takes nothing in memory, however many rows there are."""
    count = scan.select(pl.len()).collect().item()
    starts = range(0, max(count, 1), _AT_ONCE)
    pieces = [scan.slice(start, _AT_ONCE).collect().to_series() for start in starts[:1]]
    is_one = pieces[0].n_unique() == 1
    for start in starts[1:]:
        piece = scan.slice(start, _AT_ONCE).collect().to_series()
        is_one = is_one and pl.concat([pieces[0].head(1), piece]).n_unique() == 1
        pieces += [piece]
    return pl.lit(pieces[0].head(1)).first().alias(pieces[0].name) if is_one else pl.concat(pieces)


def rows_of(run: Run) -> pl.LazyFrame:
    """The records with all their columns, texts as texts, wherever they are."""
    return run.records.lazy() if run.scan is None else run.scan


def whole_records(run: Run, items: Collection[str] | None = None) -> pl.DataFrame:
    """The records of some items, or of all, with all their columns, texts as texts."""
    rows = rows_of(run)
    return (rows if items is None else rows.filter(pl.col("item").is_in(list(items)))).collect()


def unpacked(run: Run) -> Run:
    """The run with all of its records in memory."""
    return run if run.scan is None else replace(run, records=whole_records(run), scan=None)
