"""What became of the questions that a number rests on: how many were asked, answered, failed.

One frame of counts, by cell, is all that a table, a summary or a sentence needs to say the share answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from hesperus.types import OUTCOMES

CELL = ("model", "task", "instruction", "input", "repeat")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Questions by what became of them.

    Attributes:
        counts: Outcome to how many questions ended so; outcomes that never occur are absent.
    """

    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        """All questions, also those to which no reply came."""
        return sum(self.counts.values())

    @property
    def answered(self) -> int:
        """Questions with an answer that could be read."""
        return self.counts.get("answered", 0)

    @property
    def share(self) -> float | None:
        """Share of the questions that were answered, in [0, 1]; None if nothing was asked."""
        return self.answered / self.asked if self.asked else None

    @property
    def lost(self) -> Mapping[str, int]:
        """The other outcomes, in the order of OUTCOMES."""
        return {name: self.counts[name] for name in OUTCOMES if name != "answered" and self.counts.get(name)}


def coverage(records: pl.DataFrame | pl.LazyFrame, by: Sequence[str] = ()) -> dict[tuple[Any, ...], Coverage]:
    """Count the outcomes of each part of a records table.

    Args:
        records: The records table.
        by: Columns with values that make the parts, such as CELL; none counts all records together.

    Returns:
        The values of the columns to what became of the questions there.
    """
    found: dict[tuple[object, ...], dict[str, int]] = {}
    for *part, outcome, count in records.lazy().group_by([*by, "outcome"]).len().collect().iter_rows():
        found.setdefault(tuple(part), {})[str(outcome)] = count
    return {part: Coverage(counts) for part, counts in found.items()}


def coverage_of_pairs(pairs: pl.DataFrame) -> Coverage:
    """Count the outcomes of the replies that pairs of texts rest on, each reply once.

    Args:
        pairs: Table of pairs: `outcome` of the reply and `reference_outcome` of the reference's, null where not asked. One
            reply of the reference is next to those of every language, hence counts once for a model, task, item and repeat.

    Returns:
        No counts where the table does not say the outcomes.
    """
    counts: dict[str, int] = {}
    same = [name for name in ("model", "task", "item", "repeat") if name in pairs.columns]
    for side, once in (("outcome", []), ("reference_outcome", same)):
        if side not in pairs.columns:
            continue
        replies = pairs.filter(pl.col(side).is_not_null())
        for outcome in (replies.unique(once) if once else replies)[side]:
            counts[str(outcome)] = counts.get(str(outcome), 0) + 1
    return Coverage(counts)


def together(parts: Iterable[Coverage]) -> Coverage:
    """Several parts as one."""
    counts: dict[str, int] = {}
    for part in parts:
        for name, count in part.counts.items():
            counts[name] = counts.get(name, 0) + count
    return Coverage(counts)
