"""Translated items put the way a native writer would, and what a rewriting may not lose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hesperus.audits import AuditSettings
from hesperus.audits.options import doubled_labels
from hesperus.errors import DataError, SenseError
from hesperus.senses import remake_item
from hesperus.types import Item

# I. II. III.  ·  (1) (2) (3)  ·  ①②③: the marks with which questions list their statements. A lone letter with a stop
# is as often an initial or the end of a sentence, so Latin letters need brackets.
_MARKS = re.compile(
    r"(?<![\w.])[(（]?(?P<roman>[IVX]{1,4}|[ⅠⅡⅢⅣⅤⅥ])[)）.．、:：](?=\s*\S)"
    r"|(?<![\w.])(?P<number>[1-9])[)）.．、](?=\s*\D)"
    r"|[(（](?P<inside>[1-9a-e])[)）]"
    r"|(?P<circled>[①-⑳])"
)
_ROMAN = dict(zip("ⅠⅡⅢⅣⅤⅥ", ("I", "II", "III", "IV", "V", "VI"), strict=True))
_ROMAN_PLACE = {name: str(place) for place, name in enumerate(("I", "II", "III", "IV", "V", "VI", "VII"), 1)}


def rewritten_item(item: Item, made: Mapping[str, str]) -> Item:
    """The item from its rewritten texts: same id, gold, options in their order, language.

    Refused are a text that is missing or empty, a doubled letter of an option, and a lost list of statements: without
    it the question cannot be answered.
    """
    new = remake_item(item, made, item.language)
    for name, text in item.fields.items():
        lost = lost_statements(text, new.fields[name])
        if lost:
            raise SenseError(
                f"item {item.id!r}, {name}: rewritten without its statements {', '.join(lost)}; it cannot be answered so"
            )
    known = {finding.detail for finding in doubled_labels({item.language: [item]}, AuditSettings())}
    for finding in doubled_labels({new.language: [new]}, AuditSettings()):
        if finding.detail not in known:
            raise SenseError(f"item {item.id!r}: {finding.detail}; a prompt would show labels twice")
    return new


def refuse_doubled_labels(items: Mapping[str, Sequence[Item]]) -> None:
    """Before anything is asked: no item may bring its own option letters, which the prompt prints already."""
    found = [one for one in doubled_labels(items, AuditSettings()) if one.severity == "exclude"]
    if found:
        named = ", ".join(dict.fromkeys(one.item for one in found[:5]))
        raise DataError(
            f"{len(found)} items bring their own option labels, so that a prompt would read 'A. A. text' ({named}"
            f"{', …' if len(found) > 5 else ''}): {found[0].detail}. Strip them from the data, or leave the items out "
            "(exclude; `hesperus audit` lists them)"
        )


def lost_statements(text: str, rewritten: str) -> tuple[str, ...]:
    """The statements of a list that a rewriting lacks, by their marks; a list has two or more.

    A list may come back with other marks (I. as 1. or ①), as long as its places are all there.

    >>> lost_statements("Which is true? I. Water is wet. II. Fire is cold.", "Is water wet or fire cold?")
    ('I', 'II')
    >>> lost_statements("哪个正确？I. 水是湿的。II. 火是冷的。", "以下哪项正确：①水湿；②火冷？")
    ()
    """
    wanted = _places(text)
    if len(wanted) < 2:
        return ()
    found = _places(rewritten)
    return tuple(mark for place, mark in wanted.items() if place not in found)


def _places(text: str) -> dict[str, str]:
    """Place in a list, as a number or letter, to the mark as it is there; a list begins with its first place."""
    found: dict[str, str] = {}
    for match in _MARKS.finditer(text):
        mark = next(group for group in match.groups() if group is not None)
        plain = _ROMAN.get(mark, mark)
        place = _ROMAN_PLACE.get(plain, plain) if not match["circled"] else str(ord(mark) - ord("①") + 1)
        place = str("abcde".index(place) + 1) if place in tuple("abcde") else place
        found.setdefault(place, mark)
    return found if "1" in found else {}
