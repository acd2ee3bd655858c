"""The tables with replies that are read again, and what reading needs of a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UsageError
from hesperus.records import conform
from hesperus.studies.evaluating.open_replies import WHOLE_TEXT
from hesperus.tables import read_table
from hesperus.types import Finish

RecordKey = tuple[str, str, str, str, str, int]

READ_AGAIN = ("outcome", "answer")
"""What reading decides; what a table says of it beforehand need not be right."""

_FINISHED: Mapping[str, Finish] = {"truncated": "length", "blocked": "filter"}
_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "filter": "filter",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True)
class Row:
    """The part of a record that reading needs."""

    key: RecordKey
    reply: str | None
    outcome: str | None
    labels: tuple[str, ...] | None
    scored: bool
    whole: bool
    finish: Finish


def read_replies(path: Path | str) -> pl.DataFrame:
    """Read a table of replies to read: a records table in which nothing is read yet, or was read wrongly.

    Args:
        path: Run folder, or Parquet, CSV, TSV or JSON lines. `outcome` and `answer` may be absent, null, or at odds
            with each other; the rest must keep the contract of records.

    Raises:
        UsageError: No such file, or its ending is not known.
        DataError: The file cannot be read or breaks the contract.
    """
    file = Path(path) / "records.parquet" if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: no such records file or run folder")
    raw = read_table(file)
    known = [name for name in READ_AGAIN if name in raw.columns]
    before = raw.select(pl.col(name).cast(pl.String()) for name in known)
    bare = raw.drop(known).with_columns(pl.lit(None, dtype=pl.String()).alias("answer"))
    held = conform(bare, file=file).drop("outcome", "answer")
    return held.with_columns(before.get_columns())


def rows_of(records: pl.DataFrame) -> Iterator[Row]:
    """The rows; what the table lacks is null, `repeat` is 1."""
    height = records.height
    absent = [
        name
        for name in ("model", "task", "item", "instruction", "input", "reply")
        if name not in records.columns
    ]
    if absent:
        raise DataError(
            f"no column {' and no column '.join(map(repr, absent))}; nothing can be read again without"
        )

    def column(name: str, default: object = None) -> list[object]:
        return records[name].to_list() if name in records.columns else [default] * height

    keys = zip(
        *(map(str, column(name)) for name in ("model", "task", "item", "instruction", "input")), strict=True
    )
    scored = records["probs"].is_not_null().to_list() if "probs" in records.columns else [False] * height
    rules = zip(column("task"), column("rule"), strict=True)
    open_tasks = {str(task) for task, rule in rules if rule == WHOLE_TEXT}
    rest = zip(
        column("repeat", 1),
        column("reply"),
        column("outcome"),
        column("options"),
        column("finish"),
        scored,
        strict=True,
    )
    for key, (repeat, reply, outcome, options, finish, has_probs) in zip(keys, rest, strict=True):
        text = None if reply is None else str(reply)
        ended = _FINISHES.get(str(finish)) or _FINISHED.get(str(outcome), "stop")
        labels = tuple(map(str, options)) if isinstance(options, list) else None
        model, task, item, instruction, input_ = key
        place = (model, task, item, instruction, input_, int(repeat or 1))
        yield Row(
            place,
            text,
            None if outcome is None else str(outcome),
            labels,
            bool(has_probs) and not text,
            task in open_tasks,
            ended,
        )
