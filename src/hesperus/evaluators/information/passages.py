"""A long text in passages that a judge can read at a time."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*[ \t]+|[。！？।॥؟۔]")
_LEAST = 0.5


def passages(text: str, longest: int) -> list[str]:
    r"""Cut a text at paragraphs, else lines, else sentences, else blanks, else anywhere; joined they give it back.

    >>> passages("One. Two.\nThree.", 10)
    ['One. Two.\n', 'Three.']

    Args:
        text: Any text.
        longest: Characters of a passage at most.

    Raises:
        ValueError: `longest` is not positive.
    """
    if longest < 1:
        raise ValueError(f"a passage has at least one character, not {longest}")
    found, start = [], 0
    while len(text) - start > longest:
        end = start + _cut(text[start : start + longest])
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def _cut(window: str) -> int:
    """Where to cut: the last good place in the second half of the window."""
    least = int(len(window) * _LEAST)
    for mark in ("\n\n", "\n"):
        place = window.rfind(mark, least)
        if place >= 0:
            return place + len(mark)
    ends = [match.end() for match in _SENTENCE_END.finditer(window, least)]
    if ends:
        return ends[-1]
    place = window.rfind(" ", least)
    return place + 1 if place >= 0 else len(window)
