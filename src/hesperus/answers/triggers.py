"""The words of a text, by which most rules are settled: what no word of the text can begin is not looked for.

A reply is taken apart once. Of each set of phrases it is known which words are in every text that holds one of them, so
that a rule without any of its words in the reply costs an intersection of two sets and no search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hesperus.languages.letters import RANGES, UNSPACED
from hesperus.normalization import PUNCTUATION

SIGNS = re.compile(rf"[\n{PUNCTUATION}\"()\[\]{{}}<>|/\\–—-]")
"""What ends a word next to blanks; all blanks of a cleaned text are plain ones."""
_SPACED = "".join(ranges for script, ranges in RANGES.items() if script not in UNSPACED)
_APART = re.compile(f"[^{_SPACED}0-9 ]+")
"""What is between the parts of a word: a sign, or a letter of a script without blanks; never a mark on a letter."""

Part = tuple[str, bool]
"""A text and whether any ending may follow it."""


@dataclass(frozen=True, slots=True, eq=False)
class Triggers:
    """What tells whether any of some phrases can be in a text, without a search for each.

    Attributes:
        by_word: Of each phrase with whole words these, by the longest.
        within: Of the other phrases their longest parts, which may be inside a word.
    """

    by_word: Mapping[str, tuple[frozenset[str], ...]]
    within: tuple[str, ...]

    @classmethod
    def of(cls, phrases: Iterable[tuple[Part, ...]], within: Iterable[str] = ()) -> Triggers:
        """Make them of folded phrases, and of texts that may be inside a word."""
        held, inside = set[frozenset[str]](), list(within)
        for parts in phrases:
            if words := whole_words(parts):
                held.add(words)
            else:
                inside.append(max((text for text, _ in parts), key=len))
        by_word: dict[str, tuple[frozenset[str], ...]] = {}
        for words in held:
            by_word[longest(words)] = (*by_word.get(longest(words), ()), words)
        return cls(by_word, shortest(inside))

    def stand_in(self, text: str, words: frozenset[str]) -> bool:
        """Whether any of the phrases may be in a folded text, of which the words are known (see `words_of`)."""
        for word in self.by_word.keys() & words:
            for held in self.by_word[word]:
                if held <= words:
                    return True
        return stands(self.within, text)


@lru_cache(maxsize=4)
def words_of(text: str) -> tuple[tuple[str, ...], str, frozenset[str]]:
    """The words of a folded text in order, the same with a blank before and behind each, and what they are made of.

    The last are those that `Phrases.among` asks for: "l'ia" is "l" and "ia", "是ai" is "是" and "ai".
    """
    words = tuple(SIGNS.sub(" ", text).split())
    spaced = " ".join(words)
    parts = frozenset(words)
    if _APART.search(spaced) is not None:
        parts = parts.union(_APART.sub(" ", spaced).split())
    return words, f" {spaced} ", parts


def whole_words(parts: tuple[Part, ...]) -> frozenset[str]:
    """The words of a phrase that are in it as a whole; none where no blanks are written."""
    words: set[str] = set()
    for text, stem in parts:
        said = _APART.sub(" ", text).split()
        words.update(said[:-1] if stem else said)
    return frozenset(words)


def longest(words: Iterable[str]) -> str:
    """The longest of some words; of two of one length always the same."""
    return max(words, key=lambda word: (len(word), word))


def stands(words: Iterable[str], folded: str) -> bool:
    """True where one of the words is part of a folded text, which need not be as a word of its own."""
    for word in words:  # noqa: SIM110 (any() with a generator takes three times as long)
        if word in folded:
            return True
    return False


def shortest(words: Iterable[str]) -> tuple[str, ...]:
    """The words that hold no other of them: where a longer one occurs, a shorter one does."""
    found: list[str] = []
    for word in sorted({word for word in words if word}, key=lambda word: (len(word), word)):
        if not any(held in word for held in found):
            found.append(word)
    return tuple(found)
