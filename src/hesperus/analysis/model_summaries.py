"""Every model of every run in every sense: how much is right, and what its questions are marked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
            senses = [
                (column, _answers(held[(column.number,)], items)) if (column.number,) in held else None
                for column in matrix.columns
            ]
            found.append(
                ModelSummary(
                    str(run), str(model), str(task), own.height, _summarized(senses, settings[str(run)])
                )
            )
    return tuple(sorted(found, key=lambda row: (row.run, row.task, row.model)))


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """The cells of a model in a sense: codes of answers and golds [items], whether each is that of the reference, counts."""

    answers: Codes
    gold: Codes
    same: Codes
    counts: tuple[int, int, int, int]


_CODES = {"right": 0, "wrong": 1, "answered": 0, "unanswered": INVALID, "error": FAILED}


def _answers(cells: pl.DataFrame, items: int) -> _Answers:
    """0 is the right answer and 1 a wrong one; in `same`, 0 is that of the reference and 1 another."""
    places, codes = cells["item"].to_numpy(), cells["code"].to_numpy()
    answers = np.full(items, MISSING, np.int32)
    answers[places] = codes
    gold = np.full(items, INVALID, np.int32)
    gold[places[cells["is_gold"].to_numpy()]] = 0
    same = np.full(items, MISSING, np.int32)
    same[places] = cells["changed"].cast(pl.Int32).fill_null(MISSING).to_numpy()
    counts = tuple(int(cells[name].sum() or 0) for name in ("lost", "changed"))
    missing = tuple(int((codes == code).sum()) for code in (INVALID, FAILED))
    return _Answers(answers, gold, same, (counts[0], counts[1], missing[0], missing[1]))


def _summarized(
    senses: Sequence[tuple[MatrixColumn, _Answers] | None], settings: MeasureSettings
) -> tuple[SenseSummary | None, ...]:
    chosen = [None if sense is None else _statistic(sense[1], settings) for sense in senses]
    made = iter(estimates((one[1] for one in chosen if one is not None), settings.bootstrap))
    return tuple(
        None if sense is None or one is None else SenseSummary(sense[0], one[0], next(made), *sense[1].counts)
        for sense, one in zip(senses, chosen, strict=True)
    )


def _statistic(held: _Answers, settings: MeasureSettings) -> tuple[str, Statistic]:
    if (held.gold >= 0).any():
        return "right", accuracy_statistic(held.answers, held.gold, invalid=settings.invalid)
    if (compared := held.same >= 0).any():
        return "same", share_statistic(held.same == 0, compared)
    return "answered", share_statistic(held.answers >= 0, held.answers >= INVALID)


def lost_counts(matrix: ItemMatrix) -> tuple[tuple[str, int], ...]:
    """The senses in which most cells are lost, by key, with how many."""
    counts = matrix.cells.filter(pl.col("lost")).group_by("column").len()
    most = counts.sort("len", "column", descending=[True, False]).head(6)
    keys = {column.number: column.key for column in matrix.columns}
    return tuple((keys[number], count) for number, count in most.iter_rows())
