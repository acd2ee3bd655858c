"""The records table as arrays: cells by items, as measures take them, with coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import DataError
from hesperus.frames import TextColumn, places_among, slices
from hesperus.records.cells import Cell
from hesperus.records.labels import OPTION_COUNT, with_option_counts
from hesperus.types import OUTCOMES

INVALID = -1
"""Code of an answer without a label (invalid, refused, empty, …)."""

MISSING = -2
"""Code where nothing was asked."""

FAILED = -3
"""Code where something was asked and no reply came (the outcome `error`): missing data, like MISSING."""

Codes = npt.NDArray[np.int32]

_CELL = ("model", "instruction", "input", "repeat")


@dataclass(frozen=True, slots=True, eq=False)
class AnswerArrays:
    """All answers to one task.

    Attributes:
        cells: Rows, sorted.
        items: Columns, sorted by id.
        labels: Label of each class code: those of the longest list of options in its order, then the others by name.
        answers: Class codes, [cells, items]; INVALID, FAILED or MISSING if there is no label.
        gold: Codes of the right labels, [cells, items]; INVALID if absent, MISSING where no reply is.
        outcomes: Index into OUTCOMES, [cells, items]; MISSING where nothing was asked.
        options: Number of options of each item; where the items do not say, the number of labels of the whole task; 0
            where that is not known, since answers are free text.
        probs: Probabilities by class code, [cells, items, labels], 0 beyond an item's options, NaN
            if absent or no reply came; None if no record has any, or they were not wanted.
    """

    cells: tuple[Cell, ...]
    items: Sequence[str]
    labels: tuple[str, ...]
    answers: Codes
    gold: Codes
    outcomes: Codes
    options: Codes
    probs: npt.NDArray[np.float64] | None = None

    @classmethod
    def joined(cls, parts: Sequence[AnswerArrays]) -> AnswerArrays:
        """The answers of some models and of others to the same items, models in the order of the parts."""
        first = parts[0]
        labels = tuple(dict.fromkeys(label for part in parts for label in part.labels))

        def codes(part: AnswerArrays, table: Codes) -> Codes:
            # What is no label has a negative code, which counts from the end.
            own = [labels.index(label) for label in part.labels]
            return np.array([*own, FAILED, MISSING, INVALID], dtype=np.int32)[table]

        def probs(part: AnswerArrays) -> npt.NDArray[np.float64]:
            laid = np.full((*part.answers.shape, len(labels)), np.nan)
            if part.probs is not None:
                laid[np.isfinite(part.probs).any(axis=2)] = 0.0
                laid[:, :, [labels.index(label) for label in part.labels]] = part.probs
            return laid

        scored = any(part.probs is not None for part in parts)
        return cls(
            cells=tuple(cell for part in parts for cell in part.cells),
            items=first.items,
            labels=labels,
            answers=np.concatenate([codes(part, part.answers) for part in parts]),
            gold=np.concatenate([codes(part, part.gold) for part in parts]),
            outcomes=np.concatenate([part.outcomes for part in parts]),
            options=np.min([part.options for part in parts], axis=0),
            probs=np.concatenate([probs(part) for part in parts]) if scored else None,
        )

    def part(self, start: int, own: AnswerArrays) -> AnswerArrays:
        """The cells of one of the parts that these were joined of, in the same memory.

        Args:
            start: Place of its first cell.
            own: The part, with the same items and labels.
        """
        rows = slice(start, start + len(own.cells))
        return replace(
            self,
            cells=own.cells,
            answers=self.answers[rows],
            gold=self.gold[rows],
            outcomes=self.outcomes[rows],
            options=own.options,
            probs=None if self.probs is None or own.probs is None else self.probs[rows],
        )

    @property
    def coverage(self) -> npt.NDArray[np.int64]:
        """How many items each cell has a reply to, [cells]."""
        has: npt.NDArray[np.int64] = np.count_nonzero(self.answers >= INVALID, axis=1)
        return has

    def row(self, cell: Cell) -> int:
        """Index of a cell.

        Raises:
            KeyError: The cell does not occur.
        """
        try:
            return self.cells.index(cell)
        except ValueError:
            raise KeyError(cell) from None

    def pair(self, a: Cell, b: Cell) -> tuple[Codes, Codes]:
        """Class codes of two cells over the same items."""
        return self.answers[self.row(a)], self.answers[self.row(b)]


def answer_arrays(frame: pl.DataFrame, *, probs: bool = False) -> AnswerArrays:
    """Lay the records of one task out as arrays.

    Args:
        frame: Records (see read_records), of one task.
        probs: Also lay out the probabilities, where records have them.

    Raises:
        DataError: More than one task, or an item has different numbers of options in different senses.
    """
    tasks = _column(frame, "task").unique().sort().to_list()
    if len(tasks) > 1:
        raise DataError(f"arrays hold one task, the table has {', '.join(tasks)}")
    cells, place = cells_of(frame)
    items = _column(frame, "item").unique().sort()
    shape = (len(cells), len(items))
    place *= len(items)
    place += places_among(_column(frame, "item"), items)
    labels, listed = _labels(frame)
    failed = _column(frame, "outcome").eq("error").to_numpy()

    def laid(name: str, names: Sequence[str], instead: int) -> Codes:
        codes = _coded(_column(frame, name), names)
        return _laid(np.where(failed, np.int32(instead), codes), place, shape)

    return AnswerArrays(
        cells=cells,
        items=TextColumn(items),
        labels=labels,
        answers=laid("answer", labels, FAILED),
        gold=laid("gold", labels, MISSING),
        outcomes=_laid(_coded(_column(frame, "outcome"), OUTCOMES), place, shape),
        options=_options(frame, listed, len(items)),
        probs=_probs(frame, labels, place, shape) if probs else None,
    )


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column by itself: one of a single value is laid out in full where it is looked at, and held so by its table."""
    return frame.select(name).to_series()


def cells_of(frame: pl.DataFrame) -> tuple[tuple[Cell, ...], npt.NDArray[np.intp]]:
    """The cells of records, sorted, and the place of each record's cell among them, [records].

    The parts of a cell are few, so a table of all their combinations is small.
    """
    known = []
    mixed = np.zeros(frame.height, dtype=np.intp)
    for name in _CELL:
        column = _column(frame, name)
        values = column.unique().sort()
        known.append(values.to_list())
        if len(values) > 1:
            mixed *= len(values)
            mixed += places_among(column, values)
    sizes = tuple(map(len, known))
    if np.prod(sizes, dtype=np.float64) > len(mixed) + (1 << 16):
        there, places = np.unique(mixed, return_inverse=True)
    else:
        there = np.flatnonzero(np.bincount(mixed, minlength=int(np.prod(sizes))))
        table = np.zeros(int(np.prod(sizes)), dtype=np.intp)
        table[there] = np.arange(len(there))
        places = table[mixed]
    cells = tuple(
        Cell(*(values[at] for values, at in zip(known, place, strict=True)))
        for place in zip(*np.unravel_index(there, sizes), strict=True)
    )
    return cells, places.astype(np.intp, copy=False)


def _coded(column: pl.Series, names: Sequence[str]) -> Codes:
    """Index of each value in `names`; INVALID for null."""
    return places_among(column, pl.Series(names, dtype=pl.String))


def _laid(codes: Codes, place: npt.NDArray[np.intp], shape: tuple[int, int]) -> Codes:
    laid = np.full(shape[0] * shape[1], MISSING, dtype=np.int32)
    laid[place] = codes
    return laid.reshape(shape)


def _labels(frame: pl.DataFrame) -> tuple[tuple[str, ...], set[str]]:
    """All labels in their order, and those that are options of some item."""
    lists = {
        tuple(options)
        for part in slices(frame)
        for options in part["options"].drop_nulls().unique().to_list()
    }
    ordered: dict[str, None] = {}
    for options in sorted(lists, key=lambda options: (-len(options), options)):
        ordered.update(dict.fromkeys(options))
    listed = set(ordered)
    named = pl.concat([_column(frame, name).unique() for name in ("answer", "gold")])
    ordered.update(dict.fromkeys(named.drop_nulls().unique().sort().to_list()))
    return tuple(ordered), listed


def _options(frame: pl.DataFrame, listed: set[str], items: int) -> Codes:
    """Options of each item; 0 where it lists some and an answer is not one of them, since answers are then free text."""
    answers_listed = set(_column(frame, "answer").unique().drop_nulls()) <= listed
    lengths = {length for part in slices(frame) for length in part["options"].list.len().unique()}
    if answers_listed and len(lengths) == 1 and None not in lengths:
        return np.full(items, lengths.pop(), dtype=np.int32)
    columns = [pl.col("item"), pl.col("options").list.len().cast(pl.Int32).alias("count")]
    parts = [pl.col("count").min().alias("least"), pl.col("count").max().alias("most")]
    known = pl.col("most")
    if frame.select(pl.col("options").null_count()).item():
        frame = with_option_counts(frame)
        columns.append(pl.col(OPTION_COUNT).alias("loose"))
        parts.append(pl.col("loose").max())
        known = pl.coalesce("most", "loose", pl.lit(0, dtype=pl.Int32))
    # A label that no item lists is looked for in the rows only where there is one.
    if not answers_listed:
        outside = pl.col("answer").is_not_null() & ~pl.col("answer").is_in(pl.col("options"))
        columns.append(outside.fill_null(False).alias("outside"))
        parts.append(pl.col("outside").any())
        known = pl.when("outside").then(0).otherwise(known)
    counts = frame.select(columns).group_by("item").agg(parts).sort("item")
    uneven = counts.filter(pl.col("least") != pl.col("most"))
    if uneven.height:
        item, least, most = uneven.select("item", "least", "most").row(0)
        raise DataError(f"has {least} options in one sense and {most} in another", field="options", item=item)
    return counts.select(known.cast(pl.Int32)).to_series().to_numpy()


def _probs(
    frame: pl.DataFrame, labels: Sequence[str], place: npt.NDArray[np.intp], shape: tuple[int, int]
) -> npt.NDArray[np.float64] | None:
    given = _column(frame, "probs").is_not_null() & _column(frame, "outcome").ne("error")
    if not given.any():
        return None
    laid = np.full((shape[0] * shape[1], len(labels)), np.nan)
    laid[place[given.to_numpy()]] = 0.0
    flat = (
        frame.select("options", "probs", place=pl.Series(place))
        .filter(given)
        .explode("options", "probs", empty_as_null=False)
    )
    laid[flat["place"].to_numpy(), _coded(flat["options"], labels)] = flat["probs"].to_numpy()
    return laid.reshape(*shape, len(labels))
