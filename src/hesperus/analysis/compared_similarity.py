"""κ_p between two languages on two sides: is the second run more alike to itself across them than the first?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from hesperus.analysis.table import NewRow, Row, estimate_cells
from hesperus.analysis.views import View, gold_range
from hesperus.measures import (
    INVALID,
    MISSING,
    Bootstrap,
    Codes,
    InvalidRule,
    Key,
    Statistic,
    account,
    agreement_detectable,
    agreement_statistics,
    difference,
    draws,
    estimate,
    replied,
    resampled_p,
)
from hesperus.records import Cell, CellPair

ONE_RUN = "that only one of the runs has"
"""Said of items that cannot be compared."""
_AGREE = 1
"""Column of κ_p that says on how many items both runs agree."""


def similarity_contrasts(
    head: Row, view: View, *, invalid: InvalidRule, bootstrap: Bootstrap
) -> Iterator[NewRow]:
    """A row for each pair of senses that both sides have: κ_p of the labels, second side less first.

    Items count where all four answers are there and gold is the same in all; both sides are resampled together. `p` is of
    the same resamples as the interval (see measures.resampled_p). The view has both sides, with "a" and "b" as names of the
    models.
    """
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in view.arrays.cells:
        if cell.repeat == 1:
            cells.setdefault((cell.instruction, cell.input), {})[cell.model] = cell
    shared = [sides for sides in cells.values() if len(sides) == 2]
    for one, other in combinations(shared, 2):
        labels = CellPair("chosen", one["a"], other["a"]).labels
        yield {**head, "a": labels[0], "b": labels[1], **_row(view, one, other, invalid, bootstrap)}


def _row(
    view: View,
    one: Mapping[str, Cell],
    other: Mapping[str, Cell],
    invalid: InvalidRule,
    bootstrap: Bootstrap,
) -> NewRow:
    cells = [one["a"], other["a"], one["b"], other["b"]]
    codes = np.stack([view.answers(cell) for cell in cells])
    gold = np.stack([view.gold(cell) for cell in cells])
    asked = replied(codes)
    sides = [(codes[run : run + 2] != MISSING).any(axis=0) for run in (0, 2)]
    highest, lowest = gold_range(gold)
    differ = (highest >= 0) & (lowest != highest)
    counted, both = asked.all(axis=0) & ~differ, sides[0] & sides[1]
    lost = {
        ONE_RUN: int((sides[0] ^ sides[1]).sum()),
        "with gold that differs between the languages": int((both & differ).sum()),
        "with no reply in one or more of the four cells": int((both & ~differ & ~counted).sum()),
    }
    key = Key(np.maximum(highest, INVALID).astype(np.int32), view.arrays.options)
    held: Codes = np.where(counted, codes, MISSING).astype(np.int32)
    first, second = (
        agreement_statistics(held[i], held[i + 1], key=key, invalid=invalid)["kappa_p"] for i in (0, 2)
    )
    apart = difference(second, first)
    cell = estimate_cells(estimate(apart, bootstrap))
    if any(lost.values()):
        cell["excluded"] = int(cell["excluded"]) + sum(lost.values())
        cell["reason"] = "; ".join(text for text in (str(cell["reason"] or ""), account(lost)) if text)
    resampled = _resampled(apart, bootstrap)
    defined = cell["value"] is not None
    return {
        "value_a": estimate(first).value,
        "value_b": estimate(second).value,
        **cell,
        "p": resampled_p(resampled) if defined else None,
        "detectable": agreement_detectable(apart, _AGREE, bootstrap) if defined else None,
    }


def _resampled(statistic: Statistic, bootstrap: Bootstrap) -> np.ndarray:
    drawn = draws(len(statistic.columns[0]), bootstrap)
    if drawn is None:
        return np.empty(0)
    columns = np.column_stack([column.astype(np.float64) for column in statistic.columns])
    return statistic.resampled(drawn.sums(columns), drawn)
