"""Bringing languages together: the same id is the same question, or the item is excluded and listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hesperus.errors import DataError
from hesperus.normalization import comparable
from hesperus.tasks.definition import Task
from hesperus.tasks.items import LanguageItems
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
    unusable = [drop for part in reversed(found) for drop in part.dropped]
    dropped = {drop.item: drop for drop in unusable if drop.reason != "missing"}
    everywhere = set(found[0].items).intersection(*(part.items for part in found[1:]))
    ids = [key for key in found[0].items if key in everywhere]
    for part in found:
        for key in (*part.lines, *(drop.item for drop in part.dropped)):
            if key not in dropped and key not in everywhere:
                absent = tuple(other.language for other in found if key not in other.items)
                dropped[key] = Dropped(key, "missing", absent, f"not in {', '.join(absent)}")
    kept: list[str] = []
    for key in ids:
        here = [(part, part.items[key]) for part in found]
        trouble = _trouble(task, here)
        if trouble is not None:
            dropped[key] = trouble
            continue
        kept.append(key)
    if not kept:
        raise DataError(f"no item is left: {_reasons(dropped.values())}", file=found[0].place)
    by_language: ByLanguage = {part.language: PackedItems(part.items[key] for key in kept) for part in found}
    by_language, notes = _same_labels(task, by_language)
    by_language, group_notes = _same_groups(by_language)
    notes = (*_unmet(task, found), *_without_gold(task, by_language), *notes, *group_notes)
    return ItemSet(task.name, by_language, tuple(dropped.values()), notes)


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


def _without_gold(task: Task, by_language: ByLanguage) -> tuple[str, ...]:
    """How many items of a task with gold have none in any language."""
    if task.columns.gold is None:
        return ()
    golds: dict[str, bool] = {}
    for items in by_language.values():
        for item in items:
            golds[item.id] = golds.get(item.id, False) or item.gold is not None
    missing = sum(not has for has in golds.values())
    return (f"{counted(missing, 'item')} without gold, counted for no accuracy",) if missing else ()


def _same_labels(task: Task, by_language: ByLanguage) -> tuple[ByLanguage, tuple[str, ...]]:
    """One label for an open answer that each language spells itself, and what the reader of a number should know.

    The label is the English spelling where English is read, else that of the first language that has one.
    """
    if len(by_language) == 1:
        return by_language, ()

    def columns() -> Iterator[tuple[Item, ...]]:
        return zip(*by_language.values(), strict=True)

    missing = sum(
        any(item.gold is None for item in here) and any(item.gold for item in here) for here in columns()
    )
    notes = (
        [f"{counted(missing, 'item')} without gold in some languages, counted for no accuracy there"]
        if missing
        else []
    )
    if task.form != "text":
        differing = sum(len({item.gold for item in here if item.gold is not None}) > 1 for here in columns())
        if differing:
            notes.insert(
                0, f"{differing} items have another gold in some languages; each language keeps its own"
            )
        return by_language, tuple(notes)
    spelt = 0
    languages = list(by_language)
    first = languages.index("en") if "en" in languages else 0
    labels: list[str] = []
    for here in columns():
        golds = [item.gold for item in (here[first], *here) if item.gold is not None]
        spelt += len(set(map(comparable, golds))) > 1
        labels.append(golds[0] if golds else "")
    if spelt:
        notes.insert(
            0,
            f"{spelt} of {len(labels)} items spell their gold differently in some languages; an answer in a language's own "
            "spelling counts as the same answer, other answers are compared as words",
        )
    renamed: ByLanguage = {
        language: PackedItems(map(_labelled, items, labels)) for language, items in by_language.items()
    }
    return renamed, tuple(notes)


def _labelled(item: Item, label: str) -> Item:
    """The item with another word for its gold label; its own spellings stay accepted."""
    if item.gold is None or item.gold == label:
        return item
    accepted = dict(item.accepted)
    own = accepted.pop(item.gold, (item.gold,))
    return replace(item, gold=label, accepted={label: own, **accepted})


def _side_by_side(task: Task, found: Sequence[LanguageItems]) -> ItemSet:
    dropped = tuple(drop for part in found for drop in part.dropped)
    by_language: ByLanguage = {part.language: PackedItems(part.items.values()) for part in found}
    notes = (*_unmet(task, found), *_without_gold(task, by_language))
    if len(found) > 1:
        notes = (
            *notes,
            f"{task.name} holds other items in every language: compare a language with what is made from it, never "
            "two originals",
        )
    return ItemSet(task.name, by_language, dropped, notes)


def _same_length(found: Sequence[LanguageItems]) -> None:
    first = found[0]
    for part in found[1:]:
        if part.rows != first.rows:
            raise DataError(
                f"{part.rows} rows in {part.language!r}, {first.rows} in {first.language!r} ({first.place}): rows are "
                "the only key of this task, so the files must match row by row",
                file=part.place,
            )


def _trouble(task: Task, here: Sequence[tuple[LanguageItems, Item]]) -> Dropped | None:
    """Why an item that all languages have cannot be compared between them."""
    key = here[0][1].id
    counts = {len(item.options or ()) for _, item in here}
    if len(counts) > 1:
        detail = ", ".join(f"{len(item.options or ())} in {item.language}" for _, item in here)
        return Dropped(
            key, "option count differs", _minority([str(len(i.options or ())) for _, i in here], here), detail
        )
    golds = [item.gold or "" for _, item in here]
    if len(set(golds)) == 1 or task.gold.across == "per_language":
        return None
    detail = ", ".join(f"{item.gold!r} in {item.language}" for _, item in here)
    without = tuple(item.language for _, item in here if item.gold is None)
    if without:
        return Dropped(key, "gold missing", without, f"no gold in {', '.join(without)}")
    if task.gold.across == "error":
        part = next(part for part, item in here if item.gold != here[0][1].gold)
        raise DataError(
            f"gold differs between languages: {detail}. This task has no key but the row, so the files do not match "
            "from here on",
            file=part.place,
            line=part.lines[key],
            item=key,
        )
    return Dropped(key, "gold differs", _minority(golds, here), detail)


def _minority(values: Sequence[str], here: Sequence[tuple[LanguageItems, Item]]) -> tuple[str, ...]:
    """The languages that have another value than most."""
    usual = max(dict.fromkeys(values), key=values.count)
    return tuple(item.language for value, (_, item) in zip(values, here, strict=True) if value != usual)


def _same_groups(by_language: ByLanguage) -> tuple[ByLanguage, tuple[str, ...]]:
    """Groups are of the item, not of the language: where they differ, those of the first language hold."""
    languages = list(by_language)
    first = by_language[languages[0]]
    differing: dict[str, int] = {}

    def grouped(items: Iterable[Item]) -> Iterator[Item]:
        for item, reference in zip(items, first, strict=True):
            if item.groups == reference.groups:
                yield item
                continue
            for name in reference.groups:
                if item.groups.get(name) != reference.groups[name]:
                    differing[name] = differing.get(name, 0) + 1
            yield replace(item, groups=reference.groups)

    for language in languages[1:]:
        by_language[language] = PackedItems(grouped(by_language[language]))
    notes = tuple(
        f"the group {name!r} reads otherwise in {count} cases; that of {languages[0]!r} holds for all"
        for name, count in differing.items()
    )
    return by_language, notes


def _reasons(dropped: Iterable[Dropped]) -> str:
    reasons: dict[str, int] = {}
    for drop in dropped:
        reasons[drop.reason] = reasons.get(drop.reason, 0) + 1
    return ", ".join(f"{count} {reason}" for reason, count in reasons.items())
