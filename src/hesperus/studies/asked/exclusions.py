"""Items that a study leaves out: read from what an audit wrote, taken out before anything is drawn or asked, and counted."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from hesperus.audits import read_exclusions
from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import JSON, plain
from hesperus.tasks import Dropped, ItemSet
from hesperus.tasks.packed import PackedItems
from hesperus.text_files import read_text
from hesperus.wording import counted

NO_REASON = "no reason given"


@dataclass(frozen=True, slots=True)
class Excluded:
    """What a list of exclusions did.

    Attributes:
        reasons: Reason to the number of items that it took out, in the order of reasons.
        absent: Ids of the list that no item has.
    """

    reasons: Mapping[str, int]
    absent: int

    @property
    def items(self) -> int:
        """How many items were taken out."""
        return sum(self.reasons.values())

    def signed(self) -> dict[str, JSON]:
        """For the signature of a run: how many, why, and how many ids of the list were not there."""
        return {"items": self.items, "reasons": plain(self.reasons), "absent": self.absent}

    def __str__(self) -> str:
        """One line for people."""
        why = ", ".join(f"{count} {reason}" for reason, count in self.reasons.items())
        gone = "1 id of the list belongs" if self.absent == 1 else f"{self.absent} ids of the list belong"
        return (
            f"{counted(self.items, 'item')} excluded"
            + (f" ({why})" if why else "")
            + (f"; {gone} to no item" if self.absent else "")
        )


def dropped_by_alignment(reasons: Iterable[str], kept: int, *, sampled: bool) -> str:
    """What alignment excluded, as one line for people; empty where it excluded nothing.

    Args:
        reasons: Why each item was excluded of every language.
        kept: Items that are asked.
        sampled: Whether these are a sample of those that were left.
    """
    counts = Counter(reasons)
    lost = sum(counts.values())
    if not lost:
        return ""
    why = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    if sampled:
        return f"{counted(lost, 'item')} dropped by alignment before the sample was drawn ({why})"
    return f"{lost} of {lost + kept} items dropped by alignment ({why})"


def excluded_items(given: object) -> dict[str, str]:
    """Item id to reason, from what is under `exclude` in a study.

    Args:
        given: The name of a file, a list of ids, a mapping of id to reason, or None.

    Raises:
        UsageError: No such file, or no such thing can be meant.
        DataError: The file breaks its contract, or holds nothing at all.
    """
    if given is None:
        return {}
    if isinstance(given, str | Path):
        return _read(Path(given))
    if isinstance(given, Mapping):
        return {str(item): "" if reason is None else str(reason) for item, reason in given.items()}
    if isinstance(given, list | tuple):
        return {str(item): "" for item in given}
    raise UsageError(f"exclude is a file, a list of ids, or a mapping of id to reason, not {given!r}")


def _read(path: Path) -> dict[str, str]:
    """A list as an audit writes it (CSV with the column `item`), or an id a line; `#` begins a comment."""
    text = read_text(path, "list of items to leave out")
    if not text.strip():
        raise DataError(
            "is empty; a list that leaves nothing out has the header item,reason, as an audit writes it",
            file=path,
        )
    header = next(csv.reader([text.splitlines()[0]]))
    if path.suffix.lower() == ".csv" or "item" in [name.strip() for name in header]:
        return read_exclusions(path)
    lines = (line.strip() for line in text.splitlines())
    return {line: "" for line in lines if line and not line.startswith("#")}


def without_items(items: ItemSet, left_out: Mapping[str, str]) -> ItemSet:
    """The items but for those of a list, each of which joins what was dropped.

    Raises:
        DataError: No item is left, or the list and the items have no id in common.
    """
    if not left_out:
        return items
    gone = [item for item in items.ids if item in left_out]
    _check_some_left(len(items.ids), gone)
    if not gone and not any(drop.item in left_out for drop in items.dropped):
        shown, called = (", ".join(map(repr, list(names)[:3])) for names in (left_out, items.ids))
        raise DataError(
            f"none of the {len(left_out)} ids to leave out ({shown}) belongs to an item; items are called {called}"
        )
    kept = {
        language: PackedItems(item for item in many if item.id not in left_out)
        for language, many in items.items()
    }
    dropped = tuple(Dropped(item, "excluded", detail=left_out[item] or NO_REASON) for item in gone)
    return replace(items, by_language=kept, dropped=(*items.dropped, *dropped))


def without_records(
    records: pl.DataFrame, left_out: Mapping[str, str]
) -> tuple[pl.DataFrame, Excluded | None]:
    """The records but for those of the items of a list, and what the list did; None if there is no list.

    Raises:
        DataError: No record is left.
    """
    if not left_out:
        return records, None
    present = records["item"].unique().sort().to_list()
    gone = [item for item in present if item in left_out]
    _check_some_left(len(present), gone)
    return records.filter(~pl.col("item").is_in(gone)), _counted(gone, left_out)


def excluded_of(items: ItemSet, left_out: Mapping[str, str]) -> Excluded | None:
    """What a list did to items that went through `without_items`; None if there was no list."""
    if not left_out:
        return None
    return _counted([drop.item for drop in items.dropped if drop.reason == "excluded"], left_out)


def _check_some_left(items: int, gone: Sequence[str]) -> None:
    if len(gone) == items:
        raise DataError(f"the list of items to leave out names all {items} items; nothing is left to compare")


def _counted(gone: list[str], left_out: Mapping[str, str]) -> Excluded:
    reasons = Counter(left_out[item] or NO_REASON for item in gone)
    known = set(gone)
    return Excluded(dict(sorted(reasons.items())), sum(item not in known for item in left_out))
