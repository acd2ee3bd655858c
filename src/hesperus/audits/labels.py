"""Option labels that are in the text itself, so that a prompt would show them twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.sides import by_id
from hesperus.audits.thresholds import AuditSettings
from hesperus.errors import UnknownNameError
from hesperus.languages import pack
from hesperus.tasks.definition import LETTERS

_MARK = r"[).:\]、．：）】]"
# "A. A. text", "(A) A) text", "A) (A) text": the letter twice, each time with a mark.
_TWICE = re.compile(rf"(?:^|(?<=\s))[(\[（【]?([A-Z]){_MARK}+\s*[(\[（【]?\1{_MARK}")


def doubled_labels(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items with options that begin with their own letters, or whose text has a letter twice in a row.

    One option that begins with its letter may be a name (``C. difficile``, ``A. A. Milne``); two or more are labels.
    """
    for key, here in by_id(items).items():
        for tag, item in here.items():
            options = item.options or ()
            labelled = _own_letters(options, tag)
            twice = [option for option in options if (found := _TWICE.match(option)) and found]
            if len(labelled) > 1 and len(labelled) * 2 > len(options):
                detail = (
                    f"{len(labelled)} of {len(options)} options begin with their label: {quoted(labelled[0])}"
                )
                yield Finding("doubled_label", "exclude", key, (tag,), detail)
            elif twice:
                detail = f"a label stands twice: {quoted(twice[0])}"
                yield Finding("doubled_label", "exclude" if len(twice) > 1 else "review", key, (tag,), detail)
            for name, text in item.fields.items():
                doubled = set(_TWICE.findall(text)) if text.count(".") + text.count(")") > 1 else set()
                if len(doubled) > 1:
                    detail = f"{name} holds the labels {', '.join(sorted(doubled))} twice in a row"
                    yield Finding("doubled_label", "exclude", key, (tag,), detail)


def _own_letters(options: Sequence[str], tag: str) -> list[str]:
    """The options that begin with the letter or number of their place."""
    return [
        option
        for place, option in enumerate(options[: len(LETTERS)])
        if _label(tag, place).match(option) is not None
    ]


@lru_cache(maxsize=8192)
def _label(tag: str, place: int) -> re.Pattern[str]:
    """A label at its place: its letter in either case, in the language's own letters or a number, with a mark."""
    own = _letters(tag)
    letters = {LETTERS[place], LETTERS[place].lower(), str(place + 1), *own[place : place + 1]}
    either = "|".join(re.escape(letter) for letter in sorted(letters))
    return re.compile(
        rf"\s*(?:[(\[（【](?:{either})[)\]）】]|(?:{either})(?:[).\]．）】]+\s|[:：、)）]\s*))\s*\S"
    )


@lru_cache(maxsize=512)
def _letters(tag: str) -> tuple[str, ...]:
    try:
        return pack(tag).option_letters
    except UnknownNameError:
        return ()
