"""Frames of Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl


def frame_of(columns: Mapping[str, Sequence[Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """A frame of values column by column.

    A column of lists is cut from one series of all their values: Polars itself makes a series for each list, at four
    kilobytes and eight microseconds each.

    Args:
        columns: The values; None is null.
        schema: Type of each column, in order.
    """
    made = {
        name: _lists(columns[name], kind.inner) if isinstance(kind, pl.List) else columns[name]
        for name, kind in schema.items()
    }
    return pl.DataFrame(made, schema=dict(schema))


def _lists(rows: Sequence[Sequence[Any] | None], inner: Any) -> pl.Series:
    frame = pl.DataFrame(
        {
            "row": pl.Series(range(len(rows)), dtype=pl.UInt32),
            "count": pl.Series([len(row) if row is not None else None for row in rows], dtype=pl.UInt32),
        }
    )
    owners = frame.filter(pl.col("count") > 0).select(pl.col("row").repeat_by("count").explode()).to_series()
    values = pl.Series("value", [value for row in rows if row is not None for value in row], dtype=inner)
    lists = pl.DataFrame([owners, values]).group_by("row", maintain_order=True).agg("value")
    empty = pl.lit(pl.Series([[]], dtype=pl.List(inner))).first()
    joined = frame.join(lists, on="row", how="left", maintain_order="left")
    return joined.select(pl.when(pl.col("count") == 0).then(empty).otherwise(pl.col("value"))).to_series()
