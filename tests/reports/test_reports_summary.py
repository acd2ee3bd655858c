"""The summary and the share answered, through the commands: what failed, what is constant, what is chance, what is nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from hesperus import api
from hesperus.cli.app import app
from hesperus.records import conform, write_records
from hesperus.types import OUTCOMES

LABELS = ("A", "B", "C", "D")
LOST = [outcome for outcome in OUTCOMES if outcome != "answered"]


def _call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def _file(folder: Path, cells: dict[tuple[str, str], Sequence[str]], *, model: str = "m") -> Path:
    """Records of a model: for each sense and repeat the answers; a word that is an outcome stands for itself."""
    rows = []
    for (sense, repeat), answers in cells.items():
        for item, said in enumerate(answers):
            lost = said in OUTCOMES
            rows.append(
                {"model": model, "task": "t", "item": f"{item:03}", "instruction": sense, "input": sense,
                 "repeat": int(repeat), "outcome": said if lost else "answered", "answer": None if lost else said,
                 "gold": LABELS[item % 4], "options": list(LABELS)}
            )  # fmt: skip
    path = folder / "records.parquet"
    write_records(conform(pl.DataFrame(rows)), path)
    return path


def _named(path: Path, sense: str) -> dict[str, dict[str, object]]:
    rows = api.measure("summary", path, resamples=200).rows
    return {str(row["statistic"]): dict(row) for row in rows if row["input"] == sense}


def test_a_summary_says_what_a_reader_must_see_first(tmp_path: Path) -> None:
    right = [LABELS[item % 4] for item in range(40)]
    other = ["error"] * 5 + ["truncated"] * 3 + right[8:30] + ["A"] * 10
    path = _file(tmp_path, {("en", "1"): right, ("en", "2"): right, ("de", "1"): other})
    english, german = _named(path, "en"), _named(path, "de")
    assert english["accuracy"]["value"] == english["repeat_consistency"]["value"] == 1.0
    assert "consistency" not in english and german["consistency"]["reference"] == "en"
    agreeing = 22 + right[30:].count("A")
    assert german["consistency"]["value"] == pytest.approx(agreeing / 35)
    assert (german["consistency"]["n"], german["consistency"]["excluded"]) == (35, 5)
    assert german["consistency"]["reason"] == "5 items without a reply (error)"
    assert german["answered"]["value"] == 32 / 40 and german["answered"]["n"] == 40
    assert (german["error"]["value"], german["truncated"]["value"]) == (5 / 40, 3 / 40)
    shares = [(other[5:].count(c) / 35) * (right[5:].count(c) / 35) for c in LABELS]
    assert german["chance"]["value"] == pytest.approx(sum(shares))
    done = _call("measure", "summary", path, "--resamples", 200)
    assert done.exit_code == 0 and "5 without a reply (error)" in done.stderr and "3 cut off" in done.stderr
    agreement = api.measure("agreement", path, a="en", b="de", resamples=0).rows
    kappa = next(row for row in agreement if row["statistic"] == "kappa_p")
    assert kappa["value"] == german["kappa_p"]["value"]


@pytest.mark.parametrize("items", [5, 40])
def test_a_model_that_always_gives_one_letter_is_called_out(tmp_path: Path, items: int) -> None:
    path = _file(tmp_path, {("en", "1"): ["A"] * items, ("de", "1"): ["A"] * items})
    for measure in ("summary", "consistency", "agreement"):
        done = _call("measure", measure, path, "--resamples", 100)
        assert done.exit_code == 0 and "same label (A)" in done.stderr, (measure, done.stderr)
        assert "no more" in done.stderr or "not shown to be more than chance" in done.stderr
    mixed = _file(tmp_path, {("en", "1"): list("ABCDA") * 4, ("de", "1"): list("ABCDA") * 4})
    assert "note" not in _call("measure", "consistency", mixed, "--resamples", 100).stderr


SILENT = [*((lost, "disagree") for lost in LOST), ("truncated", "agree"), ("blocked", "drop")]
MEASURED = ("accuracy", "consistency", "agreement", "all_languages", "directions")
"""Of every outcome under the rule that is the default the first two, of the others and of no reply at all every one."""


@pytest.mark.parametrize(("outcome", "invalid"), SILENT)
def test_where_nothing_was_answered_there_is_a_sentence_and_no_number(
    tmp_path: Path, outcome: str, invalid: str
) -> None:
    path = _file(tmp_path, {("en", "1"): [outcome] * 5, ("de", "1"): [outcome] * 5})
    for measure in MEASURED if outcome == "error" or invalid != "disagree" else MEASURED[:2]:
        shown = _call("measure", measure, path, "--invalid", invalid, "--resamples", 20)
        assert (
            shown.exit_code == 0
            and shown.stdout == ""
            and "nothing was answered: of 10 questions" in shown.stderr
        )
        rows = api.measure(measure, path, invalid=invalid, resamples=20).rows
        assert rows or measure == "directions"
        assert {row["value"] for row in rows} <= {None} and all(row["reason"] for row in rows)
        assert {row["answered"] for row in rows} <= {0.0}
    for requirement in ("consistency <= 0.1", "agreement.kappa_p <= 1"):
        report = tmp_path / "check.xml"
        held = _call("check", path, "--require", requirement, "--invalid", invalid, "--junit", report)
        assert held.exit_code == 1 and "undefined" in held.stderr
        assert ElementTree.parse(report).getroot().attrib["failures"] != "0"
        assert all(
            "undefined" in str(found.get("message")) for found in ElementTree.parse(report).iter("failure")
        )


@pytest.mark.parametrize(
    ("measure", "format"),
    [("consistency", "json"), ("agreement", "json"), ("labels", "json"), ("all_languages", "json"),
     ("accuracy", "csv"), ("accuracy", "markdown"), ("accuracy", "latex"), ("accuracy", "table")],
)  # fmt: skip
def test_the_share_answered_stands_next_to_every_number(tmp_path: Path, measure: str, format: str) -> None:
    answers = [LABELS[item % 4] for item in range(30)] + ["refused"] * 10
    path = _file(tmp_path, {("en", "1"): answers, ("de_from_en", "1"): answers, ("en", "2"): answers})
    done = _call("measure", measure, path, "--format", format, "--resamples", 20)
    assert done.exit_code == 0 and "answered" in done.stdout.lower()
    if format == "json":
        assert {row["answered"] for row in json.loads(done.stdout)["rows"]} <= {0.75}


def test_a_comparison_and_a_check_say_the_share_answered(tmp_path: Path) -> None:
    answers = [LABELS[item % 4] for item in range(30)] + ["empty"] * 10
    path = _file(tmp_path, {("en", "1"): answers, ("de", "1"): answers})
    compared = json.loads(
        _call("compare", path, path, "accuracy", "--format", "json", "--resamples", 20).stdout
    )
    assert {(row["answered_a"], row["answered_b"]) for row in compared["rows"]} == {(0.75, 0.75)}
    checked = _call("check", path, "--require", "accuracy >= 0", "--format", "json", "--resamples", 20)
    assert {row["answered"] for row in json.loads(checked.stdout)["rows"]} == {0.75}


@pytest.mark.parametrize("items", [1, 2, 3])
def test_a_summary_of_a_few_items_stands(tmp_path: Path, items: int) -> None:
    path = _file(tmp_path, {("en", "1"): list(LABELS[:items]), ("de", "1"): ["invalid"] * items})
    done = _call("measure", "summary", path, "--resamples", 20)
    assert done.exit_code == 0 and f"{items} invalid" in done.stderr
    german = _named(path, "de")
    assert german["accuracy"]["value"] is german["consistency"]["value"] is german["kappa_p"]["value"] is None
    assert german["answered"]["value"] == 0.0
