"""Items as other tools ask them: one prompt, options, and which is right; aligned over languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hesperus.errors import DataError, UsageError
from hesperus.records.files import write_whole

NAME_FIELD = "hesperus_task"
"""Where an exported task says in its metadata what it is called here: the tools allow fewer characters in a name."""


@dataclass(frozen=True, slots=True)
class AskedItem:
    """One item in one language, put into words.

    Attributes:
        item: Its id, the same in every language.
        language: BCP-47 tag.
        prompt: What is asked, without the options if any.
        choices: Texts of the options, or the words that represent the labels; empty where the answer is free.
        labels: Canonical labels of the choices, in the same order.
        gold: Right label, or the right text of a free answer; None if absent.
        groups: Group columns.
    """

    item: str
    language: str
    prompt: str
    choices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    gold: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> int | None:
        """Place of the right choice, from 0."""
        return self.labels.index(self.gold) if self.gold in self.labels else None


def aligned(items: Iterable[AskedItem]) -> dict[str, tuple[AskedItem, ...]]:
    """Items by language, the same ids in the same order in each.

    Raises:
        UsageError: Nothing found.
        DataError: An item is twice in a language, is not in all, has another number of choices or other labels in
            one, or its choices and labels do not fit; the message names it.
    """
    by_language: dict[str, dict[str, AskedItem]] = {}
    for one in items:
        many = by_language.setdefault(one.language, {})
        if one.item in many:
            raise DataError(f"stands twice in {one.language!r}", item=one.item)
        if len(one.choices) != len(one.labels):
            raise DataError(f"{len(one.choices)} choices for {len(one.labels)} labels", item=one.item)
        many[one.item] = one
    if not by_language:
        raise UsageError("there are no items to export")
    first_language, first = next(iter(by_language.items()))
    for language, many in by_language.items():
        apart = sorted(first.keys() ^ many.keys())
        if apart:
            raise DataError(f"is not in both {first_language!r} and {language!r}", item=apart[0])
        for item, one in many.items():
            if one.labels != first[item].labels:
                raise DataError(
                    f"labels {one.labels} in {language!r}, {first[item].labels} in {first_language!r}",
                    item=item,
                )
    return {language: tuple(many[item] for item in first) for language, many in by_language.items()}


def task_name(name: str) -> str:
    """A name that is safe as a file, as a task of either tool, and as a Python word."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    if not plain or not plain[0].isalpha():
        raise UsageError(f"{name!r} gives no name for a task; let it begin with a letter")
    return plain


def file_tag(language: str) -> str:
    """A language tag as the end of a task's name, which importers read back: ``zh_Hant``."""
    return language.replace("-", "_")


def write_items(items: Sequence[AskedItem], path: Path) -> None:
    """JSON lines: item, language, prompt, choices, labels, gold (place, -1 if absent), answer, groups."""
    lines = [
        json.dumps(
            {
                "item": one.item,
                "language": one.language,
                "prompt": one.prompt,
                "choices": list(one.choices),
                "labels": list(one.labels),
                "gold": -1 if one.place is None else one.place,
                "answer": one.gold or "",
                **dict(one.groups),
            },
            ensure_ascii=False,
        )
        for one in items
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    """A text file, whole or not at all."""
    write_whole(path, lambda partial: _write(partial, text))


def _write(partial: Path, text: str) -> None:
    partial.write_text(text, encoding="utf-8", newline="\n")
