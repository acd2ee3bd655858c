"""What would change in the numbers of a model and a sense if one reply were read otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.item_views.matrix_view import short_code
from hesperus.rounding import cell


def what_if(matrix: ItemMatrix, row: Mapping[str, Any], column: MatrixColumn) -> tuple[str, ...]:
    """Sentences on accuracy, and on the share of answers that are those of the reference; none of what labels cannot judge."""
    place = (pl.col(name) == row[name] for name in ("run", "task", "model"))
    rows = matrix.rows.filter(*place)["row"]
    cells = matrix.cells.filter((pl.col("column") == column.number) & pl.col("row").is_in(rows.implode()))
    own = cells.filter(pl.col("row") == row["row"]).row(0, named=True)
    if own["open"] or own["mark"] == "error":
        return ()
    said = []
    if own["gold"] is not None:
        graded = cells.filter(pl.col("gold").is_not_null() & (pl.col("mark") != "error"))
        right, n = int((graded["mark"] == "right").sum()), graded.height
        is_right = own["mark"] == "right"
        reading = f"as anything but {own['gold']}" if is_right else f"as {own['gold']}"
        said.append(
            _moved(f"Right in {short_code(column)}", right, right + (-1 if is_right else 1), n, reading)
        )
    other = next((one for one in matrix.columns if one.number == column.reference), None)
    if other is None:
        return tuple(said)
    replied = pl.col("mark") != "error"
    referred = matrix.cells.filter(
        (pl.col("column") == other.number) & pl.col("row").is_in(cells["row"].implode()) & replied
    )
    both = cells.filter(replied & pl.col("row").is_in(referred["row"].implode()))
    answer = referred.filter(pl.col("row") == row["row"])["answer"].to_list()
    if answer and answer[0] is not None:
        same = int((~both["changed"].fill_null(True)).sum())
        is_same = own["changed"] is False
        reading = f"as anything but {answer[0]}" if is_same else f"as {answer[0]}"
        said.append(
            _moved(
                f"The same answer as in {short_code(other)}",
                same,
                same + (-1 if is_same else 1),
                both.height,
                reading,
            )
        )
    return tuple(said)


def _moved(what: str, now: int, then: int, n: int, reading: str) -> str:
    """Shares as the first page rounds them; a reply without an answer is neither right nor the same."""
    return (
        f"{what}: {now:,} of {n:,} ({cell(now / n, 'percentage')} %); if this reply is read {reading}, {then:,} "
        f"({cell(then / n, 'percentage')} %)."
    )
