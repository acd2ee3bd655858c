"""Grading short answers without a model: numbers, units, articles, containment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hesperus.evaluators.embedded.words import folded, words
from hesperus.evaluators.equivalence.grading import Grade, ShortPair
from hesperus.evaluators.equivalence.quantities import Quantity, quantities
from hesperus.fingerprint import JSON, signature


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

    def grade(self, pairs: Sequence[ShortPair]) -> list[Grade]:
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

    Returns:
        A grade in [0, 1].
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
