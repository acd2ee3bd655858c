"""The library as short as the command, on an embedded model."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import hesperus as hs


def test_a_prompt_may_bring_a_system_text(tmp_path: Path) -> None:
    text = "Describe Italy in a few sentences."
    settings = hs.Settings(temperature=0.0, max_tokens=24)
    asked = [text, hs.Prompt(text), hs.Prompt(text, system="Be brief.")]
    found = hs.ask("pocket/s", asked, settings=settings, store=tmp_path / "replies.sqlite")
    assert found["prompt"].to_list() == [text] * 3 and found["error"].null_count() == 3
    assert found["reply"][0] == found["reply"][1] != ""
    # Two equal questions are one; the system text makes another.
    with closing(sqlite3.connect(tmp_path / "replies.sqlite")) as store:
        assert store.execute("select count(*) from replies").fetchone() == (2,)
