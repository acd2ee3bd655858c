"""The consistency card: per language the numbers that an auditor needs, on one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.reply_language import language_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.summary_table import run_notes, summary_cells, summary_table
from hesperus.analysis.table import Row
from hesperus.analysis.tokens import tokens_table
from hesperus.records import Run
from hesperus.reports.blocks import Block, Column, Grid, Page, Section, Sentences, Value, anchor, count
from hesperus.reports.number_cells import left_out, number_cell, share_cell
from hesperus.reports.provenance import cited, made
from hesperus.wording import MISSING, joined, sense_label

Key = tuple[str, str, str, str]

_HEADS = (
    Column("Language"),
    Column("Right, %", True),
    Column("Same answer as the reference, %", True),
    Column("Asked again, %", True),
    Column("Answered, %", True),
    Column("Refused, %", True),
    Column("Reply in its language, %", True),
    Column("Prompt tokens, times the reference", True),
    Column("Reply tokens, times the reference", True),
    Column("Asked", True),
    Column("Left out"),
)
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
        f"Consistency card of {joined(models) if len(models) < 4 else f'{len(models)} models'}",
        lead,
        [
            *_models(run, settings, summary_cells(summary)[1]),
            Section("How it was measured", "measured"),
            Sentences((interval_text(settings.bootstrap),)),
            *made(run, summary.signature),
            cited(),
        ],
    )


def _models(run: Run, settings: MeasureSettings, lines: Mapping[tuple[object, ...], Any]) -> Iterator[Block]:
    """A table for each model and task."""
    further = _further(run, settings)
    tables: dict[tuple[str, str], list[tuple[Value, ...]]] = {}
    for key, line in lines.items():
        model, task = str(key[0]), str(key[1])
        answered = line["answered"]
        sense = (str(answered["instruction"]), str(answered["input"]))
        tables.setdefault((model, task), []).append(
            _line(sense[1], line, further.get((model, task, *sense), {}))
        )
    for (model, task), rows in tables.items():
        title = f"{model}, {task}"
        yield Section(title, anchor(title))
        yield Grid("A line for each language.", _HEADS, tuple(rows))


def _line(code: str, line: Mapping[str, Row], further: Mapping[str, Row]) -> tuple[Value, ...]:
    measured = [row for name in ("accuracy", "consistency") if (row := line.get(name)) is not None]
    return (
        sense_label(code),
        *(share_cell(line.get(name)) for name in ("accuracy", "consistency", "repeat_consistency", "answered", "refused")),
        share_cell(further.get("right_language")),
        *(number_cell(further.get(f"{kind}_ratio")) for kind in ("tokens_in", "tokens_out")),
        count(line["answered"]["n"]),
        left_out(measured) if measured else MISSING,
    )  # fmt: skip


def _further(run: Run, settings: MeasureSettings) -> dict[Key, dict[str, Row]]:
    """Language of replies and tokens, by model, task and sense."""
    found: dict[Key, dict[str, Row]] = {}
    tables = (
        language_table(run.records, bootstrap=settings.bootstrap),
        tokens_table(run.records, bootstrap=settings.bootstrap),
    )
    for one in tables:
        for row in one.rows:
            if row.get("repeat", 1) == 1:
                key = (str(row["model"]), str(row["task"]), str(row["instruction"]), str(row["input"]))
                found.setdefault(key, {})[str(row["statistic"])] = row
    return found
