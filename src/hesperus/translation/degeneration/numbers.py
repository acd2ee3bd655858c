"""Numbers, which a translation keeps whatever its digits, separators and order of magnitude words."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+(?:[.,٫٬'’ \u00a0\u202f]\d+)*")
_PART = re.compile(r"\d+")
_FEWEST_DIGITS, _FEWEST_ADDED = 2, 3


def strong_numbers(text: str) -> set[str]:
    """Numbers that people write in digits in every language, as their digits that count.

    Native digits are read as the same; separators, zeros in front and zeros behind are left out, so that ``1.5
    million``, ``150万`` and ``1,500,000`` are one number. Numbers of one such digit are left out: they are often words.
    """
    return {digits for number in _NUMBER.findall(text) if len(digits := _digits(number)) >= _FEWEST_DIGITS}


def digits_of(text: str) -> str:
    """All digits of a text as plain ones, numbers apart by a blank."""
    return " ".join(_plain(part) for part in _PART.findall(text))


def _plain(number: str) -> str:
    return "".join(c if c.isascii() else str(int(c)) for c in number if c.isdecimal())


def _digits(number: str) -> str:
    return _plain(number).strip("0")


def lost_numbers(source: str, output: str) -> tuple[set[str], set[str]]:
    """Numbers of the source that the output lacks, and of the output that the source lacks.

    A number that stands within a longer one on the other side, or is made of several there, is not lost. One that is
    added while none is lost counts from three digits: shorter ones may be words in the source.
    """
    in_source, in_output = strong_numbers(source), strong_numbers(output)
    joined_source, joined_output = digits_of(source).replace(" ", ""), digits_of(output).replace(" ", "")
    lost = {n for n in in_source - in_output if n not in joined_output and not _clock(n, in_output)}
    added = {n for n in in_output - in_source if n not in joined_source and not _clock(n, in_source)}
    return lost, added if lost else {n for n in added if len(n) >= _FEWEST_ADDED}


def _clock(number: str, others: set[str]) -> bool:
    """Whether a number is one of the others on a clock of twelve hours."""
    hour, minutes = number[:-2], number[-2:]
    return any(
        other[-2:] == minutes and hour.isdecimal() and other[:-2].isdecimal()
        and abs(int(hour) - int(other[:-2])) == 12
        for other in others
    )  # fmt: skip
