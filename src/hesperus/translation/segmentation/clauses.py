"""Parts of a sentence that is too long or too hard to be translated whole."""

from __future__ import annotations

import re
from itertools import pairwise

_STRONG = re.compile(r"[;；؛:：·]\s|[；：]|\s[–—]\s|——|[!?…]+[\"'”’»)]*\s")
_WEAK = re.compile(r"[,،၊]\s+|[，、၊]|\s[(（]|[)）]\s")
_BLANK = re.compile(r"\s+|\u200b|་")


def clauses(sentence: str, *, longest: int) -> tuple[str, ...]:
    """Cut a sentence into parts; joined they give it back.

    It is cut at its semicolons, colons and dashes, or else its commas and brackets, or else its blanks; in each case
    into parts as long as may be, of which none is longer than ``longest`` characters unless it has no such place,
    when it is cut between characters.
    """
    if longest < 1:
        raise ValueError(f"the longest part must have 1 character or more, not {longest}")
    return tuple(_cut(sentence, longest, (_STRONG, _WEAK, _BLANK)))


def _cut(text: str, longest: int, marks: tuple[re.Pattern[str], ...]) -> list[str]:
    if len(text) <= longest:
        return [text] if text else []
    if not marks:
        return [text[at : at + longest] for at in range(0, len(text), longest)]
    first, *rest = marks
    places = [m.end() for m in first.finditer(text) if 0 < m.end() < len(text)]
    parts: list[str] = []
    start = 0
    for place, following in pairwise([*places, len(text)]):
        if following - start > longest and place > start:
            parts += _cut(text[start:place], longest, tuple(rest))
            start = place
    return parts + _cut(text[start:], longest, tuple(rest))
