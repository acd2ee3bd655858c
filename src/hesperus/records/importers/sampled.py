"""Rows that a reader takes from a log one by one, put into logs: one per language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

import polars as pl

from hesperus.records.importers.import_settings import (
    LOG_COLUMNS,
    ROW_KEY,
    VERDICT,
    ImportSettings,
    LeftOut,
    Log,
    Source,
)
from hesperus.records.importers.log_names import LANGUAGE_FIELDS, About, tag_or_none
from hesperus.records.importers.option_scores import BROKEN, FLAT, softmax
from hesperus.records.importers.tool_answers import gold_labels, read_labels
from hesperus.types import Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One answer as a tool logged it.

    Attributes:
        item: Its id.
        gold: The right answer as the log has it: a letter, a number, a text; None if unknown.
        answer: What the tool took for the answer, or the reply itself; None if absent.
        options: How many lettered options; 0 where the answer is free.
        scores: Log-likelihoods of the options, in their order.
        failed: Why there is no answer, where the log says.
        reply: Raw text.
        repeat: 1, 2, …
        language: BCP-47 tag where the row has its own.
        groups: Group columns.
        verdict: Whether the tool counted it as right, where it says.
    """

    item: str
    gold: str | None
    answer: str | None = None
    options: int = 0
    scores: tuple[float, ...] | None = None
    failed: Outcome | None = None
    reply: str | None = None
    repeat: int = 1
    language: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    verdict: bool | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What all rows of a log share: see Log."""

    source: Source
    model: str
    about: About
    by_row: bool = False
    split: str | None = None
    date: str = ""
    texts: tuple[str, ...] = ()


def logs_of(rows: Iterable[Row], kept: Kept, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """One log per language from the rows of a file."""
    by_language: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_language[row.language or kept.about.language or ""].append(row)
    logs: list[Log] = []
    left: list[LeftOut] = []
    for language, many in by_language.items():
        frame = rows_frame(many, kept.source, left)
        prefix = kept.about.prefix((ROW_KEY,)) if kept.by_row else ""
        if prefix:
            frame = frame.with_columns(item=prefix + pl.col("item"))
        if kept.about.subject is not None and "subject" not in frame.columns:
            frame = frame.with_columns(subject=pl.lit(kept.about.subject))
        own = many[0].language is not None and many[0].language != kept.about.language
        if not settings.replies:
            frame = frame.with_columns(reply=pl.lit(None, dtype=pl.String))
        logs.append(
            Log(
                tool=kept.source.tool,
                place=kept.source.place,
                model=settings.model or kept.model,
                task=kept.about.task,
                language=language,
                rows=frame,
                by_row=kept.by_row,
                split=kept.split,
                date=kept.date,
                instruction=kept.about.instruction,
                own_task=kept.about.own_task,
                name=kept.about.name,
                basis="log" if own else kept.about.basis,
                evidence="field of each item" if own else kept.about.evidence,
                texts=() if language else kept.texts,
                known=kept.about.benchmark is not None,
                given_task=settings.task is not None,
            )
        )
    return logs, left


def own_language(fields: Mapping[str, Any], settings: ImportSettings) -> str | None:
    """The language that a row says of itself; None if it does not, or a rule for the whole log was given."""
    if settings.language_from is None:
        names: tuple[str, ...] = LANGUAGE_FIELDS
    elif settings.language_from.startswith("field:"):
        names = (settings.language_from.removeprefix("field:"),)
    else:
        return None
    return next((tag for name in names if (tag := tag_or_none(fields.get(name), settings)) is not None), None)


def rows_frame(rows: list[Row], source: Source, left: list[LeftOut]) -> pl.DataFrame:
    """The columns of a log from its rows; what is broken is counted in `left`."""
    kind, gold = gold_labels(pl.Series("gold", [row.gold for row in rows], dtype=pl.String))
    lettered = [row.options > 0 for row in rows]
    texts = pl.Series("answer", [row.answer for row in rows], dtype=pl.String)
    read, outcomes = read_labels(texts, "letter" if all(lettered) else kind)
    scored = softmax(pl.Series("scores", [row.scores for row in rows], dtype=pl.List(pl.Float64)))
    columns: dict[str, list[Any]] = {name: [] for name in LOG_COLUMNS}
    for place, row in enumerate(rows):
        labels = list(ascii_uppercase[: row.options]) if row.options else None
        answer, outcome = read[place], outcomes[place]
        if row.scores is not None:
            best = int(scored.best[place])
            answer = labels[best] if labels is not None and best >= 0 else None
            outcome = "answered" if best >= 0 else "error" if scored.broken[place] else "invalid"
        if answer is not None and labels is not None and answer not in labels:
            answer, outcome = None, "invalid"
        if answer is None and row.failed is not None:
            outcome = row.failed
        if row.failed == "error":
            answer, outcome = None, "error"
        right = gold[place] if labels is None or gold[place] in labels else None
        values = (row.item, row.repeat, outcome, answer, right, labels, scored.probs[place], row.reply)
        for values_of, value in zip(columns.values(), values, strict=True):
            values_of.append(value.to_list() if isinstance(value, pl.Series) else value)
    for bad, reason in ((scored.broken, BROKEN), (scored.flat, FLAT)):
        told = [place for place, row in enumerate(rows) if row.scores is not None and bad[place]]
        if told:
            detail = f"first at item {rows[told[0]].item!r}; kept as rows without an answer"
            left.append(LeftOut(reason, len(told), source.place, detail))
    frame = pl.DataFrame(columns, schema=LOG_COLUMNS)
    names = dict.fromkeys(name for row in rows for name in row.groups)
    if any(row.verdict is not None for row in rows):
        frame = frame.with_columns(pl.Series(VERDICT, [row.verdict for row in rows], dtype=pl.Boolean))
    return frame.with_columns(
        pl.Series(name, [row.groups.get(name) for row in rows], dtype=pl.String) for name in names
    )
