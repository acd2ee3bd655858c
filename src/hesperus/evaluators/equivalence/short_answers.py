"""Grading short answers without a model: numbers, units, articles, containment."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

from hesperus.evaluators.compared_texts import Texts
from hesperus.evaluators.embedded.words import canonical_number, digits_for_words, folded, han_number, words
from hesperus.evaluators.equivalence.grading import Grade
from hesperus.fingerprint import JSON, signature


def _rows(file: str) -> list[dict[str, str]]:
    text = (files("hesperus.evaluators.equivalence") / file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


_UNIT = {
    word: (row["dimension"], Decimal(row["factor"]))
    for row in _rows("units.csv")
    for word in row["words"].split(";")
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

    English number words are read anywhere, those of other languages where they are all it is; the rest is folded.
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
    rows = _rows("number_words.csv")
    return {folded(word): row["number"] for row in rows for word in row["words"].split(";")}


@dataclass(frozen=True, slots=True)
class EmbeddedGraderSettings:
    """What the grades rest on.

    Attributes:
        version: Of the word lists and rules; rises whenever a grade may change.
    """

    version: int = 1


class EmbeddedGrader:
    """Grades by overlap. It knows no synonyms and no other languages' names of things."""

    name = "embedded"

    def signature(self) -> dict[str, JSON]:
        """Its version."""
        return {"grader": self.name, **signature(EmbeddedGraderSettings())}

    def grade(self, pairs: Sequence[Texts]) -> list[Grade]:
        """The grade of each pair (see overlap_grade)."""
        return [Grade(overlap_grade(pair.reference or "", pair.candidate or "")) for pair in pairs]


def overlap_grade(reference: str, candidate: str) -> float:
    """How far two short answers say the same, by their words; the same in both directions.

    1 where they are equal but for case, articles, punctuation, form of numbers and units that one leaves out; 0 where
    numbers differ, one denies, or nothing is shared. Where one holds the other, half way between 1 and F1 of their
    content words; else F1.

    >>> overlap_grade("5", "five times"), overlap_grade("5 km", "5000 m"), overlap_grade("5", "6")
    (1.0, 1.0, 0.0)
    >>> overlap_grade("The Seine", "seine."), round(overlap_grade("Paris", "It is Paris, France."), 3)
    (1.0, 0.833)
    """
    a, b = _read(reference), _read(candidate)
    if a.joined == b.joined and not a.quantities:
        return 1.0
    if a.denies != b.denies or a.denies and b.denies and not (a.words & b.words) and (a.words and b.words):
        return 0.0
    if a.denies and not (a.words or b.words or a.quantities or b.quantities):
        return 1.0
    matched = _matched(a.quantities, b.quantities)
    if matched is None:
        return 0.0
    shared = len(a.words & b.words) + matched
    sizes = len(a.words) + len(a.quantities), len(b.words) + len(b.quantities)
    if not shared:
        return 0.0
    pure = not a.words or not b.words
    if matched and pure and len(a.quantities) == len(b.quantities):
        return 1.0
    f1 = 2 * shared / sum(sizes)
    return (1 + f1) / 2 if shared == min(sizes) else f1


@dataclass(frozen=True, slots=True)
class _Short:
    quantities: tuple[Quantity, ...]
    words: frozenset[str]
    denies: bool
    joined: str


def _read(text: str) -> _Short:
    found, rest = quantities(text)
    said = words(rest)
    joined = "".join(c for c in folded(text) if c.isalnum())
    return _Short(found, said.content, said.negations > 0, joined)


def _matched(a: Sequence[Quantity], b: Sequence[Quantity]) -> int | None:
    """How many quantities of the shorter side are on the other; None if one of them does not."""
    fewer, more = sorted((list(a), list(b)), key=len)
    for wanted in fewer:
        place = next((place for place, other in enumerate(more) if wanted.same(other)), None)
        if place is None:
            return None
        del more[place]
    return len(fewer)
