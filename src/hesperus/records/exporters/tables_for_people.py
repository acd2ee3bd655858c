"""Records as a table for a person or a spreadsheet: per model, language and item."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records.files import write_whole
from hesperus.records.schema import SCHEMA
from hesperus.tables import FORMATS
from hesperus.tables import write_table as write_kind

Shape = Literal["long", "wide"]
"""Long: a row per answer. Wide: a row per task and item, a column per model and sense."""


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
    """Write a table by the ending of its name (see hesperus.tables.write_table); it appears whole or not at all.

    Raises:
        UsageError: The ending is not one of these, or a column holds what its format cannot.
        OSError: The file cannot be written; it names `path`.
    """
    path = Path(path)
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(f"{path}: a table is written as {', '.join(FORMATS)}")

    def write(partial: Path) -> None:
        try:
            write_kind(frame, partial, kind)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None

    write_whole(path, write)


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
