"""The rows of `benchmarks/results.json`: of the benchmarks that ran, beside those of earlier runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from benchmarks import __main__ as benchmarks


def test_rows_of_the_benchmarks_that_ran_are_renewed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.json"
    old = [
        {"name": f"{name}: goals met", "value": 1, "form": "full"}
        for name in ("path", "gone", "stored_replies")
    ]
    results.write_text(json.dumps(old), encoding="utf-8")
    monkeypatch.setattr(benchmarks, "RESULTS", results)
    assert benchmarks.collected({"stored_replies": ("--replies", "200")}, "short") == 0
    rows = {row["name"]: row for row in json.loads(results.read_text(encoding="utf-8"))}
    assert rows.pop("path: goals met") == old[0] and "gone: goals met" not in rows
    assert len(rows) > 3 and {row["form"] for row in rows.values()} == {"short"}
    assert all(name.startswith("stored_replies: ") for name in rows)


def test_an_unknown_benchmark_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--short", "engines", "pith"])
    assert benchmarks.main() == 2
    assert capsys.readouterr().err.startswith("no benchmark engines, pith; there are agreement, ")
