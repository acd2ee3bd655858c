"""Whole numbers that are not written in digits: Roman ones, and those of English words from eleven to ninety-nine."""

from __future__ import annotations

import re

_ROMAN = re.compile(r"\b(?=[IVXLCDM]{2,7}\b)M{0,2}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})(?<=\w)\b")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

_TEENS = {
    word: value
    for value, words in enumerate(
        (
            "eleven eleventh november", "twelve twelfth dozen december", "thirteen thirteenth", "fourteen fourteenth",
            "fifteen fifteenth", "sixteen sixteenth", "seventeen seventeenth", "eighteen eighteenth",
            "nineteen nineteenth",
        ),
        start=11,
    )
    for word in words.split()
}  # fmt: skip
"""The eleventh and the twelfth month stand in for what other languages number; a dozen is twelve."""

_TENS = {
    word: 10 * value
    for value, words in enumerate(
        (
            "twenty twentieth twenties", "thirty thirtieth thirties", "forty fortieth forties", "fifty fiftieth fifties",
            "sixty sixtieth sixties", "seventy seventieth seventies", "eighty eightieth eighties",
            "ninety ninetieth nineties",
        ),
        start=2,
    )
    for word in words.split()
}  # fmt: skip
_ONES = {
    word: value
    for value, words in enumerate(
        (
            "one first", "two second", "three third", "four fourth", "five fifth", "six sixth", "seven seventh",
            "eight eighth", "nine ninth",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_WRITTEN = re.compile(
    rf"\b(?:({'|'.join(_TEENS)})|({'|'.join(_TENS)})(?:[- ]({'|'.join(_ONES)}))?)\b", re.IGNORECASE
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
