"""Rows of a check say what they are about: model, group and sense, in the table, on standard error and in JUnit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from hesperus.errors import UsageError


def call(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two models in two subjects: the second model has no reply, the first is right in law only."""
    rows = [
        {"model": model, "task": "t", "item": f"{subject}{item}", "subject": subject, "instruction": "en", "input": "en",
         "repeat": 1, "outcome": "answered" if model == "m/a" else "error", "gold": "A", "options": ["A", "B"],
         "answer": None if model == "m/b" else "A" if subject == "law" else "B"}
        for model in ("m/a", "m/b")
        for subject in ("law", "math")
        for item in range(5)
    ]  # fmt: skip
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_a_row_names_its_group(run: Path, tmp_path: Path) -> None:
    junit = tmp_path / "check.xml"
    settings = ("--by", "subject", "--resamples", 0, "--format", "json", "--junit", junit)
    done = call("check", run, "--require", "accuracy[model=m/a] >= 0.5", *settings)
    found = {row["where"]: row["passed"] for row in json.loads(done.stdout)["rows"]}
    assert found == {
        "subject=law,instruction=en,input=en,repeat=1": True,
        "subject=math,instruction=en,input=en,repeat=1": False,
    }
    assert done.exit_code == 1 and "subject=math" in junit.read_text(encoding="utf-8")
    assert (
        call("check", run, "--require", "accuracy[model=m/a, subject=law] >= 0.5", *settings).exit_code == 0
    )


def test_what_is_undefined_names_its_model(run: Path) -> None:
    done = call("check", run, "--require", "accuracy >= 0", "--resamples", 0)
    assert done.exit_code == 1
    (said,) = [line for line in done.stderr.splitlines() if ": undefined: " in line]
    assert said.startswith("accuracy >= 0 (m/b, t, instruction=en,input=en,repeat=1): undefined: ")
    assert "10 items without a reply (error)" in said


def test_a_requirement_about_nothing_names_the_models_there_are(run: Path) -> None:
    done = call("check", run, "--require", "accuracy[m/a] >= 0", "--resamples", 0)
    assert isinstance(done.exception, UsageError) and "model=m/a, model=m/b" in str(done.exception)


def test_settings_of_measures_made_alike_are_told_once(run: Path) -> None:
    two = ("--require", "accuracy <= 1", "--require", "validity <= 1")
    done = call("check", run, *two, "--resamples", 7)
    assert done.stdout.count("resamples:7") == 1 and "accuracy, validity: " not in done.stdout
    other = call("check", run, *two, "--baseline", run, "--max-drop", "accuracy=1", "--resamples", 7)
    assert other.stdout.count("hesperus|check|") == 1 and "max_drop:accuracy=1" in other.stdout
