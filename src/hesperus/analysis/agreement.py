"""The table of agreement: raw and beyond chance, for all pairs of cells, within and between models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.shared_gold import gold_range
from hesperus.analysis.table import ESTIMATE_COLUMNS, Row, Table, estimate_cells, table
from hesperus.analysis.views import View, all_cells, views
from hesperus.measures import (
    Bootstrap,
    Codes,
    HardRuns,
    InvalidRule,
    Key,
    Mask,
    PairSpread,
    SoftRuns,
    Statistic,
    bootstrap_pairs,
)
from hesperus.measures.agreement import agreement_basis, soft_agreement_basis
from hesperus.records import INVALID, MISSING, Cell, CellPair, Selection

_SOFT = ("kappa_p_soft", "rank_consistency")
"""Measures of probabilities, which only some pairs have."""


@measure(
    "agreement",
    help="How far pairs of runs agree, raw and beyond chance.",
    takes=("a", "b", "by", "invalid"),
    main="kappa_p",
    rests_on_answers=True,
)
def agreement_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How far pairs of runs agree, raw and beyond chance, over the items with gold that is the same in every sense.

    Of all pairs, or of `a` and `b`: the same sense twice compares the models in it, and `a` alone is compared with every
    other cell.

    Returns:
        For each pair ``raw``, ``kappa_p``, ``cohen_kappa``, ``scott_pi`` and ``error_consistency`` of the answers;
        where both runs have probabilities also ``kappa_p_soft`` and ``rank_consistency``.

    Raises:
        UnknownNameError: A cell or a column that the records do not have.
        UsageError: `b` without `a`, or an unknown rule.
        DataError: An item has different numbers of options in different senses.
    """
    known = all_cells(records)
    for selection in (settings.a, settings.b):
        if selection is not None:
            selection.check(known)
    rows: list[Row] = []
    for view in views(records, by=settings.by, per_model=False, probs=True):
        pairs = _pairs(view.arrays.cells, settings)
        rows += _rows(same_gold(view), pairs, settings.invalid, settings.bootstrap)
    columns = ("model_a", "model_b", "task", *settings.by, "a", "b", "statistic", *ESTIMATE_COLUMNS)
    return table("agreement", columns, rows=rows, signature=settings.signed())


@dataclass(frozen=True, slots=True, eq=False)
class SameGold:
    """A view without the items with gold that differs between its cells; those are named as left out.

    Attributes:
        view: The whole view.
        kept: Its items with gold that is the same in every cell, [items].
        key: Gold and number of options of the kept items.
        answers: Class codes of the kept items, [cells, kept].
    """

    view: View
    kept: Mask
    key: Key
    answers: Codes


def same_gold(view: View) -> SameGold:
    """The items of a view that have one gold label in all its cells, or none in any."""
    highest, lowest = gold_range(view.arrays.gold)
    kept = (highest < 0) | (lowest == highest)
    key = Key(np.maximum(highest, INVALID)[kept], view.arrays.options[kept])
    return SameGold(view, kept, key, view.arrays.answers[:, kept])


def _rows(
    common: SameGold, pairs: Sequence[CellPair], invalid: InvalidRule, bootstrap: Bootstrap
) -> Iterator[Row]:
    """The rows of all pairs: values and intervals come from all pairs at once, what they rest on from each."""
    arrays = common.view.arrays
    row_of = {cell: place for place, cell in enumerate(arrays.cells)}
    places = np.array([(row_of[pair.a], row_of[pair.b]) for pair in pairs], dtype=np.intp).reshape(-1, 2)
    hard = HardRuns(common.answers, common.key, invalid)
    found = bootstrap_pairs(hard, places, statistics=hard.statistics, bootstrap=bootstrap)
    spreads: dict[str, PairSpread] = {str(name): spread for name, spread in found.items()}
    scored = np.zeros(len(pairs), dtype=np.bool_)
    given: npt.NDArray[np.bool_] = np.zeros(common.answers.shape, dtype=np.bool_)
    if arrays.probs is not None:
        probs = arrays.probs[:, common.kept]
        given = np.asarray(np.isfinite(probs).all(axis=2))
        counts = given.astype(np.float32)
        scored = (counts @ counts.T)[places[:, 0], places[:, 1]] > 0
        soft = bootstrap_pairs(
            SoftRuns(probs, common.key),
            places[scored],
            statistics=("kappa_p", "rank_consistency"),
            bootstrap=bootstrap,
        )
        spreads |= {"kappa_p_soft": soft["kappa_p"], "rank_consistency": soft["rank_consistency"]}
    soft_place = scored.cumsum() - 1
    for index, pair in enumerate(pairs):
        head = {
            "model_a": pair.a.model, "model_b": pair.b.model, "task": common.view.task, **common.view.groups,
            "a": pair.labels[0], "b": pair.labels[1],
        }  # fmt: skip
        for name, statistic in _basis(common, places[index], invalid, given if scored[index] else None):
            place = int(soft_place[index]) if name in _SOFT else index
            yield {**head, "statistic": name, **estimate_cells(spreads[name].estimate(place, statistic))}


def _basis(
    common: SameGold, pair: npt.NDArray[np.intp], invalid: InvalidRule, given: Mask | None
) -> Iterator[tuple[str, Statistic]]:
    """What the measures of a pair rest on; of probabilities where it is `given` which items were scored."""
    asked = common.view.arrays.answers
    a, b = (int(place) for place in pair)
    lost = 0
    if not common.kept.all():
        lost = int(((asked[[a, b]] != MISSING).any(axis=0) & ~common.kept).sum())
    found = dict(agreement_basis(common.answers[a], common.answers[b], key=common.key, invalid=invalid))
    if given is not None:
        soft = soft_agreement_basis(given[a], given[b], key=common.key)
        found |= {"kappa_p_soft": soft["kappa_p"], "rank_consistency": soft["rank_consistency"]}
    for name, statistic in found.items():
        yield name, without(statistic, lost)


def without(statistic: Statistic, lost: int) -> Statistic:
    """The statistic, with the items that were left out because their gold differs."""
    if not lost:
        return statistic
    reasons = [statistic.reason] if statistic.reason else []
    reasons.append(f"{lost} whose gold differs between senses")
    return replace(statistic, excluded=statistic.excluded + lost, reason="; ".join(reasons))


def _pairs(cells: Sequence[Cell], settings: MeasureSettings) -> list[CellPair]:
    a, b = settings.a, settings.b
    if a is None:
        return [CellPair("chosen", first, second) for first, second in combinations(cells, 2)]
    if b is None:
        return [
            CellPair("chosen", first, second)
            for first in _firsts(a, cells)
            for second in cells
            if second != first
        ]
    same_sense = (a.instruction, a.input) == (b.instruction, b.input)
    named = a.model is not None and b.model is not None
    pairs: list[CellPair] = []
    seen: set[frozenset[Cell]] = set()
    for first, second in product(_firsts(a, cells), _firsts(b, cells)):
        apart = first.model != second.model
        # The same sense can only differ by model (or repeat); other senses are compared within a model unless
        # both models are named.
        wanted = named or (not apart if not same_sense or a.repeat != b.repeat else apart)
        if first != second and wanted and frozenset((first, second)) not in seen:
            seen.add(frozenset((first, second)))
            pairs.append(CellPair("chosen", first, second))
    return pairs


def _firsts(selection: Selection, cells: Sequence[Cell]) -> list[Cell]:
    """The first matching cell of each model."""
    found: dict[str, Cell] = {}
    for cell in cells:
        if selection.matches(cell):
            found.setdefault(cell.model, cell)
    return list(found.values())
