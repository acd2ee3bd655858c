"""Items and texts that are not there, or twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hesperus.audits.finding import AuditSettings, Finding, Items, Severity, by_id, quoted
from hesperus.types import Item

_PLACEHOLDERS = frozenset(
    {
        "ns", "nan", "none", "null", "nil", "na", "n/a", "#n/a", "n.a", "n/d", "todo", "tbd", "tba", "fixme", "xxx",
        "xxxx", "undefined", "missing", "empty", "blank", "placeholder", "dummy", "untranslated", "error", "#ref!",
        "#value!", "#error!", "<na>", "[empty]", "lorem ipsum",
    }
)  # fmt: skip
# In capitals: "todo" is Spanish for "all".
_UNFILLED = re.compile(
    r"(?-i:\b(?:TODO|FIXME|TBD)\b):?|\blorem ipsum\b|\{\{.{0,40}\}\}|\[(?:translation|insert|your text)\b[^\]]{0,40}\]"
    r"|^\s*(?:sure[,!]\s+)?here(?:'s| is) (?:the|your|a) (?:\w+ )?translation\b|^\s*translation:"
    r"|^\s*(?:i'?m sorry, (?:but )?i|as an ai\b|i can(?:no|')t translate)",
    re.IGNORECASE,
)
# One of these is in every text that _UNFILLED finds; looking for them first is much quicker.
_HINTS = ("TODO", "FIXME", "TBD", "orem ", "OREM ", "{{", "[", "ranslat", "RANSLAT", "sorry", "s an ")
# UTF-8 read as Windows-1252: é is Ã©, – is â€“; and references that a page would resolve.
_MOJIBAKE = re.compile(
    "Ã[\u0080-\u00bf\u0152-\u2122]|â€[\u0080-\u00ff\u0152-\u2122]|Â[\u00a0-\u00bf]|Ð[\u00b0-\u00bf]Ñ|à¤[\u0080-\u00bf]"
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});|\\u[0-9a-fA-F]{4}")


def empty_texts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Fields and options without a single letter, digit or symbol in some language.

    A text of punctuation alone is empty where it is not so in most languages: a question about ``?`` has one.
    """
    for key, here in by_id(items).items():
        bare = {tag: _bare(item) for tag, item in here.items()}
        for tag, names in bare.items():
            for name, text in names.items():
                if not text.strip():
                    yield Finding("empty", "exclude", key, (tag,), f"{name} is empty")
                elif sum(name in others for others in bare.values()) * 2 <= len(bare):
                    yield Finding("empty", "exclude", key, (tag,), f"{name} is only {quoted(text)}")


def placeholders(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Texts such as ``NS``, ``nan`` or ``TODO``, and phrases that a translating model says about its work.

    An option that is ``None`` in most languages is an option.
    """
    for key, here in by_id(items).items():
        whole = {tag: _standing_in(item) for tag, item in here.items()}
        for tag, found in whole.items():
            for name, text in found.items():
                if name in here[tag].fields or sum(name in other for other in whole.values()) * 2 <= len(
                    here
                ):
                    yield Finding("placeholder", "exclude", key, (tag,), f"{name} is {quoted(text)}")
        for tag, item in here.items():
            for name, text in _named(item):
                marks = any(hint in text for hint in _HINTS) and _UNFILLED.search(text)
                if marks and name not in whole[tag]:
                    yield Finding("placeholder", "review", key, (tag,), f"{name} holds {quoted(marks[0])}")


def damaged_texts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Characters that were lost (the replacement character), read in a wrong encoding, or left escaped."""
    for tag, many in items.items():
        for item in many:
            for name, text in _named(item):
                found = _damage(text)
                if found:
                    yield Finding("damaged", found[0], item.id, (tag,), f"{name} holds {found[1]}")


def _damage(text: str) -> tuple[Severity, str] | None:
    if "\ufffd" in text:
        at = text.index("\ufffd")
        return "exclude", f"a lost character: {quoted(text[max(0, at - 20) : at + 20])}"
    if not text.isascii() and (found := _MOJIBAKE.search(text)):
        return (
            "review",
            f"text in a wrong encoding: {quoted(text[max(0, found.start() - 20) : found.end() + 20])}",
        )
    if ("&" in text or "\\u" in text) and (found := _ENTITY.search(text)):
        return "review", f"an unresolved reference: {quoted(found[0])}"
    return None


def _named(item: Item) -> Iterator[tuple[str, str]]:
    yield from item.fields.items()
    for place, option in enumerate(item.options or ()):
        yield f"option {chr(65 + place % 26)}", option


def _bare(item: Item) -> dict[str, str]:
    return {name: text for name, text in _named(item) if not text or not _holds_something(text)}


def _holds_something(text: str) -> bool:
    if text[0].isalnum():
        return True
    # Mathematical and currency symbols are content, as are the emoji.
    return any(c.isalnum() or c in "+<>=±×÷√∞∑∫$€£¥%°" or ord(c) > 0x2190 for c in text if not c.isspace())


def _standing_in(item: Item) -> dict[str, str]:
    return {
        name: text
        for name, text in _named(item)
        if len(text) < 16 and text.strip(" .*_").casefold() in _PLACEHOLDERS
    }


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
