"""Phrases of a language, looked for in folded text as whole words.

A star at the end stands for any ending ("estoy segur*"), an ellipsis for a few words between two parts ("kan … niet
helpen"). Scripts without blanks between words have no boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import compress

from hesperus.answers.scripts import in_word, is_unspaced
from hesperus.answers.spelling import SENTENCE_END

_GAP = 48
"""Characters that an ellipsis stands for at most; they hold no end of a sentence."""
_ELLIPSIS = re.compile(" ?… ?")

Part = tuple[str, bool]
"""A text and whether any ending may follow it."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases, each in the parts that stand in this order."""

    phrases: tuple[tuple[Part, ...], ...]

    @classmethod
    def of(cls, phrases: Iterable[str], folded: Callable[[str], str]) -> Phrases:
        """Take apart phrases as a pack writes them.

        Args:
            phrases: The phrases, with star and ellipsis.
            folded: How a part is spelt for comparison.
        """
        found = (
            tuple((folded(part.rstrip("*")), part.endswith("*")) for part in _ELLIPSIS.split(phrase))
            for phrase in phrases
        )
        return cls(tuple(dict.fromkeys(found)))

    def stand_in(self, text: str) -> bool:
        """Whether one of the phrases stands in a folded text."""
        return any(parts[0][0] in text and _span(parts, text, 0) is not None for parts in self.phrases)

    def begin(self, text: str) -> bool:
        """Whether a folded text begins with one of the phrases."""
        spans = (_span(parts, text, 0) for parts in self.phrases if text.startswith(parts[0][0]))
        return any(span is not None and span[0] == 0 for span in spans)

    def cut(self, text: str, folded: str) -> str:
        """The text without the phrases, by their places in the folded text, which must have the same length."""
        kept = bytearray(b"\1" * len(text))
        for parts in self.phrases:
            span = _span(parts, folded, 0)
            while span is not None:
                kept[span[0] : span[1]] = bytes(span[1] - span[0])
                span = _span(parts, folded, span[1])
        return "".join(compress(text, kept))


def _span(parts: tuple[Part, ...], text: str, start: int) -> tuple[int, int] | None:
    first, rest = parts[0], parts[1:]
    begin = _place(first, text, start)
    while begin is not None:
        end: int | None = begin + len(first[0])
        for part in rest:
            end = _follows(part, text, end) if end is not None else None
        if end is not None:
            return begin, end
        begin = _place(first, text, begin + 1)
    return None


def _follows(part: Part, text: str, end: int) -> int | None:
    """End of a part that stands a few words behind a place of the same sentence."""
    near = text[: end + _GAP + len(part[0]) + 1]
    place = _place(part, near, end)
    if place is None or SENTENCE_END.search(text, end, place):
        return None
    return place + len(part[0])


def _place(part: Part, text: str, start: int) -> int | None:
    """Where a part stands as whole words, from a place on."""
    word, stem = part
    place = text.find(word, start)
    while place >= 0:
        after = text[place + len(word) : place + len(word) + 1]
        open_left = place == 0 or not in_word(text[place - 1]) or is_unspaced(text[place - 1])
        if open_left and (stem or not in_word(after) or is_unspaced(word)):
            return place
        place = text.find(word, place + 1)
    return None
