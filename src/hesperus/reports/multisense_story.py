"""What a report says in words: one finding a sentence, each with its interval and what it rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from operator import not_
from typing import Any

import polars as pl

from hesperus.analysis.compared_pairs import Pair, compared_statistic
from hesperus.analysis.interval_text import brackets_text
from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.reports.tabulated import estimate_text
from hesperus.types import Sense
from hesperus.wording import (
    counted,
    few_or_counted,
    joined,
    language_name,
    lost_sentences,
    parsed,
    sense_label,
    sense_sentence,
)

# Accuracy of more original languages than these is told by the lowest and the highest.
_MOST_ORIGINALS = 3

Found = tuple[Pair, Mapping[str, Any]]


def title(records: pl.DataFrame) -> str:
    """The question that the report answers."""
    models = sorted(records["model"].unique())
    whom = f"{'Is' if len(models) == 1 else 'Are'} {few_or_counted(models, 'model')}"
    codes = {*records["input"].unique(), *records["instruction"].unique()}
    tags = {sense.language for code in codes if (sense := parsed(code))}
    return f"{whom} consistent" + (f" across {len(tags)} languages?" if len(tags) > 1 else "?")


def headlines(found: MultisenseFindings, own: Collection[str] = ()) -> list[str]:
    """One sentence a model and task: how often its answer stays the same.

    What was translated has a sentence for each language that it was translated from. Originals alone have one sentence for
    all their pairs, which names both languages of the pairs at its ends. `own` are senses that are known to be made by the
    answering model itself (see wording.own_senses).
    """
    groups: dict[tuple[str, str, str], list[Found]] = {}
    rows = compared_statistic(found.consistency, "consistency")
    kinds = ("T",) if any(pair.kind == "T" for pair, _ in rows) else ("versions",)
    for pair, row in rows:
        if pair.kind in kinds:
            source = pair.source or "" if kinds == ("T",) else ""
            groups.setdefault((str(row["model"]), str(row["task"]), source), []).append((pair, row))
    tasks, sources = {key[1] for key in groups}, {key[2] for key in groups}
    told = []
    for (model, task, source), members in groups.items():
        what = f" of {task}" if len(tasks) > 1 else ""
        what += f" from {language_name(_language(source))}" if len(sources) > 1 else ""
        told.append(_told(model, what, members, own))
    return told


def _language(code: str) -> str:
    sense = parsed(code)
    return sense.language if sense else code


def _told(model: str, what: str, members: Sequence[Found], own: Collection[str]) -> str:
    ordered = sorted(members, key=lambda member: (member[1]["value"], member[0].target or ""))
    (low_pair, low), (high_pair, high) = ordered[0], ordered[-1]
    same, of = (
        f"{model}: same answer to {estimate_text(low, 'share')}",
        row_count([row for _, row in members]),
    )
    if len(members) == 1:
        return f"{same} of {of}{what} {_when(low_pair, own)}."
    plain = [
        sense for pair, _ in members if (sense := parsed(pair.target or "")) and _is_own_translation(sense)
    ]
    if len(plain) == len(members):
        languages = len({sense.language for sense in plain})
        itself = all(sense.code in own for sense in plain)
        when = (
            f"after it translated them into {languages} other languages itself"
            if itself
            else f"after translation into {languages} other languages"
        )
        names = (
            language_name(_language(low_pair.target or "")),
            language_name(_language(high_pair.target or "")),
        )
    elif all(pair.kind == "versions" for pair, _ in members):
        when = (
            f"in two of {len({code for pair, _ in members for code in (pair.source, pair.target)})} languages"
        )
        names = _languages(low_pair), _languages(high_pair)
    else:
        when = f"put in {len(members)} other ways"
        names = low_pair.target_label, high_pair.target_label
    if low["value"] == high["value"]:
        return f"{same} of {of}{what} {when}, the same for each."
    return f"{same} ({names[0]}) up to {estimate_text(high, 'share')} ({names[1]}) of {of}{what} {when}."


def row_count(rows: Sequence[Mapping[str, Any]]) -> str:
    """``200 questions``, or their range: ``180 to 200 questions``."""
    least, *_, most = sorted(int(row["n"]) for row in (*rows, *rows))
    return (f"{least:,} to " if least < most else "") + counted(most, "question")


def _languages(pair: Pair, between: str = " and ") -> str:
    return between.join(language_name(_language(code)) for code in (pair.source or "", pair.target or ""))


def _is_own_translation(sense: Sense) -> bool:
    return bool(sense.source) and not (sense.variant or sense.maker or sense.via)


def _when(pair: Pair, own: Collection[str]) -> str:
    sense = parsed(pair.target or "")
    if sense is None or sense.is_original:
        return f"in {_languages(pair, ' and in ')}"
    if _is_own_translation(sense) and sense.code not in own:
        return f"after translation into {language_name(sense.language)}"
    if _is_own_translation(sense):
        return f"after it translated them into {language_name(sense.language)} itself"
    return f"put in another way ({sense_sentence(sense.code, own)})"


def asides(found: MultisenseFindings, records: pl.DataFrame) -> list[str]:
    """What to hold the headline against: the noise floor, accuracy, and replies that could not be read."""
    told = [*_noise(found), *_accuracy(found)]
    if any(row["low"] is not None for row in found.consistency.rows):
        told.append(brackets_text(found.level, "question"))
    return [*told, *lost_sentences(records["outcome"], "below, every number says how it counts them")]


def _noise(found: MultisenseFindings) -> list[str]:
    """How often the same prompt gets the same answer; models of which the same is true are in one sentence."""
    told: dict[tuple[str, str], list[str]] = {}
    for pair, row in compared_statistic(found.consistency, "consistency"):
        if pair.kind == "repeat" and pair.a.repeat == 1 and pair.b.repeat == 2 and pair.source:
            name = language_name(_language(pair.source))
            what = f"{estimate_text(row, 'share')} of {counted(int(row['n']), 'question')}"
            told.setdefault((name, what), []).append(str(row["model"]))
    return [
        f"Noise floor: asked the same in {name} twice, {few_or_counted(models, 'model', 4)}"
        f"{' each' * (len(models) > 1)}: same answer to {what}."
        for (name, what), models in told.items()
    ][:6]


def _accuracy(found: MultisenseFindings) -> list[str]:
    by_model: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in found.accuracy.rows:
        if row["instruction"] == row["input"] and row["repeat"] == 1 and row["value"] is not None:
            by_model.setdefault((str(row["model"]), str(row["task"])), []).append(row)
    told = []
    for (model, task), rows in by_model.items():
        of = f" on {task}" if len({key[1] for key in by_model}) > 1 else ""
        senses = [parsed(str(row["input"])) for row in rows]
        origins = {sense.origin for sense in senses if sense is not None and not sense.is_original}
        is_original = [sense is not None and sense.is_original for sense in senses]
        originals = list(compress(rows, is_original))
        others = list(compress(rows, map(not_, is_original)))
        started = [row for row in originals if row["input"] in origins] or originals
        parts = _original_accuracies(started)
        if others:
            worst, *_, best = sorted((*others, *others), key=lambda row: (row["value"], row["input"]))
            one = f"{estimate_text(worst, 'share')} in {sense_label(str(worst['input']))}"
            ends = f"{estimate_text(worst, 'share')} to {estimate_text(best, 'share')} in the versions that were made"
            parts.append(ends if len(others) > 1 else one)
        if parts:
            asked = row_count(rows)
            told.append(f"{model}: accuracy{of} {joined(parts)}, of {asked}.")
    return told[:6]


def _original_accuracies(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each language, or, of many, the lowest and the highest."""
    if len(rows) <= _MOST_ORIGINALS:
        return [f"{estimate_text(row, 'share')} in {language_name(str(row['input']))}" for row in rows]
    ordered = sorted(rows, key=lambda row: (row["value"], row["input"]))
    ends = [
        f"{estimate_text(row, 'share')} ({language_name(str(row['input']))})"
        for row in (ordered[0], ordered[-1])
    ]
    return [f"{' to '.join(ends)} in {len(rows)} languages"]
