"""What is on every page before any other number, and the consistency card: the summary of the run and what must not be missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.reply_language import language_table
from hesperus.analysis.run_notes import run_notes
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
from hesperus.reports.study_pages import Report, ready_report
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


_UNSCORED = "The answers are there, but not yet compared: no evaluation is in the run folder. The same `hesperus run` goes on where it stopped."


_ALONE = (
    "One model in one language, hence no two runs to compare: whether answers are right is all that can be said. `hesperus run` "
    "with one more `--language` or `--model` asks the same questions again."
)


def outcomes_report(run: Run, settings: MeasureSettings) -> Report:
    """The page of a run of which no question was answered."""
    if run.records.is_empty():
        return _said("Nothing was asked", "There is no record, hence nothing to measure.", run, settings)
    return _outcomes(
        "Nothing was answered", "No question has an answer, hence there is nothing to measure.", run, settings
    )


def unlabelled_report(run: Run, settings: MeasureSettings) -> Report | None:
    """The page of a run in which all answers are texts of their own, with no label to measure; None of any other."""
    if set(run.records["task"].unique()) - set(free_texts(run.records)):
        return None
    return _outcomes("Answers without labels", _TEXTS, run, settings)


def unscored_report(run: Run, settings: MeasureSettings) -> Report:
    """The page of a run of open answers that was stopped before they were evaluated."""
    return _outcomes("Not evaluated yet", _UNSCORED, run, settings)


def lone_report(run: Run, settings: MeasureSettings) -> Report | None:
    """The page of a run that has no two runs to compare; None of any other."""
    runs = run.records.select("task", "model", "instruction", "input").unique()
    if runs.height != runs["task"].n_unique():
        return None
    settings = replace(settings, by=())
    summary = summary_table(run.records, settings=settings)
    return _said("Nothing to compare", _ALONE, run, settings, summary, overview_grid(summary))


def _outcomes(title: str, said: str, run: Run, settings: MeasureSettings) -> Report:
    """What became of the questions, by model and prompt."""
    settings = replace(settings, by=())
    summary = summary_table(run.records, settings=settings, labels=False)
    return _said(title, said, run, settings, summary, outcomes_grid(outcomes_table(run.records, settings)))


def _said(
    title: str,
    said: str,
    run: Run,
    settings: MeasureSettings,
    summary: Table | None = None,
    grid: Grid | None = None,
) -> Report:
    """A page that says why there is nothing to measure, and what became of the questions, as far as the records tell."""
    notes = () if summary is None else run_notes(summary, run.records, run.signature)
    blocks = (
        Section("What became of the questions", "summary"),
        Sentences.of(notes),
        grid,
        Section("How it was measured" if grid else "How it was declared", "measured"),
        Sentences.of([interval_text(settings.bootstrap)] if grid else []),
        *made(run, replace(settings, by=()).signed()),
    )
    return ready_report(title, [note(said, level="lead")], blocks, claims=("summary",))


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
