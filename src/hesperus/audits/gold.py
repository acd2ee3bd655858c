"""The right answer: there, among the labels, and the same in every language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.sides import by_id, minority
from hesperus.audits.thresholds import AuditSettings
from hesperus.tasks.definition import LETTERS


def gold_range(items: Items, settings: AuditSettings, labels: Sequence[str] = ()) -> Iterator[Finding]:
    """Golds that are not among the item's labels: its letters where it has options, else the task's labels.

    Args:
        items: What is audited.
        settings: Not used here.
        labels: Canonical labels of items without options; none if any text may be right.
    """
    for key, here in by_id(items).items():
        wrong: dict[str, list[str]] = {}
        for tag, item in here.items():
            known = LETTERS[: len(item.options)] if item.options is not None else labels
            if (
                item.gold is not None
                and (known or item.options is not None)
                and item.gold not in tuple(known)
            ):
                what = (
                    f"{len(item.options)} options" if item.options is not None else "the labels of the task"
                )
                wrong.setdefault(f"{quoted(item.gold)} is none of {what}", []).append(tag)
        for detail, tags in wrong.items():
            yield Finding("gold_range", "exclude", key, tuple(tags), detail)


def gold_differs(items: Items, settings: AuditSettings, keep: bool = False) -> Iterator[Finding]:
    """Items with another gold in some language.

    Args:
        items: What is audited.
        settings: Its reference decides which of two golds is the odd one.
        keep: Whether gold belongs to the language in this task, so that a difference is for review only.
    """
    for key, here in by_id(items).items():
        golds = {tag: item.gold for tag, item in here.items() if item.gold is not None}
        if len(set(golds.values())) < 2:
            continue
        odd = minority(list(golds.values()), list(golds), settings.reference)
        usual = next(gold for tag, gold in golds.items() if tag not in odd)
        detail = ", ".join(f"{quoted(golds[tag])} in {tag}" for tag in odd)
        yield Finding(
            "gold_differs", "review" if keep else "exclude", key, odd, f"{quoted(usual)} elsewhere, {detail}"
        )


def gold_missing(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items that have a gold in some languages and none in others."""
    for key, here in by_id(items).items():
        without = tuple(tag for tag, item in here.items() if item.gold is None)
        if without and len(without) < len(here):
            yield Finding(
                "gold_missing", "exclude", key, without, f"{len(here) - len(without)} languages have it"
            )
