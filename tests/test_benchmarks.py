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


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="memory of other processes is read from /proc"
)
def test_the_memory_of_a_command_is_that_of_its_processes_and_not_of_who_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(benchmarks.__file__).parent))
    from command_usage import usage_of

    mine = b"x" * (200 << 20)
    hold = "import time; held = b'x' * (30 << 20); time.sleep(0.5)"
    two = f"import subprocess, sys; held = b'x' * (30 << 20); subprocess.run([sys.executable, '-S', '-c', {hold!r}]); sys.exit(3)"
    one, both = usage_of([sys.executable, "-S", "-c", hold]), usage_of([sys.executable, "-S", "-c", two])
    assert (one.code, both.code) == (0, 3) and one.seconds > 0.5 and one.processor > 0
    assert 30 << 20 < one.memory < 60 << 20 < both.memory < 120 << 20 < len(mine)
