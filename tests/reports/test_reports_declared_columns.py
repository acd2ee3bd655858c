"""A statistic that its measure declares is a column of every format, without a line elsewhere."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hesperus.analysis.measure import UNITS, Statistic
from hesperus.analysis.single import accuracy_table
from hesperus.analysis.table import Table
from hesperus.reports.formats import format_table

RECORDS = pl.DataFrame(
    {"model": "m", "task": "t", "item": str(item), "instruction": "en", "input": "en", "repeat": 1, "outcome": "answered",
     "answer": "A", "gold": "A", "options": ["A", "B"]}
    for item in range(8)
)  # fmt: skip


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    """Accuracy with one statistic more."""
    found = accuracy_table(RECORDS)
    more = [{**row, "statistic": "hurried", "value": 0.25, "low": None, "high": None} for row in found.rows]
    monkeypatch.setitem(accuracy_table.statistics, "hurried", Statistic("percentage", "In haste.", "Hurried"))  # type: ignore[arg-type]
    monkeypatch.setitem(UNITS, "hurried", "percentage")
    return replace(found, rows=(*found.rows, *more))


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ("table", ["Hurried, %", "25.0"]),
        ("wide", ["hurried", "25.0"]),
        ("markdown", ["| Hurried, % |", "| 25.0 |"]),
        ("latex", [r"Hurried, \%", "25.0"]),
        ("html", ['title="In haste.">Hurried, %']),
        ("json", ['"statistic": "hurried"']),
        ("csv", ["hurried,0.25"]),
    ],
)
def test_a_declared_statistic_is_a_column_of_every_format(
    table: Table, format: str, words: list[str]
) -> None:
    text = format_table(table, format)
    assert all(word in text for word in words), text
