"""Texts that are those of another language, word for word or nearly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hesperus.audits.finding import Finding, Items, Severity, quoted
from hesperus.audits.scripts import is_unspaced
from hesperus.audits.sides import by_id, folded, related
from hesperus.audits.thresholds import AuditSettings
from hesperus.types import Item

_LETTERS_PER_WORD = 3


def untranslated_texts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Fields and options that read the same in two languages, or nearly the same as in the reference.

    Short texts, and such as have few words (numbers, names, formulas), are the same in many languages and say
    nothing. Related languages may share a sentence: that is for review, as are options, unless one of the languages
    is the reference.
    """
    for key, here in by_id(items).items():
        if len(here) < 2:
            continue
        texts = {tag: _texts(item) for tag, item in here.items()}
        for name in dict.fromkeys(name for named in texts.values() for name in named):
            column = {tag: named[name] for tag, named in texts.items() if name in named}
            yield from _same(key, name, column, settings)
            if settings.reference in column:
                yield from _nearly(key, name, column, settings)


def _texts(item: Item) -> dict[str, str]:
    """Folded texts by name: the fields, and each option."""
    found = {name: folded(text) for name, text in item.fields.items()}
    found |= {f"option {chr(65 + place % 26)}": folded(text) for place, text in enumerate(item.options or ())}
    return found


def _same(key: str, name: str, column: Mapping[str, str], settings: AuditSettings) -> Iterator[Finding]:
    if len(set(column.values())) == len(column):
        return
    groups: dict[str, list[str]] = {}
    for tag, text in column.items():
        groups.setdefault(text, []).append(tag)
    for text, tags in groups.items():
        if len(tags) < 2 or not _says_much(text, tags[0], settings):
            continue
        reference = settings.reference if settings.reference in tags else None
        odd = tuple(tag for tag in tags if tag != reference)
        far = reference is not None or not all(related(tags[0], tag) for tag in tags[1:])
        severity: Severity = "exclude" if far and not name.startswith("option ") else "review"
        whose = f"that of {reference}" if reference else "the same in them"
        yield Finding("untranslated", severity, key, odd, f"{name} is {whose}: {quoted(text)}")


def _says_much(text: str, tag: str, settings: AuditSettings) -> bool:
    """Whether a text has enough words with letters, or letters in a script without blanks, to be no coincidence."""
    if is_unspaced(tag) and not text.isascii():
        return sum(map(str.isalpha, text)) >= _LETTERS_PER_WORD * settings.identical_words
    return sum(len(word) > 1 and word.isalpha() for word in text.split()) >= settings.identical_words


def _nearly(key: str, name: str, column: Mapping[str, str], settings: AuditSettings) -> Iterator[Finding]:
    """Texts with most of their different words in the reference's text."""
    reference = column[settings.reference]
    known = {word for word in reference.split() if not word.isdigit()}
    if len(known) < settings.shared_fewest:
        return
    for tag, text in column.items():
        if tag == settings.reference or text == reference or text.count(" ") + 1 < settings.shared_fewest:
            continue
        words = {word for word in text.split() if not word.isdigit()}
        if len(words) < settings.shared_fewest:
            continue
        shared = len(words & known)
        if shared >= settings.shared_words * len(words):
            clear = len(words) >= 2 * settings.shared_fewest and not name.startswith("option ")
            severity: Severity = "exclude" if clear else "review"
            detail = (
                f"{name}: {shared} of {len(words)} words are those of {settings.reference}: {quoted(text)}"
            )
            yield Finding("untranslated", severity, key, (tag,), detail)
