"""The tutorials do what they say: every command, and every line that they print."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

import tutorials


@pytest.mark.parametrize("page", sorted(tutorials.PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    kept = page.read_text("utf-8")
    now = tutorials.carried_out(kept, tmp_path)
    told = list(difflib.unified_diff(kept.splitlines(), now.splitlines(), "kept", "now", lineterm="", n=1))
    assert not told, "\n".join([*told[:60], "if this is meant: python -m tests.tutorials, and read the diff"])
    assert "$ hesperus" in kept
