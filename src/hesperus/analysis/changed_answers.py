"""Items with an answer that changed, with what was asked and what came back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from hesperus.analysis.item_texts import Text, of_task, row_in, texts_of
from hesperus.analysis.table import Row
from hesperus.analysis.views import View, views
from hesperus.records import FAILED, MISSING, Cell, Run
from hesperus.records.packed import whole_records
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS, parsed, sense_sentence

_PLACE = ("model", "task", "item", "input")


@dataclass(frozen=True, slots=True)
class Asked:
    """One side of an example.

    Attributes:
        sense: In words.
        code: As in the records.
        fields: Field name to text, where the run keeps its items.
        options: Texts of the options, likewise.
        reply: What the model wrote, or None if it is not kept.
        answer: The label, or the outcome in words.
        right: Whether the answer is the gold label; None if absent.
    """

    sense: str
    code: str
    fields: tuple[tuple[str, Text], ...]
    options: tuple[Text, ...]
    reply: Text | None
    answer: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class Example:
    """An item on which two senses got different answers."""

    model: str
    task: str
    item: str
    gold: str | None
    a: Asked
    b: Asked


@dataclass(frozen=True, slots=True)
class Examples:
    """What is shown, and of how many.

    Attributes:
        shown: The examples, by model, task and sense.
        total: All changed answers of the compared senses.
    """

    shown: tuple[Example, ...]
    total: int


def inconsistent_examples(run: Run, *, each: int = 3, most: int = 36, own: Collection[str] = ()) -> Examples:
    """Find items whose answer in a made sense differs from that in its original, instruction and input alike.

    Which items are shown depends on nothing but the records: for every model, task and sense the most frequent change
    of answer first, then the next; within a change by item id. Where nothing was made, other originals are compared.

    Args:
        run: The run; its items have ``item``, ``language``, ``options``, one column a field, and, where senses were
            made, ``input`` (sense code) and ``model``.
        each: Examples a model, task and sense.
        own: Senses that are known to be made by the answering model itself.
        most: Examples in all.
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
    # The replies of the few that are shown.
    rows = whole_records(run, {place.item for place in kept}).filter(first)
    held = {tuple(row[name] for name in _PLACE): row for row in rows.iter_rows(named=True)} if kept else {}
    return Examples(tuple(_example(place, held, run.items, own) for place in kept), total)


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


def _example(
    place: _Place, held: Mapping[tuple[str, ...], Row], items: pl.DataFrame | None, own: Collection[str]
) -> Example:
    rows = [held[place.model, place.task, place.item, code] for code in (place.a, place.b)]
    gold = rows[0]["gold"]
    a, b = (_asked(row, gold, items, own) for row in rows)
    return Example(place.model, place.task, place.item, gold, a, b)


def _asked(row: Row, gold: str | None, items: pl.DataFrame | None, own: Collection[str]) -> Asked:
    code, answer, reply = row["input"], row["answer"], row.get("reply")
    sense = parsed(code)
    tag = sense.language if sense else None
    fields, options = _texts(row, code, tag, items)
    return Asked(
        sense_sentence(code, own),
        code,
        fields,
        options,
        None if reply is None else Text(reply, tag),
        answer if answer is not None else OUTCOME_WORDS.get(row["outcome"], row["outcome"]),
        None if gold is None else answer == gold,
    )


def _texts(
    row: Row, code: str, tag: str | None, items: pl.DataFrame | None
) -> tuple[tuple[tuple[str, Text], ...], tuple[Text, ...]]:
    """What was asked, as far as the run keeps it."""
    held = (
        None
        if items is None or tag is None
        else row_in(of_task(items, row["task"]), row["item"], code, row["model"])
    )
    return ((), ()) if held is None or tag is None else texts_of(held, tag)
