"""Rows of a measure: the statistics of each part of the records, estimated over the same resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, estimate_cells, table
from hesperus.analysis.views import View, views
from hesperus.measures import Bootstrap, Statistic, estimates

Found = Iterable[tuple[Mapping[str, object], Statistic]]
"""Cells of a row, the name of its statistic among them, and the statistic."""


def estimated(head: Mapping[str, object], found: Found, bootstrap: Bootstrap) -> list[NewRow]:
    """Rows of statistics over the same items: the head, the cells of each, and its estimate."""
    cells: list[Mapping[str, object]] = []

    def stream() -> Iterator[Statistic]:
        for own, statistic in found:
            cells.append(own)
            yield statistic

    numbers = estimates(stream(), bootstrap)
    return [{**head, **own, **estimate_cells(number)} for own, number in zip(cells, numbers, strict=True)]


def view_rows(
    records: pl.DataFrame, settings: MeasureSettings, measured: Callable[[View], Found]
) -> list[NewRow]:
    """The rows of every model, task and group.

    Args:
        records: The records table.
        settings: Columns to group by, and how intervals are made.
        measured: The statistics of one part of the records.

    Raises:
        DataError: The table is empty.
        UnknownNameError: A group column does not exist.
        UsageError: A group column is in every row anyway.
    """
    rows: list[NewRow] = []
    for view in views(records, by=settings.by):
        head = {"model": view.model, "task": view.task, **view.groups}
        rows += estimated(head, measured(view), settings.bootstrap)
    return rows


def view_table(
    name: str,
    records: pl.DataFrame,
    settings: MeasureSettings,
    *,
    columns: Sequence[str],
    measured: Callable[[View], Found],
) -> Table:
    """The table of those rows.

    Args:
        name: Name of the measure.
        records: The records table.
        settings: How it is measured.
        columns: Names of the cells that `measured` gives.
        measured: The statistics of one part of the records.

    Raises:
        DataError: See view_rows.
        UnknownNameError: See view_rows.
        UsageError: See view_rows.
    """
    shown = ("model", "task", *settings.by, *columns, "statistic", *ESTIMATE_COLUMNS)
    rows = view_rows(records, settings, measured)
    return table(name, shown, rows=rows, signature=settings.signed())
