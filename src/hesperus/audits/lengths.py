"""What a translation keeps, more or less: how long a text is, and its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from hesperus.audits.finding import AuditSettings, Finding, Items, by_id, parts
from hesperus.types import Item

# Added to every length, so that one letter more in a short option is no long ratio.
_DAMPING = 15.0
_NORMAL = 1.4826
_LEAST_SPREAD = 0.05

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def odd_lengths(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Parts of items (each field, and the options together) of a length that fits no other language's.

    For each pair of languages the log ratio of lengths has a median over the items and a spread (1.4826 times the
    median absolute deviation). A ratio is odd where it is both ``length_deviations`` spreads and a factor of
    ``length_factor`` away. A text is reported where it is odd in more than half of its pairs; of two languages,
    nobody can tell which it is, so both are named.
    """
    sides = by_id(items)
    tags = list(items)
    if len(sides) < settings.length_items or len(tags) < 2:
        return
    keys = list(sides)
    for name, lengths in _lengths(items, keys).items():
        logs = np.log(lengths)
        odd, pairs = _odd(logs, settings)
        centres = np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else np.nan for c in logs.T])
        for row in np.flatnonzero((odd * 2 > pairs).any(axis=1)):
            columns = np.flatnonzero(odd[row] * 2 > pairs[row])
            named = tuple(tags[column] for column in columns)
            expected = ", ".join(
                f"{lengths[row, c] - _DAMPING:.0f} characters in {tags[c]}, about {_expected(logs, centres, int(row), int(c)):.0f} "
                "expected"
                for c in columns[:4]
            )
            yield Finding("length", "review", keys[row], named, f"{name}: {expected}")


def _lengths(items: Items, keys: list[str]) -> Mapping[str, Floats]:
    """Part to lengths, items × languages; NaN where a language does not have the part."""
    rows = {key: row for row, key in enumerate(keys)}
    found: dict[str, Floats] = {}
    for column, many in enumerate(items.values()):
        for item in many:
            for name, text in parts(item):
                if name not in found:
                    found[name] = np.full((len(keys), len(items)), np.nan)
                found[name][rows[item.id], column] = len(text) + _DAMPING
    return found


def _odd(logs: Floats, settings: AuditSettings) -> tuple[Counts, Counts]:
    """In how many pairs of languages each length is odd, and in how many it was compared.

    `logs` are log lengths, items × languages, NaN if absent.
    """
    count = logs.shape[1]
    odd = np.zeros(logs.shape, np.int64)
    there = ~np.isnan(logs)
    pairs = np.zeros(logs.shape, np.int64)
    for one in range(count):
        for other in range(one + 1, count):
            both = there[:, one] & there[:, other]
            if both.sum() < settings.length_items:
                continue
            ratio = logs[both, one] - logs[both, other]
            away = np.abs(ratio - np.median(ratio))
            spread = max(_LEAST_SPREAD, _NORMAL * float(np.median(away)))
            wrong = (away > settings.length_deviations * spread) & (away > np.log(settings.length_factor))
            for column in (one, other):
                pairs[both, column] += 1
                odd[both, column] += wrong
    return odd, pairs


def _expected(logs: Floats, centres: Floats, row: int, column: int) -> float:
    """Characters that a text should have: the median over the other languages, in the language's own measure.

    `logs` are log lengths, items × languages, NaN if absent; `centres` the median log length of each language.
    """
    own = np.delete(logs[row] - centres, column)
    return float(np.exp(np.median(own[~np.isnan(own)]) + centres[column])) - _DAMPING


# Groups of digits that one number may consist of: 1,000 and 1.000 and 1 000 and 3.5 and 3,5, in any digits.
_NUMBER = re.compile(r"\d+(?:[.,٫٬'’]\d+|[ \u00a0\u202f]\d{3}(?!\d))*")
_NO_CENTS = re.compile(r"[.,٫]00?$")
_LONGEST_GROUP = 3


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text as plain digits, whatever digits and separators it uses: 1,234.5 is 12345.

    Separators are left out because languages swap them; zeros in front are, too, and cents of none (``$5.00``).
    """
    found: set[str] = set()
    for number in _NUMBER.findall(text):
        groups = number.split()
        # 1 000 is one number; 2010 200 is a year and a count.
        whole = ["".join(groups)] if len(groups[0]) <= _LONGEST_GROUP else groups
        found.update(map(_digits, whole))
    return frozenset(found)


def _digits(number: str) -> str:
    plain = "".join(c if c.isascii() else str(int(c)) for c in _NO_CENTS.sub("", number) if c.isdecimal())
    return plain.lstrip("0") or "0"


def lost_numbers(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Numbers that nearly all other languages have and one has not, and those replaced by a number of its own.

    Languages write small numbers in words, and large ones with words for their powers of ten: a number that is lost
    is a hint. One that is lost while another appears is a stronger one. Of two languages, the reference is taken for
    right.
    """
    for key, here in by_id(items).items():
        if len(here) < 2:
            continue
        numbers = {tag: numbers_in(_whole(item)) for tag, item in here.items()}
        if len(set(numbers.values())) == 1:
            continue
        for tag, own in numbers.items():
            if tag == settings.reference or (
                len(here) == 2 and settings.reference not in here and tag == next(iter(here))
            ):
                continue
            lost, gained = _difference(tag, own, numbers, settings)
            # A number that was cut or joined (a unit before it, a separator lost) still shows its digits.
            lost = {n for n in lost if not any(n in other or other in n for other in gained)}
            if lost and gained:
                detail = f"{_listed(lost)} elsewhere, {_listed(gained)} here"
                yield Finding("number_changed", "review", key, (tag,), detail)
            elif large := {n for n in lost if len(n) >= settings.number_digits}:
                yield Finding("number_lost", "review", key, (tag,), f"{_listed(large)} elsewhere")


def _difference(
    tag: str, own: frozenset[str], numbers: Mapping[str, frozenset[str]], settings: AuditSettings
) -> tuple[set[str], set[str]]:
    """Numbers that nearly all others have and this language lacks; and those that only it has."""
    others = [found for other, found in numbers.items() if other != tag]
    wanted = settings.number_share * len(others)
    base = numbers.get(settings.reference, frozenset[str]().union(*others))
    lost = {n for n in base - own if sum(n in found for found in others) >= wanted}
    return lost, set(own.difference(*others)) if lost else set()


def _whole(item: Item) -> str:
    return "\n".join((*item.fields.values(), *(item.options or ())))


def _listed(numbers: set[str]) -> str:
    return ", ".join(sorted(numbers, key=lambda n: (len(n), n)))
