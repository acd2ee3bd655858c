"""The parts of a records table that are measured by themselves, and the rows of a measure, estimated over the same resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any
from weakref import finalize

import numpy as np
import polars as pl

from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, Table, estimate_cells, table
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.frames import distinct_rows
from hesperus.measures import Bootstrap, Statistic, estimates
from hesperus.records import KEY, MISSING, AnswerArrays, Cell, Codes, answer_arrays
from hesperus.records.labels import with_option_counts


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One such part."""

    task: str
    groups: Mapping[str, object]
    arrays: AnswerArrays

    @property
    def model(self) -> str:
        """The only model of a view per model; the first of several."""
        return self.arrays.cells[0].model

    def answers(self, cell: Cell | None) -> Codes:
        """Class codes of a cell; all MISSING where the view has no such cell."""
        return self._row(self.arrays.answers, cell)

    def gold(self, cell: Cell | None) -> Codes:
        """Gold codes of a cell; all MISSING where the view has no such cell."""
        return self._row(self.arrays.gold, cell)

    def _row(self, table: Codes, cell: Cell | None) -> Codes:
        if cell is None or cell not in self.arrays.cells:
            return np.full(len(self.arrays.items), MISSING, dtype=np.int32)
        row: Codes = table[self.arrays.row(cell)]
        return row


def views(
    records: pl.DataFrame, *, by: Sequence[str] = (), per_model: bool = True, probs: bool = False
) -> Iterator[View]:
    """Split a records table by task and groups, and by model where models are not compared.

    With `per_model` each model has a view of its own; with `probs` probabilities are laid out too.

    Raises:
        DataError: The table is empty.
        UnknownNameError: A group column does not exist.
        UsageError: A group column is in every row anyway.
    """
    if records.is_empty():
        raise DataError("the table has no records")
    kept = _LAID.get(id(records))
    if kept is None:
        kept = _LAID[id(records)] = {}
        finalize(records, _LAID.pop, id(records), None).atexit = False
    is_scored = probs and bool(records.select(pl.col("probs").is_not_null().any()).item())
    place = (tuple(by), per_model, is_scored)
    found = kept.get(place)
    if found is None:
        found = None if per_model else _joined(kept, records, by, is_scored)
        found = kept[place] = found or tuple(_laid(records, by, per_model, is_scored))
    yield from found


_Kept = dict[tuple[tuple[str, ...], bool, bool], tuple[View, ...]]

_LAID: dict[int, _Kept] = {}
"""Views of each table, as long as the table lives: a page makes ten tables of the same records."""


def _laid(records: pl.DataFrame, by: Sequence[str], per_model: bool, probs: bool) -> Iterator[View]:
    keys = ("model", "task") if per_model else ("task",)
    for named, part in parts(with_option_counts(records), keys, by=by):
        groups = {name: json_cell(named[name]) for name in by}
        yield View(str(named["task"]), groups, answer_arrays(part, probs=probs))


def _joined(kept: _Kept, records: pl.DataFrame, by: Sequence[str], probs: bool) -> tuple[View, ...] | None:
    """The views of all models together, where all were asked the same items with the same options; None if not.

    Those of each model, which are kept too, become parts of them: beside them they would take as much memory again.
    """
    of_models = tuple(views(records, by=by, probs=probs))
    found: dict[tuple[object, ...], list[View]] = {}
    for view in of_models:
        found.setdefault((view.task, *view.groups.values()), []).append(view)
    for first, *others in found.values():
        mine = first.arrays
        for other in (view.arrays for view in others):
            same = (mine.items, mine.labels) == (other.items, other.labels)
            if not same or not np.array_equal(mine.options, other.options):
                return None
    joined = []
    parts_of: dict[int, View] = {}
    for alike in found.values():
        whole = AnswerArrays.joined([view.arrays for view in alike])
        joined.append(replace(alike[0], arrays=whole))
        start = 0
        for view in alike:
            parts_of[id(view)] = replace(view, arrays=whole.part(start, view.arrays))
            start += len(view.arrays.cells)
    kept[tuple(by), True, probs] = tuple(parts_of[id(view)] for view in of_models)
    return tuple(joined)


def parts(
    records: pl.DataFrame, keys: Sequence[str], *, by: Sequence[str] = (), then: Sequence[str] = ()
) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Split a records table by the values of columns.

    Args:
        records: The records table.
        keys: Columns that every row has.
        by: Group columns, after them.
        then: Further columns that every row has.

    Returns:
        The values of the columns and the records that have them, sorted by the values as text, null first.

    Raises:
        UnknownNameError: A group column does not exist.
        UsageError: A group column is in every row anyway.
    """
    refuse_groups(records, by)
    split = [*keys, *by, *then]
    there = distinct_rows(records, split).select(split).rows()
    # A part at a time, unless there are so many that each would look through the whole table again.
    many = records.partition_by(split, as_dict=True) if len(there) > _MANY_PARTS else {}

    def part(values: tuple[Any, ...]) -> pl.DataFrame:
        if len(there) == 1:
            return records
        kinds = [records.schema[name] for name in split]
        return (
            many[values]
            if many
            else records.filter(
                pl.col(name).eq_missing(pl.lit(value, kind))
                for name, value, kind in zip(split, values, kinds, strict=True)
            )
        )

    for values in sorted(
        many or there, key=lambda values: tuple((value is not None, str(value)) for value in values)
    ):
        yield dict(zip(split, values, strict=True)), part(values)


_MANY_PARTS = 32


def grouped(records: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, object], pl.DataFrame]]:
    """Each group of a records table, with the values of its columns as JSON can say them; without columns the whole table.

    Raises:
        UnknownNameError: A group column does not exist.
        UsageError: A group column is in every row anyway.
    """
    if not by:
        yield {}, records
    for named, part in parts(records, (), by=by) if by else ():
        yield {name: json_cell(value) for name, value in named.items()}, part


def refuse_groups(records: pl.DataFrame, by: Sequence[str]) -> None:
    """Refuse columns that records cannot be grouped by.

    Raises:
        UnknownNameError: A column does not exist.
        UsageError: A column is in every row anyway.
    """
    for name in by:
        if name in KEY:
            raise UsageError(f"every row says its {name} anyway; group by another column")
        if name not in records.columns:
            raise UnknownNameError("column", name, [c for c in records.columns if c not in KEY])


def joined_views(parts: Iterable[pl.DataFrame], *, by: Sequence[str] = (), probs: bool = False) -> list[View]:
    """The views of all models of a table that comes some models at a time.

    All models were asked the same items (see hesperus.records.parts).
    """
    found: dict[tuple[object, ...], list[View]] = {}
    for records in parts:
        for view in views(records, by=by, per_model=False, probs=probs):
            found.setdefault((view.task, *view.groups.values()), []).append(view)
    return [
        replace(same[0], arrays=AnswerArrays.joined([view.arrays for view in same]))
        for same in found.values()
    ]


def all_cells(records: pl.DataFrame) -> list[Cell]:
    """Every cell of a table, over all tasks."""
    frame = records.select("model", "instruction", "input", "repeat").unique().sort(pl.all())
    return [Cell(*values) for values in frame.iter_rows()]


def narrowed(records: pl.DataFrame, *, models: Sequence[str] = (), tasks: Sequence[str] = ()) -> pl.DataFrame:
    """The records of some models and tasks; an empty choice keeps all.

    Raises:
        UnknownNameError: A model or task that the records do not have.
    """
    for column, wanted in (("model", models), ("task", tasks)):
        if not wanted:
            continue
        known = records[column].unique().sort().to_list()
        for name in wanted:
            if name not in known:
                raise UnknownNameError(column, name, known)
        records = with_option_counts(records).filter(pl.col(column).is_in(wanted))
    return records


def json_cell(value: object) -> object:
    """A group's value as JSON can say it."""
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    return str(value)


_NONE = np.iinfo(np.int32).max


def gold_range(gold: Codes) -> tuple[Codes, Codes]:
    """Highest and lowest code of the gold of each item over all runs that have one.

    Args:
        gold: Codes of the right answers, [runs, items], negative if absent.

    Returns:
        Two of [items]; they are equal where all runs that have gold have the same. Where none has, the highest is negative.
    """
    highest: Codes = gold.max(axis=0, initial=-1)
    lowest: Codes = np.where(gold >= 0, gold, _NONE).min(axis=0, initial=_NONE).astype(np.int32)
    return highest, lowest


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

    Raises:
        DataError: See view_rows.
        UnknownNameError: See view_rows.
        UsageError: See view_rows.
    """
    shown = ("model", "task", *settings.by, *columns, "statistic", *ESTIMATE_COLUMNS)
    rows = view_rows(records, settings, measured)
    return table(name, shown, rows=rows, signature=settings.signed())
