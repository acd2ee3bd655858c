"""Items of several languages, aligned, with an account of what was excluded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.types import Item
from hesperus.wording import counted


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item that was excluded of every language.

    Attributes:
        item: Its id.
        reason: Short and the same for all of a kind: ``missing``, ``gold differs``, ``empty field``, …
        languages: Where the trouble is.
        detail: What was found.
    """

    item: str
    reason: str
    languages: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class ItemSet(Mapping[str, Sequence[Item]]):
    """Language to its items, in one order for all languages; reads as a mapping.

    Attributes:
        task: Name of the task.
        by_language: BCP-47 tag to items.
        dropped: What was excluded, and why.
        notes: What a reader of the numbers should know: golds that differ by language, a sample that came out short.
    """

    task: str
    by_language: Mapping[str, Sequence[Item]]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, language: str) -> Sequence[Item]:
        """The items of one language."""
        return self.by_language[language]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_language)

    def __len__(self) -> int:
        """How many languages."""
        return len(self.by_language)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the items, in order; of all languages where they are not parallel."""
        return tuple(dict.fromkeys(item.id for items in self.by_language.values() for item in items))

    @property
    def coverage(self) -> dict[str, int]:
        """How many items were kept, and how many were excluded for each reason."""
        reasons = Counter(drop.reason for drop in self.dropped)
        return {"kept": len(self.ids), **dict(sorted(reasons.items()))}

    def __str__(self) -> str:
        """One line: languages, items, and what was excluded."""
        left_out = ", ".join(f"{n} {reason}" for reason, n in self.coverage.items() if reason != "kept")
        text = f"{self.task}: {counted(len(self.ids), 'item')} in {', '.join(self.by_language)}"
        return text + (f"; excluded: {left_out}" if left_out else "")
