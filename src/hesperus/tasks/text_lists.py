"""Lists that a file holds as text: JSON, or a Python list as ``str`` writes it. They are parsed, never evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence

import orjson

LONGEST_LIST = 100_000
"""Most characters of a list written as text."""

_BLANK = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "\n": ""}


def is_list_text(text: str) -> bool:
    """Whether a text looks like a list: in square brackets, and all of it a list of texts, numbers and nothings."""
    try:
        list_from_text(text)
    except ValueError:
        return False
    return True


def list_from_text(text: str) -> Sequence[object]:
    """Read a list that stands in a text.

    Args:
        text: ``["a", "b"]`` or ``['a', "b's", None, 3]``: texts in single or double quotation marks with the usual
            escapes, numbers, and ``null`` or ``None``.

    Returns:
        The elements: texts, numbers and None; a number of a Python list as the text that stands there.

    Raises:
        ValueError: The text is no such list; the message says at which character.
    """
    if len(text) > LONGEST_LIST:
        raise ValueError(
            f"{len(text):,} characters; {LONGEST_LIST:,} are the most for a list written as text"
        )
    stripped = text.strip()
    if not stripped.startswith("["):
        raise ValueError("a list in square brackets was expected")
    try:
        elements = orjson.loads(stripped)
    except orjson.JSONDecodeError:
        return _python_list(stripped)
    if any(isinstance(element, list | dict) for element in elements):
        raise ValueError("the list holds another list or a mapping")
    return elements if isinstance(elements, list) else [elements]


def _python_list(text: str) -> list[object]:
    elements: list[object] = []
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


def _element(text: str, place: int) -> tuple[object, int]:
    quoted = _QUOTED.match(text, place)
    if quoted:
        inner = quoted[1] if quoted[1] is not None else quoted[2]
        return _ESCAPE.sub(_unescaped, inner), quoted.end()
    for word in ("None", "null"):
        if text.startswith(word, place):
            return None, place + len(word)
    number = _NUMBER.match(text, place)
    if number:
        return number[0], number.end()
    raise ValueError(f"no list of texts and numbers: not understood from character {place + 1}")


def _unescaped(found: re.Match[str]) -> str:
    mark = found[1]
    if mark in _ESCAPED:
        return _ESCAPED[mark]
    if len(mark) > 1:
        number = int(mark[1:], 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise ValueError(f"no list: \\{mark} stands for no character")
        return chr(number)
    return found[0]


def _blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place
