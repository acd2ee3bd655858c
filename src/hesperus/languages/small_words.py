"""Whether a text is plainly in the language asked for: by a script that only this language has, or by small words.

It spares the identification of texts that need none, which costs ten times as much as reading the reply. What is not
plain is left to `hesperus.languages.identification`. The words of ``small_words.csv`` are the most frequent ones of each
language in SIB-200 (Adelani and others 2024) and the words of its pack; ``python -m benchmarks small_words`` writes them.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from hesperus.languages.identification import (
    FEWEST_PLAIN,
    MIN_LETTERS,
    are_alike,
    is_identified,
    written_in,
)
from hesperus.languages.letters import IDEOGRAPHS, RANGES, letter_weights, letters_of
from hesperus.languages.tags import base_tag

_SENTENCE_END = re.compile(r"[.!?…؟।॥۔][\"')\]]* ")
_JAPANESE_SENTENCE = re.compile(r"[.!?…\n]")
_SIGNS = re.compile(r"[.,;:!?\"()\[\]،؛؟।۔…]")
"""What ends a word next to blanks."""
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff]")
_LONGEST = 6_000
"""Characters of a text that is looked at here; longer ones are identified."""
_SHORT = 3 * MIN_LETTERS
"""Characters of a text of which it is asked whether it has enough letters to be identified at all."""
_MOST_WORDS = 255
"""Words of a sentence whose counts fit in a byte."""
_WORDS_FOR_ONE, _WORDS_FOR_LEAD = 8, 4
_LEAD = 2
"""A sentence is plain that holds two more small words of its language than of any other, and one for every eight words;
or one more for every four words."""
_FOREIGN = 5
"""A text is plain by its script if for each letter of another script it has so many of this one: then no sentence that
holds more of the other can have a third of all letters."""
_ONE_LANGUAGE = frozenset(
    {"Armn", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hang", "Khmr", "Knda", "Laoo", "Mlym", "Mymr", "Sinh", "Taml"}
    | {"Telu", "Thai"}
)  # fmt: skip
"""Scripts in which one language is identified only."""


def plainly_in(text: str, tag: str) -> bool:
    """Whether so much of a text is plainly in a language that the rest cannot make it one in another, or it is too short.

    >>> plainly_in("The capital of Peru is Lima, and it lies by the sea.", "en")
    True

    Args:
        text: Any text; of more than 6,000 characters nothing is said. False says nothing either.
        tag: Language asked for, BCP-47.
    """
    if len(text) > _LONGEST:
        return False
    scripts = written_in(tag)
    if len(text) <= _SHORT and _is_too_short(text, scripts):
        return True
    if not is_identified(tag):
        return False
    if not _OWN_SCRIPTS.isdisjoint(scripts):
        return _is_plain_script(text, scripts)
    small = _small_words(tag)
    if small is None:
        return False
    plain = rest = 0
    for sentence in _SENTENCE_END.sub("\n", text.lower()).split("\n"):
        if small.is_plain(sentence):
            plain += len(sentence)
        else:
            rest += len(sentence)
    return plain > 2 * rest


def _is_too_short(text: str, scripts: tuple[str, ...]) -> bool:
    """Whether a text has too few letters to be told to be in another language, by its own script or by others."""
    weight = 1 if IDEOGRAPHS.isdisjoint(scripts) else 3
    if weight * sum(map(len, letters_of(scripts).findall(text))) >= MIN_LETTERS:
        return False
    own, other = letter_weights(text, scripts)
    return own < MIN_LETTERS and other < FEWEST_PLAIN


@dataclass(frozen=True, slots=True)
class _SmallWords:
    """Small words as one language counts them.

    Attributes:
        votes: To each word a number with a byte for each language: 1 where the word is small in it, the own one first.
        languages: How many bytes a number has.
    """

    votes: dict[str, int]
    languages: int

    def is_plain(self, sentence: str) -> bool:
        """Whether a lower-case sentence is plainly in the language."""
        said = _SIGNS.sub(" ", sentence).split()
        counted = sum(filter(None, map(self.votes.get, said)))
        if len(said) > _MOST_WORDS or counted & _MOST_WORDS == 0:
            return False
        counts = counted.to_bytes(self.languages, "little")
        own = counts[0]
        lead = own - max(counts[1:])
        return (lead >= _LEAD and own * _WORDS_FOR_ONE >= len(said)) or (
            lead > 0 and lead * _WORDS_FOR_LEAD >= len(said)
        )


_OWN_SCRIPTS = _ONE_LANGUAGE | IDEOGRAPHS


def _is_plain_script(text: str, scripts: tuple[str, ...]) -> bool:
    """Chinese has no kana, and Japanese has some in every sentence."""
    if "Hira" in scripts:
        if not all(_KANA.search(part) for part in _JAPANESE_SENTENCE.split(text) if len(part) > 1):
            return False
    elif "Hani" in scripts and "Hang" not in scripts and _KANA.search(text) is not None:
        return False
    telling = tuple(script for script in scripts if script in _ONE_LANGUAGE)
    own = sum(map(len, letters_of(telling or scripts).findall(text))) * (1 if telling else 3)
    return own > 0 and _FOREIGN * sum(map(len, _other_letters(scripts).findall(text))) <= own


@cache
def _other_letters(scripts: tuple[str, ...]) -> re.Pattern[str]:
    return letters_of(tuple(name for name in RANGES if name not in scripts))


@cache
def _small_words(tag: str) -> _SmallWords | None:
    """The small words of a language, its own and those of others; None if none are known."""
    base = base_tag(tag)
    listed = _listed()
    if base not in listed or written_in(tag) != written_in(base):
        return None
    columns = [listed[base], *(words for other, words in listed.items() if not are_alike(other, base))]
    votes: dict[str, int] = {}
    for place, words in enumerate(columns):
        for word in words:
            votes[word] = votes.get(word, 0) + (1 << 8 * place)
    return _SmallWords(votes, len(columns))


@cache
def _listed() -> dict[str, frozenset[str]]:
    text = (files("hesperus.languages") / "small_words.csv").read_text(encoding="utf-8")
    return {row["language"]: frozenset(row["words"].split()) for row in csv.DictReader(text.splitlines())}
