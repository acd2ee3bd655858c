"""Does a change of κ_p between two runs hang on a few items? The change, and the change without those that move it most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from hesperus.analysis.item_changes import ItemChanges
from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.measures import INVALID, Codes, Key, agreement_statistics, difference

FEW = 3
MOST_SENSES = 12


@dataclass(frozen=True, slots=True)
class KappaChange:
    """How κ_p of two senses changed from one run to another.

    Attributes:
        model: Name of the model, as the second run has it.
        task: The task.
        column: A sense.
        other: The sense that it is compared with.
        n: Items with gold that both runs were asked in both senses.
        before: κ_p of the first run.
        after: κ_p of the second.
        without: The change (after less before) without `rows`; undefined then: None.
        rows: Numbers of the rows of at most FEW items that move the change most towards what it is.
    """

    model: str
    task: str
    column: MatrixColumn
    other: MatrixColumn
    n: int
    before: float
    after: float
    without: float | None
    rows: tuple[int, ...]


def kappa_changes(matrix: ItemMatrix, changes: ItemChanges) -> Iterator[KappaChange]:
    """A row for each model, task and pair of senses with a κ_p that is defined in both runs and differs.

    Of more than MOST_SENSES senses each is compared with its reference only.
    """
    held = (
        changes.cells.select("row", "column", "model", "task", "answer", "answer_before")
        .join(matrix.cells.select("row", "column", "gold", "options"), on=["row", "column"])
        .filter(pl.col("gold").is_not_null() & pl.col("options").is_not_null())
    )
    for (model, task), cells in held.partition_by("model", "task", as_dict=True, maintain_order=True).items():
        by_column = {number: own for (number,), own in cells.partition_by("column", as_dict=True).items()}
        for one, other in _pairs(matrix.columns):
            if one.number not in by_column or other.number not in by_column:
                continue
            joined = (
                by_column[one.number]
                .join(by_column[other.number], on=["row", "gold"], suffix="_other")
                .sort("row")
            )
            found = _change((str(model), str(task), one, other), joined) if joined.height else None
            if found is not None:
                yield found


def _pairs(columns: Sequence[MatrixColumn]) -> Iterable[tuple[MatrixColumn, MatrixColumn]]:
    if len(columns) <= MOST_SENSES:
        return [(other, one) for one, other in combinations(columns, 2)]
    numbered = {column.number: column for column in columns}
    return [
        (one, numbered[one.reference])
        for one in columns
        if one.reference is not None and one.reference in numbered
    ]


def _change(head: tuple[str, str, MatrixColumn, MatrixColumn], pairs: pl.DataFrame) -> KappaChange | None:
    names = ("answer", "answer_before", "answer_other", "answer_before_other", "gold")
    labels = {
        label: code
        for code, label in enumerate(pl.concat([pairs[name] for name in names]).drop_nulls().unique().sort())
    }

    def codes(name: str) -> Codes:
        return np.array([INVALID if label is None else labels[label] for label in pairs[name]], np.int32)

    key = Key(codes("gold"), pairs["options"].list.len().to_numpy().astype(np.int32))
    before, after = (
        agreement_statistics(codes(f"answer{side}_other"), codes(f"answer{side}"), key=key)["kappa_p"]
        for side in ("_before", "")
    )
    moved = difference(after, before)
    columns = np.column_stack([np.asarray(one, np.float64) for one in moved.columns])
    whole = columns.sum(axis=0)
    cut = len(after.columns)
    values = float(before.reduce(whole[cut:])), float(after.reduce(whole[:cut]))
    change = values[1] - values[0]
    if not np.isfinite(change) or abs(change) < 1e-12:
        return None
    alone = (change - moved.reduce(whole - columns)) * np.sign(change)
    most = np.argsort(-np.nan_to_num(alone, nan=-np.inf), kind="stable")[:FEW]
    chosen = [int(place) for place in most if alone[place] > 0]
    left = float(moved.reduce(whole - columns[chosen].sum(axis=0)))
    rows = tuple(int(pairs["row"][place]) for place in chosen)
    return KappaChange(*head, pairs.height, *values, left if np.isfinite(left) else None, rows)
