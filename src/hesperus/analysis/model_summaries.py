"""Every model of every run in every sense: how much is right, and what its questions are marked with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.analysis.settings import MeasureSettings
from hesperus.measures import Statistic, accuracy_statistic, estimates, share_statistic
from hesperus.records import FAILED, INVALID, MISSING, Codes
from hesperus.types import Estimate


@dataclass(frozen=True, slots=True)
class SenseSummary:
    """A model in a sense.

    Attributes:
        column: The sense.
        statistic: ``right`` (of the replies to items with gold); if there is no gold, ``same`` as the reference (of the
            pairs of answers); of free texts and of a reference without gold, ``answered`` (of the replies).
        share: Its estimate.
        lost, changed, unanswered, error: Questions.
    """

    column: MatrixColumn
    statistic: str
    share: Estimate
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


_PLACE = ["run", "task", "model"]


def summaries(matrix: ItemMatrix, settings: Mapping[str, MeasureSettings]) -> tuple[ModelSummary, ...]:
    """A row for each run, task and model; every number and its interval is that of the run's report.

    The settings are those of each run, by its name.
    """
    cells = matrix.cells.select(
        "row", "column", "changed", "lost",
        code=pl.col("mark").replace_strict(_CODES, return_dtype=pl.Int32),
        is_gold=pl.col("gold").is_not_null() & ~pl.col("open"),
    )  # fmt: skip
    placed = matrix.rows.select("row", *_PLACE, item=pl.col("item").rank("dense").over("run", "task") - 1)
    found = []
    for (run, task), rows in placed.partition_by("run", "task", as_dict=True).items():
        items = int(rows["item"].n_unique())
        for (model,), own in rows.partition_by("model", as_dict=True, maintain_order=True).items():
            held = cells.join(own.select("row", "item"), on="row").partition_by("column", as_dict=True)
            senses = tuple(_senses(matrix.columns, held, items, settings[str(run)]))
            found.append(ModelSummary(str(run), str(model), str(task), own.height, senses))
    return tuple(sorted(found, key=lambda row: (row.run, row.task, row.model)))


_CODES = {"right": 0, "wrong": 1, "answered": 0, "unanswered": INVALID, "error": FAILED}


def _senses(
    columns: Sequence[MatrixColumn],
    held: Mapping[tuple[object, ...], pl.DataFrame],
    items: int,
    settings: MeasureSettings,
) -> Iterator[SenseSummary | None]:
    """A model in each sense, from its cells by the number of the column; all shares are of the same resamples."""
    there = {column: held[(column.number,)] for column in columns if (column.number,) in held}
    chosen = {column: _statistic(cells, items, settings) for column, cells in there.items()}
    shares = iter(estimates((statistic for _, statistic in chosen.values()), settings.bootstrap))
    for column in columns:
        if column not in there:
            yield None
            continue
        cells = there[column]
        lost, changed = (int(cells[name].sum() or 0) for name in ("lost", "changed"))
        unanswered, error = (int((cells["code"] == code).sum()) for code in (INVALID, FAILED))
        yield SenseSummary(column, chosen[column][0], next(shares), lost, changed, unanswered, error)


def _statistic(cells: pl.DataFrame, items: int, settings: MeasureSettings) -> tuple[str, Statistic]:
    """Codes are laid out by item: 0 is the right answer and 1 a wrong one; in `same`, 0 is that of the reference."""
    places = cells["item"].to_numpy()

    def laid(codes: pl.Series, absent: int) -> Codes:
        found = np.full(items, absent, np.int32)
        found[places] = codes.cast(pl.Int32).fill_null(absent).to_numpy()
        return found

    answers, same = laid(cells["code"], MISSING), laid(cells["changed"], MISSING)
    if cells["is_gold"].any():
        gold = np.full(items, INVALID, np.int32)
        gold[places[cells["is_gold"].to_numpy()]] = 0
        return "right", accuracy_statistic(answers, gold, invalid=settings.invalid)
    if (compared := same >= 0).any():
        return "same", share_statistic(same == 0, compared)
    return "answered", share_statistic(answers >= 0, answers >= INVALID)


def lost_counts(matrix: ItemMatrix) -> tuple[tuple[str, int], ...]:
    """The senses in which most cells are lost, by key, with how many."""
    counts = matrix.cells.filter(pl.col("lost")).group_by("column").len()
    most = counts.sort("len", "column", descending=[True, False]).head(6)
    keys = {column.number: column.key for column in matrix.columns}
    return tuple((keys[number], count) for number, count in most.iter_rows())
