"""Loops: a letter, a word or a phrase that a translation says again and again though the source does not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_LETTERS = re.compile(r"([^\W\d_])\1{5,}")
_SIGNS = re.compile(r"([^\w\s])\1{11,}")
_PATTERN = re.compile(r"(.{2,5}?)\1{4,}|(.{6,40}?)\2{2,}", re.DOTALL)
_AROUND = ".,;:!?\"'()[]{}«»“”„‘’¿¡…،؛؟۔।॥።፣·–—-*_、。，！？：；"
_LONGEST_PHRASE = 12
_WORDS_A_GRAM, _CHARACTERS_A_GRAM = 4, 8
_FEWEST_GRAMS = 12
_MORE_THAN_SOURCE = 0.2


def words(text: str) -> list[str]:
    """What is between blanks, case folded, without the punctuation around it."""
    return [word for token in text.casefold().split() if (word := token.strip(_AROUND))]


def loop(text: str, source: str, *, row: int, phrase: int) -> str | None:
    """The unit that a text repeats without a break, or None; a loop that the source has too does not count.

    Args:
        text: The translation.
        source: What it was made from.
        row: Times that a word must be in a row.
        phrase: Times that a phrase of two words or more must.
    """
    for pattern in (_LETTERS, _SIGNS):
        found = pattern.search(text)
        if found and not pattern.search(source):
            return found[1] * 3
    said = _in_a_row(words(text), row=row, phrase=phrase) or _pattern(text)
    if said is None:
        return None
    in_source = _in_a_row(words(source), row=row - 1, phrase=phrase - 1) or _pattern(source)
    return None if in_source else said


def _in_a_row(said: Sequence[str], *, row: int, phrase: int) -> str | None:
    """The first phrase that is said so often in a row; numbers alone are no phrase."""
    for length in range(1, _LONGEST_PHRASE + 1):
        needed = (row if length == 1 else phrase) * length - length
        same = 0
        for at in range(length, len(said)):
            same = same + 1 if said[at] == said[at - length] else 0
            if same >= needed and any(any(map(str.isalpha, word)) for word in said[at - length + 1 : at + 1]):
                return " ".join(said[at - length + 1 : at + 1])
    return None


def _pattern(text: str) -> str | None:
    """The first run of characters that is repeated at once, whatever its words: also where no blanks are written."""
    for found in _PATTERN.finditer(text):
        unit = found[1] or found[2]
        if sum(map(str.isalpha, unit)) >= 2:
            return unit.strip()
    return None


def repeated_share(text: str, source: str, *, unspaced: bool) -> float:
    """Share of a text's n-grams that it has said before, where that is clearly more than in the source; else 0.

    n-grams are of four words, or of eight characters where no blanks are written. Texts of few n-grams have 0.
    """
    own = _said_before(text, unspaced)
    return own if own - _said_before(source, unspaced) >= _MORE_THAN_SOURCE else 0.0


def _said_before(text: str, unspaced: bool) -> float:
    units: Sequence[str] = "".join(text.split()) if unspaced else words(text)
    size = _CHARACTERS_A_GRAM if unspaced else _WORDS_A_GRAM
    grams = Counter(tuple(units[at : at + size]) for at in range(len(units) - size + 1))
    total = grams.total()
    return 1 - len(grams) / total if total >= _FEWEST_GRAMS else 0.0
