"""Options: as many in every language, in one order, none twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.numbers import numbers_in
from hesperus.audits.sides import by_id, minority
from hesperus.audits.thresholds import AuditSettings
from hesperus.tasks.definition import LETTERS

_HAS_DIGIT = re.compile(r"\d")


def option_counts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items with another number of options in some language, or with fewer than two."""
    for key, here in by_id(items).items():
        counts = {tag: len(item.options) for tag, item in here.items() if item.options is not None}
        bare = tuple(tag for tag in here if tag not in counts)
        few = tuple(tag for tag, count in counts.items() if count < 2)
        if counts and bare:
            yield Finding("option_count", "exclude", key, bare, "no options here, some elsewhere")
        if few:
            yield Finding("option_count", "exclude", key, few, "fewer than two options")
        if len(set(counts.values())) > 1:
            odd = minority(list(counts.values()), list(counts), settings.reference)
            usual = next(count for tag, count in counts.items() if tag not in odd)
            detail = ", ".join(f"{counts[tag]} in {tag}" for tag in odd)
            yield Finding("option_count", "exclude", key, odd, f"{usual} elsewhere, {detail}")


def repeated_options(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items in which two options have the same text.

    Where the right one is among them the question has no answer in that language; otherwise it has fewer options
    than it seems, and a person should look. Case counts: ``DD, Dd, dd`` are three genotypes.
    """
    for key, here in by_id(items).items():
        for tag, item in here.items():
            options = [" ".join(option.split()) for option in item.options or ()]
            if len(set(options)) == len(options):
                continue
            counts = Counter(options)
            again = [LETTERS[place % 26] for place, text in enumerate(options) if counts[text] > 1 and text]
            if not again:
                continue
            is_gold = item.gold in again
            text = next(text for text, count in counts.items() if count > 1 and text)
            detail = f"{', '.join(again)} are all {quoted(text)}{'; gold is among them' if is_gold else ''}"
            yield Finding("repeated_option", "exclude" if is_gold else "review", key, (tag,), detail)


def option_orders(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items with options that hold the same numbers as in most languages, but at other places.

    Numbers are what can be compared without knowing a language. Only items are looked at in which each option has
    numbers of its own, so that every place is known.
    """
    for key, here in by_id(items).items():
        first = next(iter(here.values()))
        if not first.options or not all(map(_HAS_DIGIT.search, first.options)):
            continue
        orders = {
            tag: tuple(tuple(sorted(numbers_in(option))) for option in item.options)
            for tag, item in here.items()
            if item.options
        }
        if len(set(orders.values())) < 2:
            continue
        odd = minority(list(orders.values()), list(orders), settings.reference)
        usual = next(order for tag, order in orders.items() if tag not in odd)
        moved = tuple(
            tag for tag in odd if len(set(usual)) == len(usual) and sorted(orders[tag]) == sorted(usual)
        )
        if moved:
            other = next(tag for tag, order in orders.items() if order == usual)
            one, two = (" | ".join(here[tag].options or ()) for tag in (moved[0], other))
            detail = f"{quoted(one)} in {moved[0]}, {quoted(two)} in {other}"
            yield Finding("option_order", "exclude", key, moved, detail)
