"""The tables of agreement: raw and beyond chance of all pairs of cells, and of all senses of a model at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.interval_text import MOMENTS, OF_PAIRS
from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.summary import OTHER_GOLD, language_cells, without
from hesperus.analysis.table import ESTIMATE_COLUMNS, ColumnRows, NewRow, Table, table
from hesperus.analysis.views import View, gold_range, view_table, views
from hesperus.measures import (
    MISSING,
    Bootstrap,
    Codes,
    HardRuns,
    Key,
    Mask,
    SoftRuns,
    Statistic,
    bootstrap_pairs,
)
from hesperus.measures.agreement import PairStatistic
from hesperus.measures.pair_basis import pair_basis
from hesperus.measures.several import together_statistics
from hesperus.records import INVALID, Cell, Selection

_SOFT: Mapping[str, PairStatistic] = {"kappa_p_soft": "kappa_p", "rank_consistency": "rank_consistency"}
"""Measures of probabilities, which only some pairs have, by the names that they have in the table."""

Cells = Mapping[str, Sequence[object]]
"""Columns of estimates, with a cell for each pair."""


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
    return agreement_of(list(views(records, by=settings.by, per_model=False, probs=True)), settings)


def agreement_of(parts: Sequence[View], settings: MeasureSettings) -> Table:
    """The same of records that are laid out already, with probabilities; see agreement_table."""
    known = sorted({cell for view in parts for cell in view.arrays.cells})
    for selection in (settings.a, settings.b):
        if selection is not None:
            selection.check(known)
    columns = ("model_a", "model_b", "task", *settings.by, "a", "b", "statistic", *ESTIMATE_COLUMNS)
    cells: dict[str, list[object]] = {name: [] for name in columns}
    signature = settings.signed()
    for view in parts:
        places, common = _pairs(view.arrays.cells, settings), same_gold(view)
        moments = _too_many_to_draw(len(places), common.answers.shape[1], settings.bootstrap)
        _add(cells, common, places, settings, moments)
        signature |= {OF_PAIRS: MOMENTS} if moments else {}
    return table("agreement", columns, rows=ColumnRows(cells), signature=signature)


@dataclass(frozen=True, slots=True, eq=False)
class SameGold:
    """A view without the items with gold that differs between its cells; those are named as excluded.

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


_WORK = 100_000_000_000
"""Pairs × items × resamples of hard answers that are drawn: beyond it drawing takes seconds."""


def _too_many_to_draw(pairs: int, items: int, bootstrap: Bootstrap) -> bool:
    """Whether intervals of so many pairs of hard answers are made from moments (see measures.pair_moments)."""
    return bootstrap.interval == "bayesian" and pairs * items * bootstrap.resamples > _WORK


def _add(
    columns: Mapping[str, list[object]],
    common: SameGold,
    places: npt.NDArray[np.intp],
    settings: MeasureSettings,
    moments: bool,
) -> None:
    """Add the rows of all pairs, each with a row for every measure that it has; those of answers from moments if wanted."""
    bootstrap, arrays = settings.bootstrap, common.view.arrays
    hard = HardRuns(common.answers, common.key, settings.invalid)
    lost = _lost(common, places)
    hard_names: dict[str, PairStatistic] = dict(zip(hard.statistics, hard.statistics, strict=True))
    found = dict(_measured(hard, places, hard_names, lost, bootstrap, moments=moments))
    scored = np.zeros(len(places), dtype=np.bool_)
    if arrays.probs is not None:
        soft = _soft_runs(arrays.probs[:, common.kept], common.key)
        given = soft.counted().astype(np.float32)
        scored = (given @ given.T)[places[:, 0], places[:, 1]] > 0
        found |= _measured(soft, places[scored], _SOFT, lost[scored], bootstrap)
        found |= {name: _spread_out(found[name], scored) for name in _SOFT}
    # A row for each pair and measure, without the measures of probabilities where a pair has none.
    kept = np.stack([scored | (name not in _SOFT) for name in found], axis=1)

    def add(column: str, cells: Iterable[Sequence[object]]) -> None:
        laid = np.empty(kept.shape, dtype=np.object_)
        for place, of_measure in enumerate(cells):
            laid[:, place] = of_measure
        columns[column].extend(laid[kept].tolist())

    heads = _heads(arrays.cells, places) | {
        name: [value] * len(places)
        for name, value in {"task": common.view.task, **common.view.groups}.items()
    }
    for column, values in heads.items():
        add(column, [values] * len(found))
    add("statistic", ([name] * len(places) for name in found))
    for column in ESTIMATE_COLUMNS:
        add(column, (cells[column] for cells in found.values()))


def _soft_runs(probs: npt.NDArray[np.float64], key: Key) -> SoftRuns:
    """Probabilities by label, [runs, items, labels], with each item's own options in the first places, which RankC counts."""
    labels = np.arange(probs.shape[2])
    own = (np.nan_to_num(probs) > 0).any(axis=0) | (labels == key.gold[:, None])
    beyond = (own & (labels >= key.options[:, None])).any(axis=1)
    if not beyond.any():
        return SoftRuns(probs, key)
    order = np.where(beyond[:, None], np.argsort(~own, axis=1, kind="stable"), labels)
    gold = np.where(key.gold >= 0, (order == key.gold[:, None]).argmax(axis=1), key.gold).astype(np.int32)
    return SoftRuns(np.take_along_axis(probs, order[None], axis=2), Key(gold, key.options))


def _heads(cells: Sequence[Cell], places: npt.NDArray[np.intp]) -> dict[str, Sequence[object]]:
    """What names each pair: both models and both labels, with the repeat where either is not the first of its sense."""
    again = (np.array([cell.repeat for cell in cells])[places] != 1).any(axis=1)
    models = np.array([cell.model for cell in cells], dtype=np.object_)
    short, full = (
        np.array([cell.label(repeat=all_of_it) for cell in cells], dtype=np.object_)
        for all_of_it in (False, True)
    )
    heads: dict[str, Sequence[object]] = {}
    for side, own in zip("ab", places.T, strict=True):
        heads[f"model_{side}"] = models[own].tolist()
        heads[side] = np.where(again, full[own], short[own]).tolist()
    return heads


def _spread_out(cells: Cells, scored: Mask) -> Cells:
    """Estimates of the pairs that have probabilities, at their places among all pairs."""
    places = np.where(scored, scored.cumsum() - 1, len(next(iter(cells.values())))).tolist()
    return {name: list(map([*column, None].__getitem__, places)) for name, column in cells.items()}


def _measured(
    runs: HardRuns | SoftRuns,
    places: npt.NDArray[np.intp],
    names: Mapping[str, PairStatistic],
    lost: npt.NDArray[np.int64],
    bootstrap: Bootstrap,
    *,
    moments: bool = False,
) -> Iterator[tuple[str, Cells]]:
    """The estimates of some measures, by their names in the table: columns with a cell for each pair."""
    basis = pair_basis(runs, places)
    if moments and isinstance(runs, HardRuns):
        # It needs scipy, which takes long to load.
        from hesperus.measures.pair_moments import pairs_by_moments

        spreads = pairs_by_moments(runs, places, basis, bootstrap)
    else:
        spreads = bootstrap_pairs(runs, places, statistics=tuple(names.values()), bootstrap=bootstrap)
    for name, statistic in names.items():
        yield name, spreads[statistic].columns(basis[statistic].without(lost, OTHER_GOLD))


def _lost(common: SameGold, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Items that a pair was asked and that are excluded since their gold differs, [pairs]."""
    asked = (common.view.arrays.answers[:, ~common.kept] != MISSING).astype(np.float32)
    alone = asked.sum(axis=1)
    a, b = places.T
    return np.asarray((alone[a] + alone[b] - (asked @ asked.T)[a, b]).round(), dtype=np.int64)


def _pairs(cells: Sequence[Cell], settings: MeasureSettings) -> npt.NDArray[np.intp]:
    """The pairs that are compared: places of cells, [pairs, 2]."""
    a, b = settings.a, settings.b
    if a is None:
        return np.stack(np.triu_indices(len(cells), 1), axis=1)
    if b is None:
        pairs = [(i, j) for i in _firsts(a, cells) for j, other in enumerate(cells) if other != cells[i]]
    else:
        pairs = list(_chosen(a, b, cells))
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def _chosen(a: Selection, b: Selection, cells: Sequence[Cell]) -> Iterator[tuple[int, int]]:
    same_sense = (a.instruction, a.input) == (b.instruction, b.input)
    named = a.model is not None and b.model is not None
    seen: set[frozenset[int]] = set()
    for i, j in product(_firsts(a, cells), _firsts(b, cells)):
        apart = cells[i].model != cells[j].model
        # The same sense can only differ by model (or repeat); other senses are compared within a model unless
        # both models are named.
        wanted = named or (not apart if not same_sense or a.repeat != b.repeat else apart)
        if i != j and wanted and frozenset((i, j)) not in seen:
            seen.add(frozenset((i, j)))
            yield i, j


def _firsts(selection: Selection, cells: Sequence[Cell]) -> list[int]:
    """The place of the first matching cell of each model."""
    found: dict[str, int] = {}
    for place, cell in enumerate(cells):
        if selection.matches(cell):
            found.setdefault(cell.model, place)
    return list(found.values())


SIZES = (2, 3, 4, 5, 6)
"""Senses in a subset; the number of all senses comes besides."""


@measure(
    "all_languages",
    help="How far all languages of a model agree at once.",
    takes=("by", "invalid"),
    rests_on_answers=True,
)
def all_languages_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How far all languages of a model agree, over the items with gold that is the same in every one.

    A language is a sense in which instruction and input are the same, or any sense where every input was asked under
    one instruction only; of repeats, the first.

    Returns:
        For each model and task ``krippendorff_alpha`` (nominal) and ``accuracy`` over all languages, and for subsets of
        2 to 6 and of all languages ``subset_consistency`` (share of subsets and items on which all give one answer) and
        ``ac3``, its harmonic mean with accuracy. A model with one language has no rows.

    Raises:
        DataError: The table is empty, or an item has different numbers of options in different senses.

    Reference:
        Wang et al. (2024), SeaEval for multilingual foundation models; Krippendorff (2011).
    """

    def measured(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        chosen = [view.arrays.row(cell) for cell in language_cells(view.arrays.cells)]
        if len(chosen) < 2:
            return
        common = same_gold(view)
        lost = int(((view.arrays.answers[chosen] != MISSING).any(axis=0) & ~common.kept).sum())
        sizes = sorted({*SIZES, len(chosen)})
        named = together_statistics(
            common.answers[chosen], key=common.key, sizes=sizes, invalid=settings.invalid
        )
        for size, name, statistic in named:
            yield {"languages": len(chosen), "size": size, "statistic": name}, without(statistic, lost)

    return view_table("all_languages", records, settings, columns=("languages", "size"), measured=measured)
