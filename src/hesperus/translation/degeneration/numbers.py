"""Numbers, which a translation keeps whatever its digits, separators and words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_ROMAN = re.compile(r"\b(?=[IVXLCDM]{2,7}\b)M{0,2}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})(?<=\w)\b")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def _numbered(words: str, first: int, step: int = 1) -> dict[str, int]:
    """Each word with its number; a comma begins the next."""
    return {
        word: first + step * place for place, alike in enumerate(words.split(",")) for word in alike.split()
    }


_TEENS = _numbered(
    "eleven eleventh november, twelve twelfth dozen december, thirteen thirteenth, fourteen fourteenth, fifteen fifteenth, "
    "sixteen sixteenth, seventeen seventeenth, eighteen eighteenth, nineteen nineteenth",
    11,
)
"""The eleventh and the twelfth month stand in for what other languages number; a dozen is twelve."""

_TENS = _numbered(
    "twenty twentieth twenties, thirty thirtieth thirties, forty fortieth forties, fifty fiftieth fifties, sixty sixtieth "
    "sixties, seventy seventieth seventies, eighty eightieth eighties, ninety ninetieth nineties",
    20,
    10,
)
_ONES = _numbered(
    "one first, two second, three third, four fourth, five fifth, six sixth, seven seventh, eight eighth, nine ninth",
    1,
)
_FIRST_LETTERS = "".join(sorted({word[0] for word in (*_TEENS, *_TENS)}))
_WRITTEN = re.compile(
    rf"\b(?=[{_FIRST_LETTERS}])(?:({'|'.join(_TEENS)})|({'|'.join(_TENS)})(?:[- ]({'|'.join(_ONES)}))?)\b",
    re.IGNORECASE,
)


def roman_numbers(text: str) -> set[int]:
    """Values of the Roman numbers of two letters or more, written in capitals."""
    found: set[int] = set()
    for number in _ROMAN.finditer(text):
        values = [_VALUES[letter] for letter in number[0]]
        found.add(
            sum(
                -value if value < following else value
                for value, following in zip(values, [*values[1:], 0], strict=True)
            )
        )
    return found


def written_numbers(text: str) -> set[int]:
    """Values of the numbers from eleven to ninety-nine in English words, and of what represents such."""
    found: set[int] = set()
    for teen, ten, one in _WRITTEN.findall(text):
        found.add(_TEENS[teen.casefold()] if teen else _TENS[ten.casefold()] + _ONES.get(one.casefold(), 0))
    return found


_NUMBER = re.compile(r"\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?!\d)(?:[.,٫]\d+)?|\d+(?:[.,٫٬]\d+)*")
"""Digits with separators; a blank or an apostrophe separates groups of three alone."""

_PART = re.compile(r"\d+")
_CLOCK = re.compile(r"\d\s?[ap]\.?\s?m\b|\bsaa\b|[上下]午|午[前後]|오[전후]", re.IGNORECASE)
_FEWEST_DIGITS, _FEWEST_ADDED, _LONGEST_VALUE = 2, 3, 4
_HOURS, _CENTURIES, _YEARS = set(range(1, 13)), range(11, 22), range(1000, 2100)


@dataclass(frozen=True, slots=True)
class _Said:
    """Numbers of a text.

    Attributes:
        text: The text.
        strong: Those of ``strong_numbers``, each with the whole numbers of up to four digits that it represents.
        joined: All digits of the text in a row.
        values: All whole numbers of up to four digits: in digits, in Roman letters, in English words.
    """

    text: str
    strong: Mapping[str, set[int]]
    joined: str
    values: set[int]


def strong_numbers(text: str) -> dict[str, set[int]]:
    """Numbers that people write in digits in every language, as their digits that count.

    Native digits are read as the same; separators, zeros in front and zeros behind are left out, so that ``1.5
    million``, ``150万`` and ``1,500,000`` are one number. Numbers of one such digit are left out: they are often words.

    Each comes with the whole numbers without separators and of up to four digits as which it is written.
    """
    found: dict[str, set[int]] = {}
    for number in _NUMBER.findall(text):
        digits = _digits(number)
        if len(digits) >= _FEWEST_DIGITS:
            written = found.setdefault(digits, set())
            if number.isdecimal() and len(number) <= _LONGEST_VALUE:
                written.add(int(number))
    return found


def digits_of(text: str) -> str:
    """All digits of a text as plain ones, numbers apart by a blank."""
    return " ".join(_plain(part) for part in _PART.findall(text))


def _plain(number: str) -> str:
    return "".join(c if c.isascii() else str(int(c)) for c in number if c.isdecimal())


def _digits(number: str) -> str:
    return _plain(number).strip("0")


def lost_numbers(source: str, output: str) -> tuple[set[str], set[str]]:
    """Numbers of the source that the output lacks, and of the output that the source lacks.

    A number is not lost that is within a longer one on the other side, is made of several there, or is said there in
    another way: in Roman letters, in English words (eleven to ninety-nine), as a month, on a clock of twelve hours, or as a
    decade or century (``1960s``, ``the sixties``; ``1700s``, 18th century). One that is added while none is lost counts
    from three digits: shorter ones may be words in the source.
    """
    one, other = _said(source), _said(output)
    lost = {
        number for number in one.strong if number not in other.strong and not _is_said(number, one, other)
    }
    added = {
        number for number in other.strong if number not in one.strong and not _is_said(number, other, one)
    }
    return lost, added if lost else {number for number in added if len(number) >= _FEWEST_ADDED}


@lru_cache(maxsize=16)  # a source is compared with each of its translations
def _said(text: str) -> _Said:
    digits = digits_of(text)
    values = {int(part) for part in digits.split() if len(part) <= _LONGEST_VALUE}
    values |= roman_numbers(text) | written_numbers(text)
    return _Said(text, strong_numbers(text), digits.replace(" ", ""), values)


def _is_said(number: str, here: _Said, there: _Said) -> bool:
    """Whether the other side says a number of this side in another way."""
    if number in there.joined or any(_same_time(number, other) for other in there.strong):
        return True
    clock = _CLOCK.search(here.text) or _CLOCK.search(there.text)
    for value in here.strong[number]:
        if value in there.values or _is_decade(value, here, there) or _is_century(value, there):
            return True
        if clock and {value - 12, value - 6, value + 6} & there.values & _HOURS:
            return True
    return False


def _is_decade(value: int, here: _Said, there: _Said) -> bool:
    """Whether it is a decade, which other languages write in words or without its century."""
    if value not in _YEARS or value % 10:
        return False
    return value % 100 in there.values or any(f"{value}{end}" in here.text for end in ("s", "'s", "’s"))


def _is_century(value: int, there: _Said) -> bool:
    """Whether it is a century that is there as years, or years that are there as a century."""
    if value in _CENTURIES:
        return any(year // 100 == value - 1 and year % 10 == 0 for year in there.values)
    return value in _YEARS and value % 100 == 0 and value // 100 + 1 in there.values


def _same_time(number: str, other: str) -> bool:
    """Whether two numbers are the same time of day, one on a clock of twelve hours."""
    hour, minutes = number[:-2], number[-2:]
    return (
        other[-2:] == minutes
        and hour.isdecimal()
        and other[:-2].isdecimal()
        and abs(int(hour) - int(other[:-2])) == 12
    )
