"""Two runs item by item: which answers are lost, gained or otherwise changed between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix
from hesperus.errors import DataError, UnknownNameError

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
