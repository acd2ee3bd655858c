"""The audit: every check over the items of several languages, and what they found together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hesperus.audits.blanks import (
    damaged_texts,
    duplicate_ids,
    duplicate_texts,
    empty_texts,
    missing,
    placeholders,
)
from hesperus.audits.finding import KINDS, AuditSettings, Finding, Items, Severity, by_id
from hesperus.audits.lengths import lost_numbers, odd_lengths
from hesperus.audits.options import (
    answer_leaks,
    doubled_labels,
    gold_differs,
    gold_missing,
    gold_range,
    option_counts,
    option_orders,
    repeated_options,
)
from hesperus.audits.wrong_language import (
    expected_names,
    mixed_words,
    untranslated_texts,
    wrong_languages,
    wrong_scripts,
)
from hesperus.errors import UsageError
from hesperus.fingerprint import JSON, signature
from hesperus.languages import language

Check = Callable[[Items, AuditSettings], Iterable[Finding]]

WITHIN: tuple[Check, ...] = (
    duplicate_ids, duplicate_texts, repeated_options, doubled_labels, empty_texts, placeholders, damaged_texts,
    wrong_scripts, mixed_words, wrong_languages,
)  # fmt: skip
"""Checks that hold even where the languages have different items."""

ACROSS: tuple[Check, ...] = (
    missing, option_counts, option_orders, gold_missing, untranslated_texts, odd_lengths, lost_numbers, answer_leaks,
)  # fmt: skip
"""Checks that hold languages against each other, item by item."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a task says about its items, as far as an audit needs it.

    Attributes:
        labels: Canonical labels, for items without options; none if any text may be right.
        parallel: Whether the languages hold the same items.
        gold_by_language: Whether an item's gold belongs to the language, and may differ.
        gold_is_spelled: Whether gold is an open answer that each language spells itself, so that golds are not compared.
    """

    labels: tuple[str, ...] = ()
    parallel: bool = True
    gold_by_language: bool = False
    gold_is_spelled: bool = False


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found.

    Attributes:
        findings: By kind in the order of KINDS, then by item in the order of the data.
        languages: BCP-47 tags of what was audited.
        items: How many different ids there are.
        settings: The thresholds.
        notes: What was not checked, or concerns a whole language.
    """

    findings: tuple[Finding, ...]
    languages: tuple[str, ...]
    items: int
    settings: AuditSettings = field(default_factory=AuditSettings)
    notes: tuple[str, ...] = ()

    def of(self, *severities: Severity) -> tuple[Finding, ...]:
        """The findings of some severities."""
        return tuple(finding for finding in self.findings if finding.severity in severities)

    def summary(self) -> tuple[Mapping[str, JSON], ...]:
        """A row for each kind and severity that was found: findings, items, languages, and what the kind means."""
        rows: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.findings:
            rows.setdefault((finding.kind, finding.severity), []).append(finding)
        return tuple(
            {
                "kind": kind,
                "severity": severity,
                "findings": len(found),
                "items": len({finding.item for finding in found}),
                "languages": " ".join(_in_order(self.languages, found)),
                "meaning": KINDS[kind],
            }
            for (kind, severity), found in rows.items()
        )

    def signature(self) -> dict[str, JSON]:
        """Version, thresholds, and what was audited."""
        found: dict[str, JSON] = {}
        for row in self.summary():
            found[f"{row['kind']}.{row['severity']}"] = row["findings"]
        audited: dict[str, JSON] = {"items": self.items, "languages": list(self.languages), "found": found}
        return signature(self.settings) | audited


def audit_items(
    items: Items,
    settings: AuditSettings | None = None,
    *,
    contract: Contract | None = None,
    known: Sequence[Finding] = (),
) -> Audit:
    """Run every check.

    Args:
        items: BCP-47 tag to items; an id may be absent from a language or be in it twice.
        settings: The thresholds.
        contract: What the task says about its items.
        known: Findings that reading the items gave already.

    Returns:
        The findings, in one order for the same items whatever the order of the checks.

    Raises:
        UsageError: No language, or none with items.
        UnknownNameError: A key of ``items`` is no language.
    """
    settings, contract = settings or AuditSettings(), contract or Contract()
    if not any(items.values()):
        raise UsageError("there is nothing to audit: no language has an item")
    found = [*known, *_findings(items, settings, contract)]
    kinds = {kind: place for place, kind in enumerate(KINDS)}
    places = {key: place for place, key in enumerate(by_id(items))}
    found.sort(key=lambda finding: (kinds[finding.kind], places.get(finding.item, -1), finding.languages))
    return Audit(tuple(found), tuple(items), len(places), settings, tuple(_notes(items, found, settings)))


def _findings(items: Items, settings: AuditSettings, contract: Contract) -> Iterator[Finding]:
    for check in WITHIN:
        yield from check(items, settings)
    yield from gold_range(items, settings, contract.labels)
    if not contract.parallel:
        return
    for check in ACROSS:
        yield from check(items, settings)
    if not contract.gold_is_spelled:
        yield from gold_differs(items, settings, contract.gold_by_language)


def _notes(items: Items, found: Sequence[Finding], settings: AuditSettings) -> Iterator[str]:
    for tag, many in items.items():
        if not expected_names(tag):
            script = language(tag).script
            yield f"{tag}: the letters of its script ({script}) are not known here, so scripts were not checked"
        wrong = {
            finding.item for finding in found if finding.kind == "script" and finding.languages == (tag,)
        }
        if len(wrong) * 2 > len(many) > 1:
            yield (
                f"{tag}: {len(wrong)} of {len(many)} items are in another script than {language(tag).script}; if that "
                "is meant, name it in the tag, as in sr-Latn"
            )
    few = [tag for tag, many in items.items() if len(many) < settings.function_items]
    if few:
        yield f"fewer than {settings.function_items} items, too few to learn the small words of {', '.join(few)}"
    if len(items) == 1:
        yield "one language: nothing could be compared with another"


def _in_order(languages: Sequence[str], found: Sequence[Finding]) -> list[str]:
    named = {tag for finding in found for tag in finding.languages}
    return [tag for tag in languages if tag in named]
