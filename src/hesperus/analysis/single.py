"""Tables about single cells: accuracy, validity, shares of labels and of outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from hesperus.analysis.paired import estimated
from hesperus.analysis.settings import DEFAULT_BOOTSTRAP, MeasureSettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, Row, Table, table
from hesperus.analysis.views import View, views
from hesperus.measures import (
    MANY_CLASSES,
    Bootstrap,
    InvalidRule,
    Statistic,
    accuracy_statistic,
    label_share_statistic,
    replied,
    share_statistic,
    validity_statistic,
)
from hesperus.records import MISSING, Cell
from hesperus.types import OUTCOMES

Measured = Callable[[View, Cell], Iterable[tuple[Row, Statistic]]]


def accuracy_table(
    records: pl.DataFrame,
    *,
    by: Sequence[str] = (),
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP,
) -> Table:
    """How often each cell gives the gold label of its own row; an unreadable answer is wrong.

    Args:
        records: The records table.
        by: Columns of the records to group by.
        invalid: ``drop`` leaves unreadable answers out; the other rules count them as wrong.
        bootstrap: How intervals are made.

    Raises:
        UnknownNameError: A column that the records do not have.
        UsageError: An unknown rule.
    """

    def measured(view: View, cell: Cell) -> Iterator[tuple[Row, Statistic]]:
        statistic = accuracy_statistic(view.answers(cell), view.gold(cell), invalid=invalid)
        yield {"statistic": "accuracy"}, statistic

    settings = MeasureSettings(by=tuple(by), invalid=invalid, bootstrap=bootstrap)
    return _table("accuracy", records, settings=settings, measured=measured)


def validity_table(
    records: pl.DataFrame, *, by: Sequence[str] = (), bootstrap: Bootstrap = DEFAULT_BOOTSTRAP
) -> Table:
    """How often each cell's answer could be read as a label.

    Args:
        records: The records table.
        by: Columns of the records to group by.
        bootstrap: How intervals are made.

    Raises:
        UnknownNameError: A column that the records do not have.
    """

    def measured(view: View, cell: Cell) -> Iterator[tuple[Row, Statistic]]:
        yield {"statistic": "validity"}, validity_statistic(view.answers(cell))

    settings = MeasureSettings(by=tuple(by), bootstrap=bootstrap)
    return _table("validity", records, settings=settings, measured=measured)


def labels_table(
    records: pl.DataFrame, *, by: Sequence[str] = (), bootstrap: Bootstrap = DEFAULT_BOOTSTRAP
) -> Table:
    """The share of each label among a cell's answers (unreadable ones in the denominator) and in its gold.

    Args:
        records: The records table.
        by: Columns of the records to group by.
        bootstrap: How intervals are made.

    Returns:
        Two rows a label, ``share`` and ``gold_share``; of more than MANY_CLASSES labels (free answers, numbers), only of
        those that the cell or its gold has.

    Raises:
        UnknownNameError: A column that the records do not have.
    """

    def measured(view: View, cell: Cell) -> Iterator[tuple[Row, Statistic]]:
        answers, gold = view.answers(cell), view.gold(cell)
        there = {int(code) for codes in (answers, gold) for code in np.unique(codes)}
        many = len(view.arrays.labels) > MANY_CLASSES
        for code, label in enumerate(view.arrays.labels):
            if many and code not in there:
                continue
            yield {"label": label, "statistic": "share"}, label_share_statistic(answers, code)
            yield {"label": label, "statistic": "gold_share"}, share_statistic(gold == code, replied(gold))

    settings = MeasureSettings(by=tuple(by), bootstrap=bootstrap)
    return _table("labels", records, settings=settings, measured=measured, columns=("label",))


def outcomes_table(
    records: pl.DataFrame, *, by: Sequence[str] = (), bootstrap: Bootstrap = DEFAULT_BOOTSTRAP
) -> Table:
    """What became of the replies: the share of each outcome, also of those that never occur.

    Args:
        records: The records table.
        by: Columns of the records to group by.
        bootstrap: How intervals are made.

    Raises:
        UnknownNameError: A column that the records do not have.
    """

    def measured(view: View, cell: Cell) -> Iterator[tuple[Row, Statistic]]:
        outcomes = view.arrays.outcomes[view.arrays.row(cell)]
        for code, outcome in enumerate(OUTCOMES):
            yield {"statistic": outcome}, share_statistic(outcomes == code, outcomes != MISSING)

    settings = MeasureSettings(by=tuple(by), bootstrap=bootstrap)
    return _table("outcomes", records, settings=settings, measured=measured)


def cell_columns(cell: Cell) -> Row:
    """A cell as the columns of a row."""
    return {"instruction": cell.instruction, "input": cell.input, "repeat": cell.repeat}


def _table(
    measure: str,
    records: pl.DataFrame,
    *,
    settings: MeasureSettings,
    measured: Measured,
    columns: Sequence[str] = (),
) -> Table:
    rows: list[Row] = []
    for view in views(records, by=settings.by):
        found = (
            ({**cell_columns(cell), **own}, statistic)
            for cell in view.arrays.cells
            for own, statistic in measured(view, cell)
        )
        rows += estimated({"model": view.model, "task": view.task, **view.groups}, found, settings.bootstrap)
    senses = ("instruction", "input", "repeat")
    shown = ("model", "task", *settings.by, *senses, *columns, "statistic", *ESTIMATE_COLUMNS)
    return table(measure, shown, rows=rows, signature=settings.signed())
