"""What became of the questions that a number rests on: the counts of outcomes, and the share answered next to every number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import polars as pl

from hesperus.analysis.table import ANSWERED, Row, Table
from hesperus.records import Cell
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

    Without columns all records are counted together.

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
    counts = Counter[str](pairs["outcome"]) if "outcome" in pairs.columns else Counter[str]()
    if "reference_outcome" in pairs.columns:
        same = [pairs[name] for name in ("model", "task", "item", "repeat") if name in pairs.columns]
        rows = zip(
            zip(*same, strict=True) if same else range(pairs.height), pairs["reference_outcome"], strict=True
        )
        counts.update({key: outcome for key, outcome in rows if outcome is not None}.values())
    return Coverage({outcome: count for outcome, count in counts.items() if outcome is not None})


def together(parts: Iterable[Coverage]) -> Coverage:
    """Several parts as one."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part.counts)
    return Coverage(counts)


_NAMING = (
    "model", "model_a", "model_b", "task", "a", "b", "instruction", "input", "repeat", "sense", "group",
)  # fmt: skip
"""Columns that can say which records a row rests on, beside those that it was grouped by."""

_Key = tuple[str, ...]


def with_answered(found: Table, records: pl.DataFrame | pl.LazyFrame, by: Sequence[str] = ()) -> Table:
    """Add the column `answered` after `n`.

    Args:
        found: Table of a measure of these records. A row that names cells (`instruction` and `input`, or `a` and `b`, or a
            made `sense` and its `source`) rests on those; any other on all records of its model, or of its task, that are no repeats.
        records: The records that were measured.
        by: Columns that the rows were grouped by.
    """
    named = [name for name in by if name in found.columns and name in records.collect_schema()]
    return with_shares(found, Places(records, named))


def with_shares(found: Table, places: Places) -> Table:
    """Add the column `answered` after `n`, of several tables of the same records."""
    if "n" not in found.columns:
        return found
    named = places.naming(found.columns)
    # Of 400 runs there are 80,000 pairs with five rows each, one after the other.
    shares: list[float | None] = []
    last, share, share_of = None, None, places.shares_of(named)
    for key in zip(*(found.column(name) for name in named), strict=True):
        if key != last:
            last, share = key, share_of(key)
        shares.append(share)
    return found.with_column(ANSWERED, shares or [None] * len(found.rows), after="n")


class Places:
    """What became of the questions, by every way in which a row names its records."""

    def __init__(self, records: pl.DataFrame | pl.LazyFrame, by: Sequence[str]) -> None:
        self._by = by
        self._counts: dict[_Key, tuple[int, int]] = {}
        for values, own in coverage(records, (*CELL, *by)).items():
            model, task, instruction, given, repeat, *groups = values
            cell = Cell(str(model), str(instruction), str(given), int(repeat))
            where = (str(task), *map(str, groups))
            keys: list[_Key] = [("cell", cell.model, cell.label(repeat=True))]
            # What is measured over all runs of a model or language leaves repeats out.
            if cell.repeat == 1:
                keys += [
                    ("cell", cell.model, cell.label()),
                    ("model", cell.model),
                    ("input", cell.input),
                    ("task", ""),
                ]
            keys += [("sense", cell.model, sense) for sense in {cell.instruction, cell.input}]
            for key in keys:
                answered, asked = self._counts.get((*key, *where), (0, 0))
                self._counts[*key, *where] = (answered + own.answered, asked + own.asked)

    def naming(self, columns: Sequence[str]) -> list[str]:
        """The columns that say which records a row rests on."""
        return [name for name in columns if name in _NAMING or name in self._by]

    def shares_of(self, named: Sequence[str]) -> Callable[[tuple[Any, ...]], float | None]:
        """What tells the share answered of the records of a row from the cells of the columns that say which they are."""
        if not {"a", "b"} <= set(named):
            return lambda key: self._share_of(dict(zip(named, key, strict=True)))
        where = [named.index(name) for name in ("task", *self._by) if name in named]
        no_task = () if "task" in named else ("",)
        known: dict[tuple[Any, ...], tuple[int, int]] = {}  # many pairs have a side in common

        def counts(side: tuple[Any, ...]) -> tuple[int, int]:
            if side not in known:
                model, label, *rest = map(str, side)
                known[side] = self._counts.get(("cell", model, label, *no_task, *rest), (0, 0))
            return known[side]

        first, second = (
            itemgetter(named.index(model if model in named else "model"), named.index(side), *where)
            for model, side in (("model_a", "a"), ("model_b", "b"))
        )

        def of_pair(key: tuple[Any, ...]) -> float | None:
            one, other = counts(first(key)), counts(second(key))
            return (one[0] + other[0]) / asked if (asked := one[1] + other[1]) else None

        return of_pair

    def share(self, row: Row) -> float | None:
        """Share answered of the records of a row; None if absent."""
        return self.shares_of(list(row))(tuple(row.values()))

    def _share_of(self, row: Row) -> float | None:
        where = (str(row["task"]) if "task" in row else "", *(str(row[name]) for name in self._by))
        if "instruction" in row and "input" in row:
            label = f"instruction={row['instruction']},input={row['input']}"
            again = f",repeat={row['repeat']}" if "repeat" in row else ""
            return self._share(("cell", str(row["model"]), label + again, *where))
        if "sense" in row and "model" in row:
            return self._share(("sense", str(row["model"]), str(row["sense"]), *where))
        if row.get("model") is not None:
            return self._share(("model", str(row["model"]), *where))
        group = str(row.get("group"))
        shares = (self._share((*key, *where)) for key in (("model", group), ("input", group), ("task", "")))
        return next((share for share in shares if share is not None), None)

    def _share(self, *keys: _Key) -> float | None:
        answered = asked = 0
        for key in keys:
            own = self._counts.get(key, (0, 0))
            answered, asked = answered + own[0], asked + own[1]
        return answered / asked if asked else None
