"""The cells of a table of estimates: value and interval, what they rest on, what was left out."""

from __future__ import annotations

from collections.abc import Iterable

from hesperus.analysis.table import ANSWERED, Row
from hesperus.reports.blocks import Column, Number, Value
from hesperus.rounding import Unit
from hesperus.wording import MISSING

FOLDED = 40
"""Tables of more rows are folded, but for the summary."""

RESTS_ON = (Column("Items", True), Column("Answered, %", True), Column("Left out", True))
"""Heads of what a number rests on: items, share of their questions that were answered, items left out and why."""


def share_cell(row: Row | None) -> Value:
    """``87.2 [84.1, 90.1]`` in per cent; a dash if there is nothing, with the reason."""
    return _estimate(row, "percentage")


def number_cell(row: Row | None) -> Value:
    """``0.412 [0.388, 0.436]``."""
    return _estimate(row, "number")


def points_cell(row: Row | None) -> Value:
    """``+2.3 [+0.8, +3.9]`` in percentage points."""
    return _estimate(row, "points")


def answered_cell(row: Row) -> Value:
    """Share answered of the questions that a number rests on, in per cent."""
    return Number(row[ANSWERED], "percentage")


def left_out(rows: Iterable[Row | None]) -> str:
    """How many items are missing from a number, and why, over the rows of a line."""
    told = {f"{row['excluded']:,}: {row['reason']}" for row in rows if row is not None and row["excluded"]}
    return "; ".join(sorted(told)) or "0"


def _estimate(row: Row | None, unit: Unit) -> Value:
    if row is None:
        return MISSING
    return Number(row["value"], unit, row["low"], row["high"], row["reason"] or "")
