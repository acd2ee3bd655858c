"""Which questions a run answers worse than the one before: right then and not now, the widest losses first."""

from __future__ import annotations

import polars as pl

from hesperus.records.schema import KEY

COLUMNS = ("model", "task", "item", "instruction", "input", "repeat", "gold", "before", "now", "senses")


def broken_items(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The answers that were right in the first run and are not in the second.

    A record without a reply (outcome `error`) or without a right label is on neither side.

    Args:
        before: Records of the baseline.
        after: Records of the run.

    Returns:
        A row for each such record, with COLUMNS: `before` and `now` are the answer, or the outcome without one; `senses`
        says in how many senses and repeats the model lost that item. Items that a model lost in most senses come first.
    """
    sides = [
        frame.filter(pl.col("gold").is_not_null() & (pl.col("outcome") != "error")).select(
            *KEY,
            "gold",
            said=pl.coalesce("answer", "outcome"),
            right=(pl.col("outcome") == "answered") & (pl.col("answer") == pl.col("gold")),
        )
        for frame in (before, after)
    ]
    both = sides[0].join(sides[1], on=KEY, suffix="_now")
    lost = both.filter(pl.col("right") & ~pl.col("right_now")).with_columns(
        senses=pl.len().over("model", "task", "item").cast(pl.Int64)
    )
    named = lost.rename({"said": "before", "said_now": "now"}).select(COLUMNS)
    return named.sort("senses", *KEY, descending=[True] + [False] * len(KEY))
