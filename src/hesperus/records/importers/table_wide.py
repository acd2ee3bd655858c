"""Tables with a column per language, per model, or per both: which columns these are, and a row per answer from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from hesperus.errors import DataError, UsageError
from hesperus.records.importers.import_settings import ImportSettings, LeftOut, Source
from hesperus.records.importers.log_names import tag_or_none
from hesperus.records.importers.table_frames import (
    ANSWER_WORDS,
    GOLD_NAMES,
    ITEM_NAMES,
    LANGUAGE_NAMES,
    NOT_ANSWERS,
    TEXT_NAMES,
    model_in,
)
from hesperus.tables import INDEX

_LAST = re.compile(r"(?:(.+?)[._/: |-]+)??([^._/: |-]+(?:[_-](?:[A-Z][a-z]{3}|[A-Z]{2}))?)")
_FIRST = re.compile(r"([A-Za-z]{2,3}(?:[_-](?:[A-Z][a-z]{3}|[A-Z]{2}))?)[._/: |-]+(.+)")


@dataclass(frozen=True, slots=True)
class WideColumn:
    """A column of answers.

    Attributes:
        column: Its name.
        language: Tag, or None if the columns are one per model.
        model: What the name says of the model, or None.
    """

    column: str
    language: str | None
    model: str | None = None


def wide_columns(columns: Sequence[str], settings: ImportSettings, source: Source) -> list[WideColumn]:
    """The columns that hold answers, by the user's pattern, or by languages in their names.

    Raises:
        UsageError: The pattern has no place for language or model, or fits no column.
    """
    if settings.wide_columns is not None:
        return _by_pattern(settings.wide_columns, columns, settings, source)
    taken = {*settings.columns.values(), *settings.key, *settings.groups}
    if "item" not in (*columns, *settings.columns) and not settings.key:
        # A column called id is the item's id, not Indonesian.
        taken |= {"id", "ID", "Id"}
    heads: dict[str, list[WideColumn]] = {}
    for column in columns:
        if column in taken:
            continue
        for head, tag in _splits(column, settings):
            heads.setdefault(head, []).append(WideColumn(column, tag, head or None))
    heads = {head: many for head, many in heads.items() if _words(head).isdisjoint(NOT_ANSWERS)}
    several = {head: many for head, many in heads.items() if len({one.language for one in many}) > 1}
    answers = {head: many for head, many in several.items() if not _words(head).isdisjoint(ANSWER_WORDS)}
    chosen = answers or several
    # A model that was asked in one language only is next to those that were asked in more.
    tags = {one.language for many in chosen.values() for one in many}
    for head, many in heads.items():
        is_like = not answers or not _words(head).isdisjoint(ANSWER_WORDS)
        if (
            head
            and head not in chosen
            and is_like
            and "" not in chosen
            and {one.language for one in many} <= tags
        ):
            chosen[head] = many
    return _named(chosen)


def unknown_languages(columns: Sequence[str], found: Sequence[WideColumn], source: Source) -> list[LeftOut]:
    """Columns of answers in a language that is not known."""
    known = {one.column for one in found}
    heads = {one.column.removesuffix(tail) for one in found if (tail := _tail(one.column)) != one.column}
    strange = [
        column for column in columns if column not in known and column.removesuffix(_tail(column)) in heads
    ]
    return [
        LeftOut(
            "language not known",
            0,
            source.place,
            f"column {column!r}: {_tail(column)!r} is no language; give --language {_tail(column)}=TAG",
        )
        for column in strange
    ]


def lengthened(
    frame: pl.DataFrame, found: Sequence[WideColumn], value: str, source: Source
) -> tuple[pl.DataFrame, list[LeftOut]]:
    """A row per answer, from a row per item; cells that hold nothing were not asked, and are counted.

    Raises:
        DataError: A column of the new rows is there already.
    """
    for name in (value, *(["language"] if found[0].language else []), *(["model"] if found[0].model else [])):
        if name in frame.columns and name not in {one.column for one in found}:
            raise DataError(
                f"a column {name!r} stands beside columns named by languages or models", file=source.place
            )
    wide = [one.column for one in found]
    others = [name for name in frame.columns if name not in wide]
    long = frame.with_columns(pl.col(name).cast(pl.String) for name in wide).unpivot(
        wide, index=others, variable_name="(column)", value_name=value
    )
    said: Mapping[str, Mapping[str, str | None]] = {
        "language": {one.column: one.language for one in found},
        "model": {one.column: one.model for one in found},
    }
    for name, values in said.items():
        if any(values.values()):
            long = long.with_columns(
                pl.col("(column)").replace_strict(values, default=None, return_dtype=pl.String).alias(name)
            )
    there = long.filter(pl.col(value).is_not_null())
    left = []
    if len(there) < len(long):
        detail = "these cells are empty: the item was not asked in this language, or the answer is missing"
        left.append(LeftOut("cell empty", len(long) - len(there), source.place, detail))
    return there.drop("(column)"), left


def _splits(column: str, settings: ImportSettings) -> Iterable[tuple[str, str]]:
    """Ways to take a language off a name: what remains, and the tag."""
    whole = tag_or_none(column, settings)
    if whole is not None:
        return [("", whole)]
    last = _LAST.fullmatch(column)
    tag = tag_or_none(last[2], settings) if last is not None and last[1] else None
    if last is not None and tag is not None:
        return [(last[1], tag)]
    first = _FIRST.fullmatch(column)
    tag = tag_or_none(first[1], settings) if first is not None else None
    return [(first[2], tag)] if first is not None and tag is not None else []


def _tail(column: str) -> str:
    match = _LAST.fullmatch(column)
    return match[2] if match is not None and match[1] else column


def _words(text: str) -> set[str]:
    return set(re.split(r"[._/: |-]+", text.lower())) - {""}


def _named(groups: Mapping[str, Sequence[WideColumn]]) -> list[WideColumn]:
    """The columns of some groups, with the words that only say that they are answers taken off the model's name."""
    found = []
    for head, many in groups.items():
        parts = re.split(r"([._/: |-]+)", head)
        while parts and parts[0].lower() in ANSWER_WORDS:
            parts = parts[2:]
        while parts and parts[-1].lower() in ANSWER_WORDS:
            parts = parts[:-2]
        model = "".join(parts) or None
        found += [WideColumn(one.column, one.language, model) for one in many]
    return found


def models_named(columns: Sequence[str], settings: ImportSettings) -> list[str]:
    """The columns that models are named by; of other columns, those that no other thing is."""
    others = _no_answers(columns, settings)
    return [column for column in columns if column not in others]


def _no_answers(columns: Sequence[str], settings: ImportSettings) -> set[str]:
    known = {*ITEM_NAMES, *GOLD_NAMES, *TEXT_NAMES, *LANGUAGE_NAMES, "answer", "options", INDEX, "id"}
    taken = {*settings.columns.values(), *settings.key, *settings.groups}
    models = {column for column in columns if model_in(column) is not None}
    return {
        column
        for column in columns
        if column in taken or column.lower() in known or (models and column not in models)
    }


def _by_pattern(
    pattern: str, columns: Sequence[str], settings: ImportSettings, source: Source
) -> list[WideColumn]:
    slots = [slot for slot in ("language", "model") if pattern.count(f"{{{slot}}}") == 1]
    if not slots:
        raise UsageError(
            f"--columns {pattern!r}: write {{language}} or {{model}} where it stands, as in 'answer_{{language}}'"
        )
    text = re.escape(pattern)
    for slot in slots:
        text = text.replace(re.escape(f"{{{slot}}}"), f"(?P<{slot}>.+)")
    others = _no_answers(columns, settings) if pattern == "{model}" else set()
    found = []
    for column in columns:
        if column in others:
            continue
        match = re.fullmatch(text, column)
        groups = match.groupdict() if match is not None else {}
        tag = tag_or_none(groups["language"], settings) if "language" in groups else None
        if match is not None and (tag is not None or "language" not in slots):
            found.append(WideColumn(column, tag, groups.get("model")))
    if not found:
        raise UsageError(f"--columns {pattern!r} fits no column of {source.place}: {', '.join(columns)}")
    return found
