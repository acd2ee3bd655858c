"""Options, their labels and the right answer: there, in one order, not told by the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hesperus.audits.finding import AuditSettings, Finding, Items, by_id, minority, quoted
from hesperus.audits.lengths import numbers_in
from hesperus.audits.wrong_language import is_unspaced
from hesperus.errors import UnknownNameError
from hesperus.languages import pack
from hesperus.tasks.definition import LETTERS
from hesperus.types import Item

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


def gold_range(items: Items, settings: AuditSettings, labels: Sequence[str] = ()) -> Iterator[Finding]:
    """Golds that are not among the item's labels: its letters where it has options, else the task's labels.

    Without labels any text may be right.
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

    With `keep` gold belongs to the language in this task, so that a difference is for review only.
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
