"""Tables of the audit as a person wants them in a terminal: narrow, one line an estimate, and why items are missing once."""

from __future__ import annotations

from collections.abc import Mapping

from hesperus.analysis.table import ANSWER_COLUMNS, ANSWERED, Table
from hesperus.reports.cells import shown_cell
from hesperus.rounding import cell

Cells = Mapping[str, object]
_CELL = ("cell", "model")
"""Analyses that are about one model by itself."""

_REPORTED = ("clustered", "groups", "pooled", "stratum", "group")
"""Analyses whose rows are in the overview."""


def summaries(found: Table) -> list[Table]:
    """A table of paired differences, as one of single models and one of everything that is pooled.

    Args:
        found: From back_translation_table or naturalisation_table.
    """
    place = "task" if "task" in found.columns else "stratum"
    single: dict[tuple[object, object], dict[str, object]] = {}
    pooled: list[Cells] = []
    for row in found.rows:
        name, text = str(row["statistic"]), shown_cell(found, row, "value")
        main = name in ("tax", "effect")
        if row["analysis"] in _CELL:
            about = {place: row[place], "group": row["group"], "model": row["model"]}
            line = single.setdefault((row[place], row["model"]), about)
            line |= {name: text, **(_tested(row) if main else {})}
        else:
            over = ", ".join(str(row[where]) for where in (place, "group", "model") if row[where])
            pooled.append({"analysis": row["analysis"], "over": over, name: text, **_tested(row)})
    tables = [_table(f"{found.measure}: by model", list(single.values()))] if single else []
    return [*tables, _table(f"{found.measure}: pooled", pooled)]


def _tested(row: Cells) -> dict[str, object]:
    counts = "" if row["positive"] is None else f"{row['positive']}/{row['negative']}"
    return {
        "+/−": counts,
        "could change": _could_change(row),
        "p": row["p"],
        "p Holm": row["p_holm"],
        "n": row["n"],
        ANSWERED: row[ANSWERED],
        "left out": row["excluded"],
    }


def overview(tables: Mapping[str, Table]) -> Table:
    """The estimates to report of each estimator, a line each.

    Args:
        tables: Name of an estimator (e1, e3, e4) to its table.
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
                {"estimator": name.upper(), "of": str(place) or "all", "statistic": row["statistic"], **cells}
            )
    columns = ("estimator", "of", "statistic", *ANSWER_COLUMNS, "p", "p_holm")
    return Table("translation tax", columns, tuple(rows), {})


def reasons(found: Table) -> list[str]:
    """Why items, intervals or values are missing, each reason once with the rows that it concerns."""
    lines: dict[tuple[str, str], list[str]] = {}
    drawn = any(row.get("low") is not None for row in found.rows)
    for row in found.rows:
        reason = row.get("reason")
        if not reason or row.get("statistic") not in ("tax", "effect", "gap", "spearman"):
            continue
        bare = row["low"] is None and (drawn or not row.get("excluded"))
        kind = "undefined" if row["value"] is None else "no interval" if bare else "left out"
        who = row.get("model") or row.get("group") or row.get("stratum") or "all models"
        lines.setdefault((kind, str(reason)), []).append(str(who))
    return [f"{kind}: {reason} ({_few(who)})" for (kind, reason), who in lines.items()]


def _could_change(row: Cells) -> str:
    most = row["could_change"]
    return f"≤ {cell(most)}" if isinstance(most, float) else ""


def _few(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _table(measure: str, rows: list[Cells]) -> Table:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return Table(measure, columns, tuple({name: row.get(name) for name in columns} for row in rows), {})
