"""The example in the room's page runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports.md"


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {})  # our own page, not a user's text
    out = capsys.readouterr().out
    assert "| 80.0 [" in out and "✓ Cross language" in out
    assert (tmp_path / "figures" / "consistency.svg").exists()
