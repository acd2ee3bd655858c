"""Items with an answer that changed, with what was asked and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from hesperus.analysis.table import Row
from hesperus.analysis.views import View, views
from hesperus.records import FAILED, MISSING, Cell, Run
from hesperus.records.packed import whole_records
from hesperus.types import OUTCOMES
from hesperus.wording import parsed

_PLACE = ("model", "task", "item", "input")


def changed_answers(run: Run, *, each: int = 3, most: int = 36) -> tuple[list[tuple[Row, Row]], int]:
    """Find items with another answer in a made sense than in its original, instruction and input alike.

    Which items are taken depends on nothing but the records: for every model, task and sense the most frequent change of
    answer first, then the next; within a change by item id. Where nothing was made, other originals are compared. At most
    `each` items are of one model, task and sense, and `most` in all.

    Returns:
        Both records of each item, by model, task and sense; and how many changed answers the compared senses have.
    """
    first = (pl.col("instruction") == pl.col("input")) & (pl.col("repeat") == 1)
    codes = run.records.lazy().filter(first).select(pl.col("input").unique(maintain_order=True)).collect()
    shown: list[_Place] = []
    total = 0
    for view in views(run.records) if codes.height else ():
        for pair in _compared(codes["input"].to_list()):
            places, count = _changed(view, *pair, each=each)
            shown += places
            total += count
    shown.sort(key=lambda place: (place.rank, place.model, place.task, place.b))
    kept = sorted(shown[:most], key=lambda place: (place.model, place.task, place.b, place.rank))
    # The replies of the few that are taken.
    rows = whole_records(run, {place.item for place in kept}).filter(first)
    held = {tuple(row[name] for name in _PLACE): row for row in rows.iter_rows(named=True)} if kept else {}
    both = (
        [held[place.model, place.task, place.item, code] for code in (place.a, place.b)] for place in kept
    )
    return [(a, b) for a, b in both], total


def _compared(codes: Sequence[str]) -> list[tuple[str, str]]:
    originals = [code for code in codes if (sense := parsed(code)) and sense.is_original]
    made = [(sense.origin, code) for code in codes if (sense := parsed(code)) and not sense.is_original]
    pairs = [(origin, code) for origin, code in made if origin in originals]
    return sorted(pairs or [(originals[0], code) for code in originals[1:]])


class _Place(NamedTuple):
    """An item that changed from sense `a` to sense `b`, and its rank among those of its model, task and senses."""

    rank: int
    model: str
    task: str
    item: str
    a: str
    b: str


def _changed(view: View, a: str, b: str, *, each: int) -> tuple[list[_Place], int]:
    """Items that changed, the most frequent change first, then the next, and how many there are."""
    arrays, model = view.arrays, view.model
    cells = [Cell(model, code, code) for code in (a, b)]
    if any(cell not in arrays.cells for cell in cells):
        return [], 0
    rows = [arrays.row(cell) for cell in cells]
    outcomes, answers = arrays.outcomes[rows], arrays.answers[rows]
    asked = (outcomes != MISSING).all(axis=0)
    items = np.flatnonzero(asked & ((answers[0] != answers[1]) | (outcomes[0] != outcomes[1])))
    if not len(items):
        return [], 0
    # A change as one number: the answer and the outcome on both sides.
    sizes = (len(arrays.labels) - FAILED, len(OUTCOMES)) * 2
    sides = (answers[0] - FAILED, outcomes[0], answers[1] - FAILED, outcomes[1])
    kinds = np.ravel_multi_index([side[items] for side in sides], sizes)
    _, change, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    # The first items of each change, in the order of the items.
    turns = [
        (turn, -int(counts[kind]), int(item))
        for kind in range(len(counts))
        for turn, item in enumerate(items[change == kind][:each])
    ]
    chosen = sorted(turns)[:each]
    return [
        _Place(rank, model, view.task, arrays.items[item], a, b) for rank, (_, _, item) in enumerate(chosen)
    ], len(items)
