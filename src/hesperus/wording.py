"""How languages, senses, statistics and numbers are called wherever a person reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

import polars as pl

from hesperus.errors import UnknownNameError
from hesperus.languages import language
from hesperus.rounding import cell
from hesperus.types import Sense

MISSING = "–"

OUTCOME_WORDS: Mapping[str, str] = {
    "answered": "answered",
    "invalid": "invalid",
    "empty": "empty",
    "truncated": "cut off",
    "refused": "refused",
    "blocked": "blocked",
    "wrong_language": "wrong language",
    "error": "error",
}


@lru_cache(maxsize=1024)
def language_name(tag: str) -> str:
    """English name of a language; the tag itself where it is not known."""
    try:
        return language(tag).name
    except UnknownNameError:
        return tag


SCORE_NAMES = {"bleu": "BLEU", "chrf": "chrF", "comet": "COMET", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2",
               "rougeL": "ROUGE-L"}  # fmt: skip


def language_label(tag: str) -> str:
    """English name and tag: ``German (de)``."""
    name = language_name(tag)
    return name if name == tag else f"{name} ({tag})"


def direction(tag: str) -> str:
    """``rtl`` or ``ltr``; unknown languages run from left to right."""
    try:
        return language(tag).direction
    except UnknownNameError:
        return "ltr"


@lru_cache(maxsize=1024)
def parsed(code: str) -> Sense | None:
    """The sense of a code, or None for a code of another tool."""
    try:
        return Sense.parse(code)
    except ValueError:
        return None


def sense_label(code: str) -> str:
    """Short label of a sense: ``German (de) from English``."""
    sense = parsed(code)
    if sense is None:
        return code
    label = language_label(sense.language)
    if sense.source:
        label += f" from {language_name(sense.source)}"
    if sense.via:
        label += f" via {language_name(sense.via)}"
    if sense.variant:
        label += f", {sense.variant}"
    return f"{label}, by {sense.maker}" if sense.maker else label


def sense_brief(code: str) -> str:
    """The same without the tag: ``German from English``; a code of another tool as it is."""
    return sense_label(code).replace(f" ({sense.language})", "") if (sense := parsed(code)) else code


def target_label(code: str) -> str:
    """Label of a sense next to its origin: a plain translation by the model itself is called by its language alone."""
    sense = parsed(code)
    if sense is not None and sense.is_original:
        return f"{language_label(sense.language)}, original"
    if sense is None or sense.variant or sense.maker or sense.via:
        return sense_label(code)
    return language_label(sense.language)


def language_or_code(code: str) -> str:
    """English name of an original's language; a sense in words; the code itself if it is no sense."""
    sense = parsed(code)
    if sense is None:
        return code
    return language_name(sense.language) if sense.is_original else sense_label(code)


def target_brief(code: str) -> str:
    """The same without the tag: ``German``."""
    return target_label(code).replace(f" ({sense.language})", "") if (sense := parsed(code)) else code


_ASKED_HERE = ("multisense", "translation_tax", "translate_then_evaluate")


def own_senses(study: Mapping[str, object], items: pl.DataFrame | None) -> frozenset[str]:
    """Codes of senses of which it is known that the answering model made them itself.

    A code such as ``de_from_en`` names no maker. Who made it is known where hesperus asked the model for it (a study), or
    where the items of the run name the model of each text; of imported answers it is not.

    Args:
        study: The `study.yaml` of the run; empty if absent.
        items: The items of the run, or None.
    """
    if items is None or not {"input", "model"} <= set(items.columns):
        return frozenset()
    if study.get("study") not in _ASKED_HERE:
        return frozenset()
    return frozenset(items.filter(pl.col("model").is_not_null())["input"].drop_nulls().unique())


def sense_sentence(code: str, own: Collection[str] = ()) -> str:
    """A sense in words: ``German, translated from English by the model itself``.

    Args:
        code: Sense code.
        own: Senses that are known to be made by the answering model (see own_senses); of others no maker is named.
    """
    sense = parsed(code)
    if sense is None:
        return code
    maker = sense.maker or ("the model itself" if code in own else "")
    by = f" by {maker}" if maker else ""
    label = language_name(sense.language)
    if sense.is_original:
        return f"{label}, as the benchmark has it"
    if sense.source:
        label += f", translated from {language_name(sense.source)}{by}"
    elif sense.via:
        label += f", translated into {language_name(sense.via)} and back{by}"
    if sense.variant:
        label += f", {sense.variant}" + ("" if sense.source or sense.via else by)
    return label


def joined(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def counted(count: int, name: str) -> str:
    """``1 item``, ``1,200 items``, ``3 replies``."""
    plural = f"{name[:-1]}ies" if name.endswith("ply") else f"{name}s"
    return f"{count:,} {name if count == 1 else plural}"


def first_named(names: Sequence[str], most: int = 12) -> str:
    """``a, b, c``; of more than `most` the first, and how many more there are: ``a, b and 102 more``."""
    rest = len(names) - most
    return ", ".join(names) if rest <= 0 else f"{', '.join(names[:most])} and {rest:,} more"


def few_or_counted(names: Sequence[str], kind: str, most: int = 3) -> str:
    """Names, or how many there are: ``a, b and c``, ``12 models``."""
    return joined(list(names)) if len(names) <= most else counted(len(names), kind)


def lost_sentences(outcomes: pl.Series, rest: str) -> list[str]:
    """What became of questions that have no answer: replies that could not be read, and requests that got no reply.

    Args:
        outcomes: Outcome of each question.
        rest: What is done with replies without an answer, after a semicolon.
    """
    failed = int((outcomes == "error").sum())
    replies = len(outcomes) - failed
    unread = replies - int((outcomes == "answered").sum())
    told = []
    if unread:
        share = cell(unread / replies, "share")
        told.append(f"{unread:,} of {replies:,} replies ({share}) carry no valid answer; {rest}.")
    elif replies:
        told.append(f"All {replies:,} replies could be read.")
    if failed:
        told.append(
            f"{counted(failed, 'question')} of {len(outcomes):,} got no reply (error): missing data, in no number."
        )
    return told


def property_names(name: str) -> str:
    """A property without underscores."""
    return name.replace("_", " ")
