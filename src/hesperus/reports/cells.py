"""A cell of a table as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hesperus import rounding
from hesperus.analysis.table import Table
from hesperus.untrusted import one_line
from hesperus.wording import MISSING


def cell(value: object) -> str:
    """A cell as a person reads it, on one line, with nothing hidden in it."""
    if value is None or value == "":
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rounding.cell(value)
    if isinstance(value, str | int):
        return one_line(str(value))
    return one_line(json.dumps(value, ensure_ascii=False, default=str))


def shown_columns(table: Table) -> tuple[str, ...]:
    """The columns as a person wants them: an interval is next to its value. They do not depend on the data."""
    return tuple(name for name in table.columns if not (name in {"low", "high"} and _has_interval(table)))


def shown_cell(table: Table, row: Mapping[str, object], name: str) -> str:
    """One cell; the value carries its interval: ``0.872 [0.841, 0.901]``."""
    text = cell(row.get(name))
    low, high = row.get("low"), row.get("high")
    if name == "value" and isinstance(low, int | float) and isinstance(high, int | float):
        return f"{text} [{rounding.cell(low)}, {rounding.cell(high)}]"
    return text


def is_numeric(table: Table, name: str) -> bool:
    """True where a column holds numbers, so that it is set flush right."""
    values = [row.get(name) for row in table.rows if row.get(name) is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _has_interval(table: Table) -> bool:
    return {"value", "low", "high"} <= set(table.columns)
