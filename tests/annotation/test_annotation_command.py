"""`hesperus annotate` from the first file to the last, as a person types it; and the example of the documentation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.annotation import Judgement, RatingStore
from hesperus.answers import load_overrides
from hesperus.cli.app import app
from hesperus.errors import HesperusError
from hesperus.records import SCHEMA, write_records

DOCS = Path(__file__).resolve().parents[2] / "docs" / "annotation.md"


def run(*arguments: object) -> str:
    """Run a command; what it printed to standard output. Errors are raised as they are."""
    done = CliRunner().invoke(app, ["annotate", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def store(tmp_path: Path) -> Path:
    table = tmp_path / "items.csv"
    table.write_text("item,en,zh,stratum\nq1,One,一,high\nq2,Two,二,low\nq3,Three,三,low\n", encoding="utf-8")
    out = tmp_path / "rate.sqlite"
    run(
        "create", "residue", table, "--map", "source=en", "--map", "text=zh", "--language", "text=zh", "--n", 1,
        "--by", "stratum", "--out", out,
    )  # fmt: skip
    return out


def test_from_a_table_to_an_export(store: Path, tmp_path: Path) -> None:
    links = json.loads(run("links", store, "--rater", "ann", "--adjudicator", "carol", "--format", "json"))[
        "rows"
    ]
    assert [(row["rater"], row["role"]) for row in links] == [("ann", "rater"), ("carol", "adjudicator")]
    assert all(re.fullmatch(r"http://127\.0\.0\.1:8765/r/[\w-]{32}/", row["link"]) for row in links)
    again = json.loads(run("links", store, "--reissue", "ann", "--format", "json"))["rows"]
    assert again[0]["link"] != links[0]["link"]
    with RatingStore(store) as opened:
        assert [unit.columns["stratum"] for unit in opened.sheet.units] == ["high", "low"]
        code = opened.sheet.by_id["q1"]
        opened.append(opened.rater("ann"), [Judgement(code, "cue", "rated", "4", "k" * 8)])
    rows = json.loads(run("status", store, "--format", "json"))["rows"]
    cue = next(row for row in rows if (row["rater"], row["question"]) == ("ann", "cue"))
    assert (cue["assigned"], cue["rated"], cue["open"]) == (2, 1, 1)
    # Counts of a line stay in it, also where all lines have the same.
    (heads,) = (line for line in run("status", store).splitlines() if line.startswith("Rater"))
    assert heads.split()[:8] == ["Rater", "Role", "Question", "Assigned", "Rated", "Cannot", "judge", "Open"]
    for what, columns in (
        (
            "ratings",
            [
                "unit",
                "rater",
                "question",
                "rating",
                "state",
                "level",
                "order",
                "comment",
                "time",
                "item",
                "stratum",
            ],
        ),
        ("wide", ["unit", "rater", "cue", "cultural", "syntactic", "comment", "time", "item", "stratum"]),
        (
            "log",
            [
                "number",
                "rater",
                "role",
                "unit",
                "question",
                "state",
                "value",
                "client_time",
                "server_time",
                "key",
            ],
        ),
        ("decisions", ["unit", "question", "decision", "basis", "raters", "reason", "item", "stratum"]),
    ):
        out = tmp_path / f"{what}.csv"
        run("export", store, "--what", what, "--out", out)
        assert pl.read_csv(out).columns == columns
    run("import", store, tmp_path / "ratings.csv")
    run("html", store, "--rater", "ann", "--out", tmp_path / "ann.html")
    assert "Traces of the source language" in (tmp_path / "ann.html").read_text()
    run("export", store, "--what", "label-studio", "--out", tmp_path / "ls")
    assert (tmp_path / "ls" / "config.xml").is_file()


def test_readings_of_records_become_overrides(tmp_path: Path) -> None:
    row = {
        "model": "m", "task": "quiz", "item": "i1", "instruction": "en", "input": "en", "repeat": 1, "gold": "A",
        "outcome": "invalid", "answer": None, "options": ["A", "B"], "probs": None, "reply": "A, no: B",
    }  # fmt: skip
    read = {**row, "item": "i2", "outcome": "answered", "answer": "A", "reply": "A"}
    write_records(pl.DataFrame([row, read], schema=SCHEMA), tmp_path / "records.parquet")
    store = tmp_path / "readings.sqlite"
    run("create", "readings", tmp_path / "records.parquet", "--outcome", "invalid", "--out", store)
    run("links", store, "--rater", "ann")
    with RatingStore(store) as opened:
        (code,) = opened.sheet.by_code
        opened.append(opened.rater("ann"), [Judgement(code, "reading", "rated", "B", "k" * 8)])
    run("export", store, "--what", "overrides", "--out", tmp_path / "reviewed.csv")
    answer = load_overrides(tmp_path / "reviewed.csv").answer(("m", "quiz", "i1", "en", "en", 1), "A, no: B")
    assert answer is not None and answer.label == "B"


def test_schemes_are_listed_and_printed_to_start_from(tmp_path: Path) -> None:
    names = [row["scheme"] for row in json.loads(run("schemes", "--format", "json"))["rows"]]
    assert names == ["fidelity", "inconsistency", "qc", "qc_graded", "readings", "residue"]
    own = tmp_path / "own.yaml"
    own.write_text(run("schemes", "qc"), encoding="utf-8")
    (tmp_path / "t.csv").write_text("unit,source,text\n1,a,b\n")
    run("create", own, tmp_path / "t.csv", "--out", tmp_path / "own.sqlite")
    assert (tmp_path / "own.sqlite").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("create", "residu", "{items}", "--out", "{new}"), "did you mean 'residue'"),
        (("create", "residue", "{items}", "--map", "text", "--out", "{new}"), "write PART=COLUMN"),
        (("create", "residue", "{items}", "--out", "{new}"), "no column for text"),
        (("create", "residue", "{items}", "--map", "text=zh", "--out", "{store}"), "exists; give another name"),
        (("create", "residue", "{items}", "--a", "en", "--out", "{new}"), "is no run folder"),
        (("links", "{store}"), "name somebody"),
        (("links", "{store}", "--reissue", "nobody"), "unknown rater: 'nobody'"),
        (("links", "{store}", "--rater", "a", "--per-unit", "2"), "2 raters for each unit, but 1 raters"),
        (("serve", "{store}", "--host", "0.0.0.0"), "can be reached from other machines"),
        (("serve", "{items}"), "rating store"),
        (("export", "{store}", "--what", "rating", "--out", "{new}"), "did you mean 'ratings'"),
        (("export", "{store}", "--question", "clue", "--out", "{new}"), "did you mean 'cue'"),
        (("export", "{store}", "--what", "overrides", "--out", "{new}"), "reads no replies"),
        (("status", "{new}"), "no such rating store"),
        (("import", "{store}", "{items}"), "no column 'unit'"),
    ],
)  # fmt: skip
def test_bad_use_says_what_to_do(
    store: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    places = {"store": store, "items": tmp_path / "items.csv", "new": tmp_path / "new.csv"}
    with pytest.raises(HesperusError) as caught:
        run(*(argument.format(**places) for argument in arguments))
    assert message in str(caught.value)
    assert not (tmp_path / "new.csv").exists()


def test_the_example_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(DOCS), "exec"), {})
    assert (tmp_path / "fidelity.sqlite").is_file()
