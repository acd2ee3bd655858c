"""The consistency card: per language the numbers that an auditor needs, on one page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.reply_language import language_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.summary_table import SummaryCells, run_notes, summary_cells, summary_table
from hesperus.analysis.table import Row
from hesperus.analysis.tokens import tokens_table
from hesperus.records import Run
from hesperus.reports.blocks import Block, Page, Section, Sentences, anchor, note
from hesperus.reports.columns import column
from hesperus.reports.provenance import cited, made
from hesperus.reports.tabulated import tabulated
from hesperus.wording import few_or_counted

Key = tuple[str, str, str, str]

_READ = (
    "A language costs more where its prompts take more tokens, and a share of right answers says little where few were "
    "answered. Reference: what the language was made from, else English.",
)


def consistency_card(run: Run, settings: MeasureSettings, *, labels: bool = True) -> Page:
    """The card of a run.

    Args:
        run: The run.
        settings: How it is measured.
        labels: Whether answers are labels; of open answers neither right nor same answers are counted here.

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
        yield tabulated(
            "A line for each language.",
            rows,
            (replace(column("sense"), heading="Language"),),
            "card",
            folds=None,
        )


def _further(run: Run, settings: MeasureSettings) -> dict[Key, list[Row]]:
    """Language of replies and tokens, by model, task and sense."""
    found: dict[Key, list[Row]] = {}
    tables = (
        language_table(run.records, settings),
        tokens_table(run.records, settings),
    )
    for one in tables:
        for row in one.rows:
            if row.get("repeat", 1) == 1:
                key = (str(row["model"]), str(row["task"]), str(row["instruction"]), str(row["input"]))
                found.setdefault(key, []).append({**row, "excluded": 0})
    return found
