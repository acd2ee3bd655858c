"""The same text under two ids."""

from __future__ import annotations

from collections.abc import Iterator

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.sides import by_id
from hesperus.audits.thresholds import AuditSettings
from hesperus.types import Item


def duplicate_texts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items with the fields and options of another id.

    Where most languages that have both ids repeat them, the benchmark asks twice, and a person should look. Where
    few do, a row was translated twice or copied over another: the item is no longer the same question everywhere.
    """
    sides = by_id(items)
    pairs: dict[tuple[str, str], list[str]] = {}
    for tag, many in items.items():
        first: dict[tuple[str, ...], str] = {}
        for item in many:
            original = first.setdefault(_text(item), item.id)
            if original != item.id:
                pairs.setdefault((original, item.id), []).append(tag)
    for (one, other), tags in pairs.items():
        both = sum(one_tag in sides[other] for one_tag in sides[one])
        text = quoted(next(iter(sides[other][tags[0]].fields.values()), ""))
        everywhere = len(tags) * 2 > both
        for key, twin in ((one, other), (other, one)):
            yield Finding(
                "duplicate_text",
                "review" if everywhere else "exclude",
                key,
                tuple(tags),
                f"same text as item {twin!r} in {len(tags)} of {both} languages: {text}",
            )


def _text(item: Item) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in (*item.fields.values(), *(item.options or ())))
