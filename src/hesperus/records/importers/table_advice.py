"""What to say where a table's columns are not found: what is there, with examples, and the command that would work."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

import polars as pl

from hesperus.records.importers.import_settings import ImportSettings, Source
from hesperus.records.importers.log_names import cut_out, parts_of, slots
from hesperus.records.importers.table_frames import (
    ANSWER_NAMES,
    GOLD_NAMES,
    ITEM_NAMES,
    LANGUAGE_NAMES,
    MODEL_NAMES,
    REPLY_NAMES,
    TEXT_NAMES,
    model_in,
    without_plain_words,
)
from hesperus.records.importers.table_wide import models_named, wide_columns
from hesperus.records.importers.tagging import explicit_tag
from hesperus.tables import INDEX

_MOST, _EXAMPLES, _LONGEST = 40, 3, 24
_LABEL = 3
"""Characters of an answer that is a label."""


def advice(frame: pl.DataFrame, settings: ImportSettings, source: Source) -> str:
    """The columns of a table with examples, and a command that imports it."""
    return f"columns: {'; '.join(_shown(frame))}. Try: {_command(frame, settings, source)}"


def first_of(columns: Sequence[str], names: Iterable[str]) -> str | None:
    """The first of some names that is a column, whatever its case."""
    lowered = {column.lower(): column for column in reversed(columns)}
    return next((lowered[name.lower()] for name in names if name.lower() in lowered), None)


def second_answer(columns: Sequence[str]) -> str | None:
    """A column besides `answer` that may be what the model said; or None."""
    others = (*ANSWER_NAMES, *REPLY_NAMES)
    return first_of(columns, [name for name in others if name not in ("answer", "text")])


def _likely(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The same, or else a nested field of that name: `meta.model`, `response.text`."""
    nested = {column.rpartition(".")[2]: column for column in reversed(columns) if "." in column}
    found = first_of(columns, names)
    inner = None if found is not None else first_of(list(nested), names)
    return found if inner is None else nested[inner]


def language_column(frame: pl.DataFrame) -> str | None:
    """The column that holds languages: by its name, or because its few values are all languages."""
    named = first_of(frame.columns, LANGUAGE_NAMES)
    if named is not None:
        return named
    # Yes and no are codes of languages too.
    labels = {name.lower() for name in (*ANSWER_NAMES, *GOLD_NAMES, *REPLY_NAMES)}
    for column in frame.columns:
        if frame[column].dtype != pl.String or column.rpartition(".")[2].lower() in labels:
            continue
        values = frame[column].drop_nulls().unique()
        if 1 < len(values) <= 300 and all(explicit_tag(value) is not None for value in values):
            return column
    return None


def named_in(piece: str) -> tuple[str | None, str | None]:
    """The model and the language in the name of a file or folder; the language may be before or after the model."""
    rest = without_plain_words(piece)
    parts, language = parts_of(rest), None
    for start, stop, tag in slots(rest):
        # gemma-2-9b-it is no Italian: it is tuned to instructions.
        if tag == "it" and start and parts[start - 1] == "-":
            continue
        language = language or tag
        cut = cut_out(parts, start, stop) if start == 0 or stop == len(parts) else ""
        if cut and (model := model_in(cut)) is not None:
            return model, tag
    return model_in(rest), language


def item_columns(frame: pl.DataFrame, within: Sequence[str], *, usual_only: bool = True) -> tuple[str, ...]:
    """The columns that name an item once in each cell of `within` (language, model, task); empty where none do."""
    held = [name for name in within if name in frame.columns]
    texts = {
        name.lower()
        for name in (*ANSWER_NAMES, *REPLY_NAMES, *GOLD_NAMES, *TEXT_NAMES, *LANGUAGE_NAMES, *MODEL_NAMES)
    }
    others = [
        name
        for name in frame.columns
        if name not in held and name.lower() not in texts and frame[name].dtype in (pl.String, pl.Int64)
    ]
    usual = [name for name in (*ITEM_NAMES, INDEX) if name in frame.columns]
    tried = usual if usual_only else [*usual, *(name for name in others if name not in usual)]
    for name in tried:
        if not frame.select(list(dict.fromkeys((name, *held)))).is_duplicated().any():
            return (name,)
    for name in tried:
        for other in others:
            few = other != name and 2 * frame[other].n_unique() <= len(frame)
            if few and not frame.select(list(dict.fromkeys((name, other, *held)))).is_duplicated().any():
                return (other, name)
    return ()


def _content(frame: pl.DataFrame, columns: Sequence[str]) -> str:
    """What columns hold, for --wide: verdicts, labels, or texts; empty where they are not alike, or hold lists."""
    if any(frame[name].dtype.is_nested() for name in columns):
        return ""
    values = [set(frame[name].cast(pl.String).drop_nulls().str.to_lowercase()) for name in columns]
    every = set().union(*values)
    if every <= {"0", "1", "true", "false"}:
        return "correct"
    if max(map(len, every), default=0) <= _LABEL:
        return "answer"
    return "reply" if all(frame[name].dtype == pl.String for name in columns) else ""


def _shown(frame: pl.DataFrame) -> list[str]:
    shown = []
    for name in frame.columns[:_MOST]:
        values = frame[name].drop_nulls().head(200).unique(maintain_order=True).head(_EXAMPLES).to_list()
        shown.append(f"{name} ({', '.join(_cut(value) for value in values) or 'empty'})")
    if frame.width > _MOST:
        shown.append(f"and {frame.width - _MOST:,} more")
    return shown


def _cut(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _command(frame: pl.DataFrame, settings: ImportSettings, source: Source) -> str:
    flags: list[str] = []
    said, spoken = named_in(source.path.name.split(".")[0])
    gold = _likely(frame.columns, GOLD_NAMES)
    wide = wide_columns(frame.columns, settings, source) if settings.wide_columns is None else []
    language = None if wide else language_column(frame)
    model = _likely(frame.columns, MODEL_NAMES)
    models = models_named(frame.columns, settings) if model is None and not wide else []
    if language is not None:
        flags += ["--map", f"language={language}"]
    elif not wide:
        flags += ["--language-from", f"={spoken or 'TAG'}"]
    if wide:
        flags += ["--wide", settings.wide or _content(frame, [one.column for one in wide]) or "reply"]
    elif len(models) > 1 and (holds := settings.wide or _content(frame, models)):
        flags += ["--columns", "{model}", "--wide", holds]
    else:
        answer, reply = _likely(frame.columns, ANSWER_NAMES), _likely(frame.columns, REPLY_NAMES)
        beside = second_answer(frame.columns)
        if answer == "answer" and gold is None and beside is not None:
            answer, gold = beside, answer
        flags += ["--map", f"answer={answer}"] if answer else ["--map", f"reply={reply or 'COLUMN'}"]
    key = item_columns(frame, [name for name in (language, model) if name], usual_only=False)
    flags += [part for name in key for part in ("--key", name)] if key else ["--key", "COLUMN"]
    if gold is not None and gold != "gold":
        flags += ["--map", f"gold={gold}"]
    if model is not None and model != "model":
        flags += ["--map", f"model={model}"]
    if model is None and "--columns" not in flags and not any(one.model for one in wide):
        flags += ["--model", settings.model or said or "NAME"]
    return shlex.join(["hesperus", "import", str(source.path), "--out", "RUN", *flags])
