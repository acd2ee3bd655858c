"""The records of a run folder as pages and measures take them: texts as codes, replies left on disk.

A file that hesperus wrote was held to the contract as it was written, so its columns are taken as they are: each text is a
code of a few bytes (polars' Categorical), which counts, compares and sorts as the text does. Replies differ nearly all and
are not measured: they are read for the items that are shown, and where nothing else tells their language.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from hashlib import blake2b
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

_AT_ONCE, _IDS_AT_ONCE = 1 << 17, 1 << 15
"""Rows of a column that are read at once: of most, and of ids, of which nearly each is a text of its own."""

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


def packed_records(scan: pl.LazyFrame, *, numbered: bool = False) -> pl.DataFrame:
    """What is measured of records that hesperus wrote, and columns to group by, each text as a code.

    Args:
        scan: The records (see trusted_scan).
        numbered: Whether `item` may be the number of an item in the order of their ids: of very many items the ids are
            most of what codes take. They are numbered where every model has the same items of one task.
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
    numbers = _item_numbers(scan) if numbered else None
    columns = [
        numbers if name == "item" and numbers is not None else _packed_column(coded(scan, [name]))
        for name in wanted
    ]
    held = [column for column in columns if isinstance(column, pl.Series)]
    rest = [column for column in columns if isinstance(column, pl.Expr)]
    return pl.DataFrame(held).with_columns(rest).select(wanted)


def is_numbered(records: pl.DataFrame) -> bool:
    """Whether packed records have numbers of items in place of ids."""
    return records.schema["item"] == _NUMBER


_NUMBER = pl.UInt32()


def _item_numbers(scan: pl.LazyFrame) -> pl.Series | None:
    """The number of each record's item; None where the models do not have the same items of one task, in order.

    The ids of some rows are read at a time: of each model what is kept of them is one fingerprint.
    """
    groups = scan.group_by("model", "task").len().sort("model", "task").collect(engine="streaming")
    if groups["task"].n_unique() != 1:
        return None
    pieces, seen, begin = list[pl.Series](), set[bytes](), 0
    for rows in groups["len"]:
        ids, last, number = blake2b(), None, -1
        for start in range(begin, begin + rows, _IDS_AT_ONCE):
            at_once = min(_IDS_AT_ONCE, begin + rows - start)
            part = scan.select("item").slice(start, at_once).collect().to_series()
            if not part.is_sorted() or (last is not None and part[0] < last):
                return None
            is_new = part.ne_missing(part.shift(1, fill_value=last))
            new, last = part.filter(is_new), part[-1]
            # With its length before it, no id can be taken for a part of another, however rows fall into parts.
            named = pl.select(pl.concat_str(new.str.len_bytes(), pl.lit(":"), new)).to_series()
            ids.update(named.str.join().item().encode())
            pieces.append((is_new.cast(pl.Int64).cum_sum() + number).cast(_NUMBER))
            number += len(new)
        begin += rows
        seen.add(ids.digest())
        if len(seen) > 1:
            return None
    return pl.concat(pieces).alias("item") if pieces else None


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
