"""All that the figures and the page of a similarity study are made of, measured once for a task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hesperus.analysis.answered import Places, with_shares
from hesperus.analysis.measure_names import SIMILARITY
from hesperus.analysis.similarity.all_pairs import tables_of, task_records
from hesperus.analysis.similarity.measured import log_size, measured, sense_of
from hesperus.analysis.similarity.run_arrays import LaidRuns
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.analysis.table import Row, Table
from hesperus.measures import FAILED, INVALID, replied
from hesperus.records import Cell

Square = Mapping[tuple[str, str], Row]
"""Pairs by their two names, both ways round."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of the questions put to one run.

    Attributes:
        cell: The run.
        asked: Questions that count: those with a reply.
        unread: Those with an answer that carries no label.
        failed: Questions that got no reply (error), which do not count.
        accuracy: Share of right answers, invalid ones wrong; None if no question has a gold label.
    """

    cell: Cell
    asked: int
    unread: int
    failed: int
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class SimilarityFindings:
    """The tables of a task, and what is next to them.

    Attributes:
        task: Name of the task.
        tables: As similarity_tables gives them.
        settings: What was compared.
        by: Columns that split the items; means are given for each value too.
        runs: Every run, sorted.
        items: Questions that are compared.
        differing: Questions excluded because their gold differs between runs.
        excluded: Questions excluded by the list of the study.
        without_gold: Questions, among those compared, that have no gold label.
    """

    task: str
    tables: Mapping[str, Table]
    settings: SimilaritySettings
    by: tuple[str, ...]
    runs: tuple[Asked, ...]
    items: int
    differing: int
    excluded: int
    without_gold: int

    @property
    def first(self) -> tuple[Asked, ...]:
        """The runs that are compared: first repeats."""
        return tuple(run for run in self.runs if run.cell.repeat == 1)

    @property
    def models(self) -> tuple[str, ...]:
        """All models, sorted."""
        return tuple(sorted({run.cell.model for run in self.first}))

    @property
    def languages(self) -> tuple[str, ...]:
        """What represents the language of the runs (sense codes), sorted."""
        return tuple(sorted({sense_of(run.cell) for run in self.first}))

    @property
    def statistic(self) -> str:
        """Name of the measure of pairs; ``…_soft`` where it is of probabilities."""
        return str(self.tables["similarity"].rows[0]["statistic"])

    def between_languages(self, model: str) -> Square:
        """Pairs of languages of a model."""
        return self._square(lambda a, b: a.model == b.model == model, sense_of)

    def between_models(self, language: str) -> Square:
        """Pairs of models in a language."""
        return self._square(
            lambda a, b: a.model != b.model and sense_of(a) == sense_of(b) == language,
            lambda cell: cell.model,
        )

    def run_means(self) -> tuple[dict[tuple[str, str], list[float]], dict[tuple[str, str], list[float]]]:
        """Of each run (model, language) the values of its pairs with other languages of its model, and with other models in its language."""
        within: dict[tuple[str, str], list[float]] = {}
        between: dict[tuple[str, str], list[float]] = {}
        for a, b, row in self.pairs():
            held = within if a.model == b.model else between
            for cell in (a, b) if row["value"] is not None else ():
                held.setdefault((cell.model, sense_of(cell)), []).append(float(row["value"]))
        return within, between

    def means(self, design: str, *, by: str | None = None, aggregate: str = "micro") -> list[Row]:
        """Rows of the means of a design."""
        return [
            row
            for row in self.tables["means"].rows
            if (row["design"], row["by"], row["aggregate"]) == (design, by, aggregate)
        ]

    def mean(self, design: str, group: str) -> Row | None:
        """The mean of one group over all items; None if the design has no such group."""
        return next((row for row in self.means(design) if row["group"] == group), None)

    def beside(self, label: str, points: str) -> dict[str, float]:
        """The numbers that a relation sets the means of models or languages against, by model or language.

        They are named as in the columns ``with`` and ``points``.
        """
        if label == "accuracy":
            return self._accuracy(points)
        if label in ("size", "log size"):
            found = {
                model: self.settings.sizes.get(model) if label == "size" else log_size(model, self.settings)
                for model in self.models
            }
        else:
            name = label if label in self.settings.covariates else label.removeprefix("log ")
            numbers = self.settings.covariates[name]
            found = {language: numbers.of(language) for language in self.languages}
        return {name: value for name, value in found.items() if value is not None}

    def _accuracy(self, points: str) -> dict[str, float]:
        members: dict[str, list[float]] = {}
        for run in self.first:
            if run.accuracy is not None:
                name = run.cell.model if points == "model" else sense_of(run.cell)
                members.setdefault(name, []).append(run.accuracy)
        return {name: float(np.mean(held)) for name, held in members.items()}

    def pairs(self) -> Iterator[tuple[Cell, Cell, Row]]:
        """Every pair of runs, of one model or in one language, with its row."""
        # A code of another tool may hold commas and equal signs: cells are looked up by label, never read out of it.
        cells = {(run.cell.model, run.cell.label()): run.cell for run in self.first}
        for row in self.tables["similarity"].rows:
            yield cells[str(row["model_a"]), str(row["a"])], cells[str(row["model_b"]), str(row["b"])], row

    def _square(self, keep: Callable[[Cell, Cell], bool], name: Callable[[Cell], str]) -> Square:
        found: dict[tuple[str, str], Row] = {}
        for a, b, row in self.pairs():
            if keep(a, b):
                found[name(a), name(b)] = found[name(b), name(a)] = row
        return found


def similarity_findings(
    records: pl.DataFrame,
    settings: SimilaritySettings,
    *,
    by: Sequence[str] = (),
    task: str | None = None,
    only: Collection[str] = SIMILARITY,
) -> SimilarityFindings:
    """Measure one task.

    Every figure needs the tables ``similarity`` and ``means``; means are given for each value of `by` too.

    Raises:
        DataError: Several tasks and none named, no two runs to compare, or probabilities are wanted and missing.
        UnknownNameError: No such task or column.
    """
    places = Places(records, ())
    stream = task_records(records, settings, by, task)
    whole = measured(stream.whole(), settings)
    made = tables_of(whole, stream.task, settings, by=by, only=only)
    tables = {name: with_shares(found, places) for name, found in made.items()}
    runs = whole.runs
    asked = [_asked(runs, index, float(accuracy)) for index, accuracy in enumerate(whole.accuracy)]
    return SimilarityFindings(
        stream.task,
        tables,
        settings,
        tuple(by),
        tuple(asked),
        len(runs.items),
        runs.differing,
        _excluded(records, settings, stream.task),
        int((runs.key.gold < 0).sum()),
    )


def _asked(runs: LaidRuns, index: int, accuracy: float) -> Asked:
    codes = runs.codes[index]
    return Asked(
        runs.cells[index],
        int(replied(codes).sum()),
        int((codes == INVALID).sum()),
        int((codes == FAILED).sum()),
        None if np.isnan(accuracy) else accuracy,
    )


def _excluded(records: pl.DataFrame, settings: SimilaritySettings, task: str) -> int:
    """Listed items that the task has; a list may name items of other tasks."""
    if not settings.exclude:
        return 0
    here = records.filter((pl.col("task") == task) & pl.col("item").is_in(list(settings.exclude)))
    return here["item"].n_unique()
