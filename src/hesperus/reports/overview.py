"""What is on every page before any other number: the summary of the run, and the sentences that must not be missed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import outcomes_table
from hesperus.analysis.summary_table import nothing_answered, run_notes, summary_table
from hesperus.analysis.table import Table
from hesperus.records import Run
from hesperus.records.labels import free_texts
from hesperus.reports.blocks import Block, Page, Section, Sentences, note
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid
from hesperus.reports.multisense_grids import outcomes_grid, overview_grid
from hesperus.reports.provenance import made


@dataclass(frozen=True, slots=True)
class Overview:
    """The head of a page.

    Attributes:
        grid: A line for each model and language.
        notes: What the numbers do not say by themselves, a sentence each.
    """

    grid: Grid | None
    notes: tuple[str, ...]

    @property
    def blocks(self) -> tuple[Block | None, ...]:
        """As the page shows it."""
        return Sentences.of(self.notes), self.grid


def overview(
    records: pl.DataFrame,
    settings: MeasureSettings,
    *,
    signature: Mapping[str, object] | None = None,
    labels: bool = True,
    summary: Table | None = None,
) -> Overview:
    """Sum a run up for its page.

    Args:
        records: The records table.
        settings: How it is measured.
        signature: The run's, in which the notes of its task are.
        labels: Whether answers are labels; of open answers only what became of the questions is said.
        summary: The summary of the whole run, where it has been made.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    found = summary or summary_table(records, settings=replace(settings, by=()), labels=labels)
    return Overview(overview_grid(found, labels=labels), tuple(run_notes(found, records, signature or {})))


_TEXTS = (
    "Answers are texts of their own, without options and without right answers: how many are the same word for word says "
    "nothing. `hesperus evaluate information RUN --reference LANGUAGE` compares what they say; `hesperus view RUN` shows them side by side."
)


@dataclass(frozen=True, slots=True)
class OutcomesReport:
    """The page of a run without a label to measure: that sentence, and what became of the questions.

    Attributes:
        title: Of the page.
        said: The sentence.
        grid: What became of the questions, by model and prompt; None if nothing was asked.
        notes: Why, as far as the records tell.
        settings: How the shares were measured.
    """

    title: str
    said: str
    grid: Grid | None
    notes: tuple[str, ...]
    settings: MeasureSettings

    def drawings(self) -> list[Drawing]:
        """None: there is nothing to draw."""
        return []

    def page(self, run: Run) -> Page:
        """The page."""
        measured = interval_text(self.settings.bootstrap) if self.grid else ""
        blocks = (
            Section("What became of the questions", "summary"),
            Sentences.of(self.notes),
            self.grid,
            Section("How it was measured" if self.grid else "How it was declared", "measured"),
            Sentences.of([measured] if measured else []),
            *made(run, self.settings.signed()),
        )
        return Page.of(self.title, [note(self.said, level="lead")], blocks)


_UNSCORED = "The answers are there, but not yet compared: no evaluation is in the run folder. The same hesperus run goes on where it stopped."


def outcomes_report(run: Run, settings: MeasureSettings, *, unscored: bool = False) -> OutcomesReport | None:
    """The page of a run in which no question was answered, or all answers are texts of their own; None of any other.

    Args:
        run: The run.
        settings: How it would be measured.
        unscored: Whether it is one of open answers that was stopped before they were evaluated.
    """
    records = run.records
    settings = replace(settings, by=())
    if records.is_empty():
        return OutcomesReport(
            "Nothing was asked", "There is no record, hence nothing to measure.", None, (), settings
        )
    title, said = "Nothing was answered", "No question has an answer, hence there is nothing to measure."
    if not nothing_answered(records):
        if not unscored and set(records["task"].unique()) - set(free_texts(records)):
            return None
        title, said = ("Not evaluated yet", _UNSCORED) if unscored else ("Answers without labels", _TEXTS)
    summary = summary_table(records, settings=settings, labels=False)
    notes = tuple(run_notes(summary, records, run.signature))
    return OutcomesReport(title, said, outcomes_grid(outcomes_table(records, settings)), notes, settings)
