"""Brackets and quotations within which no sentence is cut."""

from __future__ import annotations

_PAIRS = {
    "（": "）",
    "(": ")",
    "「": "」",
    "『": "』",
    "“": "”",
    "«": "»",
    "【": "】",
    "《": "》",
    "〈": "〉",
}
_LONGEST_PAIR = 300


def closed_pairs(text: str) -> list[tuple[int, int]]:
    """Outermost brackets and quotations that close again soon: from the opener to just before what closes."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for at, character in enumerate(text):
        if character in _PAIRS:
            opened.append((_PAIRS[character], at))
        elif opened and character == opened[-1][0]:
            start = opened.pop()[1]
            if at - start <= _LONGEST_PAIR:
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, at))
        elif opened and at - opened[0][1] > _LONGEST_PAIR:
            opened.clear()
    return found
