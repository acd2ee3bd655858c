"""Which rows of an item matrix are wanted and in which order, which of them a page shows, and how many items have each mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import polars as pl

from hesperus.analysis.cell_marks import COUNTS, MARKS
from hesperus.analysis.item_matrix import ROW, ItemMatrix, MatrixColumn
from hesperus.errors import UnknownNameError
from hesperus.types import OUTCOMES
from hesperus.wording import parsed

TELLING = (
    "The most telling first: most answers wrong though the reference is right, then most changed, then most without an answer, "
    "then the highest probability of a wrong answer."
)
"""The order of rows where none is asked for."""

TELLING_SCORED = (
    "The most telling first: those whose replies lose most of the reference's answer, over all languages."
)
"""The same in a run of open answers that were evaluated."""

CHANGED, LOST = "changed", "lost"

ANYWHERE = (*MARKS, CHANGED, LOST, *(outcome for outcome in OUTCOMES if outcome not in ("answered", "error")))
"""What a cell anywhere in the row can be asked for."""

IN_A_SENSE = ("right", "wrong", "unanswered", CHANGED, LOST)
"""What the cell of one sense can be asked for: the fields of ItemFilter of these names."""

INSTRUCTION_AND_INPUT = ("instruction", "input")
"""The pair that stands for: the instruction alone in a made sense, and the input alone in it."""


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Conditions on a row, all of which hold.

    Attributes:
        run: Names of runs; empty takes all.
        model: Likewise of models.
        task: Likewise of tasks.
        groups: Name of a group column to the values that are wanted.
        right: Senses in which the answer is right (by key, or by a language that one sense is in).
        wrong: Senses in which it is wrong.
        unanswered: Senses in which the reply holds no answer.
        changed: Senses in which it differs from that of their reference.
        lost: Senses in which it is wrong while their reference is right.
        differs: Pairs of senses with different answers; ("instruction", "input"): those with only the instruction and only the
            input in one and the same made sense.
        anywhere: Marks and outcomes (see ANYWHERE) that some cell has.
        at_least: Some cell that is asked for above, or any cell if none is, has a confidence of at least this.
        at_most: Likewise of at most this.
        text: Occurs in the name of the item or in a text of it, in whatever case.
    """

    run: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    differs: tuple[tuple[str, str], ...] = ()
    anywhere: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float | None = None
    text: str = ""


def filter_of(conditions: Mapping[str, object]) -> ItemFilter:
    """A filter of keyword arguments: one name may be where several may.

    Raises:
        UnknownNameError: ItemFilter has no such condition.
    """
    known = {one.name: one for one in fields(ItemFilter)}
    values: dict[str, Any] = {}
    for name, value in conditions.items():
        if name not in known:
            raise UnknownNameError("condition on items", name, known)
        if name == "groups":
            groups = value if isinstance(value, Mapping) else {}
            values[name] = {group: _several(of_group) for group, of_group in groups.items()}
        elif name == "differs":
            pairs = _several(value)
            values[name] = (pairs,) if pairs and isinstance(pairs[0], str) else pairs
        else:
            values[name] = value if known[name].default != () else _several(value)
    return ItemFilter(**values)


def _several(value: object) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple | set) else (value,)


def matching_rows(matrix: ItemMatrix, wanted: ItemFilter) -> pl.DataFrame:
    """Rows that a filter keeps, the most telling first (see TELLING).

    Raises:
        UnknownNameError: The filter names a sense, mark, group, run, model or task that the matrix does not have.
    """
    rows = matrix.rows.filter(*_of_rows(matrix, wanted))
    for hits in _of_cells(matrix, wanted):
        rows = rows.filter(pl.col("row").is_in(hits.implode()))
    return telling(rows)


def telling(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order of TELLING."""
    return rows.sort(
        "loss", "lost", "changed", "unanswered", "confidence", "task", "item", "model", "run",
        descending=[True, True, True, True, True, False, False, False, False], nulls_last=True,
    )  # fmt: skip


def sorted_rows(rows: pl.DataFrame, by: str, matrix: ItemMatrix) -> pl.DataFrame:
    """Rows by a column of the matrix's rows, or by the mark of a sense (right first); a minus in front turns it round.

    Raises:
        UnknownNameError: No such column and no such sense.
    """
    name, turned = by.removeprefix("-"), by.startswith("-")
    if name in {*ROW, *COUNTS, "confidence", *matrix.groups}:
        return rows.sort(
            name, "task", "item", "model", "run", descending=[turned, *[False] * 4], nulls_last=True
        )
    column = matrix.column(name)
    marks = matrix.cells.filter(pl.col("column") == column.number).select(
        "row", _mark=pl.col("mark").to_physical()
    )
    joined = rows.join(marks, on="row", how="left", maintain_order="left")
    return joined.sort("_mark", descending=turned, nulls_last=True, maintain_order=True).drop("_mark")


def _of_rows(matrix: ItemMatrix, wanted: ItemFilter) -> Iterator[pl.Expr]:
    choices = {"run": wanted.run, "model": wanted.model, "task": wanted.task, **wanted.groups}
    for name, values in choices.items():
        if name not in {*ROW, *matrix.groups}:
            raise UnknownNameError("group of items", name, matrix.groups)
        if values:
            known = matrix.rows[name].unique().drop_nulls().to_list()
            for value in values:
                if value not in known:
                    raise UnknownNameError(name, value, known)
            yield pl.col(name).is_in(values)
    if wanted.text:
        yield _mentions(matrix, wanted.text)


def _mentions(matrix: ItemMatrix, text: str) -> pl.Expr:
    """Items with a text in their name or texts."""
    # As to_lowercase does it: folding would make ss of ß, which no text in lower case holds.
    sought = text.lower()

    def holds(name: str) -> pl.Expr:
        return pl.col(name).str.to_lowercase().str.contains(sought, literal=True).fill_null(False)

    found = [holds("item")]
    for run, items in matrix.items.items():
        texts = [
            name for name, kind in items.schema.items() if kind == pl.String and name.startswith("field:")
        ]
        options = []
        if items.schema.get("options") == pl.List(pl.String):
            joined = pl.col("options").list.join("\n").str.to_lowercase()
            options = [joined.str.contains(sought, literal=True).fill_null(False)]
        if texts or options:
            names = items.filter(pl.any_horizontal(*map(holds, texts), *options))["item"].unique()
            found.append((pl.col("run") == run) & pl.col("item").is_in(names.implode()))
    return pl.any_horizontal(found)


def _of_cells(matrix: ItemMatrix, wanted: ItemFilter) -> Iterator[pl.Series]:
    """Numbers of the rows that have the cells of each condition."""
    named: list[pl.Expr] = []
    for mark in IN_A_SENSE:
        for name in getattr(wanted, mark):
            asked = (pl.col("column") == matrix.column(name).number) & mark_of(mark)
            named.append(asked)
            yield matrix.cells.filter(asked)["row"]
    for pair in wanted.differs:
        yield _differing(matrix, pair)
    for mark in wanted.anywhere:
        if mark not in ANYWHERE:
            raise UnknownNameError("mark or outcome", mark, ANYWHERE)
        named.append(mark_of(mark))
        yield matrix.cells.filter(mark_of(mark))["row"]
    if wanted.at_least is not None or wanted.at_most is not None:
        low = 0.0 if wanted.at_least is None else wanted.at_least
        high = 1.0 if wanted.at_most is None else wanted.at_most
        among = pl.any_horizontal(named) if named else pl.lit(True)
        # Probabilities that were written with few decimals may exceed 1 a little.
        yield matrix.cells.filter(
            among & (pl.col("confidence") >= low) & (pl.col("confidence").clip(0, 1) <= high)
        )["row"]


def mark_of(mark: str) -> pl.Expr:
    """Whether a cell has a mark or an outcome (see ANYWHERE)."""
    if mark in (CHANGED, LOST):
        return pl.col(mark).fill_null(False)
    return pl.col("mark") == mark if mark in MARKS else pl.col("outcome") == mark


def _differing(matrix: ItemMatrix, pair: tuple[str, str]) -> pl.Series:
    """Rows in which both senses have an answer and the answers differ."""
    pairs = (
        tuple(_instruction_and_input(matrix.columns))
        if pair == INSTRUCTION_AND_INPUT
        else ((matrix.column(pair[0]), matrix.column(pair[1])),)
    )
    labels = matrix.cells.filter(pl.col("answer").is_not_null() & ~pl.col("open")).select(
        "row", "column", "answer"
    )
    found = [
        labels.filter(pl.col("column") == a.number)
        .join(labels.filter(pl.col("column") == b.number), on="row", suffix="_b")
        .filter(pl.col("answer") != pl.col("answer_b"))["row"]
        for a, b in pairs
    ]
    return pl.concat(found).unique() if found else pl.Series("row", [], pl.UInt32)


def _instruction_and_input(
    columns: tuple[MatrixColumn, ...],
) -> Iterator[tuple[MatrixColumn, MatrixColumn]]:
    by_sense = {(column.instruction, column.input): column for column in columns if column.repeat == 1}
    for (instruction, given), column in by_sense.items():
        sense = parsed(instruction)
        if sense is None or sense.is_original or given != sense.origin:
            continue
        other = by_sense.get((given, instruction))
        if other is not None:
            yield column, other


def has_instruction_and_input(matrix: ItemMatrix) -> bool:
    """Whether a made sense was asked in the instruction alone and in the input alone."""
    return any(True for _ in _instruction_and_input(matrix.columns))


_EACH = (12, 8, 5, 3, 2, 1)
_CELLS_AT_ONCE = 1 << 20


def doubtful_rows(matrix: ItemMatrix) -> pl.DataFrame:
    """Rows with an answer that changes, says less, is wrong or is missing, the most telling first."""
    marks = ("changed", "wrong", "unanswered", "lost")
    return telling(matrix.rows).filter(pl.any_horizontal(pl.col(mark) > 0 for mark in marks))


def chosen_rows(matrix: ItemMatrix, rows: pl.DataFrame, most: int) -> tuple[pl.DataFrame, int]:
    """Rows that a page keeps, so that every number leads to some.

    Returns:
        The rows, and how many were taken of each model in each sense before the most telling of all; 0: none was.
    """
    if rows.height <= most:
        return rows, 0
    placed = rows.select("row", pl.col("model").cast(pl.Categorical)).with_row_index("place")
    doubtful = pl.col("mark").is_in(["wrong", "unanswered"]) | pl.col("changed") | pl.col("lost")
    # Each in its turn is among the first of those that the largest number takes.
    first = pl.concat(
        matrix.cells.lazy()
        .filter(pl.col("column").is_in(columns), doubtful.fill_null(False))
        .select("row", "column")
        .join(placed.lazy(), on="row")
        .group_by("model", "column")
        .agg(pl.struct("place", "row").bottom_k(_EACH[0]))
        .explode("place")
        .unnest("place")
        .collect(engine="streaming")
        for columns in _some_columns(matrix)
    ).sort("place", "column")
    for each in _EACH:
        kept = first.group_by("model", "column", maintain_order=True).head(each)["row"].unique()
        if kept.len() <= most:
            rest = rows.filter(~pl.col("row").is_in(kept.implode())).head(most - kept.len())["row"]
            shown = rows.filter(pl.col("row").is_in(pl.concat([kept, rest]).implode()))
            return shown, each
    return rows.head(most), 0


def _some_columns(matrix: ItemMatrix) -> Iterator[list[int]]:
    """Numbers of all columns, so many at a time that their cells take little memory."""
    numbers = [column.number for column in matrix.columns]
    at_once = max(1, len(numbers) * _CELLS_AT_ONCE // max(1, matrix.cells.height))
    for start in range(0, len(numbers), at_once):
        yield numbers[start : start + at_once]


def marked_totals(matrix: ItemMatrix) -> Mapping[tuple[str, str, str], int]:
    """How many items have each mark, by model and key of the sense."""
    keys = {column.number: column.key for column in matrix.columns}
    counts = (
        matrix.cells.lazy()
        .join(matrix.rows.lazy().select("row", pl.col("model").cast(pl.Categorical)), on="row")
        .group_by("model", "column")
        .agg(mark_of(mark).sum().alias(mark) for mark in IN_A_SENSE)
        .sort("model", "column")
        .collect(engine="streaming")
    )
    return {
        (row["model"], keys[row["column"]], mark): row[mark]
        for row in counts.iter_rows(named=True)
        for mark in IN_A_SENSE
        if row[mark]
    }
