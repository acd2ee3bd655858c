"""The first page: every model of every run by sense, each number with what leads to its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.item_views.matrix_view import short_code
from hesperus.measures.intervals import wilson
from hesperus.records import Run
from hesperus.rounding import cell


@dataclass(frozen=True, slots=True)
class SenseSummary:
    """A model in a sense.

    Attributes:
        column: The sense.
        statistic: ``right`` (of the replies to items with gold); if there is no gold, ``same`` as the reference (of the
            pairs of answers); of free texts and of a reference without gold, ``answered`` (of the replies).
        value: The share in per cent, or a dash.
        interval: Its Wilson interval, or why it has no interval.
        n: What it rests on.
        lost, changed, unanswered, error: Questions.
    """

    column: MatrixColumn
    statistic: str
    value: str
    interval: str
    n: int
    lost: int
    changed: int
    unanswered: int
    error: int


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """A model of a run, on one task."""

    run: str
    model: str
    task: str
    items: int
    senses: tuple[SenseSummary | None, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run holds: counts, records without a reply, and whether it has the texts of its items."""

    name: str
    kind: str
    records: int
    items: int
    models: int
    errors: int
    has_texts: bool


def run_facts(name: str, run: Run, kind: str) -> RunFacts:
    """Count what a run holds."""
    records = run.records
    errors = int((records["outcome"] == "error").sum())
    return RunFacts(
        name, kind, len(records), records["item"].n_unique(), records["model"].n_unique(), errors, run.items is not None
    )  # fmt: skip


def summaries(matrix: ItemMatrix) -> tuple[ModelSummary, ...]:
    """A row for each run, task and model."""
    place = ["run", "task", "model"]
    counts = (
        matrix.cells.select("row", "column", "mark", "changed", "lost")
        .join(matrix.rows.select("row", *place), on="row", how="left")
        .group_by(*place, "column")
        .agg(
            *(
                (pl.col("mark") == mark).sum().alias(mark)
                for mark in ("right", "wrong", "answered", "unanswered", "error")
            ),
            pl.col("lost").sum(),
            pl.col("changed").sum(),
            pl.col("changed").count().alias("compared"),
        )
    )
    by_place = {tuple(row[name] for name in (*place, "column")): row for row in counts.iter_rows(named=True)}
    found = matrix.rows.group_by(place).agg(pl.len().alias("items")).sort(place)
    return tuple(
        ModelSummary(
            row["run"], row["model"], row["task"], row["items"],
            tuple(_sense(by_place.get((*(row[n] for n in place), c.number)), c) for c in matrix.columns),
        )
        for row in found.iter_rows(named=True)
    )  # fmt: skip


def _sense(row: dict[str, Any] | None, column: MatrixColumn) -> SenseSummary | None:
    if row is None:
        return None
    counts = (row["lost"], row["changed"], row["unanswered"], row["error"])
    judged = row["right"] + row["wrong"]
    replies = judged + row["answered"] + row["unanswered"]
    if judged:
        # A reply without an answer is not right; a request without a reply is missing.
        statistic, hits, n = "right", row["right"], judged + row["unanswered"]
    elif row["compared"]:
        statistic, hits, n = "same", row["compared"] - row["changed"], row["compared"]
    else:
        statistic, hits, n = "answered", row["answered"], replies
    share = wilson(hits, n)
    if share.value is None or share.low is None or share.high is None:
        return SenseSummary(column, statistic, "–", "no reply", 0, *counts)
    ends = [cell(end, "percentage") for end in (share.low, share.high)]
    return SenseSummary(
        column, statistic, cell(share.value, "percentage"), f"{ends[0]}–{ends[1]}", n, *counts
    )


def lost_counts(matrix: ItemMatrix) -> tuple[tuple[str, int], ...]:
    """The senses in which most cells are lost, by key, with how many."""
    counts = matrix.cells.filter(pl.col("lost")).group_by("column").len()
    most = counts.sort("len", "column", descending=[True, False]).head(6)
    keys = {column.number: column.key for column in matrix.columns}
    return tuple((keys[number], count) for number, count in most.iter_rows())


def heads(matrix: ItemMatrix) -> tuple[str, ...]:
    """Short codes of the senses."""
    return tuple(short_code(column) for column in matrix.columns)
