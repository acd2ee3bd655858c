"""From rows to a table that people read: these rows, these keys, these columns; one line for each value of the keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from hesperus import rounding
from hesperus.analysis.compared_pairs import Side
from hesperus.analysis.measure import UNITS
from hesperus.analysis.table import Row
from hesperus.reports.columns import ANSWERED, COLUMNS, Column, N, Unit, column, columns_of_table
from hesperus.reports.grid import Grid, Label, LeftOut, Number, Value
from hesperus.rounding import cell, interval
from hesperus.untrusted import one_line
from hesperus.wording import (
    MISSING,
    language_label,
    language_name,
    sense_brief,
    sense_label,
    target_brief,
    target_label,
)

Key = str | Column

FOLDED = 40
"""Tables of more lines are folded, but for the summary."""
_WHO = ("model", "model_a", "task")
"""Keys that a table lacks where all lines have the same."""
_APART: Mapping[str, Mapping[str, Unit]] = {
    "value": {},
    "difference": {"percentage": "points", "points": "points"},
    "smallest": {"percentage": "size", "points": "size"},
}
"""Units that the statistic of a row decides; differences of shares are told in points."""
_SIGNED = {"percentage": " %", "points": " points", "size": " points"}


def tabulated(
    caption: str,
    rows: Iterable[Row],
    keys: Sequence[Key],
    columns: str | Sequence[str | Column],
    *,
    folds: int | None = FOLDED,
) -> Grid | None:
    """Lay rows out.

    Args:
        caption: What the table shows and how to read it.
        rows: Rows of a long table, in the order of the lines: each has a `statistic`, or is a line by itself.
        keys: Columns of the rows that name a line; a model or task that all lines share is said once (Grid.about).
        columns: Name of a table of COLUMNS, or columns. Those that no row has are left out.
        folds: Number of lines from which on the table is folded; None: never.

    Returns:
        None if there are no rows.
    """
    rows = list(rows)
    if not rows:
        return None
    heads = [_column(key) for key in keys]
    shown = [_with_unit(one, rows) for one in _present(columns, rows)]
    lines = _lines(rows, heads)
    about = [
        head
        for head in heads
        if head.key in _WHO and len(heads) > 1 and len({row[head.key] for row in rows}) == 1
    ]
    heads = [head for head in heads if head not in about]
    cells = tuple(
        (*(field(head, next(iter(line.values()))) for head in heads), *_cells(shown, line)) for line in lines
    )
    return Grid(
        caption,
        (*heads, *shown),
        cells,
        folded=folds is not None and len(cells) > folds,
        about=tuple((head.name, str(field(head, rows[0]))) for head in about),
        keys=len(heads),
    )


def _column(given: str | Column) -> Column:
    return given if isinstance(given, Column) else column(given)


def _present(columns: str | Sequence[str | Column], rows: Sequence[Row]) -> list[Column]:
    wanted = columns_of_table(columns) if isinstance(columns, str) else tuple(map(_column, columns))
    there = {row.get("statistic") for row in rows} | {name for row in rows for name in row}
    return [one for one in wanted if one.key in there]


def _with_unit(shown: Column, rows: Sequence[Row]) -> Column:
    """A column with the unit of its rows, where they have one."""
    units = {_unit(shown, row) for row in rows if row.get(shown.key) is not None}
    return replace(shown, unit=units.pop()) if shown.unit in _APART and len(units) == 1 else shown


def _lines(rows: Sequence[Row], heads: Sequence[Column]) -> list[dict[object, Row]]:
    """Rows of each line by their statistic; what no column tells apart is on several lines, so that nothing vanishes."""
    found: dict[tuple[object, ...], list[dict[object, Row]]] = {}
    for place, row in enumerate(rows):
        key = tuple(str(row[head.key]) for head in heads) if heads else (place,)
        alike = found.setdefault(key, [{}])
        if row.get("statistic") in alike[-1]:
            alike.append({})
        alike[-1][row.get("statistic")] = row
    return [line for alike in found.values() for line in alike]


def _cells(columns: Sequence[Column], line: Mapping[object, Row]) -> list[Value]:
    measured = [line[one.key] for one in columns if one.key in line]
    rests = measured or list(line.values())
    cells: list[Value] = []
    for one in columns:
        if one.key in line:
            cells.append(estimate(one, line[one.key]))
        elif one.unit == "excluded":
            cells.append(left_out(rests))
        elif one in (N, ANSWERED):
            parts = {column.key for column in columns if column.of_a_part}
            cells.append(_rests_on(one, [row for row in rests if row.get("statistic") not in parts] or rests))
        else:
            cells.append(field(one, rests[0]))
    return cells


def _rests_on(shown: Column, rows: Sequence[Row]) -> Value:
    """What the numbers of a line rest on; where it is not the same of all, from the least to the most."""
    known = {row[shown.key] for row in rows if row.get(shown.key) is not None}
    if len(known) < 2:
        return field(shown, rows[0])
    return " to ".join(str(field(shown, {shown.key: value})) for value in (min(known), max(known)))


def estimate(shown: Column, row: Row | None) -> Value:
    """The value of a row with its interval, or why it has no value; a dash without a row."""
    return MISSING if row is None else field(Column("value", shown.heading, shown.unit), row)


def field(shown: Column, row: Row) -> Value:
    """A column of a row as people read it: numbers with the ends that the row has for them."""
    value = row.get(shown.key)
    unit = _unit(shown, row)
    if unit == "p":
        return _p_value(row, shown.key)
    if unit == "excluded":
        return left_out([row])
    if isinstance(value, bool):
        return "yes" if value else "no"
    is_number = isinstance(value, int | float)
    ends = ("low", "high") if shown.key == "value" else (f"{shown.key}_low", f"{shown.key}_high")
    if is_number or (value is None and shown.key in row and unit in _NUMBERS):
        low, high = (row.get(end) for end in ends)
        reason = str(row.get("reason") or "") if shown.key == "value" else ""
        whole = unit == "count" or (isinstance(value, int) and unit not in _NUMBERS)
        sign = _SIGNED.get(unit, "") if shown.unit in _APART else ""
        written = "count" if whole else unit if unit in _NUMBERS else "number"
        return Number(value, written, low, high, reason, sign)  # type: ignore[arg-type]
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        value = ", ".join(value)
    return text(value, unit)


_SIDE = re.compile(r"instruction=[^,\s]+,input=[^,\s]+(?:,repeat=\d+)?")


def side_label(text: str) -> str:
    """A text with sides of comparisons in words; a sense code is one too."""
    return _with_sides(text, lambda side: side.label) or sense_label(text)


def side_brief(text: str) -> str:
    """The same in short."""
    return _with_sides(text, lambda side: side.brief) or sense_brief(text)


def _with_sides(text: str, said: Callable[[Side], str]) -> str:
    def put(found: re.Match[str]) -> str:
        side = Side.parse(found[0])
        return said(side) + side.repeated

    return _SIDE.sub(put, text) if _SIDE.search(text) else ""


_LEAST_P = 0.001
"""Smaller p values are only said to be smaller."""
_NUMBERS = (*rounding.UNITS, "count")
_LABELS: Mapping[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "sense": (sense_label, sense_brief),
    "target": (target_label, target_brief),
    "language": (language_label, language_name),
    "side": (side_label, side_brief),
}


def text(value: object, unit: str = "text") -> str:
    """A value that is no number, on one line, with nothing hidden in it."""
    if value is None or value == "":
        return MISSING
    if isinstance(value, str):
        if unit in _LABELS:
            return Label.of(*(one_line(said(value)) for said in _LABELS[unit]))
        return value if isinstance(value, Label) else one_line(value)
    return one_line(json.dumps(value, ensure_ascii=False, default=str))


def shown(value: object) -> str:
    """Any value on one line: a number by itself, yes or no, a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return cell(value) if isinstance(value, float) else str(value)
    return text(value)


def _unit(shown: Column, row: Row) -> Unit:
    if shown.unit not in _APART:
        return shown.unit
    unit = statistic_unit(str(row.get("statistic")))
    return _APART[shown.unit].get(unit, unit)


_VARIANT = re.compile(r"(.+?)(?:_answered|_right_language|\.[^.]+)+")
"""A statistic of some of its items (see analysis.open_answers.statistics), or of one property."""


def statistic_unit(statistic: str) -> Unit:
    """The unit of a statistic, whatever table shows it; a number where no registry knows it.

    >>> statistic_unit("precision_answered"), statistic_unit("agreement.empathy"), statistic_unit("unheard of")
    ('percentage', 'percentage', 'number')
    """
    found = (one.unit for table in COLUMNS.values() for one in table if one.key == statistic)
    unit = next((unit for unit in found if unit in _NUMBERS), None) or UNITS.get(statistic)
    variant = _VARIANT.fullmatch(statistic) if unit is None else None
    return unit or (statistic_unit(variant[1]) if variant else "number")


def _p_value(row: Row, name: str) -> str:
    """``0.012 (0.048)``: in brackets the corrected one."""
    value, adjusted = row.get(name), row.get(f"{name}_holm")
    if value is None:
        return MISSING
    return _small(float(value)) + (f" ({_small(float(adjusted))})" if adjusted is not None else "")


def _small(p: float) -> str:
    return f"< {_LEAST_P}" if p < _LEAST_P else cell(p)


def left_out(rows: Iterable[Row | None]) -> LeftOut:
    """How many items are missing from a number, and why, over the rows of a line."""
    return LeftOut.of(
        (row["excluded"], row["reason"] or "") for row in rows if row is not None and row["excluded"]
    )


def estimate_text(row: Row, unit: rounding.Unit = "number", name: str = "value") -> str:
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
