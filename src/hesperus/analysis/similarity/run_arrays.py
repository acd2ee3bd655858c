"""From a records table to runs side by side, in blocks of items, without the checks and joins of a whole table.

A file that hesperus wrote was held to the contract as it was written; it is read straight into arrays, a range of items
at a time, so that memory is bounded by the block. Any other file is read and checked whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.views import gold_range
from hesperus.errors import DataError, UnknownNameError
from hesperus.frames import TextColumn, places_among
from hesperus.measures import Codes, Key, Mask
from hesperus.records import FAILED, INVALID, MISSING, Cell, read_records
from hesperus.records.arrays import cells_of
from hesperus.records.labels import OPTION_COUNT, label_counts
from hesperus.records.parts import trusted_scan

_CELL = ("model", "instruction", "input", "repeat")
_READ = (*_CELL, "item", "outcome", "answer", "gold", "options", "probs")

_RECORDS_AT_ONCE = 1 << 21
"""Records of a file whose text is held at a time."""

_FEWEST_AT_ONCE, _HELD_AT_ONCE = 1 << 17, 1 << 18
"""Records in memory that are laid out together: a thirty-second of them within these bounds, since for each part all are looked through."""


@dataclass(frozen=True, slots=True, eq=False)
class LaidRuns:
    """Runs over some of the items of a task; items with gold that differs between runs are left out already.

    Attributes:
        cells: The runs, sorted.
        items: Ids, sorted.
        labels: Label of each class code.
        key: Gold as class codes, and number of options.
        codes: Class codes, [runs, items].
        probs: Probabilities in the order of each item's own options, [runs, items, options], 0 beyond them and NaN
            if absent; None if no record has any.
        options: Class code of each option of each item, [items, options]; MISSING beyond an item's own.
        places: Gold as place among the item's own options, [items]; what probabilities are compared by.
        groups: Group column to its value for each item, or None if the item has none.
        differing: Items left out because their gold differs between runs.
    """

    cells: tuple[Cell, ...]
    items: TextColumn
    labels: tuple[str, ...]
    key: Key
    codes: Codes
    probs: npt.NDArray[np.float64] | None
    options: Codes
    places: Codes
    groups: Mapping[str, npt.NDArray[np.object_]]
    differing: int

    @property
    def soft_key(self) -> Key:
        """The key by which probabilities are compared."""
        return Key(self.places, self.key.options)

    def only(self, items: Mask) -> LaidRuns:
        """The same over some of the items."""
        return replace(
            self,
            items=TextColumn(self.items.series.filter(pl.Series(items))),
            key=Key(self.key.gold[items], self.key.options[items]),
            codes=self.codes[:, items],
            probs=None if self.probs is None else self.probs[:, items],
            options=self.options[items],
            places=self.places[items],
            groups={name: values[items] for name, values in self.groups.items()},
        )


class RecordStream:
    """The runs of one task of a records table.

    Args:
        source: A records file, a run folder, or a table that was held to the contract.
        task: Which task; None if the table has one.
        columns: Group columns that are wanted.
        exclude: Ids of items to leave out.

    Raises:
        UsageError: No such file.
        DataError: The file breaks the contract, or has several tasks and none is named.
        UnknownNameError: No such task or column.
    """

    def __init__(
        self,
        source: pl.DataFrame | Path | str,
        *,
        task: str | None = None,
        columns: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> None:
        scan = _scan(source, columns)
        present = scan.collect_schema().names()
        for name in columns:
            if name not in present:
                raise UnknownNameError("column", name, [c for c in present if c not in _READ])
        tasks = scan.select("task").unique().collect()["task"].sort().to_list()
        if task is None and len(tasks) != 1:
            raise DataError(f"runs are compared within one task, the table has {', '.join(tasks) or 'none'}")
        if task is not None and task not in tasks:
            raise UnknownNameError("task", task, tasks)
        self.task: str = task or tasks[0]
        self._columns = tuple(columns)
        self._labels = _label_count(scan, self.task, present)
        self._scan = scan.filter(pl.col("task") == self.task) if len(tasks) > 1 else scan
        if exclude:
            self._scan = self._scan.filter(~pl.col("item").is_in(list(exclude)))
        cells = self._scan.select(_CELL).unique().collect().sort(_CELL)
        self.cells = tuple(Cell(*values) for values in cells.iter_rows())
        self._items = self._scan.select(pl.col("item").unique().sort()).collect()["item"]
        self._at_once = _RECORDS_AT_ONCE
        if isinstance(source, pl.DataFrame):
            self._at_once = min(_HELD_AT_ONCE, max(_FEWEST_AT_ONCE, source.height // 32))

    def whole(self) -> LaidRuns:
        """All items, read so many at a time that the text of their records takes little memory."""
        runs, items = len(self.cells), len(self._items)
        width = self._scan.select(pl.col("options").list.len().max()).collect().item() or 0
        names: dict[str, int] = {}
        codes = np.full((runs, items), MISSING, dtype=np.int32)
        truth, counts, places = (np.empty(items, dtype=np.int32) for _ in range(3))
        table, kept = np.full((items, width), MISSING, dtype=np.int32), np.ones(items, dtype=np.bool_)
        groups = {name: np.full(items, None, dtype=object) for name in self._columns}
        probs: npt.NDArray[np.float64] | None = None
        for frame, here in self._blocks():
            own = self._items[here]
            row, column = self._rows(frame), places_among(frame["item"], own).astype(np.intp)
            place, shape = row * len(own) + column, (runs, len(own))
            if len(place) and np.bincount(place).max() > 1:
                doubled = int(np.flatnonzero(np.bincount(place)[place] > 1)[0])
                raise DataError("has two records of one run", field="item", item=frame["item"][doubled])
            answers, gold = (self._coded(frame, name, names) for name in ("answer", "gold"))
            failed = (frame["outcome"] == "error").to_numpy()
            codes[:, here] = _spread(np.where(failed, FAILED, answers).astype(np.int32), place, shape)
            golds = _spread(np.where(failed, MISSING, gold).astype(np.int32), place, shape)
            highest, lowest = gold_range(golds)
            kept[here], truth[here] = (highest < 0) | (lowest == highest), np.maximum(highest, INVALID)
            options = _Options.of(frame, column, names, len(own))
            table[here, : options.table.shape[1]] = options.table
            counts[here] = _counts(options, frame, column, own, self._labels)
            counts[here][options.left(answers, column)] = 0
            places[here] = options.places(truth[here])
            first = np.unique(column, return_index=True)[1]
            for name, values in groups.items():
                values[here][column[first]] = frame[name].gather(first).to_list()
            scored = options.probs(frame, place, shape)
            if scored is not None:
                probs = np.full((runs, items, width), np.nan) if probs is None else probs
                # Beyond an item's own options there is no probability, unless nothing was scored.
                probs[:, here] = np.where(np.isnan(scored[:, :, :1]), np.nan, 0.0)
                probs[:, here, : scored.shape[2]] = scored
        key, laid = Key(truth, counts), (codes, probs, table, places, groups)
        whole = LaidRuns(self.cells, TextColumn(self._items), tuple(names), key, *laid, int((~kept).sum()))
        return whole if kept.all() else whole.only(kept)

    def _blocks(self) -> Iterator[tuple[pl.DataFrame, slice]]:
        """The records of some items after the other, and which items these are."""
        at_once = max(1, self._at_once // max(1, len(self.cells)))
        for start in range(0, max(1, len(self._items)), at_once):
            here = slice(start, min(start + at_once, len(self._items)))
            items, wanted = self._items[here], self._scan
            if len(items) < len(self._items):
                # A range can be tested on the statistics of a row group, a list of ids cannot.
                wanted = wanted.filter(
                    pl.col("item") >= pl.lit(items[0]), pl.col("item") <= pl.lit(items[-1])
                )
            yield wanted.select(*_READ, *self._columns).collect(), here

    @staticmethod
    def _coded(frame: pl.DataFrame, column: str, names: dict[str, int]) -> Codes:
        """Class code of each label, INVALID for null; a label that has none yet gets the next."""
        for label in frame[column].unique().drop_nulls().sort().to_list():
            names.setdefault(label, len(names))
        return _labelled(frame[column], names)

    def _rows(self, frame: pl.DataFrame) -> npt.NDArray[np.intp]:
        """Index of the run of each record."""
        cells, places = cells_of(frame)
        numbers = {cell: number for number, cell in enumerate(self.cells)}
        return np.array([numbers[cell] for cell in cells], dtype=np.intp)[places]


@dataclass(frozen=True, slots=True, eq=False)
class _Options:
    """The options of items, by the first record that names them.

    Attributes:
        table: Class code of each option of each item, [items, options]; MISSING beyond its own.
        records: Records that have options.
        lengths: How many each of them has.
        spots: For each option of those records, its place among the item's own; None if all have as many, in one
            order.
    """

    table: Codes
    records: npt.NDArray[np.intp]
    lengths: npt.NDArray[np.int64]
    spots: npt.NDArray[np.intp] | None

    @classmethod
    def of(
        cls, frame: pl.DataFrame, column: npt.NDArray[np.intp], names: dict[str, int], items: int
    ) -> _Options:
        """Read them; labels that occur only here get codes of their own."""
        given = frame["options"].is_not_null().to_numpy()
        records = np.flatnonzero(given)
        lists = frame["options"] if given.all() else frame["options"].filter(pl.Series(given))
        lengths = lists.list.len().to_numpy().astype(np.int64)
        most = int(lengths.max(initial=0))
        flat = lists.explode(empty_as_null=False)
        for label in flat.unique().drop_nulls().sort().to_list():
            names.setdefault(label, len(names))
        codes = _labelled(flat, names)
        if len(records) and len(codes) == most * len(records) and lengths.min() == most:
            square = codes.reshape(-1, most)
            if len(records) == len(frame) and (square == square[0]).all():
                return cls(np.broadcast_to(square[0], (items, most)), records, lengths, None)
            table = np.full((items, most), MISSING, dtype=np.int32)
            table[column[records]] = square
            if np.array_equal(table[column[records]], square):
                return cls(table, records, lengths, None)
        ends = lengths.cumsum()
        spots = np.arange(len(codes)) - np.repeat(ends - lengths, lengths)
        rows = np.repeat(column[records], lengths)
        table = np.full((items, most), MISSING, dtype=np.int32)
        table[rows[::-1], spots[::-1]] = codes[::-1]
        moved = table[rows, spots] != codes
        if moved.any():
            found = table[rows[moved]] == codes[moved, None]
            if not found.any(axis=1).all():
                item = frame["item"][int(np.repeat(records, lengths)[moved][~found.any(axis=1)][0])]
                raise DataError("has other options in one run than in another", field="options", item=item)
            spots[moved] = found.argmax(axis=1)
        return cls(table, records, lengths, spots)

    def left(self, answers: Codes, column: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Items that list options that do not hold every answer: their answers are free text."""
        mine, theirs = np.unique(answers[answers >= 0]), np.unique(self.table)
        if not self.table.shape[1] or np.isin(mine, theirs).all():
            return np.empty(0, dtype=np.intp)
        rows = np.flatnonzero((answers >= 0) & (self.table[column, 0] != MISSING))
        inside = (self.table[column[rows]] == answers[rows, None]).any(axis=1)
        return np.unique(column[rows[~inside]])

    def places(self, gold: Codes) -> Codes:
        """Place of the right option among an item's own; INVALID where it is not one of them."""
        if not self.table.shape[1]:
            return np.full(len(gold), INVALID, dtype=np.int32)
        found = (self.table == gold[:, None]) & (gold[:, None] >= 0)
        return np.where(found.any(axis=1), found.argmax(axis=1), INVALID).astype(np.int32)

    def probs(
        self, frame: pl.DataFrame, place: npt.NDArray[np.intp], shape: tuple[int, int]
    ) -> npt.NDArray[np.float64] | None:
        """Probabilities laid out, [runs, items, options]; None if no record has any."""
        given = (frame["probs"].is_not_null() & (frame["outcome"] != "error")).to_numpy()
        if not given.any():
            return None
        most = self.table.shape[1]
        whole = bool(given.all()) and len(given) == shape[0] * shape[1]
        laid = (
            np.empty((shape[0] * shape[1], most)) if whole else np.full((shape[0] * shape[1], most), np.nan)
        )
        flat = frame["probs"].filter(pl.Series(given)).explode(empty_as_null=False).to_numpy()
        if self.spots is None:
            laid[place[given]] = flat.reshape(-1, most)
            return laid.reshape(*shape, most)
        has = given[self.records]
        lengths, spots = self.lengths[has], self.spots[np.repeat(has, self.lengths)]
        laid[place[given]] = 0.0
        laid[np.repeat(place[given], lengths), spots] = flat
        return laid.reshape(*shape, most)


def _scan(source: pl.DataFrame | Path | str, columns: Sequence[str]) -> pl.LazyFrame:
    if isinstance(source, pl.DataFrame):
        return source.lazy()
    path = Path(source)
    trusted = trusted_scan(path)
    return read_records(path, columns=columns).lazy() if trusted is None else trusted


def _label_count(scan: pl.LazyFrame, task: str, present: Sequence[str]) -> int:
    """Number of labels of the task, of those rows that list no options; 0 where they are no closed set."""
    loose = scan.filter(pl.col("task") == task, pl.col("options").is_null())
    if OPTION_COUNT in present:
        return int(loose.select(pl.col(OPTION_COUNT).max()).collect().item() or 0)
    rule = ["rule"] if "rule" in present else []
    return label_counts(loose.select("task", "answer", "gold", "options", *rule).collect()).get(task, 0)


def _labelled(column: pl.Series, names: dict[str, int]) -> Codes:
    """Class code of each label; INVALID for null."""
    return places_among(column, pl.Series(list(names), dtype=pl.String()))


def _spread(codes: Codes, place: npt.NDArray[np.intp], shape: tuple[int, int]) -> Codes:
    laid = np.full(shape[0] * shape[1], MISSING, dtype=np.int32)
    laid[place] = codes
    return laid.reshape(shape)


def _counts(
    options: _Options, frame: pl.DataFrame, column: npt.NDArray[np.intp], items: pl.Series, fallback: int
) -> npt.NDArray[np.int32]:
    counts = np.full(len(items), fallback, dtype=np.int32)
    rows = column[options.records]
    counts[rows] = options.lengths
    uneven = counts[rows] != options.lengths
    if uneven.any():
        item = items[int(rows[uneven][0])]
        raise DataError("has more options in one run than in another", field="options", item=item)
    return counts
