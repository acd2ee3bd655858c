"""Numbers that somebody claims, compared with the same numbers computed again: which differ, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.errors import DataError
from hesperus.fingerprint import JSON

TOLERANCE = 1e-9
"""Two numbers are the same up to this part of the larger, or of 1: what the order of additions can move."""

Document = Mapping[str, JSON]
"""A table as hesperus.analysis.table.Table.document() gives it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not what it was claimed to be.

    Attributes:
        place: Table or file.
        row: What the row is about, such as ``model=pocket/l, a=…, statistic=consistency``; empty of a whole file.
        column: Column, or what is wrong with the file.
        claimed: The claimed value.
        found: The value made anew.
    """

    place: str
    row: str
    column: str
    claimed: JSON
    found: JSON

    def __str__(self) -> str:
        where = ", ".join(text for text in (self.place, self.row, self.column) if text)
        return f"{where}: claimed {_shown(self.claimed)}, found {_shown(self.found)}"


def count_numbers(claims: Mapping[str, Document]) -> int:
    """How many numbers tables claim."""
    return sum(
        isinstance(value, int | float) and not isinstance(value, bool)
        for document in claims.values()
        for row in rows_of(document)
        for value in row.values()
    )


def differences(
    claimed: Mapping[str, Document], found: Mapping[str, Document], *, other_version: bool = False
) -> Iterator[Difference]:
    """Every value of the claimed tables that is not what was found.

    Args:
        claimed: Name to table.
        found: Name to the same table made anew.
        other_version: Another hesperus made the claims: what a signature says of the version may differ.

    Raises:
        DataError: A claimed table is no table.
    """
    for name in dict.fromkeys((*claimed, *found)):
        if name not in found or name not in claimed:
            there = ("a table", None) if name in claimed else (None, "a table")
            yield Difference(name, "", "the whole table", *there)
            continue
        one, two = rows_of(claimed[name], name), rows_of(found[name], name)
        if len(one) != len(two):
            yield Difference(name, "", "number of rows", len(one), len(two))
        for number, (first, second) in enumerate(zip(one, two, strict=False)):
            for column in dict.fromkeys((*first, *second)):
                a, b = first.get(column), second.get(column)
                if not same(a, b):
                    yield Difference(name, _about(second, number), column, a, b)
        for part in dict.fromkeys((*claimed[name], *found[name])):
            sides = [document[name].get(part) for document in (claimed, found)]
            told = [_unversioned(side) for side in sides] if other_version else sides
            if part != "rows" and not same(told[0], told[1]):
                yield Difference(name, "", part, sides[0], sides[1])


def _unversioned(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {key: _unversioned(inner) for key, inner in value.items() if key not in ("hesperus", "short")}
    return value


def rows_of(document: Document, name: str = "") -> Sequence[Mapping[str, JSON]]:
    """The rows of a table.

    Raises:
        DataError: It has none.
    """
    rows = document.get("rows") if isinstance(document, Mapping) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError("is no table: it has no rows", field=name or None)
    return rows  # type: ignore[return-value]  # checked above


def same(one: JSON, two: JSON) -> bool:
    """Whether two values are the same: numbers up to TOLERANCE, everything else exactly, and never one for the other."""
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (one, two)]
    if all(numbers):
        a, b = float(one), float(two)  # type: ignore[arg-type]  # both are numbers
        return a == b or (math.isfinite(a - b) and abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b)))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    return type(one) is type(two) and one == two


_NUMBERS = frozenset({"value", "low", "high", "n", "answered", "excluded", "reason"})


def _about(row: Mapping[str, JSON], number: int) -> str:
    named = [
        f"{name}={value}" for name, value in row.items() if isinstance(value, str) and name not in _NUMBERS
    ]
    return ", ".join(named) or f"row {number + 1}"


def _shown(value: JSON) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 120 else f"{text[:117]}…"
