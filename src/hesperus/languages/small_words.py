"""Whether a text is plainly in the language asked for: by a script that only this language has, or by small words.

It spares the identification of texts that need none, which costs ten times as much as reading the reply. What is not
plain is left to `hesperus.languages.identification`. The words of ``small_words.csv`` are frequent in one language and
rare in the others; they were counted in SIB-200 (Adelani and others 2024).
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

from hesperus.languages.identification import IDEOGRAPHS, MIN_LETTERS, are_alike, is_identified
from hesperus.languages.letters import RANGES, letters_of, scripts_for
from hesperus.languages.tags import language

_SENTENCE = re.compile(r"(?<=[.!?…؟।॥۔])[\"')]* |\n")
_WORD = re.compile(r"[^\s.,;:!?\"()\[\]،؛؟।۔…]+")
_LONGEST = 1_200
"""Characters of a text that is looked at here; longer ones are identified."""
_WORDS_FOR_ONE = 8
_FEWEST = 2
"""A sentence is plain that holds two of the small words, and one for every eight words."""
_FOREIGN = 7
"""A text is plain by its script if for each letter of another script it has so many of this one."""
_ONE_LANGUAGE = frozenset(
    {
        "Armn",
        "Ethi",
        "Geor",
        "Grek",
        "Gujr",
        "Guru",
        "Hang",
        "Khmr",
        "Knda",
        "Laoo",
        "Mlym",
        "Mymr",
        "Sinh",
        "Taml",
    }
    | {"Telu", "Thai"}
)
"""Scripts in which one language is identified only."""


def plainly_in(text: str, tag: str) -> bool:
    """Whether every sentence of a text is plainly in a language, or too short to be in another; False says nothing.

    >>> plainly_in("The capital of Peru is Lima, and it lies by the sea.", "en")
    True

    Args:
        text: Any text; of more than 1,200 characters nothing is said.
        tag: Language asked for, BCP-47.
    """
    if len(text) > _LONGEST:
        return False
    scripts = _scripts(tag)
    if len(text) < _fewest_letters(scripts) and _other_letters(scripts).search(text) is None:
        return True
    own = tuple(script for script in scripts if script in _ONE_LANGUAGE)
    if own and is_identified(tag):
        return _mostly(text, own)
    words = _small_words(tag)
    return bool(words) and all(
        _is_plain(sentence, words) for sentence in _SENTENCE.split(text.lower()) if sentence
    )


def _is_plain(sentence: str, words: frozenset[str]) -> bool:
    said = _WORD.findall(sentence)
    known = sum(map(words.__contains__, said))
    return known >= _FEWEST and known * _WORDS_FOR_ONE >= len(said)


def _mostly(text: str, scripts: tuple[str, ...]) -> bool:
    own = sum(map(len, letters_of(scripts).findall(text)))
    other = sum(map(len, _other_letters(scripts).findall(text)))
    return own > 0 and other * _FOREIGN <= own


@cache
def _other_letters(scripts: tuple[str, ...]) -> re.Pattern[str]:
    return letters_of(tuple(name for name in RANGES if name not in scripts))


@cache
def _scripts(tag: str) -> tuple[str, ...]:
    return scripts_for(language(tag).script)


def _fewest_letters(scripts: tuple[str, ...]) -> int:
    """Letters from which a text of these scripts is identified."""
    return MIN_LETTERS // 3 if not IDEOGRAPHS.isdisjoint(scripts) else MIN_LETTERS


@cache
def _small_words(tag: str) -> frozenset[str]:
    base = language(tag).tag.split("-")[0]
    listed = _listed()
    found = listed.get(base)
    if found is None or _scripts(tag) != _scripts(base):
        return frozenset()
    others = (words for other, words in listed.items() if not are_alike(other, base))
    return found.difference(*others)


@cache
def _listed() -> dict[str, frozenset[str]]:
    text = (files("hesperus.languages") / "small_words.csv").read_text(encoding="utf-8")
    return {row["language"]: frozenset(row["words"].split()) for row in csv.DictReader(text.splitlines())}
