"""Questions that give their answer away in some languages only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.scripts import is_unspaced
from hesperus.audits.sides import by_id
from hesperus.audits.thresholds import AuditSettings
from hesperus.types import Item

_EDGES = " \t\n.,;:!?\"'()。．，、؟،।።“”‘’«»"


def answer_leaks(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Items with a question that holds the text of the right option, and of no other, in fewer than half of the languages.

    A field that holds options in many items is a text to choose the answer from (a passage, a sentence with a gap),
    and is left alone.
    """
    leaks: dict[str, dict[str, list[tuple[str, str]]]] = {}
    asked: Counter[str] = Counter()
    holding: Counter[str] = Counter()
    sides = by_id(items)
    for key, here in sides.items():
        for tag, item in here.items():
            for name, held in _held(item, tag):
                asked[name] += 1
                holding[name] += bool(held)
                answer = _answer(item, tag, settings)
                if answer and held == [answer]:
                    leaks.setdefault(name, {}).setdefault(key, []).append((tag, answer))
    for name, by_item in leaks.items():
        if holding[name] > settings.leak_share * asked[name]:
            continue
        for key, found in by_item.items():
            if len(found) < settings.leak_languages * len(sides[key]):
                shown = ", ".join(f"{quoted(answer)} ({tag})" for tag, answer in found[:4])
                tags = tuple(tag for tag, _ in found)
                yield Finding("answer_leak", "review", key, tags, f"{name} holds its answer: {shown}")


def _held(item: Item, tag: str) -> Iterator[tuple[str, list[str]]]:
    """Each field, and the options that are in it."""
    options = [option.strip(_EDGES) for option in item.options or ()]
    if not options:
        return
    unspaced = is_unspaced(tag)
    for name, text in item.fields.items():
        low = text.casefold()
        yield name, [option for option in options if option and _stands_in(option.casefold(), low, unspaced)]


def _answer(item: Item, tag: str, settings: AuditSettings) -> str | None:
    """The right option, where it has letters enough to be no coincidence."""
    options = item.options or ()
    place = ord(item.gold) - ord("A") if item.gold and len(item.gold) == 1 else -1
    if not 0 <= place < len(options):
        return None
    answer = options[place].strip(_EDGES)
    fewest = settings.leak_letters // 2 if is_unspaced(tag) else settings.leak_letters
    return answer if sum(map(str.isalpha, answer)) >= fewest else None


def _stands_in(phrase: str, text: str, unspaced: bool) -> bool:
    """Whether a phrase is in a text as whole words; anywhere where words have no blanks between them."""
    if phrase not in text:
        return False
    return unspaced or re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None
