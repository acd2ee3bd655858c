from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["records", "measures"])
def test_the_examples_of_the_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(
        r"^```python\n(.*?)^```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.S | re.M
    )
    assert blocks
    for block in blocks:
        exec(compile(block, f"{page}.md", "exec"), {})
