"""Lists that a file holds as text: JSON, or a Python list as ``str`` writes it. They are parsed, never evaluated."""

from __future__ import annotations

import re

LONGEST_LIST = 100_000
"""Most characters of a list written as text."""

_BLANK = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_WORDS = {"None": None, "null": None, "True": "true", "true": "true", "False": "false", "false": "false"}
_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\({_PAIR}|x[0-9a-fA-F]{{2}}|u[0-9a-fA-F]{{4}}|U[0-9a-fA-F]{{8}}|.)", re.DOTALL)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "/": "/", "'": "'", '"': '"', "\n": "",
}  # fmt: skip


def list_from_text(text: str) -> list[str | None]:
    """Read a list that is in a text.

    Args:
        text: ``["a", "b"]`` or ``['a', "b's", None, 3]``: texts in single or double quotation marks with the usual
            escapes, numbers, truth values, and ``null`` or ``None``.

    Returns:
        The elements: texts, a number as it is there, truth values in lower case, and None.

    Raises:
        ValueError: The text is no such list; the message says at which character.
    """
    if len(text) > LONGEST_LIST:
        raise ValueError(
            f"{len(text):,} characters; {LONGEST_LIST:,} are the most for a list written as text"
        )
    text = text.strip()
    if not text.startswith("["):
        raise ValueError("no list in square brackets")
    elements: list[str | None] = []
    place = _blank(text, 1)
    while not text.startswith("]", place):
        element, place = _element(text, place)
        elements.append(element)
        place = _blank(text, place)
        if text.startswith(",", place):
            place = _blank(text, place + 1)
        elif not text.startswith("]", place):
            raise ValueError(f"no list: a comma or ] was expected at character {place + 1}")
    if place + 1 != len(text):
        raise ValueError(f"no list: something stands behind its end, at character {place + 2}")
    return elements


def _element(text: str, place: int) -> tuple[str | None, int]:
    quoted = _QUOTED.match(text, place)
    if quoted:
        inner = quoted[1] if quoted[1] is not None else quoted[2]
        return _ESCAPE.sub(_unescaped, inner), quoted.end()
    for word, value in _WORDS.items():
        if text.startswith(word, place):
            return value, place + len(word)
    number = _NUMBER.match(text, place)
    if number:
        return number[0], number.end()
    raise ValueError(f"no list of texts and numbers: not understood from character {place + 1}")


def _unescaped(found: re.Match[str]) -> str:
    mark = found[1]
    if mark in _ESCAPED:
        return _ESCAPED[mark]
    if len(mark) == 1:
        return found[0]
    if len(mark) == 11:
        high, low = int(mark[1:5], 16), int(mark[7:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    number = int(mark[1:], 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(f"no list: \\{mark} stands for no character")
    return chr(number)


def _blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place
