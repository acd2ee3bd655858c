"""Bringing languages together: the same id is the same question, or the item is excluded and listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hesperus.errors import DataError
from hesperus.normalization import comparable
from hesperus.tasks.definition import Task
from hesperus.tasks.items import ABSENT, LanguageItems
from hesperus.tasks.itemset import Dropped, ItemSet
from hesperus.tasks.packed import PackedItems
from hesperus.types import Item
from hesperus.wording import counted

ByLanguage = dict[str, PackedItems]


def align(task: Task, found: Sequence[LanguageItems]) -> ItemSet:
    """Keep the items that every language has and on which all agree.

    Excluded of all languages, and listed, are items that are missing or unusable in one, have another number of
    options, or, where languages share the gold, another gold or none. Of open answers whose gold each language spells
    itself, all languages get the same label, and each keeps its spellings. The order is that of the first language.

    Raises:
        DataError: Rows are the only key and the files have other lengths, or their golds differ in a row; or no item
            is left.
    """
    if not task.key.parallel:
        return _side_by_side(task, found)
    if task.key.counts_rows:
        _same_length(found)
    unusable = {drop.item: drop for part in reversed(found) for drop in part.dropped if drop.reason != ABSENT}
    kept, troubles = _Kept(task, found), dict[str, Dropped]()
    everywhere = 0
    for first in found[0].items.values():
        others = [part.items.get(first.id) for part in found[1:]]
        here = [first, *(item for item in others if item is not None)]
        if len(here) < len(found):
            continue
        everywhere += 1
        trouble = _trouble(task, found, here)
        if trouble is None:
            kept.add(here)
        else:
            troubles[first.id] = trouble
    dropped = tuple({**unusable, **_absent(found, everywhere, unusable), **troubles}.values())
    if not kept.count:
        raise DataError(f"no item is left: {_reasons(dropped)}", file=found[0].place)
    return ItemSet(task.name, kept.by_language, dropped, (*_unmet(task, found), *kept.notes()))


def _absent(
    found: Sequence[LanguageItems], everywhere: int, unusable: Mapping[str, Dropped]
) -> dict[str, Dropped]:
    """Items that a language lacks, in the order of the languages that have them."""
    absent: dict[str, Dropped] = {}
    for part in found:
        rest = part.items if len(part.items) > everywhere else ()
        for key in (*rest, *(drop.item for drop in part.dropped)):
            without = tuple(other.language for other in found if key not in other.items)
            if without and key not in unusable:
                absent.setdefault(key, Dropped(key, ABSENT, without, f"not in {', '.join(without)}"))
    return absent


def _unmet(task: Task, found: Sequence[LanguageItems]) -> tuple[str, ...]:
    """Rows that the task's conditions leave out, which are no items and so are not among the dropped."""
    if not any(part.unmet for part in found):
        return ()
    rule = ", ".join(
        f"{column} is {' or '.join(value or 'empty' for value in values)}"
        for column, values in task.source.where.items()
    )
    counts = ", ".join(f"{part.unmet} of {part.rows} in {part.language}" for part in found)
    return (f"rows are items only where {rule}; others: {counts}",)


class _Kept:
    """The items of all languages that are kept, with one label and the same groups, and what to know of them.

    The label of an open answer that each language spells itself is the English spelling where English is read, else that of
    the first language that has one. Groups are of the item, not of the language: those of the first language hold.

    Args:
        task: The task.
        found: What the data of each language gave.
    """

    def __init__(self, task: Task, found: Sequence[LanguageItems]) -> None:
        self._task, self._languages = task, [part.language for part in found]
        self.by_language: ByLanguage = {language: PackedItems() for language in self._languages}
        self.count = self._golds_differ = self._spelt = self._some_without = self._all_without = 0
        self._groups: Counter[str] = Counter()

    def add(self, here: Sequence[Item]) -> None:
        """Keep one item, in the order of the languages."""
        self.count += 1
        golds = [item.gold for item in here if item.gold is not None]
        self._all_without += not golds
        self._some_without += 0 < len(golds) < len(here)
        if self._task.form == "text" and len(here) > 1:
            self._spelt += len(set(golds)) > 1 and len(set(map(comparable, golds))) > 1
            leading = here[self._languages.index("en") if "en" in self._languages else 0].gold
            label = next(iter(golds), "") if leading is None else leading
            here = [_labelled(item, label) for item in here]
        else:
            self._golds_differ += len(set(golds)) > 1
        groups = here[0].groups
        for item, items in zip(here, self.by_language.values(), strict=True):
            if item.groups != groups:
                self._groups.update(name for name in groups if item.groups.get(name) != groups[name])
                item = replace(item, groups=groups)
            items.append(item)

    def notes(self) -> Iterator[str]:
        """What the reader of a number should know."""
        if self._task.columns.gold is not None and self._all_without:
            yield f"{counted(self._all_without, 'item')} without gold, counted for no accuracy"
        if self._golds_differ:
            yield f"{self._golds_differ} items have another gold in some languages; each language keeps its own"
        if self._spelt:
            yield (
                f"{self._spelt} of {self.count} items spell their gold differently in some languages; an answer in a "
                "language's own spelling counts as the same answer, other answers are compared as words"
            )
        if self._some_without:
            yield f"{counted(self._some_without, 'item')} without gold in some languages, counted for no accuracy there"
        for name, count in self._groups.items():
            yield (
                f"the group {name!r} reads otherwise in {count} cases; that of {self._languages[0]!r} holds for all"
            )


def _labelled(item: Item, label: str) -> Item:
    """The item with another word for its gold label; its own spellings stay accepted."""
    if item.gold is None or item.gold == label:
        return item
    accepted = dict(item.accepted)
    own = accepted.pop(item.gold, (item.gold,))
    return replace(item, gold=label, accepted={label: own, **accepted})


def _side_by_side(task: Task, found: Sequence[LanguageItems]) -> ItemSet:
    dropped = tuple(drop for part in found for drop in part.dropped)
    notes = list(_unmet(task, found))
    by_language: ByLanguage = {}
    missing = 0
    for part in found:
        by_language[part.language] = items = PackedItems()
        for item in part.items.values():
            items.append(item)
            missing += item.gold is None
    if task.columns.gold is not None and missing:
        notes.append(f"{counted(missing, 'item')} without gold, counted for no accuracy")
    if len(found) > 1:
        notes.append(
            f"{task.name} holds other items in every language: compare a language with what is made from it, never "
            "two originals"
        )
    return ItemSet(task.name, by_language, dropped, tuple(notes))


def _same_length(found: Sequence[LanguageItems]) -> None:
    first = found[0]
    for part in found[1:]:
        if part.rows != first.rows:
            raise DataError(
                f"{part.rows} rows in {part.language!r}, {first.rows} in {first.language!r} ({first.place}): rows are "
                "the only key of this task, so the files must match row by row",
                file=part.place,
            )


def _trouble(task: Task, found: Sequence[LanguageItems], here: Sequence[Item]) -> Dropped | None:
    """Why an item that all languages have cannot be compared between them."""
    key = here[0].id
    counts = [len(item.options or ()) for item in here]
    if len(set(counts)) > 1:
        detail = ", ".join(f"{len(item.options or ())} in {item.language}" for item in here)
        return Dropped(key, "option count differs", _minority([str(count) for count in counts], here), detail)
    golds = [item.gold or "" for item in here]
    if len(set(golds)) == 1 or task.gold_across == "per_language":
        return None
    detail = ", ".join(f"{item.gold!r} in {item.language}" for item in here)
    without = tuple(item.language for item in here if item.gold is None)
    if without:
        return Dropped(key, "gold missing", without, f"no gold in {', '.join(without)}")
    if task.gold_across == "error":
        part = next(part for part, item in zip(found, here, strict=True) if item.gold != here[0].gold)
        raise DataError(
            f"gold differs between languages: {detail}. This task has no key but the row, so the files do not match "
            "from here on",
            file=part.place,
            line=part.lines[part.items.place(key)],
            item=key,
        )
    return Dropped(key, "gold differs", _minority(golds, here), detail)


def _minority(values: Sequence[str], here: Sequence[Item]) -> tuple[str, ...]:
    """The languages that have another value than most."""
    usual = max(dict.fromkeys(values), key=values.count)
    return tuple(item.language for value, item in zip(values, here, strict=True) if value != usual)


def _reasons(dropped: Iterable[Dropped]) -> str:
    counts = Counter(drop.reason for drop in dropped)
    return ", ".join(f"{count} {reason}" for reason, count in counts.items())
