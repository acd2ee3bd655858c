"""Parallel sentences from a task: the same items in every language, each item a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.tasks import Sample, load_items
from hesperus.tasks import task as task_named
from hesperus.types import Item


@dataclass(frozen=True, slots=True)
class Sentences:
    """The same sentences in several languages.

    Attributes:
        items: Ids, in the order of the texts.
        texts: Language to texts.
        dropped: Id to why it is left out of all languages.
    """

    items: tuple[str, ...]
    texts: Mapping[str, tuple[str, ...]]
    dropped: Mapping[str, str]


def parallel_sentences(
    task: str,
    languages: Sequence[str],
    *,
    data: str | None = None,
    fields: Sequence[str] = (),
    limit: int | None = None,
) -> Sentences:
    """The sentences of a task.

    Left out of all languages are items that one of them lacks, that are empty in one, or whose text in one is that of an
    earlier item: such two are no sentences that do not match.

    Args:
        task: Name in the catalogue, or path of a task file.
        languages: Language tags, two or more.
        data: Where the items are, instead of the task's own source.
        fields: Fields of the items that make the text; all of them where empty, a line each.
        limit: Items to draw (seeded); None takes all.

    Raises:
        UsageError: Fewer than two languages, or a task whose languages hold different items.
        UnknownNameError: A task, language or field that does not exist.
        DataError: Items that break their contract, or fewer than two that are left.
    """
    found = task_named(task)
    if len(languages) < 2:
        raise UsageError("representations are compared between languages: give two or more")
    if not found.key.parallel:
        raise UsageError(f"{found.name} holds other items in every language; its sentences are not parallel")
    for field in fields:
        if field not in found.fields:
            raise UnknownNameError(f"field of {found.name}", field, found.fields)
    loaded = load_items(found, languages, source=data, sample=None if limit is None else Sample(n=limit))
    wanted = tuple(fields) or found.fields
    texts = {language: [_text(item, wanted) for item in loaded[language]] for language in loaded}
    items = [item.id for item in next(iter(loaded.values()))]
    dropped = {drop.item: drop.detail for drop in loaded.dropped}
    seen: dict[str, dict[str, str]] = {language: {} for language in texts}
    kept: list[int] = []
    for place, item in enumerate(items):
        why = ""
        for language, held in texts.items():
            text = held[place]
            earlier = seen[language].setdefault(text, item)
            if not text:
                why = f"empty in {language}"
            elif earlier != item:
                why = f"the same text as {earlier} in {language}"
        if why:
            dropped[item] = why
        else:
            kept.append(place)
    if len(kept) < 2:
        raise DataError(f"{len(kept)} sentences are left of {len(items)}; two are needed", file=found.name)
    chosen = {language: tuple(held[place] for place in kept) for language, held in texts.items()}
    return Sentences(tuple(items[place] for place in kept), chosen, dropped)


def _text(item: Item, fields: Sequence[str]) -> str:
    return "\n".join(text for field in fields if (text := item.fields.get(field, "").strip()))
