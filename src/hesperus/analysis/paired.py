"""Tables about pairs of cells: consistency, the directions of inconsistencies, and where inconsistency comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import NewRow, Table
from hesperus.analysis.views import View, all_cells, view_table
from hesperus.errors import UsageError
from hesperus.measures import (
    INVALID,
    InvalidRule,
    SenseRuns,
    Statistic,
    consistency_statistic,
    decomposition_statistics,
    direction_statistics,
    range_statistics,
    split_statistics,
)
from hesperus.records import Cell, CellPair, Selection, implied_pairs, made_senses


@measure(
    "consistency",
    help="How often each model gives the same answer in two senses.",
    takes=("a", "b", "by", "invalid"),
    main="consistency",
    rests_on_answers=True,
    within_models=True,
)
def consistency_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How often each model gives the same answer in two senses, of the pairs that the design implies, or of a and b.

    Returns:
        Five rows a pair: ``consistency``; ``consistency_correct`` and ``consistency_incorrect``, split by whether the
        source run is right; ``consistency_min`` and ``consistency_max`` over the three rules for invalid answers.

    Raises:
        UsageError: `b` without `a`, two different models, or an unknown rule.
    """

    def measured(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        for pair in chosen_pairs(view, settings, records):
            for name, statistic in _consistent(view, pair, settings.invalid):
                yield {**_labels(pair), "statistic": name}, statistic

    return view_table("consistency", records, settings, columns=("a", "b"), measured=measured)


def _consistent(view: View, pair: CellPair, invalid: InvalidRule) -> Iterator[tuple[str, Statistic]]:
    source, other = view.answers(pair.a), view.answers(pair.b)
    yield "consistency", consistency_statistic(source, other, invalid=invalid)
    right, wrong = split_statistics(source, other, gold=view.gold(pair.a), invalid=invalid)
    yield "consistency_correct", right
    yield "consistency_incorrect", wrong
    low, high = range_statistics(source, other)
    yield "consistency_min", low
    yield "consistency_max", high


@measure(
    "directions",
    help="From which label to which inconsistent items go.",
    takes=("a", "b", "by", "invalid"),
    main="share",
    rests_on_answers=True,
    within_models=True,
)
def directions_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """Where inconsistent items go: from which label to which, as shares of all inconsistent items.

    "invalid" is a class of its own, unless invalid answers are dropped.

    Returns:
        A row per pair of cells and pair of classes (of more than MANY_CLASSES labels, only of pairs that occur); `n` is
        the number of inconsistent items.

    Raises:
        UsageError: `b` without `a`, two different models, or an unknown rule.
    """

    def measured(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        labels = view.arrays.labels
        for pair in chosen_pairs(view, settings, records):
            shares = direction_statistics(
                view.answers(pair.a), view.answers(pair.b), classes=len(labels), invalid=settings.invalid
            )
            for (source, target), statistic in shares.items():
                names = {side: "invalid" if code == INVALID else labels[code]
                         for side, code in (("from", source), ("to", target))}  # fmt: skip
                yield {**_labels(pair), **names, "statistic": "share"}, statistic

    return view_table("directions", records, settings, columns=("a", "b", "from", "to"), measured=measured)


@measure(
    "decomposition",
    help="What instruction, input and sampling contribute to inconsistency.",
    takes=("by", "invalid"),
    main="total",
    rests_on_answers=True,
    within_models=True,
)
def decomposition_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """What the instruction, the input, both together and mere sampling contribute to inconsistency.

    Returns:
        For every made sense with all four cells asked: ``total`` = ``noise`` + ``instruction`` + ``input`` +
        ``interaction``, and ``invalid``, a part of ``total``. Without a repeat of the source there is no ``noise``.
    """

    def measured(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        for code, origin in made_senses(view.arrays.cells):
            for name, statistic in _decomposed(view, code, origin, settings.invalid):
                yield {"sense": code, "source": origin, "statistic": name}, statistic

    return view_table("decomposition", records, settings, columns=("sense", "source"), measured=measured)


def _decomposed(view: View, code: str, origin: str, invalid: InvalidRule) -> Iterable[tuple[str, Statistic]]:
    cells = view.arrays.cells
    wanted = [(origin, origin), (code, code), (code, origin), (origin, code)]
    found = [Selection(instruction, given).find(cells) for instruction, given in wanted]
    if None in found:
        return ()
    source, both, instruction, given = found
    again = [cell for cell in cells if (cell.instruction, cell.input) == (origin, origin) and cell != source]
    runs = SenseRuns(
        view.answers(source),
        view.answers(both),
        view.answers(instruction),
        view.answers(given),
        view.answers(again[0]) if again else None,
    )
    return decomposition_statistics(runs, invalid=invalid).items()


def chosen_pairs(view: View, settings: MeasureSettings, records: pl.DataFrame) -> Sequence[CellPair]:
    """The pairs of a view that the settings ask for, within a model.

    Raises:
        UnknownNameError: A selection names what no cell of the whole table has.
        UsageError: The two selections name different models.
    """
    a, b = settings.a, settings.b
    cells = view.arrays.cells
    if a is None:
        return implied_pairs(cells)
    known = all_cells(records)
    for selection in (a, b):
        if selection is not None:
            selection.check(known)
    models = {selection.model for selection in (a, b) if selection is not None} - {None}
    if len(models) > 1:
        raise UsageError("consistency is measured within a model; `measure agreement` compares models")
    if models and view.model not in models:
        return []
    source = a.find(cells) or _absent(a, view)
    if b is None:
        return [CellPair("chosen", source, cell) for cell in cells if cell != source]
    return [CellPair("chosen", source, b.find(cells) or _absent(b, view))]


def _labels(pair: CellPair) -> NewRow:
    return dict(zip(("a", "b"), pair.labels, strict=True))


def _absent(selection: Selection, view: View) -> Cell:
    return Cell(view.model, selection.instruction, selection.input, selection.repeat or 1)
