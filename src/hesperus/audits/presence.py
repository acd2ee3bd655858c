"""Items that are not in every language, and ids that are twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hesperus.audits.finding import Finding, Items
from hesperus.audits.sides import by_id
from hesperus.audits.thresholds import AuditSettings


def missing(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items that some language lacks."""
    for key, here in by_id(items).items():
        absent = tuple(tag for tag in items if tag not in here)
        if absent:
            yield Finding("missing", "exclude", key, absent, f"in {len(here)} of {len(items)} languages")


def duplicate_ids(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Ids that occur more than once in a language: nobody knows which of them is meant."""
    found: dict[str, dict[str, int]] = {}
    for tag, many in items.items():
        counts = Counter(item.id for item in many)
        if len(counts) < len(many):
            for key, count in counts.items():
                if count > 1:
                    found.setdefault(key, {})[tag] = count
    for key, counts_of in found.items():
        detail = ", ".join(f"{count} times in {tag}" for tag, count in counts_of.items())
        yield Finding("duplicate_id", "exclude", key, tuple(counts_of), detail)
