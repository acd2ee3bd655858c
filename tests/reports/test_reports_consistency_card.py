"""The consistency card: per language what an auditor needs, as a page, Markdown and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from page_outline import is_sound, loads_nothing
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.records import conform, write_records

ANSWERS = {"en": "aaaa", "de": "aaab", "sw": "ab-b"}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    rows = [
        {"model": "m|<b>", "task": "t", "item": str(place), "instruction": tag, "input": tag, "gold": "a",
         "answer": None if letter == "-" else letter, "outcome": "refused" if letter == "-" else "answered",
         "tokens_in": 10 if tag == "en" else 25, "tokens_out": 1}
        for tag, letters in ANSWERS.items() for place, letter in enumerate(letters)
    ]  # fmt: skip
    write_records(conform(pl.DataFrame(rows)), tmp_path / "records.parquet")
    return tmp_path / "records.parquet"


def card(records: Path, ending: str) -> str:
    out = records.parent / f"card{ending}"
    done = CliRunner().invoke(
        app, ["report", str(records), "--resamples", "200", "--consistency-card", str(out)]
    )
    assert done.exit_code == 0, done.output
    return out.read_text(encoding="utf-8")


def test_the_numbers_in_full(records: Path) -> None:
    table = json.loads(card(records, ".json"))["tables"][0]
    lines = {row["Language"]: row for row in table["rows"]}
    swahili = lines["Swahili (sw)"]
    assert swahili["Right, %"]["value"] == 0.25 and swahili["Answered, %"]["value"] == 0.75
    assert swahili["Refused, %"]["value"] == 0.25 and swahili["Asked"] == {"value": 4, "unit": "count"}
    assert swahili["Prompt tokens, times the reference"]["value"] == 2.5
    assert lines["German (de)"]["Same answer as the reference, %"]["value"] == 0.75
    assert lines["English (en)"]["Prompt tokens, times the reference"] == "–"


def test_markdown_and_page_hold_hostile_names_as_text(records: Path) -> None:
    text = card(records, ".md")
    assert "m\\|\\<b\\>, t" in text and "<b>" not in text
    assert "| Swahili (sw) | 25.0 [" in text and "put an `items.parquet` into" in text
    page = card(records, ".html")
    loads_nothing(page)
    is_sound(page)
    assert "<b>," not in page


def test_another_ending_is_refused_with_what_there_is(records: Path) -> None:
    done = CliRunner().invoke(
        app, ["report", str(records), "--consistency-card", str(records.parent / "card.pdf")]
    )
    assert done.exit_code != 0 and ".md" in str(done.exception)
