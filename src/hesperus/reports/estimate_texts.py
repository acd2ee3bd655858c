"""The number of a row in a sentence: the one way in which stories, checklists and figures say it."""

from __future__ import annotations

from hesperus.analysis.table import Row
from hesperus.rounding import Unit, interval


def estimate_text(row: Row, unit: Unit = "number", name: str = "value") -> str:
    """``0.412 [0.388, 0.436]``, ``87 % [84, 90]``, ``+2.3 [+0.8, +3.9]``; of what has no value, why.

    Args:
        row: A row of a table.
        unit: How it is written.
        name: Which of its numbers; the ends of another than the value begin with its name.
    """
    begin = "" if name == "value" else f"{name}_"
    if row[name] is None:
        return f"undefined ({row['reason']})" if row.get("reason") else "undefined"
    return interval(float(row[name]), row[f"{begin}low"], row[f"{begin}high"], unit)
