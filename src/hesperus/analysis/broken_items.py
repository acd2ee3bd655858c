"""Which questions a run answers worse than the one before: right then and not now, the widest losses first."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from hesperus.records.schema import KEY

COLUMNS = ("model", "task", "item", "instruction", "input", "repeat", "gold", "before", "now", "senses")


@dataclass(frozen=True, eq=False)
class BrokenItems:
    """What a run lost against its baseline.

    Attributes:
        answers: A row for each answer that was right in the baseline and is not in the run, with COLUMNS: `before` and `now`
            are the answer, or the outcome without one; `senses` says in how many senses and repeats the model lost that item.
            Items that a model lost in most senses come first.
        compared: Answers that were right in the baseline, and were asked again and replied to.
    """

    answers: pl.DataFrame
    compared: int


def broken_items(before: pl.DataFrame, after: pl.DataFrame) -> BrokenItems:
    """The answers that were right in the first run and are not in the second.

    A record without a reply (outcome `error`) or without a right label is on neither side. Answers are paired as in
    `compare`: by model, task, item and sense; if the runs have one model each, whatever it is called, by the rest.
    """
    alone = before["model"].n_unique() == after["model"].n_unique() == 1
    place = [name for name in KEY if not (alone and name == "model")]
    first, second = (
        frame.filter(pl.col("gold").is_not_null() & (pl.col("outcome") != "error")).select(
            *KEY,
            "gold",
            said=pl.coalesce("answer", "outcome"),
            right=(pl.col("outcome") == "answered") & (pl.col("answer") == pl.col("gold")),
        )
        for frame in (before, after)
    )
    both = second.join(first.filter("right"), on=place, suffix="_before")
    lost = both.filter(~pl.col("right")).with_columns(
        senses=pl.len().over("model", "task", "item").cast(pl.Int64)
    )
    named = lost.rename({"said_before": "before", "said": "now"}).select(COLUMNS)
    ordered = named.sort("senses", *KEY, descending=[True] + [False] * len(KEY))
    return BrokenItems(ordered, both.height)
