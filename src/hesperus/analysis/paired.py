"""Tables about pairs of cells: consistency, the directions of inconsistencies, and where inconsistency comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.settings import DEFAULT_BOOTSTRAP, MeasureSettings, selected
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, estimate_cells, table
from hesperus.analysis.views import View, all_cells, views
from hesperus.errors import UsageError
from hesperus.measures import (
    INVALID,
    Bootstrap,
    InvalidRule,
    SenseRuns,
    Statistic,
    consistency_statistic,
    decomposition_statistics,
    direction_statistics,
    estimates,
    range_statistics,
    split_statistics,
)
from hesperus.records import Cell, CellPair, Selection, implied_pairs, made_senses


def consistency_table(
    records: pl.DataFrame,
    *,
    a: Selection | str | None = None,
    b: Selection | str | None = None,
    by: Sequence[str] = (),
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP,
) -> Table:
    """How often each model gives the same answer in two senses.

    Args:
        records: The records table (see hesperus.records.read_records).
        a: Source cell, e.g. ``instruction=en,input=en``; None takes the pairs that the design implies.
        b: The cell to compare with; None with an `a` takes every other cell of the same model.
        by: Columns of the records to group by.
        invalid: How unreadable answers compare: ``disagree``, ``agree`` (the paper's rule) or ``drop``.
        bootstrap: How intervals are made.

    Returns:
        Five rows a pair: ``consistency``; ``consistency_correct`` and ``consistency_incorrect``, split by whether the
        source run is right; ``consistency_min`` and ``consistency_max`` over the three rules for unreadable answers.

    Raises:
        UnknownNameError: A cell or a column that the records do not have.
        UsageError: `b` without `a`, two different models, or an unknown rule.
    """
    settings = MeasureSettings(selected(a), selected(b), tuple(by), invalid, bootstrap)

    def measured(view: View, pair: CellPair) -> Iterator[tuple[NewRow, Statistic]]:
        source, other = view.answers(pair.a), view.answers(pair.b)
        yield {"statistic": "consistency"}, consistency_statistic(source, other, invalid=invalid)
        right, wrong = split_statistics(source, other, gold=view.gold(pair.a), invalid=invalid)
        yield {"statistic": "consistency_correct"}, right
        yield {"statistic": "consistency_incorrect"}, wrong
        low, high = range_statistics(source, other)
        yield {"statistic": "consistency_min"}, low
        yield {"statistic": "consistency_max"}, high

    rows: list[NewRow] = []
    for view in views(records, by=by):
        found = (
            ({**_labels(pair), **cells}, statistic)
            for pair in chosen_pairs(view, settings, records)
            for cells, statistic in measured(view, pair)
        )
        rows += estimated({"model": view.model, "task": view.task, **view.groups}, found, bootstrap)
    columns = ("model", "task", *by, "a", "b", "statistic", *ESTIMATE_COLUMNS)
    return table("consistency", columns, rows=rows, signature=settings.signed())


def directions_table(
    records: pl.DataFrame,
    *,
    a: Selection | str | None = None,
    b: Selection | str | None = None,
    by: Sequence[str] = (),
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP,
) -> Table:
    """Where inconsistent items go: from which label to which, as shares of all inconsistent items.

    Args:
        records: The records table.
        a: Source cell; None takes the pairs that the design implies.
        b: The cell to compare with.
        by: Columns of the records to group by.
        invalid: How unreadable answers compare; "invalid" is a class of its own, unless they are dropped.
        bootstrap: How intervals are made.

    Returns:
        A row per pair of cells and pair of classes (of more than MANY_CLASSES labels, only of pairs that occur); `n` is
        the number of inconsistent items.

    Raises:
        UnknownNameError: A cell or a column that the records do not have.
        UsageError: `b` without `a`, two different models, or an unknown rule.
    """
    settings = MeasureSettings(selected(a), selected(b), tuple(by), invalid, bootstrap)

    def measured(view: View, pair: CellPair) -> Iterator[tuple[NewRow, Statistic]]:
        labels = view.arrays.labels
        shares = direction_statistics(
            view.answers(pair.a), view.answers(pair.b), classes=len(labels), invalid=invalid
        )
        for (source, target), statistic in shares.items():
            names = {side: "invalid" if code == INVALID else labels[code]
                     for side, code in (("from", source), ("to", target))}  # fmt: skip
            yield {**_labels(pair), **names, "statistic": "share"}, statistic

    rows: list[NewRow] = []
    for view in views(records, by=by):
        found = (row for pair in chosen_pairs(view, settings, records) for row in measured(view, pair))
        rows += estimated({"model": view.model, "task": view.task, **view.groups}, found, bootstrap)
    columns = ("model", "task", *by, "a", "b", "from", "to", "statistic", *ESTIMATE_COLUMNS)
    return table("directions", columns, rows=rows, signature=settings.signed())


def decomposition_table(
    records: pl.DataFrame,
    *,
    by: Sequence[str] = (),
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP,
) -> Table:
    """What the instruction, the input, both together and mere sampling contribute to inconsistency.

    Args:
        records: The records table.
        by: Columns of the records to group by.
        invalid: How unreadable answers compare.
        bootstrap: How intervals are made.

    Returns:
        For every made sense whose four cells were all asked: ``total`` = ``noise`` + ``instruction`` + ``input`` +
        ``interaction``, and ``unreadable``, a part of ``total``. Without a repeat of the source there is no ``noise``.

    Raises:
        UnknownNameError: A column that the records do not have.
        UsageError: An unknown rule.
    """
    settings = MeasureSettings(None, None, tuple(by), invalid, bootstrap)
    rows: list[NewRow] = []
    for view in views(records, by=by):
        found = (
            ({"sense": code, "source": origin, "statistic": name}, statistic)
            for code, origin in made_senses(view.arrays.cells)
            for name, statistic in _decomposed(view, code, origin, invalid)
        )
        rows += estimated({"model": view.model, "task": view.task, **view.groups}, found, bootstrap)
    columns = ("model", "task", *by, "sense", "source", "statistic", *ESTIMATE_COLUMNS)
    return table("decomposition", columns, rows=rows, signature=settings.signed())


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


def estimated(
    head: Mapping[str, object], found: Iterable[tuple[Mapping[str, object], Statistic]], bootstrap: Bootstrap
) -> list[NewRow]:
    """Rows of statistics over the same items: the head, the cells of each, and its estimate."""
    cells: list[Mapping[str, object]] = []

    def stream() -> Iterator[Statistic]:
        for own, statistic in found:
            cells.append(own)
            yield statistic

    numbers = estimates(stream(), bootstrap)
    return [{**head, **own, **estimate_cells(number)} for own, number in zip(cells, numbers, strict=True)]


def _labels(pair: CellPair) -> NewRow:
    return dict(zip(("a", "b"), pair.labels, strict=True))


def _absent(selection: Selection, view: View) -> Cell:
    return Cell(view.model, selection.instruction, selection.input, selection.repeat or 1)
