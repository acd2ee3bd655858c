"""The items of several languages, side by side: what every comparison between languages starts from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hesperus.audits.finding import Items
from hesperus.languages import language
from hesperus.types import Item

OPTIONS = "options"
"""Name of the part of an item that holds its options, where others are fields."""


# Blanks and punctuation: ASCII, Latin-1, general, Arabic, Indic, Ethiopic, CJK, full width. Not \W, which holds the
# vowel signs of India.
_BETWEEN = re.compile(
    r"[\s!-/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20،؛؟۔।॥።፣፤፧]+"
)


def by_id(items: Items) -> dict[str, dict[str, Item]]:
    """Id to language to item, in the order in which ids appear; of an id that is twice, the first."""
    found: dict[str, dict[str, Item]] = {}
    for tag, many in items.items():
        for item in many:
            found.setdefault(item.id, {}).setdefault(tag, item)
    return found


def parts(item: Item) -> Iterator[tuple[str, str]]:
    """The texts of an item by name: its fields, then all options, a line each."""
    yield from item.fields.items()
    if item.options:
        yield OPTIONS, "\n".join(item.options)


def minority(values: Sequence[object], tags: Sequence[str], reference: str) -> tuple[str, ...]:
    """The languages that have another value than most; of equally many, the reference's value is right."""
    own = values[tags.index(reference)] if reference in tags else None
    usual = max(
        dict.fromkeys(values), key=lambda value: (values.count(value), value == own and reference in tags)
    )
    return tuple(tag for value, tag in zip(values, tags, strict=True) if value != usual)


def folded(text: str) -> str:
    """Text without case and punctuation, words parted by one blank."""
    return _BETWEEN.sub(" ", text.casefold()).strip()


def related(one: str, other: str) -> bool:
    """Whether two languages are so near to each other that one sentence may serve both."""
    first, second = language(one), language(other)
    if one.split("-")[0] == other.split("-")[0]:
        return True
    return first.branch is not None and (first.family, first.branch) == (second.family, second.branch)
