"""Samples: seeded, stratified, the same items in every language, and stable when languages are added.

Every item gets a rank from a hash of seed and id. A sample takes the lowest ranks, so it does not depend on the order
of the data; and a language added later changes it only where that language lacks a drawn item.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hesperus.errors import UnknownNameError, UsageError
from hesperus.tasks.itemset import ItemSet
from hesperus.tasks.packed import PackedItems
from hesperus.types import Item


@dataclass(frozen=True, slots=True)
class Sample:
    """How many items to draw, and how.

    Attributes:
        n: Items in all; with ``by`` they are shared out in proportion to the groups (largest remainders).
        by: Group of the items that makes the strata, such as ``subject``; ``gold`` is one too.
        per_group: Items of each stratum instead of ``n``.
        seed: Another seed draws another sample.
    """

    n: int | None = None
    by: str | None = None
    per_group: int | None = None
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse sizes that contradict each other.

        Raises:
            UsageError: Neither or both of n and per_group, per_group without by, or a size below 1.
        """
        if (self.n is None) == (self.per_group is None):
            raise UsageError("a sample needs either n, or per_group together with by")
        if self.per_group is not None and self.by is None:
            raise UsageError("per_group needs by: the group of the items whose values make the strata")
        if min(size for size in (self.n, self.per_group) if size is not None) < 1:
            raise UsageError("a sample has at least 1 item")


def draw(items: ItemSet, sample: Sample, *, parallel: bool = True) -> ItemSet:
    """Draw a sample, the same ids in every language.

    Args:
        items: Aligned items.
        sample: Sizes, strata and seed.
        parallel: Whether the languages hold the same items; if not, each is sampled by itself.

    Returns:
        The drawn items in their old order; a note says where the data had fewer than were asked for.

    Raises:
        UnknownNameError: The items have no such group.
    """
    if parallel:
        drawn, notes = _drawn(next(iter(items.values())), sample)
        by_language = {
            language: PackedItems(item for item in many if item.id in drawn)
            for language, many in items.items()
        }
    else:
        by_language, notes = {}, ()
        for language, many in items.items():
            drawn, more = _drawn(many, sample)
            by_language[language] = PackedItems(item for item in many if item.id in drawn)
            notes += tuple(f"{language}: {note}" for note in more)
    return replace(items, by_language=by_language, notes=(*items.notes, *notes))


def _drawn(items: Sequence[Item], sample: Sample) -> tuple[set[str], tuple[str, ...]]:
    strata: dict[str, list[Item]] = {}
    for item in items:
        strata.setdefault(_stratum(item, sample.by), []).append(item)
    sizes, notes = _sizes(strata, sample)
    drawn: set[str] = set()
    for name, members in strata.items():
        ranked = sorted(members, key=lambda item: _rank(sample.seed, item.id))
        drawn.update(item.id for item in ranked[: sizes[name]])
    return drawn, notes


def _stratum(item: Item, by: str | None) -> str:
    if by is None:
        return ""
    if by == "gold" and by not in item.groups:
        return item.gold or ""
    if by not in item.groups:
        raise UnknownNameError("group of the items", by, [*item.groups, "gold"])
    return item.groups[by]


def _sizes(strata: dict[str, list[Item]], sample: Sample) -> tuple[dict[str, int], tuple[str, ...]]:
    if sample.per_group is not None:
        wanted = sample.per_group
        short = [name for name, members in strata.items() if len(members) < wanted]
        note = (
            f"{len(short)} groups have fewer than {wanted} items and give all: {', '.join(sorted(short)[:5])}",
        )
        return {name: min(wanted, len(members)) for name, members in strata.items()}, note if short else ()
    assert sample.n is not None
    total = sum(len(members) for members in strata.values())
    if sample.n >= total:
        note = (f"{sample.n} items were asked for and {total} are there; all are taken",)
        return {name: len(members) for name, members in strata.items()}, note if sample.n > total else ()
    shares = {name: sample.n * len(members) / total for name, members in strata.items()}
    sizes = {name: int(share) for name, share in shares.items()}
    order = sorted(strata, key=lambda name: (sizes[name] - shares[name], _rank(sample.seed, name)))
    for name in order[: sample.n - sum(sizes.values())]:
        sizes[name] += 1
    return sizes, ()


def _rank(seed: int, name: str) -> bytes:
    return hashlib.blake2b(f"{seed}\x00{name}".encode(), digest_size=16).digest()
