"""Rows that a reader takes from a log one by one, put into logs: one per language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any

import polars as pl

from hesperus.errors import DataError
from hesperus.normalization import comparable
from hesperus.records.importers.asked_texts import with_texts
from hesperus.records.importers.benchmark_table import COMMON_GROUPS
from hesperus.records.importers.import_settings import (
    LOG_COLUMNS,
    ROW_KEY,
    VERDICT,
    ImportSettings,
    LeftOut,
    Log,
    Source,
)
from hesperus.records.importers.log_names import About, tag_or_none
from hesperus.records.importers.option_scores import BROKEN, FLAT, softmax
from hesperus.records.importers.texts import text_of
from hesperus.records.importers.tool_answers import gold_labels, read_labels
from hesperus.tables import LANGUAGE_COLUMNS
from hesperus.types import Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One answer as a tool logged it.

    Attributes:
        item: Its id.
        gold: The right answer as the log has it: a letter, a number, a text; None if unknown.
        also_right: Further right answers, as the log has them. An answer that is one of them becomes the first, which is
            the label; scores of options have but one, so that such a row has no gold.
        answer: What the tool took for the answer, or the reply itself; None if absent.
        options: How many lettered options; 0 where the answer is free.
        scores: Log-likelihoods of the options, in their order.
        failed: Why there is no answer, where the log says.
        reply: Raw text.
        repeat: 1, 2, …
        language: BCP-47 tag where the row has its own.
        groups: Group columns.
        verdict: Whether the tool counted it as right, where it says.
        asked: The texts of the item (see hesperus.records.importers.asked_texts).
    """

    item: str
    gold: str | None
    also_right: tuple[str, ...] = ()
    answer: str | None = None
    options: int = 0
    scores: tuple[float, ...] | None = None
    failed: Outcome | None = None
    reply: str | None = None
    repeat: int = 1
    language: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    verdict: bool | None = None
    asked: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """What all logs of a file share: see Log."""

    source: Source
    model: str
    about: About
    by_row: bool = False
    split: str | None = None
    date: str = ""
    texts: tuple[str, ...] = ()
    from_replies: bool = False

    def log(
        self, rows: pl.DataFrame, language: str, settings: ImportSettings, *, own_language: bool = False
    ) -> Log:
        """The log of the rows in one language.

        Args:
            rows: LOG_COLUMNS and group columns.
            language: BCP-47 tag; empty where the log alone does not tell.
            settings: Name the model, and say whether replies are kept.
            own_language: Whether each row says its language itself.
        """
        if not settings.replies and not self.from_replies:  # those are still to be read
            rows = rows.with_columns(reply=pl.lit(None, dtype=pl.String))
        about = self.about
        return Log(
            tool=self.source.tool,
            place=self.source.place,
            model=settings.model or self.model,
            task=about.task,
            language=language,
            rows=rows,
            by_row=self.by_row,
            split=self.split,
            date=self.date,
            instruction=about.instruction,
            own_task=about.own_task,
            name=about.name,
            basis="log" if own_language else about.basis,
            evidence="field of each item" if own_language else about.evidence,
            texts=() if language else self.texts,
            known=about.benchmark is not None,
            given_task=settings.task is not None,
            from_replies=self.from_replies,
        )


def logs_of(rows: Iterable[Row], kept: Kept, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """One log per language from the rows of a file."""
    by_language: dict[str, list[Row]] = defaultdict(list)
    common = None if kept.about.is_of_first_item else kept.about.language
    for row in rows:
        by_language[row.language or common or ""].append(row)
    if kept.by_row and len(by_language) > 1:
        by_language = _counted_apart(by_language)
    logs: list[Log] = []
    left: list[LeftOut] = []
    for language, many in by_language.items():
        frame = rows_frame(many, kept.source, left)
        if settings.texts:
            frame = with_texts(frame, [row.asked for row in many])
        prefix = kept.about.prefix((ROW_KEY,)) if kept.by_row else ""
        if prefix:
            frame = frame.with_columns(item=prefix + pl.col("item"))
        if kept.about.subject is not None and "subject" not in frame.columns:
            frame = frame.with_columns(subject=pl.lit(kept.about.subject))
        own = many[0].language is not None and many[0].language != kept.about.language
        logs.append(kept.log(frame, language, settings, own_language=own))
    return logs, left


def _counted_apart(by_language: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """Rows that a tool numbered through all languages, numbered within each; others as they are."""
    items = {language: {row.item for row in rows} for language, rows in by_language.items()}
    every = set().union(*items.values())
    if len(every) < sum(map(len, items.values())) or not all(map(str.isdecimal, every)):
        return dict(by_language)
    found = {}
    for language, rows in by_language.items():
        places = {item: str(place) for place, item in enumerate(sorted(items[language], key=int))}
        found[language] = [replace(row, item=places[row.item]) for row in rows]
    return found


def item_id(fields: Mapping[str, Any], otherwise: str, settings: ImportSettings, source: Source) -> str:
    """The id of an item by the user's key; `otherwise` if none was given, or the number of the row.

    Raises:
        DataError: The item lacks a field of the key.
    """
    if settings.key in ((), (ROW_KEY,)):
        return otherwise
    for name in settings.key:
        if name not in fields:
            shown = ", ".join(map(str, fields)) or "none"
            raise DataError(f"no field {name!r}; there is {shown}", file=source.place, item=otherwise)
    return "/".join(text_of(fields[name]) or "" for name in settings.key)


def groups_in(fields: Mapping[str, Any], settings: ImportSettings) -> dict[str, str]:
    """Group columns of an item: the usual ones and those that the user wants, as far as it has them."""
    names = (*COMMON_GROUPS, *settings.groups)
    return {name: text for name in names if (text := text_of(fields.get(name))) is not None}


def own_language(fields: Mapping[str, Any], settings: ImportSettings) -> str | None:
    """The language that a row says of itself; None if it does not, or a rule for the whole log was given."""
    if settings.language_from is None:
        names: tuple[str, ...] = LANGUAGE_COLUMNS
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
    several: list[str] = []
    strange: list[str] = []
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
        right = gold[place]
        if row.also_right and row.scores is None and answer is not None:
            answer = right if comparable(answer) in map(comparable, row.also_right) else answer
        elif row.also_right and row.scores is not None:
            right, several = None, [*several, row.item]
        if right is not None and labels is not None and right not in labels:
            right, strange = None, [*strange, row.item]
        values = (row.item, row.repeat, outcome, answer, right, labels, scored.probs[place], row.reply)
        for values_of, value in zip(columns.values(), values, strict=True):
            values_of.append(value.to_list() if isinstance(value, pl.Series) else value)
    for bad, reason in ((scored.broken, BROKEN), (scored.flat, FLAT)):
        told = [place for place, row in enumerate(rows) if row.scores is not None and bad[place]]
        if told:
            detail = f"first at item {rows[told[0]].item!r}; kept as rows without an answer"
            left.append(LeftOut(reason, len(told), source.place, detail))
    for items, reason in (
        (several, "several right options"),
        (strange, "the right answer is no option"),
    ):
        if items:
            detail = f"first at item {items[0]!r}; kept without gold"
            left.append(LeftOut(reason, len(items), source.place, detail))
    frame = pl.DataFrame(columns, schema=LOG_COLUMNS)
    names = dict.fromkeys(name for row in rows for name in row.groups)
    if any(row.verdict is not None for row in rows):
        frame = frame.with_columns(pl.Series(VERDICT, [row.verdict for row in rows], dtype=pl.Boolean))
    return frame.with_columns(
        pl.Series(name, [row.groups.get(name) for row in rows], dtype=pl.String) for name in names
    )
