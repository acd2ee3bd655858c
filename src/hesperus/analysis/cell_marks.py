"""What a cell of the item matrix is marked with, and how a row counts its cells.

Marks of a cell:

- ``right``, ``wrong``: it has an answer, and the item has a gold label;
- ``answered``: it has an answer, but there is no gold label, or the answer is a free text that labels cannot judge;
- ``unanswered``: a reply came, without an answer in it (the outcome says why);
- ``error``: no reply came; missing data, neither right nor wrong.

A cell is *changed* if it and its reference both have an answer and the answers differ, and *lost* if the reference is right
and the cell is wrong. A free text that was evaluated has a score against the text of its reference, and is lost if the
score is below its ceiling (1 if there is no control). The reference of a cell is what its sense was made from, the first
ask of what was asked again, and otherwise the reference language of the study.
"""

from __future__ import annotations

import polars as pl

from hesperus.records.labels import MOST_LABELS

MARKS = ("right", "wrong", "answered", "unanswered", "error")

COUNTS = ("lost", "changed", "wrong", "unanswered", "error", "right", "asked")
"""Cells of a row that have this property; `asked` is all of them."""

_WHOLE_TEXT = "whole text"
_MARK = {mark: pl.lit(mark, pl.Enum(MARKS)) for mark in MARKS}
_ROUNDING = 1e-9


def is_open(records: pl.DataFrame) -> pl.Expr:
    """Answers that are texts of their own: comparing them as labels says nothing."""
    loose = records.filter(pl.col("options").is_null() & pl.col("gold").is_null())
    labels = loose.group_by("task").agg(pl.col("answer").n_unique())
    texts = labels.filter(pl.col("answer") > MOST_LABELS)["task"].to_list()
    many = pl.col("task").is_in(texts) & pl.col("options").is_null() & pl.col("gold").is_null()
    return many | (pl.col("rule") == _WHOLE_TEXT).fill_null(False)


def marked(cells: pl.DataFrame) -> pl.DataFrame:
    """Cells with their marks, compared with their references."""
    answered = pl.col("outcome") == "answered"
    mark = (
        pl.when(pl.col("outcome") == "error")
        .then(_MARK["error"])
        .when(~answered)
        .then(_MARK["unanswered"])
        .when(pl.col("gold").is_null() | pl.col("open"))
        .then(_MARK["answered"])
        .when(pl.col("answer") == pl.col("gold"))
        .then(_MARK["right"])
        .otherwise(_MARK["wrong"])
    )
    cells = cells.with_columns(mark=mark)
    referred = cells.select(
        "row",
        pl.col("column").alias("reference"),
        pl.col("answer").alias("_answer"),
        pl.col("mark").alias("_mark"),
    ).filter(pl.col("reference").is_in(cells["reference"].unique().implode()))
    both = answered & pl.col("_answer").is_not_null() & ~pl.col("open")
    judged = pl.col("mark").is_in(["right", "wrong"]) & pl.col("_mark").is_in(["right", "wrong"])
    is_scored = "score" in cells.columns
    below = (
        pl.col("score") < pl.col("ceiling").fill_null(1.0) - _ROUNDING
        if is_scored
        else pl.lit(None, pl.Boolean)
    )
    return (
        cells.join(referred, on=["row", "reference"], how="left", maintain_order="left")
        .with_columns(
            changed=pl.when(both).then(pl.col("answer") != pl.col("_answer")),
            lost=pl.when(judged)
            .then((pl.col("_mark") == "right") & (pl.col("mark") == "wrong"))
            .otherwise(below),
        )
        .drop("_answer", "_mark", "reference")
    )


def counts(cells: pl.DataFrame) -> pl.DataFrame:
    """COUNTS, ``confidence`` and ``loss`` of each row that has cells."""
    marks = [(pl.col("mark") == mark).sum().alias(mark) for mark in MARKS if mark != "answered"]
    doubtful = (pl.col("mark") == "wrong") | ((pl.col("mark") == "answered") & pl.col("changed"))
    loss = (pl.col("ceiling").fill_null(1.0) - pl.col("score")).filter("lost").sum()
    return cells.group_by("row").agg(
        pl.col("lost").sum(),
        pl.col("changed").sum(),
        *marks,
        pl.len().alias("asked"),
        pl.col("confidence").filter(doubtful).max(),
        (loss if "score" in cells.columns else pl.lit(0.0)).alias("loss"),
    )


def counted(rows: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """Rows with the numbers of their cells; without those that have none."""
    return rows.join(numbers, on="row", how="inner", maintain_order="left").select(
        *rows.columns, *COUNTS, "confidence", "loss"
    )
