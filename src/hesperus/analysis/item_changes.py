"""Two runs item by item: which answers are lost, gained or otherwise changed, and whether a change of κ_p hangs on a few items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.errors import DataError, UnknownNameError
from hesperus.measures import INVALID, Codes, Key, agreement_statistics, difference
from hesperus.records.schema import KEY

KINDS = ("lost", "gained", "other")
"""Right before and not any more (of scored texts: scored less); the other way round; another answer, neither of both right."""

_PLACE = ("model", "task", "item", "column")
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ItemChanges:
    """What changed from one run to another.

    Attributes:
        before: Name of the first run.
        after: Name of the second.
        cells: A row for each question and sense that both runs have a reply to: ``row`` (number in the matrix, of the second
            run), ``column``, ``answer``, ``outcome``, ``mark``, ``score`` and the same of the first run, ending in
            ``_before``, and ``kind`` (see KINDS), null where nothing changed.
        rows: Rows of the matrix with the number of each kind, those that lose most first; only rows where something changed.
        unmatched: Replies of either run to what the other was not asked, or has no reply to.
    """

    before: str
    after: str
    cells: pl.DataFrame
    rows: pl.DataFrame
    unmatched: int

    def counts(self) -> Mapping[int, Mapping[str, int]]:
        """Number of the column to how many cells were compared (``n``) and how many are of each kind."""
        found = self.cells.group_by("column").agg(
            pl.len().alias("n"), *((pl.col("kind") == kind).sum().alias(kind) for kind in KINDS)
        )
        return {row["column"]: row for row in found.iter_rows(named=True)}

    def of(self, kind: str, column: int | None) -> pl.DataFrame:
        """Rows with a change of a kind (empty: any) in a column (None: any).

        Raises:
            UnknownNameError: No such kind.
        """
        if kind and kind not in KINDS:
            raise UnknownNameError("kind of change", kind, KINDS)
        met = self.cells.filter(pl.col("kind") == kind if kind else pl.col("kind").is_not_null())
        if column is not None:
            met = met.filter(pl.col("column") == column)
        return self.rows.filter(pl.col("row").is_in(met["row"].unique().implode()))


def item_changes(matrix: ItemMatrix, before: str, after: str) -> ItemChanges:
    """Compare two runs of a matrix, cell by cell.

    Cells are paired by model, task, item and sense; if the runs have one model each, whatever it is called, by the rest.

    Raises:
        UnknownNameError: No such run.
        DataError: The runs have no question in common.
    """
    runs = matrix.rows["run"].unique().sort().to_list()
    for name in (before, after):
        if name not in runs:
            raise UnknownNameError("run", name, runs)
    cells = matrix.cells.select("row", "column", "answer", "outcome", "mark", "score")
    placed = cells.join(matrix.rows.select("row", "run", "model", "task", "item"), on="row")
    first, second = (
        placed.filter((pl.col("run") == name) & (pl.col("mark") != "error")) for name in (before, after)
    )
    alone = first["model"].n_unique() == second["model"].n_unique() == 1
    place = [name for name in _PLACE if not (alone and name == "model")]
    joined = second.drop("run").join(first.drop("run", "row"), on=place, suffix="_before")
    if joined.is_empty():
        raise DataError(f"{before} and {after} have no answer to the same question in the same sense")
    compared = joined.with_columns(kind=_kind())
    counts = compared.group_by("row").agg((pl.col("kind") == kind).sum().alias(kind) for kind in KINDS)
    rows = (
        matrix.rows.drop(KINDS, strict=False)
        .join(counts, on="row")
        .filter(pl.sum_horizontal(KINDS) > 0)
        .sort(*KINDS, "task", "item", "model", descending=[True] * 3 + [False] * 3)
    )
    return ItemChanges(before, after, compared, rows, first.height + second.height - 2 * joined.height)


def _kind() -> pl.Expr:
    was, now = pl.col("mark_before") == "right", pl.col("mark") == "right"
    apart = pl.col("score") - pl.col("score_before")
    other = ~pl.col("answer").eq_missing(pl.col("answer_before")) & apart.is_null()
    return (
        pl.when(was & ~now & (pl.col("mark") != "answered") | (apart < -_ROUNDING).fill_null(False))
        .then(pl.lit("lost"))
        .when(now & ~was & (pl.col("mark_before") != "answered") | (apart > _ROUNDING).fill_null(False))
        .then(pl.lit("gained"))
        .when(other)
        .then(pl.lit("other"))
    )


FEW = 3
MOST_SENSES = 12


@dataclass(frozen=True, slots=True)
class KappaChange:
    """How κ_p of two senses changed from one run to another.

    Attributes:
        model: Name of the model, as the second run has it.
        task: The task.
        column: A sense.
        other: The sense that it is compared with.
        n: Items with gold that both runs were asked in both senses.
        before: κ_p of the first run.
        after: κ_p of the second.
        without: The change (after less before) without `rows`; undefined then: None.
        rows: Numbers of the rows of at most FEW items that move the change most towards what it is.
    """

    model: str
    task: str
    column: MatrixColumn
    other: MatrixColumn
    n: int
    before: float
    after: float
    without: float | None
    rows: tuple[int, ...]


def kappa_changes(matrix: ItemMatrix, changes: ItemChanges) -> Iterator[KappaChange]:
    """A row for each model, task and pair of senses with a κ_p that is defined in both runs and differs.

    Of more than MOST_SENSES senses each is compared with its reference only.
    """
    held = (
        changes.cells.select("row", "column", "model", "task", "answer", "answer_before")
        .join(matrix.cells.select("row", "column", "gold", "options"), on=["row", "column"])
        .filter(pl.col("gold").is_not_null() & pl.col("options").is_not_null())
    )
    for (model, task), cells in held.partition_by("model", "task", as_dict=True, maintain_order=True).items():
        by_column = {number: own for (number,), own in cells.partition_by("column", as_dict=True).items()}
        for one, other in _pairs(matrix.columns):
            if one.number not in by_column or other.number not in by_column:
                continue
            joined = (
                by_column[one.number]
                .join(by_column[other.number], on=["row", "gold"], suffix="_other")
                .sort("row")
            )
            found = _change((str(model), str(task), one, other), joined) if joined.height else None
            if found is not None:
                yield found


def _pairs(columns: Sequence[MatrixColumn]) -> Iterable[tuple[MatrixColumn, MatrixColumn]]:
    if len(columns) <= MOST_SENSES:
        return [(other, one) for one, other in combinations(columns, 2)]
    numbered = {column.number: column for column in columns}
    return [
        (one, numbered[one.reference])
        for one in columns
        if one.reference is not None and one.reference in numbered
    ]


def _change(head: tuple[str, str, MatrixColumn, MatrixColumn], pairs: pl.DataFrame) -> KappaChange | None:
    names = ("answer", "answer_before", "answer_other", "answer_before_other", "gold")
    labels = {
        label: code
        for code, label in enumerate(pl.concat([pairs[name] for name in names]).drop_nulls().unique().sort())
    }

    def codes(name: str) -> Codes:
        return np.array([INVALID if label is None else labels[label] for label in pairs[name]], np.int32)

    key = Key(codes("gold"), pairs["options"].list.len().to_numpy().astype(np.int32))
    before, after = (
        agreement_statistics(codes(f"answer{side}_other"), codes(f"answer{side}"), key=key)["kappa_p"]
        for side in ("_before", "")
    )
    moved = difference(after, before)
    columns = np.column_stack([np.asarray(one, np.float64) for one in moved.columns])
    whole = columns.sum(axis=0)
    cut = len(after.columns)
    values = float(before.reduce(whole[cut:])), float(after.reduce(whole[:cut]))
    change = values[1] - values[0]
    if not np.isfinite(change) or abs(change) < 1e-12:
        return None
    alone = (change - moved.reduce(whole - columns)) * np.sign(change)
    most = np.argsort(-np.nan_to_num(alone, nan=-np.inf), kind="stable")[:FEW]
    chosen = [int(place) for place in most if alone[place] > 0]
    left = float(moved.reduce(whole - columns[chosen].sum(axis=0)))
    rows = tuple(int(pairs["row"][place]) for place in chosen)
    return KappaChange(*head, pairs.height, *values, left if np.isfinite(left) else None, rows)


COLUMNS = ("model", "task", "item", "instruction", "input", "repeat", "gold", "before", "now", "senses")
"""Of the answers that broke."""


@dataclass(frozen=True, eq=False)
class BrokenItems:
    """What a run lost against its baseline.

    Attributes:
        answers: A row for each answer that was right in the baseline and is not in the run, with COLUMNS: `before` and `now`
            are the answer, or the outcome without one; `senses` says in how many senses and repeats the model lost that item.
            Items that a model lost in most senses come first.
        compared: Answers that were right in the baseline, and were asked again and replied to.
    """

    answers: pl.DataFrame
    compared: int


def broken_items(before: pl.DataFrame, after: pl.DataFrame) -> BrokenItems:
    """The answers that were right in the first run and are not in the second.

    A record without a reply (outcome `error`) or without a right label is on neither side. Answers are paired as in
    `compare`: by model, task, item and sense; if the runs have one model each, whatever it is called, by the rest.
    """
    alone = before["model"].n_unique() == after["model"].n_unique() == 1
    place = [name for name in KEY if not (alone and name == "model")]
    first, second = (
        frame.filter(pl.col("gold").is_not_null() & (pl.col("outcome") != "error")).select(
            *KEY,
            "gold",
            said=pl.coalesce("answer", "outcome"),
            right=(pl.col("outcome") == "answered") & (pl.col("answer") == pl.col("gold")),
        )
        for frame in (before, after)
    )
    both = second.join(first.filter("right"), on=place, suffix="_before")
    lost = both.filter(~pl.col("right")).with_columns(
        senses=pl.len().over("model", "task", "item").cast(pl.Int64)
    )
    named = lost.rename({"said_before": "before", "said": "now"}).select(COLUMNS)
    ordered = named.sort("senses", *KEY, descending=[True] + [False] * len(KEY))
    return BrokenItems(ordered, both.height)
