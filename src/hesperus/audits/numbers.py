"""Numbers, which a translation keeps: lost ones, and ones replaced by others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hesperus.audits.finding import Finding, Items
from hesperus.audits.sides import by_id
from hesperus.audits.thresholds import AuditSettings
from hesperus.types import Item

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
