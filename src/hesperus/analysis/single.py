"""Tables about single cells: accuracy, validity, shares of labels and of outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import NewRow, Table
from hesperus.analysis.views import View, view_table
from hesperus.measures import (
    MANY_CLASSES,
    Statistic,
    accuracy_statistic,
    gold_share_statistic,
    label_share_statistic,
    share_statistic,
    validity_statistic,
)
from hesperus.records import MISSING, Cell
from hesperus.types import OUTCOMES

_PROMPT = ("instruction", "input", "repeat")


@measure(
    "accuracy",
    help="How often each cell gives the gold label.",
    takes=("by", "invalid"),
    main="accuracy",
    rests_on_answers=True,
    within_models=True,
)
def accuracy_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How often each cell gives the gold label of its own row.

    An invalid answer is wrong, unless the rule is ``drop``, which leaves it out.
    """

    def measured(view: View, cell: Cell) -> Iterator[tuple[NewRow, Statistic]]:
        statistic = accuracy_statistic(view.answers(cell), view.gold(cell), invalid=settings.invalid)
        yield {"statistic": "accuracy"}, statistic

    return _table("accuracy", records, settings, measured)


@measure(
    "validity",
    help="How often each cell's answer could be read as a label.",
    main="validity",
    within_models=True,
)
def validity_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How often each cell's answer could be read as a label."""

    def measured(view: View, cell: Cell) -> Iterator[tuple[NewRow, Statistic]]:
        yield {"statistic": "validity"}, validity_statistic(view.answers(cell))

    return _table("validity", records, settings, measured)


@measure(
    "labels",
    help="The share of each label among a cell's answers and in its gold.",
    main="share",
    rests_on_answers=True,
    within_models=True,
)
def labels_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """The share of each label among a cell's answers (invalid ones in the denominator) and in its gold.

    Returns:
        Two rows a label, ``share`` and ``gold_share``; of more than MANY_CLASSES labels (free answers, numbers), only of
        those that the cell or its gold has.
    """

    def measured(view: View, cell: Cell) -> Iterator[tuple[NewRow, Statistic]]:
        answers, gold = view.answers(cell), view.gold(cell)
        there = {int(code) for codes in (answers, gold) for code in np.unique(codes)}
        many = len(view.arrays.labels) > MANY_CLASSES
        for code, label in enumerate(view.arrays.labels):
            if many and code not in there:
                continue
            yield {"label": label, "statistic": "share"}, label_share_statistic(answers, code)
            yield {"label": label, "statistic": "gold_share"}, gold_share_statistic(gold, code)

    return _table("labels", records, settings, measured, columns=("label",))


@measure(
    "outcomes",
    help="What became of the replies.",
    main=None,
    within_models=True,
)
def outcomes_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """What became of the replies: the share of each outcome, also of those that never occur."""

    def measured(view: View, cell: Cell) -> Iterator[tuple[NewRow, Statistic]]:
        outcomes = view.arrays.outcomes[view.arrays.row(cell)]
        for code, outcome in enumerate(OUTCOMES):
            yield {"statistic": outcome}, share_statistic(outcomes == code, outcomes != MISSING)

    return _table("outcomes", records, settings, measured)


def cell_columns(cell: Cell) -> NewRow:
    """A cell as the columns of a row."""
    return {name: getattr(cell, name) for name in _PROMPT}


def _table(
    name: str,
    records: pl.DataFrame,
    settings: MeasureSettings,
    measured: Callable[[View, Cell], Iterable[tuple[NewRow, Statistic]]],
    columns: Sequence[str] = (),
) -> Table:
    """A table with the statistics of every cell."""

    def found(view: View) -> Iterator[tuple[NewRow, Statistic]]:
        for cell in view.arrays.cells:
            for own, statistic in measured(view, cell):
                yield {**cell_columns(cell), **own}, statistic

    return view_table(name, records, settings, columns=(*_PROMPT, *columns), measured=found)
