"""What is on every page before any other number: the summary of the run, and the sentences that must not be missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.pairs import Side
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import outcomes_table
from hesperus.analysis.summary_table import (
    nothing_answered,
    run_notes,
    summary_cells,
    summary_table,
)
from hesperus.analysis.table import Table
from hesperus.records import Run
from hesperus.reports.blocks import Block, Column, Grid, Number, Page, Section, Sentences, Value, count
from hesperus.reports.drawing import Drawing
from hesperus.reports.number_cells import left_out, number_cell, share_cell
from hesperus.reports.provenance import made
from hesperus.wording import MISSING, OUTCOME_WORDS, parsed, sense_label

_COLUMNS = {
    "accuracy": ("Right, %", share_cell),
    "consistency": ("Same answer as the reference, %", share_cell),
    "kappa_p": ("κp", number_cell),
    "repeat_consistency": ("Asked again, %", share_cell),
    "chance": ("By chance, %", share_cell),
}
"""Statistic of a summary to its column on a page."""

_LABELS = (
    "Every model and language. Reference: what the language was made from, else English. κp: agreement with it beyond what "
    "accuracy alone gives."
)
_OPEN = "Every model and language."


@dataclass(frozen=True, slots=True)
class Overview:
    """The head of a page.

    Attributes:
        grid: A line for each model and language.
        notes: What the numbers do not say by themselves, a sentence each.
    """

    grid: Grid
    notes: tuple[str, ...]

    @property
    def blocks(self) -> tuple[Block, Block]:
        """As the page shows it: of a table in which every number is the same its caption says all."""
        short = self.grid.told_once()
        if not any(column.numeric for column in short.columns):
            return Sentences.of(self.notes), Sentences((short.caption,), "aside")
        return Sentences.of(self.notes), self.grid


def overview(
    records: pl.DataFrame,
    settings: MeasureSettings,
    *,
    signature: Mapping[str, object] | None = None,
    labels: bool = True,
) -> Overview:
    """Sum a run up for its page.

    Args:
        records: The records table.
        settings: How it is measured.
        signature: The run's, in which the notes of its task are.
        labels: Whether answers are labels; of open answers only what became of the questions is said.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    found = summary_table(records, settings=replace(settings, by=()), labels=labels)
    return Overview(_grid(found, labels=labels), tuple(run_notes(found, records, signature or {})))


def _grid(found: Table, *, labels: bool) -> Grid:
    keys, lines = summary_cells(found)
    who = [place for place, name in enumerate(keys[:-1]) if len({key[place] for key in lines}) > 1]
    statistics = _COLUMNS if labels else {}
    cells = []
    for key, line in lines.items():
        answered = line["answered"]
        measured = [row for name, row in line.items() if name in statistics and row["value"] is not None]
        reference = line["consistency"]["reference"] if "consistency" in line else None
        cells.append(
            (*(str(key[place]) for place in who), _language(str(answered["instruction"]), str(answered["input"])),
             _share(answered), count(answered['n']),
             *(_shown(line.get(name), show) for name, (_, show) in statistics.items()),
             *((sense_label(str(reference)) if reference else MISSING, left_out(measured)) if labels else ()))
        )  # fmt: skip
    heads = (*(Column(keys[place].capitalize()) for place in who), Column("Language"), Column("Answered, %", True),
             Column("Asked", True), *(Column(name, True) for name, _ in statistics.values()),
             *((Column("Reference"), Column("Left out", True)) if labels else ()))  # fmt: skip
    return Grid(_LABELS if labels else _OPEN, heads, tuple(cells), folded=True)


def _shown(row: Mapping[str, object] | None, show: Callable[[Mapping[str, Any] | None], Value]) -> Value:
    """A statistic; why it is undefined is in the notes."""
    return MISSING if row is not None and row["value"] is None else show(row)


def _language(instruction: str, given: str) -> str:
    """The sense of the input; with the instruction's where that is in another language."""
    first, second = parsed(instruction), parsed(given)
    same = first is not None and second is not None and first.language == second.language
    return sense_label(given) if same else Side(instruction, given).label


def _share(row: Mapping[str, Any]) -> Value:
    return Number(row["value"], "percentage")


@dataclass(frozen=True, slots=True)
class NothingReport:
    """The page of a run in which no question was answered: that sentence, and what became of the questions.

    Attributes:
        said: The sentence.
        grid: What became of the questions, by model and prompt.
        notes: Why, as far as the records tell.
        settings: How the shares were measured.
    """

    said: str
    grid: Grid
    notes: tuple[str, ...]
    settings: MeasureSettings

    def drawings(self) -> list[Drawing]:
        """None: there is nothing to draw."""
        return []

    def page(self, run: Run) -> Page:
        """The page."""
        blocks = (
            Section("What became of the questions", "summary"),
            Sentences.of(self.notes),
            self.grid,
            Section("How it was measured", "measured"),
            Sentences((interval_text(self.settings.bootstrap),)),
            *made(run, self.settings.signed()),
        )
        return Page.of(
            "Nothing was answered", [Sentences((f"{self.said[0].upper()}{self.said[1:]}.",), "lead")], blocks
        )


def nothing_report(run: Run, settings: MeasureSettings) -> NothingReport | None:
    """The page of a run in which no question was answered; None if one was.

    Args:
        run: The run.
        settings: How it would be measured.
    """
    records = run.records
    said = nothing_answered(records)
    if not said or records.is_empty():
        return None
    settings = replace(settings, by=())
    summary = summary_table(records, settings=settings, labels=False)
    notes = tuple(run_notes(summary, records, run.signature))
    return NothingReport(said, _outcomes(records, settings), notes, settings)


def _outcomes(records: pl.DataFrame, settings: MeasureSettings) -> Grid:
    found = outcomes_table(records, bootstrap=settings.bootstrap)
    lines: dict[tuple[str, ...], dict[str, Mapping[str, object]]] = {}
    for row in found.rows:
        key = tuple(str(row[name]) for name in ("model", "task", "instruction", "input", "repeat"))
        lines.setdefault(key, {})[str(row["statistic"])] = row
    present = [
        name for name in OUTCOME_WORDS if any(name in line and line[name]["value"] for line in lines.values())
    ]
    cells = tuple(
        (*key, *(share_cell(line[name]) if name in line else MISSING for name in present),
         count(next(iter(line.values()))['n']))
        for key, line in lines.items()
    )  # fmt: skip
    heads = (*(Column(name) for name in ("Model", "Task", "Instruction", "Input", "Repeat")),
             *(Column(f"{OUTCOME_WORDS[name]}, %", True) for name in present), Column("Asked", True))  # fmt: skip
    return Grid("What became of the questions.", heads, cells)
