"""What is known of a text in any language: its length in English, its commonest small words, its own letters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from hesperus.languages import language
from hesperus.languages.letters import RANGES, letters_of, scripts_for

_BY_SCRIPT = {
    "Arab": 0.89, "Armn": 1.15, "Beng": 0.97, "Cyrl": 1.07, "Deva": 0.94, "Ethi": 0.65, "Geor": 1.16, "Grek": 1.2,
    "Gujr": 0.94, "Guru": 0.97, "Hans": 0.37, "Hant": 0.35, "Hebr": 0.8, "Jpan": 0.5, "Khmr": 1.34, "Knda": 1.11,
    "Kore": 0.45, "Laoo": 1.12, "Mlym": 1.22, "Mymr": 1.4, "Olck": 1.03, "Orya": 1.04, "Sinh": 1.0, "Taml": 1.27,
    "Telu": 1.06, "Thai": 1.1, "Tibt": 1.4,
}  # fmt: skip
_ELSEWHERE = 1.07
"""The median of the languages in Latin script."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a language.

    Attributes:
        length: Characters, blanks left out, of a text relative to its English.
        words: Its commonest small words, case folded; empty where they are not known.
        letters: Its letters but a to z, case folded; empty where the words are not known.
    """

    length: float
    words: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()


@cache
def _table() -> Mapping[str, Facts]:
    text = (files("hesperus.translation.degeneration") / "languages.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType(
        {
            row[0]: Facts(
                float(row[1]),
                frozenset(row[2].casefold().split()) if len(row) > 2 else frozenset(),
                frozenset(row[3]) if len(row) > 3 else frozenset(),
            )
            for row in rows
        }
    )


@cache
def own_tag(tag: str) -> str:
    """The tag under which a language is in the table; itself if it is not."""
    known = language(tag)
    base = known.tag.split("-")[0]
    for name in (known.tag, f"{base}-{known.script}"):
        if name in _table():
            return name
    return base if known.script == language(base).script else known.tag


@cache
def facts(tag: str) -> Facts:
    """The facts of a language; of one that the table lacks, the length that is usual in its script."""
    found = _table().get(own_tag(tag))
    return found or Facts(_BY_SCRIPT.get(language(tag).script, _ELSEWHERE))


@cache
def owners_of(script: str) -> Mapping[str, tuple[str, ...]]:
    """Small words of the languages of a script, each with the tags of those that have it."""
    owners: dict[str, list[str]] = {}
    for tag, row in _table().items():
        if row.words and language(tag).script == script:
            for word in row.words:
                owners.setdefault(word, []).append(tag)
    return MappingProxyType({word: tuple(tags) for word, tags in owners.items()})


_AS_IN_ENGLISH = re.compile("[0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")


def english_length(text: str, tag: str) -> float:
    """Characters, blanks left out, that the English of a text has as a rule.

    Each character counts for as many as the language usually has English ones for one of its own; in a language of
    another script than Latin, names, units and digits in the midst count for themselves. So the numbers, names and
    glosses of which a short Chinese or Arabic text may be made do not make it look long.
    """
    count = sum(not character.isspace() for character in text)
    plain = 0 if language(tag).script == "Latn" else len(_AS_IN_ENGLISH.findall(text))
    return plain + (count - plain) / facts(tag).length


@cache
def own_letters(tag: str) -> re.Pattern[str] | None:
    """Finds runs of letters of a language's script; None if the script is not known here."""
    scripts = scripts_for(language(tag).script)
    return letters_of(scripts) if RANGES.keys() >= set(scripts) else None


@cache
def _other_letters(tag: str) -> re.Pattern[str]:
    own = scripts_for(language(tag).script)
    return letters_of(tuple(script for script in RANGES if script not in own))


def foreign_runs(text: str, tag: str) -> list[str]:
    """Runs of letters that belong to other scripts than that of a language; digits and marks alone do not count."""
    return [run for run in _other_letters(tag).findall(text) if any(map(str.isalpha, run))]


def count_own(text: str, tag: str) -> int:
    """Letters (and vowel signs) of a language's script in a text."""
    own = own_letters(tag)
    return sum(map(len, own.findall(text))) if own else 0
