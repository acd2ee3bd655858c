"""Rounding never makes another statement of a number; it goes into every page and table by one function."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hesperus.analysis.table import table
from hesperus.reports.formats import FORMATS, format_table
from hesperus.rounding import UNITS, cell, ends, interval

SOURCE = Path(__file__).resolve().parent.parent / "src" / "hesperus"


def read(text: str) -> float:
    return float(text.replace("−", "-").replace("\u00a0%", "").replace("%", ""))


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(199 / 200, "share", "99.5\u00a0%"), (1 / 1000, "share", "0.1\u00a0%"), (9999 / 10_000, "share", "99.99\u00a0%"),
     (1.0, "share", "100.0\u00a0%"), (0.0, "share", "0.0\u00a0%"), (0.1 + 0.2, "share", "30.0\u00a0%"), (2 / 3, "share", "66.7\u00a0%"),
     (0.9996, "number", "0.9996"), (1.0, "number", "1.000"), (0.00004, "number", "0.00004"), (-0.0, "number", "0.000"),
     (-0.9999, "number", "−0.9999"), (12.345678, "number", "12.35"), (0.99996, "percentage", "99.996"),
     (0.996, "short", "0.996"), (0.42, "short", "0.42"), (199 / 200, "label", "99.5%"), (0.87, "label", "87%"),
     (0.0004, "points", "+0.04"), (-0.0004, "points", "−0.04"), (0.0, "points", "0.0"), (99.99, "score", "99.99")],
)  # fmt: skip
def test_a_value_is_rounded_but_not_to_another_statement(value: float, unit: str, text: str) -> None:
    assert cell(value, unit) == text  # type: ignore[arg-type]


@given(st.floats(0, 1), st.sampled_from(UNITS))
def test_only_nothing_and_all_are_written_so(value: float, unit: str) -> None:
    whole = 1.0 if unit in ("number", "short") else 100.0
    given = 100 * value if unit == "score" else value
    shown = read(cell(given, unit))  # type: ignore[arg-type]
    if 1e-9 < value < 1 - 1e-9:
        assert 0 < shown < whole
    assert abs(shown / whole - value) <= (0.005 if unit in ("short", "label") else 0.0005) + 1e-9


def test_an_interval_is_rounded_like_its_value() -> None:
    assert interval(0.995, 0.98, 0.99994, "share") == "99.5\u00a0% [98.0, 100.0]", (
        "outward, which only widens it"
    )
    assert interval(0.9998, 0.99996, 0.99999) == "0.9998 [0.999, 1.000]"
    assert ends(-0.046, -0.0001, "points") == "[−4.6, −0.01]", "a difference from 0 stays one"
    assert ends(-0.047, 0.0001, "points") == "[−4.7, +0.1]"
    assert ends(0.866, 0.913, "label") == "[87, 91]"
    assert interval(0.5, None, 0.9) == "0.500"


@pytest.mark.parametrize("format", [name for name in ("table", *FORMATS) if name not in ("json", "csv")])
def test_a_printed_table_keeps_what_its_rows_say(format: str) -> None:
    row = {"value": 0.9996, "low": 0.99989, "high": 0.99999, "n": 5000, "p": 0.00004}
    text = format_table(table("m", ("value", "low", "high", "n", "p"), rows=[row], signature={}), format)
    assert "0.9996 [0.999, 1.000]" in text and "0.00004" in text and not re.search(r"0\.000\b", text)


def test_no_other_place_rounds_a_number_for_people() -> None:
    """A format such as `:.3f` or `.0%` in pages, tables and messages is a rounding of its own."""
    allowed = {
        "rounding.py",
        "cli/models.py",
        "api/progress.py",
        "reports/lean_svg.py",
    }  # the last has lengths in pixels
    found = []
    for room in ("reports", "cli", "analysis", "annotation", "audits"):
        for path in sorted((SOURCE / room).rglob("*.py")):
            name = str(path.relative_to(SOURCE))
            if name in allowed:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                    spec = ast.unparse(node.format_spec)
                    if re.search(r"\.[1-9]f|%|\.\d+g|\.\d+e", spec):
                        found.append(f"{name}:{node.lineno} {spec}")
    assert not found
