"""The first example in the room's page runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "translation.md"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    exec(compile(code, str(PAGE), "exec"), {})  # our own page, not a user's text
    assert "bleu:question" in capsys.readouterr().out
