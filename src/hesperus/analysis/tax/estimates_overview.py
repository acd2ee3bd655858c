"""The estimates of an audit that are reported, a line each."""

from __future__ import annotations

from collections.abc import Mapping

from hesperus.analysis.table import ANSWER_COLUMNS, Table

Cells = Mapping[str, object]
_REPORTED = ("clustered", "groups", "pooled", "stratum", "group")
"""Analyses whose rows are in the overview."""


def overview(tables: Mapping[str, Table]) -> Table:
    """The estimates to report of each estimator, a line each.

    Args:
        tables: Name of an estimator (one of TAX_ESTIMATORS) to its table.
    """
    rows: list[Cells] = []
    for name, found in tables.items():
        for row in found.rows:
            place = row.get("stratum") or row.get("group") or ""
            if row.get("analysis", "clustered") not in _REPORTED or row["statistic"] not in (
                "tax",
                "gap",
                "effect",
            ):
                continue
            if row.get("model") or (row.get("stratum") and row.get("group")):
                continue
            cells = {key: row[key] for key in (*ANSWER_COLUMNS, "p", "p_holm")}
            rows.append(
                {"estimator": name, "of": str(place) or "all", "statistic": row["statistic"], **cells}
            )
    columns = ("estimator", "of", "statistic", *ANSWER_COLUMNS, "p", "p_holm")
    return Table("translation tax", columns, tuple(rows), {})
