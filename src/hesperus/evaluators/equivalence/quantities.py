"""Quantities in short answers: a number, and its unit where one is said."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

from hesperus.evaluators.embedded.numerals import canonical_number, digits_for_words, han_number
from hesperus.evaluators.embedded.words import folded

_UNITS = {
    "length": {
        "0.001": "mm millimeter millimetre", "0.01": "cm centimeter centimetre", "1": "m meter metre",
        "1000": "km kilometer kilometre", "0.0254": "inch inches", "0.3048": "ft foot feet", "0.9144": "yd yard",
        "1609.344": "mi mile",
    },
    "mass": {
        "0.000001": "mg milligram", "0.001": "g gram gramme", "1": "kg kilogram kilo", "1000": "t tonne",
        "0.45359237": "lb lbs pound", "0.028349523125": "oz ounce",
    },
    "time": {
        "1": "sec second", "60": "min minute", "3600": "h hr hour", "86400": "day", "604800": "week",
        "2629746": "month", "31556952": "yr year",
    },
    "volume": {"0.001": "ml milliliter millilitre", "1": "l liter litre", "3.785411784": "gallon"},
    "celsius": {"1": "°c celsius"},
    "fahrenheit": {"1": "°f fahrenheit"},
    "share": {"1": "% percent"},
    "dollar": {"1": "$ usd dollar"},
    "euro": {"1": "€ eur euro"},
    "sterling": {"1": "£ gbp"},
    "yen": {"1": "¥ jpy yen"},
    "rupee": {"1": "₹ inr rupee"},
}  # fmt: skip
_UNIT = {
    word: (dimension, Decimal(factor))
    for dimension, factors in _UNITS.items()
    for factor, words in factors.items()
    for word in words.split()
}
_COUNT = {"time", "times", "x", "×", "piece", "pieces", "个", "次", "倍", "年", "人", "回", "개", "번"}
"""Words next to a number that say no more than that it counts."""

_QUANTITY = re.compile(
    r"(?P<before>[$€£¥₹])?[ ]?(?<!\d)(?P<sign>(?<![\w)])[-−–])?"
    r"(?P<number>\d+(?:[.,]\d+)*)(?:/(?P<below>\d+)(?![/\d]))?(?:[ ]?(?P<unit>°[ ]?[cf]\b|[%€£¥₹$×个次倍年人回개번]|[a-z]+))?"
)
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it measures.

    Attributes:
        said: As it was said.
        value: In the basic unit of its dimension; as it was said if absent.
        dimension: ``length``, ``mass``, …; empty where no unit is said.
    """

    said: Decimal
    value: Decimal
    dimension: str = ""

    def same(self, other: Quantity) -> bool:
        """Equal, to a millionth; a number without a unit is equal to one with any."""
        if self.dimension and other.dimension:
            return self.dimension == other.dimension and _close(self.value, other.value)
        return _close(self.said, other.said)


def quantities(text: str) -> tuple[tuple[Quantity, ...], str]:
    """Take the quantities out of a short answer.

    >>> found, rest = quantities("5 km in twenty-one days")
    >>> [(str(quantity.value), quantity.dimension) for quantity in found], rest
    ([('5000', 'length'), ('1814400', 'time')], 'in')

    Args:
        text: An answer, in any digits; English number words anywhere, those of other languages where they are all it is.

    Returns:
        The quantities in order, and the rest of the text, folded.
    """
    plain = re.sub(r"\bminus (?=\w)", "-", folded(text[:_LONGEST])).strip(" .,;:!?\"'“”‘’*_()[]。！？،؛")
    whole = _number_words().get(plain) or han_number(plain) or han_number(plain.rstrip("个個次倍年人回"))
    said = whole or digits_for_words(re.sub(r"\bhalf an?\b|\Ahalf\Z", "0.5", plain), alone=True)
    found: list[Quantity] = []

    def taken(match: re.Match[str]) -> str:
        value = Decimal(canonical_number(match["number"])[:40])
        if match["below"] and (below := Decimal(match["below"])):
            value /= below
        value = -value if match["sign"] else value
        unit = (match["unit"] or "").replace(" ", "")
        known = _UNIT.get(unit) or _UNIT.get(unit.removesuffix("s")) or _UNIT.get(match["before"] or "")
        found.append(Quantity(value, value * known[1], known[0]) if known else Quantity(value, value))
        kept = "" if unit in _COUNT or _UNIT.get(unit) or _UNIT.get(unit.removesuffix("s")) else unit
        return f" {kept} "

    rest = " ".join(_QUANTITY.sub(taken, said).split())
    return tuple(found), rest


def _close(a: Decimal, b: Decimal) -> bool:
    return abs(a - b) <= max(abs(a), abs(b)) / 1_000_000


@cache
def _number_words() -> Mapping[str, str]:
    """Number words of many languages, folded, to digits; words that mean something else elsewhere are not listed."""
    source = files("hesperus.evaluators.equivalence") / "number_words.csv"
    rows = csv.DictReader(source.read_text(encoding="utf-8").splitlines())
    return {folded(word): row["number"] for row in rows for word in row["words"].split(";")}
