"""What is on every page before any other number, and the consistency card: the summary of the run and what must not be missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.reply_language import language_table
from hesperus.analysis.run_notes import nothing_answered, run_notes
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import outcomes_table
from hesperus.analysis.summary import SummaryCells, summary_cells, summary_table
from hesperus.analysis.table import Row, Table
from hesperus.analysis.tokens import tokens_table
from hesperus.records import Run
from hesperus.records.labels import free_texts
from hesperus.reports.blocks import Block, Page, Section, Sentences, anchor, fold, note
from hesperus.reports.columns import column
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid
from hesperus.reports.multisense_grids import outcomes_grid, overview_grid
from hesperus.reports.provenance import cited, made
from hesperus.reports.tabulated import tabulated
from hesperus.wording import counted, few_or_counted


def overview(
    records: pl.DataFrame,
    signature: Mapping[str, object],
    settings: MeasureSettings,
    *,
    labels: bool = True,
    summary: Table | None = None,
) -> tuple[Block | None, ...]:
    """The notes of a run, and its summary with a line for each model and language.

    Of open answers, without `labels`, only what became of the questions is said.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    found = summary or summary_table(records, settings=replace(settings, by=()), labels=labels)
    notes = run_notes(found, records, signature)
    rest = notes[_MOST_NOTES:]
    return (
        Sentences.of(notes[:_MOST_NOTES]),
        fold(counted(len(rest), "more note"), Sentences.of(rest)) if rest else None,
        overview_grid(found, labels=labels),
    )


def replies_blocks(outcomes: Table, drawn: Sequence[Drawing] = ()) -> Iterator[Block | None]:
    """What became of the replies of each model in each language; nothing where all of them carry an answer."""
    if any(row["statistic"] != "answered" and row["value"] for row in outcomes.rows):
        yield Section("What became of the replies", "replies", listed="Replies")
        yield from drawn
        yield outcomes_grid(outcomes)


_MOST_NOTES = 12
"""Notes that are read before the numbers; of 200 models each may have one, and the others are folded."""

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

    @property
    def claims(self) -> tuple[str, ...]:
        """See hesperus.reports.html.Report."""
        return ("summary",)

    @property
    def measured(self) -> Mapping[str, Table]:
        """See hesperus.reports.html.Report."""
        return {}

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


_UNSCORED = "The answers are there, but not yet compared: no evaluation is in the run folder. The same `hesperus run` goes on where it stopped."


_ALONE = (
    "One model in one language, hence no two runs to compare: whether answers are right is all that can be said. `hesperus run` "
    "with one more `--language` or `--model` asks the same questions again."
)


def is_single(records: pl.DataFrame) -> bool:
    """Whether no task has two runs, of whatever model, instruction or input, that could be compared."""
    runs = records.select("task", "model", "instruction", "input").unique()
    return not runs.is_empty() and runs.height == runs["task"].n_unique()


def outcomes_report(
    run: Run, settings: MeasureSettings, *, unscored: bool = False, is_alone: bool = False
) -> OutcomesReport | None:
    """The page of a run without anything to compare or measure; None of any other.

    No question was answered, all answers are texts of their own, or it is said that there is a single run.

    Args:
        run: The run.
        settings: How it would be measured.
        unscored: Whether it is one of open answers that was stopped before they were evaluated.
        is_alone: Whether it holds no two runs that its page would compare.
    """
    records = run.records
    settings = replace(settings, by=())
    if is_alone and not nothing_answered(records):
        summary = summary_table(records, settings=settings)
        told = tuple(run_notes(summary, records, run.signature))
        return OutcomesReport("Nothing to compare", _ALONE, overview_grid(summary), told, settings)
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


Key = tuple[str, str, str, str]

_READ = (
    "A language costs more where its prompts take more tokens, and a share of right answers says little where few were "
    "answered. Reference: what the language was made from, else English.",
)


def consistency_card(run: Run, settings: MeasureSettings, *, labels: bool = True) -> Page:
    """The card of a run.

    Of open answers, without `labels`, neither right nor same answers are counted.

    Raises:
        DataError: An item has different numbers of options in different senses.
    """
    settings = replace(settings, by=())
    models = run.records["model"].unique().sort().to_list()
    summary = summary_table(run.records, settings=settings, labels=labels)
    lead = (Sentences(_READ), Sentences.of(run_notes(summary, run.records, run.signature), "aside"))
    return Page.of(
        f"Consistency card of {few_or_counted(models, 'model')}",
        lead,
        [
            *_models(run, settings, summary_cells(summary)[1]),
            Section("How it was measured", "measured"),
            note(interval_text(settings.bootstrap)),
            *made(run, summary.signature),
            cited(),
        ],
    )


def _models(run: Run, settings: MeasureSettings, lines: SummaryCells) -> Iterator[Block | None]:
    """A table for each model and task."""
    further = _further(run, settings)
    tables: dict[tuple[str, str], list[Row]] = {}
    for (model, task, *_), line in lines.items():
        answered = line["answered"]
        place = (str(model), str(task), str(answered["instruction"]), str(answered["input"]))
        said = {"sense": answered["input"], "asked": answered["n"]}
        measured = [*line.values(), *further.get(place, ())]
        tables.setdefault(place[:2], []).extend({**row, **said} for row in measured)
    for (model, task), rows in tables.items():
        title = f"{model}, {task}"
        yield Section(title, anchor(title))
        key = replace(column("sense"), heading="Language")
        yield tabulated("A line for each language.", rows, (key,), "card", folds=None)


def _further(run: Run, settings: MeasureSettings) -> dict[Key, list[Row]]:
    """Language of replies and tokens, by model, task and sense."""
    found: dict[Key, list[Row]] = {}
    for one in (language_table(run.records, settings), tokens_table(run.records, settings)):
        for row in one.rows:
            if row.get("repeat", 1) == 1:
                key = (str(row["model"]), str(row["task"]), str(row["instruction"]), str(row["input"]))
                found.setdefault(key, []).append({**row, "excluded": 0})
    return found
