"""Records as a table for a person or a spreadsheet: per model, language and item."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records.files import write_whole
from hesperus.records.schema import SCHEMA
from hesperus.spreadsheets import guarded_frame

Shape = Literal["long", "wide"]
"""Long: a row per answer. Wide: a row per task and item, a column per model and sense."""

_ENDINGS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def answers_table(records: pl.DataFrame, *, shape: Shape = "long", value: str = "answer") -> pl.DataFrame:
    """Lay records out as a table.

    Args:
        records: A records table.
        shape: ``long`` gives the records with ``correct`` (true, false, or null without gold) and a column ``p_LABEL``
            for each option, sorted by model, task, item and sense. ``wide`` gives a row per task and item: ``gold``
            (null where senses differ in it), then a column ``MODEL|INSTRUCTION|INPUT`` for each cell, with ``|REPEAT``
            where one was asked more than once.
        value: For ``wide``: the column that fills the cells (``answer``, ``outcome``, ``reply`` or ``correct``).

    Raises:
        UnknownNameError: No such shape or value.
    """
    judged = records.with_columns(correct=_correct())
    if shape == "long":
        return _long(judged)
    if shape != "wide":
        raise UnknownNameError("shape of a table", shape, ("long", "wide"))
    if value not in ("answer", "outcome", "reply", "correct"):
        raise UnknownNameError("value of a table", value, ("answer", "outcome", "reply", "correct"))
    return _wide(judged, value)


def write_table(frame: pl.DataFrame, path: Path | str) -> None:
    """Write a table as CSV, Parquet or JSON lines, by the ending; it appears whole or not at all.

    In CSV a list is written as JSON, as records read it, and so is what has fields of its own; what a spreadsheet would run
    has an apostrophe in front, which is taken off when it is read.

    Raises:
        UsageError: The ending is not one of these, or a column holds what its format cannot.
        OSError: The file cannot be written; it names `path`.
    """
    path = Path(path)
    kind = _ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(f"{path}: a table is written as {', '.join(_ENDINGS)}")

    whole = _flat(frame) if kind == "csv" else frame
    _refuse_unheld(whole, kind, path)

    def write(partial: Path) -> None:
        if kind == "csv":
            guarded_frame(whole).write_csv(partial)
        elif kind == "jsonl":
            whole.write_ndjson(partial)
        else:
            whole.write_parquet(partial, compression="zstd")

    write_whole(path, write)


def _refuse_unheld(frame: pl.DataFrame, kind: str, path: Path) -> None:
    """Polars tells a column that a format cannot hold like a full disk, or panics."""
    unheld = (pl.Object,) if kind == "parquet" else (pl.Object, pl.Binary)
    for name, held in frame.schema.items():
        if any(isinstance(part, unheld) for part in _parts(held)):
            raise UsageError(f"{path}: the column {name!r} holds {held}, which {kind} cannot; leave it out")


def _parts(kind: pl.DataType) -> Iterator[pl.DataType]:
    """A type, and those of what it holds."""
    yield kind
    inner = (
        [field.dtype for field in kind.fields]
        if isinstance(kind, pl.Struct)
        else [getattr(kind, "inner", None)]
    )
    for held in inner:
        if isinstance(held, pl.DataType):
            yield from _parts(held)


def _correct() -> pl.Expr:
    """Whether the answer is the gold label; an invalid answer is wrong, as in the measure of accuracy."""
    return pl.when(pl.col("gold").is_not_null()).then((pl.col("answer") == pl.col("gold")).fill_null(False))


def _long(records: pl.DataFrame) -> pl.DataFrame:
    labels = records["options"].drop_nulls().explode().unique().drop_nulls().sort().to_list()
    if records["probs"].null_count() == len(records):
        labels = []
    place = pl.col("options").list.eval(pl.element())
    shares = []
    for label in labels:
        at = place.list.eval(pl.element() == label).list.arg_max()
        has = place.list.contains(label) & pl.col("probs").is_not_null()
        shares.append(pl.when(has).then(pl.col("probs").list.get(at, null_on_oob=True)).alias(f"p_{label}"))
    first = [name for name in SCHEMA if name not in ("options", "probs", "reply")] + ["correct"]
    others = [name for name in records.columns if name not in SCHEMA and name not in first]
    return (
        records.with_columns(shares)
        .select(*first, "options", "probs", *(f"p_{label}" for label in labels), *others, "reply")
        .sort("model", "task", "item", "instruction", "input", "repeat")
    )


def _wide(records: pl.DataFrame, value: str) -> pl.DataFrame:
    parts = ["model", "instruction", "input"]
    if records["repeat"].max() != 1:
        parts.append("repeat")
    named = records.with_columns(cell=pl.concat_str(parts, separator="|"))
    clash = named.select("task", "item", "cell").is_duplicated()
    if clash.any():
        row = named.filter(clash).row(0, named=True)
        raise DataError(f"two records of cell {row['cell']}", item=row["item"])
    golds = named.group_by("task", "item").agg(
        gold=pl.when(pl.col("gold").drop_nulls().n_unique() == 1).then(pl.col("gold").drop_nulls().first())
    )
    laid = named.sort("cell").pivot("cell", index=["task", "item"], values=value)
    return golds.join(laid, on=["task", "item"], how="left").sort("task", "item")


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists and structs as JSON text, for CSV; what JSON has no word for, such as a date, as its text."""
    return frame.with_columns(
        pl.Series(name, [_json(value) for value in frame[name].to_list()], dtype=pl.String)
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.List | pl.Array | pl.Struct)
    )


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)
