"""Consistency at a glance: one line per model and made sense, its conditions side by side."""

from __future__ import annotations

from collections.abc import Mapping

from hesperus.analysis.table import Row, Table
from hesperus.rounding import interval
from hesperus.wording import MISSING

_INTERVAL = ("value", "low", "high")
CONDITIONS = {"T": "task (T)", "I": "instruction (I)", "X": "input (X)"}


def consistency_summary(table: Table) -> Table:
    """Lay the rows of a consistency table out for people: T, I and X of each made sense in one line.

    Args:
        table: From consistency_table; rows of other comparisons are left out.

    Returns:
        Columns model, task, source, sense, one per condition as text with its interval, and n. Numbers are in the
        consistency table itself.
    """
    lines: dict[tuple[str, str, str, str], dict[str, object]] = {}
    for row in table.rows:
        if row["statistic"] != "consistency":
            continue
        a, b = _cell(str(row["a"])), _cell(str(row["b"]))
        placed = _condition(a, b)
        if placed is None:
            continue
        sense, condition = placed
        key = (str(row["model"]), str(row["task"]), a["input"], sense)
        line = lines.setdefault(key, dict.fromkeys(CONDITIONS.values()) | {"n": row["n"]})
        line[condition] = _with_interval(row)
    columns = ("model", "task", "source", "sense", *CONDITIONS.values(), "n")
    rows = tuple(dict(zip(columns[:4], key, strict=True)) | line for key, line in lines.items())
    return Table("consistency of each made sense with its source", columns, rows, {})


def _cell(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(","))


def _condition(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[str, str] | None:
    """(sense, condition) where b puts the instruction, the input or both of a in another sense; else None."""
    if a["instruction"] != a["input"] or "repeat" in b:
        return None
    made = {name for name in ("instruction", "input") if b[name] != a[name]}
    if made == {"instruction", "input"} and b["instruction"] == b["input"]:
        return b["input"], CONDITIONS["T"]
    if made == {"instruction"}:
        return b["instruction"], CONDITIONS["I"]
    return (b["input"], CONDITIONS["X"]) if made == {"input"} else None


def _with_interval(row: Row) -> str:
    if row["value"] is None:
        return f"– ({row['reason']})"
    value, low, high = (None if row[name] is None else float(row[name]) for name in _INTERVAL)
    return MISSING if value is None else interval(value, low, high)
