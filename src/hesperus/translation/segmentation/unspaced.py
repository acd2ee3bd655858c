"""Thai and Lao, which write a blank where a sentence ends, and also where it does not.

A blank ends a sentence if the word before it is one that ends them, or the word after it one that begins them; failing
these if the sentence is long already and neither side says that it goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hesperus.translation.segmentation.words import LAO_INNER, THAI_INNER, THAI_OPENERS, THAI_PARTICLES

_BLANK = re.compile(
    r"(?<=[\u0e01-\u0e5b\u0e81-\u0edf0-9)\]”’\"'»])[ \u00a0\t]+(?=[\u0e01-\u0e5b\u0e81-\u0edf“‘\"'(«])"
)
_LETTER = re.compile(r"[\u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4]")
_ENDING = re.compile(rf"(?:{'|'.join(THAI_PARTICLES)})$")
_OPENING = re.compile("|".join(THAI_OPENERS))
_GOES_ON = re.compile("|".join((*THAI_INNER, *LAO_INNER)))
_HANGING = re.compile(rf"(?:{'|'.join((*THAI_INNER, *LAO_INNER))}|ๆ|ໆ|ฯ|\d|[,:;])$")
_STOP = re.compile(r"[.?!](?=\s|$)")
_LONGEST_WORD = 16
_SHORTEST_BEFORE_OPENER, _SHORTEST = 25, 60
_STOP_EVERY, _SHORTEST_WITH_STOPS = 400, 240
"""A text with a full stop every so many characters ends its sentences with them; only very long ones are cut."""


def unspaced_ends(text: str) -> Iterator[int]:
    """Offsets of blanks' ends at which a Thai or Lao sentence is taken to end."""
    start = 0
    shortest = _SHORTEST if len(text) > _STOP_EVERY * len(_STOP.findall(text)) else _SHORTEST_WITH_STOPS
    for blank in _BLANK.finditer(text):
        before = text[max(start, blank.start() - _LONGEST_WORD) : blank.start()]
        after = text[blank.end() : blank.end() + _LONGEST_WORD]
        if not (_LETTER.search(before) and _LETTER.search(after)):
            continue
        length = blank.start() - start
        doubled = len(blank[0]) > 1 and not _HANGING.search(before)
        if (
            doubled
            or _ENDING.search(before)
            or (length >= _SHORTEST_BEFORE_OPENER and _OPENING.match(after) and not _HANGING.search(before))
            or (length >= shortest and not _GOES_ON.match(after) and not _HANGING.search(before))
        ):
            yield blank.end()
            start = blank.end()
