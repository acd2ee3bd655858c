"""Two runs item by item, as the explorer shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import polars as pl

from hesperus.analysis.item_changes import FEW, KINDS, ItemChanges, kappa_changes
from hesperus.analysis.item_matrix import ItemMatrix
from hesperus.explorer.addresses import CHANGES, MatrixLinks, View
from hesperus.item_views.matrix_view import CellView, MatrixView, answer_text, matrix_view, short_code
from hesperus.untrusted import one_line

PER_PAGE, MOST_KAPPAS = 50, 12


@dataclass(frozen=True, slots=True)
class ChangeChoice:
    """What a page of changes shows: names of two runs, a kind of change, the key of a sense; empty takes any."""

    before: str
    after: str
    kind: str = ""
    sense: str = ""
    page: int = 1

    def url(self, **changes: Any) -> str:
        """The address of this choice with others."""
        chosen = replace(self, **{"page": 1, **changes})
        pairs = {
            "before": chosen.before, "after": chosen.after, "kind": chosen.kind, "sense": chosen.sense,
            "page": str(chosen.page) if chosen.page > 1 else "",
        }  # fmt: skip
        return f"{CHANGES}?{urlencode({name: value for name, value in pairs.items() if value})}"


@dataclass(frozen=True, slots=True)
class ChangedSense:
    """A sense with how many answers were compared, and how many are of each kind with what leads to them."""

    code: str
    n: int
    kinds: tuple[tuple[str, int, str], ...]


def changes_shown(matrix: ItemMatrix, changes: ItemChanges, choice: ChangeChoice) -> Mapping[str, Any]:
    """What the template of the page takes."""
    column = matrix.column(choice.sense) if choice.sense else None
    rows = changes.of(choice.kind, None if column is None else column.number)
    pages = max(1, -(-rows.height // PER_PAGE))
    page = min(choice.page, pages)
    shown = rows.slice((page - 1) * PER_PAGE, PER_PAGE)
    counts = changes.counts()
    kappas = sorted(kappa_changes(matrix, changes), key=lambda one: -abs(one.after - one.before))
    senses = tuple(
        ChangedSense(
            short_code(one), found["n"],
            tuple((kind, found[kind], choice.url(kind=kind, sense=one.key)) for kind in KINDS),
        )
        for one in matrix.columns if (found := counts.get(one.number))
    )  # fmt: skip
    return {
        "choice": choice, "senses": senses, "drawn": _drawn(matrix, changes, shown), "total": rows.height,
        "page": page, "pages": pages, "unmatched": changes.unmatched, "kinds": KINDS, "kappas": kappas[:MOST_KAPPAS], "few": FEW,
        "row_of": lambda number: matrix.rows.row(by_predicate=pl.col("row") == number, named=True),
    }  # fmt: skip


def _drawn(matrix: ItemMatrix, changes: ItemChanges, shown: pl.DataFrame) -> MatrixView:
    """The matrix of the second run, each changed cell with what it was before."""
    view = matrix_view(matrix, matrix.rows.filter(pl.col("row").is_in(shown["row"].implode())), MatrixLinks(View(), orders=False))  # fmt: skip
    held = changes.cells.filter(pl.col("row").is_in(shown["row"].implode()))
    by_place = {(cell["row"], cell["column"]): cell for cell in held.iter_rows(named=True)}
    order = {number: place for place, number in enumerate(shown["row"])}
    numbers = sorted(order)
    columns = matrix.columns_of(shown)
    rows = [
        replace(
            row,
            cells=tuple(
                _cell(cell, by_place.get((number, column.number)))
                for cell, column in zip(row.cells, columns, strict=True)
            ),
        )
        for number, row in zip(numbers, view.rows, strict=True)
    ]
    placed = sorted(zip(numbers, rows, strict=True), key=lambda pair: order[pair[0]])
    named = tuple(name for name in view.named if name not in ("lost", "changed", "run"))
    return replace(view, rows=tuple(row for _, row in placed), named=named)


def _cell(view: CellView, change: Mapping[str, Any] | None) -> CellView:
    if change is None or change["kind"] is None:
        return replace(view, lost=False, changed=False)
    was = answer_text(change["answer_before"], change["outcome_before"], change["score_before"])
    words = one_line(f"{change['kind']}: {was} before, {view.text} after")
    code = view.title.partition(", ")[0]
    return replace(
        view, text=f"{was} → {view.text}", lost=change["kind"] == "lost", changed=True, words=words,
        title=f"{code}, {words}",
    )  # fmt: skip
