"""`measure`, `compare` and `check` as commands: what they print, what they refuse, how they exit."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from hesperus.analysis.paired import consistency_table
from hesperus.analysis.requirements import Requirement, check_table
from hesperus.analysis.table import Table
from hesperus.cli.app import app
from hesperus.errors import HesperusError, UnknownNameError, UsageError
from hesperus.records import Run, conform, write_records, write_run
from hesperus.reports.checked import junit_xml
from hesperus.version import __version__


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty items: the made sense differs on every fifth, two answers cannot be read."""
    rows = []
    for model in ("m1", "m2"):
        for sense in ("en", "de_from_en"):
            for item in range(30):
                answer = (
                    None if item in (7, 8) else "no" if sense == "de_from_en" and item % 5 == 0 else "yes"
                )
                gold = "yes" if item < 27 else "no"
                rows.append((model, "t", str(item), sense, sense, answer, gold, "law" if item % 2 else "art"))
    names = ("model", "task", "item", "instruction", "input", "answer", "gold", "subject")
    path = tmp_path_factory.mktemp("measured") / "answers.parquet"
    write_records(pl.DataFrame(rows, schema=names, orient="row"), path)
    return path


@pytest.fixture(scope="module")
def call() -> Callable[..., Result]:
    app = typer.Typer(pretty_exceptions_enable=False)
    for name in ("measure", "compare", "check"):
        app.command(name)(import_module(f"hesperus.cli.{name}").command)
    runner = CliRunner()

    def run(*arguments: object) -> Result:
        return runner.invoke(app, [str(argument) for argument in arguments])

    return run


def test_measure_prints_the_document_of_the_contract(call: Callable[..., Result], file: Path) -> None:
    done = call(
        "measure", "consistency", file, "--a", "instruction=en,input=en",
        "--b", "instruction=de_from_en,input=de_from_en", "--invalid", "agree", "--format", "json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert set(document) == {"measure", "rows", "intervals", "signature"}
    row = document["rows"][0]
    assert list(row) == [
        "model", "task", "a", "b", "statistic", "value", "low", "high", "n", "answered", "excluded", "reason",
    ]  # fmt: skip
    assert (row["a"], row["b"]) == ("instruction=en,input=en", "instruction=de_from_en,input=de_from_en")
    assert (row["statistic"], row["value"], row["n"]) == ("consistency", 24 / 30, 30)


def test_measure_takes_runs_groups_models_and_statistics(
    call: Callable[..., Result], file: Path, tmp_path: Path
) -> None:
    write_run(Run(pl.read_parquet(file), signature={"hesperus": __version__}), tmp_path / "run")
    done = call(
        "measure", "accuracy", tmp_path / "run", "--by", "subject", "--model", "m2", "--task", "t",
        "--statistic", "accuracy", "--resamples", "0", "--format", "json",
    )  # fmt: skip
    rows = json.loads(done.stdout)["rows"]
    assert {(row["model"], row["subject"], row["n"], row["low"]) for row in rows} == {
        ("m2", "art", 15, None),
        ("m2", "law", 15, None),
    }
    again = call("measure", "agreement", file, "--seed", 3, "--resamples", 50, "--format", "csv")
    assert again.exit_code == 0 and again.stdout.startswith("model_a,model_b,task,a,b,statistic,value")


def test_measure_of_translations_finds_scores_beside_the_run(
    call: Callable[..., Result], file: Path, tmp_path: Path
) -> None:
    records = pl.read_parquet(file)
    mixed = records.filter(pl.col("input") == "de_from_en").with_columns(instruction=pl.lit("en"))
    write_run(Run(pl.concat([records, mixed])), tmp_path / "run")
    refused = call("measure", "translation", tmp_path / "run")
    assert isinstance(refused.exception, UsageError) and "no item scores of translations" in str(
        refused.exception
    )
    scores = pl.DataFrame(
        {"sense": "de_from_en", "item": [str(n) for n in range(30)], "bleu": [float(n) for n in range(30)]}
    )
    scores.write_parquet(tmp_path / "run" / "scores.parquet")
    done = call("measure", "translation", tmp_path / "run", "--threshold", "14", "--format", "json")
    rows = json.loads(done.stdout)["rows"]
    assert {row["statistic"]: row["value"] for row in rows}["share_above"] == 0.5
    shown = call(
        "measure", "translation", tmp_path / "run", "--threshold", "14", "--format", "markdown"
    ).stdout
    assert "Threshold: 14 (ROUGE: a hundredth of it; COMET: 0.8)." in shown and "|threshold:14|" in shown
    heads = shown.splitlines()[0].split(" | ")
    assert {"Same answer, %", "Above the threshold, %"} <= set(heads) and heads.count("p (Holm)") == 2
    paired = call("measure", "translation", tmp_path / "run", "--a", "en", "--b", "en")
    assert "translation takes no pair of cells" in str(paired.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("accuracies",), "unknown measure: 'accuracies'; did you mean 'accuracy'"),
        (("consistency", "--a", "en", "--b", "fr"), "unknown instruction sense: 'fr'"),
        (("consistency", "--b", "en"), "give a as well"),
        (("consistency", "--a", "instruction=en,output=en"), "unknown key of a selection: 'output'"),
        (
            ("consistency", "--invalid", "skip"),
            "unknown rule for invalid answers: 'skip'; known: agree, disagree, drop",
        ),
        (("accuracy", "--a", "en"), "accuracy takes no pair of cells"),
        (("accuracy", "--by", "topic"), "unknown column of "),
        (("accuracy", "--model", "m3"), "unknown model: 'm3'"),
        (("accuracy", "--statistic", "recall"), "unknown statistic of accuracy: 'recall'"),
        (("accuracy", "--format", "excel"), "unknown format: 'excel'"),
    ],
)
def test_measure_refuses_what_it_cannot_do(
    call: Callable[..., Result], file: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = call("measure", arguments[0], file, *arguments[1:])
    assert isinstance(done.exception, HesperusError) and message in str(done.exception)
    assert done.exception.exit_code == 2
    assert done.stdout == ""


def test_measure_says_where_nothing_can_be_compared(
    call: Callable[..., Result], file: Path, tmp_path: Path
) -> None:
    write_records(pl.read_parquet(file).filter(pl.col("input") == "en"), tmp_path / "en.parquet")
    done = call(
        "measure", "consistency", tmp_path / "en.parquet", "--format", "json", "--statistic", "consistency"
    )
    assert done.exit_code == 0 and json.loads(done.stdout)["rows"] == []
    assert "can be compared; --a and --b name two cells" in done.stderr


def test_compare_sets_two_models_beside_each_other(call: Callable[..., Result], file: Path) -> None:
    done = call("compare", file, file, "accuracy", "--model-a", "m1", "--model-b", "m2", "--format", "json")
    assert done.exit_code == 0, done.output
    assert {row["value"] for row in json.loads(done.stdout)["rows"]} == {0.0}
    same = call("compare", file, file, "--resamples", "50", "--format", "json")
    assert {row["model_a"] for row in json.loads(same.stdout)["rows"]} == {"m1", "m2"}
    for arguments, message in (
        (("--model-a", "m1"), "give both --model-a and --model-b, or neither"),
        (("--invalid", "skip"), "unknown rule for invalid answers: 'skip'"),
        (("agreement",), "unknown comparison: 'agreement'"),
    ):
        refused = call("compare", file, file, *arguments)
        assert isinstance(refused.exception, UsageError) and message in str(refused.exception)


def test_check_exits_with_one_where_a_requirement_fails(
    call: Callable[..., Result], file: Path, tmp_path: Path
) -> None:
    held = call("check", file, "--require", "consistency[de_from_en] >= 0.7", "--require", "validity > .9")
    assert held.exit_code == 0, held.output
    junit = tmp_path / "deep" / "check.xml"
    failed = call(
        "check", file, "--require", "consistency.low[de_from_en, model=m1] >= 0.9", "--require",
        "accuracy[en] >= 0.8", "--junit", junit, "--format", "json",
    )  # fmt: skip
    assert failed.exit_code == 1
    rows = json.loads(failed.stdout)["rows"]
    assert [row["passed"] for row in rows] == [False, True, True]
    assert (
        failed.stderr == "1 of 2 satisfied; not consistency.low[de_from_en, model=m1] >= 0.9 in 1 of 1 row\n"
    )
    suite = ElementTree.fromstring(junit.read_text(encoding="utf-8"))
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "1")
    assert [case.find("failure") is None for case in suite] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("consistency>=0.8", ("consistency", "consistency", "value", (), ">=", 0.8)),
        (" accuracy.low [en] < 1e-1 ", ("accuracy", "accuracy", "low", (("", "en"),), "<", 0.1)),
        (
            "agreement.kappa_p.high[en, model=a/b, de_from_en/en] <= -.5",
            (
                "agreement",
                "kappa_p",
                "high",
                (("", "en"), ("model", "a/b"), ("", "de_from_en/en")),
                "<=",
                -0.5,
            ),
        ),
        ("outcomes.refused > 0", ("outcomes", "refused", "value", (), ">", 0.0)),
    ],
)
def test_requirements_are_read(text: str, read: tuple[object, ...]) -> None:
    found = Requirement.parse(text)
    assert (found.measure, found.statistic, found.end, found.terms, found.operator, found.number) == read


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("consistency", UsageError, "'consistency' is no requirement; write e.g."),
        ("consistency == 0.8", UsageError, "is no requirement"),
        ("consistency >= 80%", UsageError, "'80%' is no number"),
        ("consistency >= __import__('os')", UsageError, "is no number"),
        ("consistency >= nan", UsageError, "'nan' is no number"),
        ("consistensy >= 0.8", UnknownNameError, "did you mean 'consistency'"),
        ("consistency..low >= 0.8", UsageError, "is no measure.statistic"),
        (
            "consistency.consistency.mid >= 0.8",
            UsageError,
            "after the statistic comes low or high, not 'mid'",
        ),
        ("outcomes >= 0.8", UsageError, "outcomes has several statistics; write outcomes.NAME"),
        ("consistency[model=] >= 0.8", UsageError, "'model=' is no COLUMN=VALUE"),
        ("consistency[en >= 0.8", UsageError, "is no requirement"),
    ],
)
def test_unreadable_requirements_are_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Requirement.parse(text)
    assert message in str(caught.value)


def test_requirements_about_nothing_are_refused(file: Path) -> None:
    tables = {"consistency": consistency_table(pl.read_parquet(file))}
    for text, message in (
        (
            "consistency[fr] > 0",
            "is about no row; there are: instruction=en,input=en with instruction=de_from_en",
        ),
        ("consistency.agreement > 0", "unknown statistic of consistency: 'agreement'"),
        ("consistency[modle=m1] > 0", "unknown column of consistency: 'modle'; did you mean 'model'"),
    ):
        with pytest.raises(UsageError) as caught:
            check_table([Requirement.parse(text)], tables)
        assert message in str(caught.value)


def test_undefined_values_and_absent_intervals_do_not_pass() -> None:
    row = {"model": "m\x00<&>", "task": "t", "instruction": "en", "input": "en", "repeat": 1, "statistic": "accuracy",
           "value": None, "low": None, "high": None, "n": 0, "excluded": 0, "reason": "no gold"}  # fmt: skip
    bare = {**row, "value": 1.0, "reason": ""}
    measured = Table("accuracy", tuple(row), (row, bare), {})
    found = check_table([Requirement.parse("accuracy.low >= 0")], {"accuracy": measured})
    assert [(r["passed"], r["reason"]) for r in found.rows] == [(False, "no gold"), (False, "no interval")]
    assert len(ElementTree.fromstring(junit_xml(found))) == 2
    for operator, passed in ((">=", True), ("<=", True), (">", False), ("<", False)):
        assert Requirement.parse(f"accuracy {operator} 1").holds(1.0) is passed


def test_agreement_and_splits_can_be_required(call: Callable[..., Result], file: Path) -> None:
    done = call(
        "check",
        file,
        "--require",
        "agreement.raw[en, de_from_en, model_a=m1, model_b=m1] >= 0.7",
        "--format",
        "json",
    )
    assert done.exit_code == 0, done.output
    assert [row["model"] for row in json.loads(done.stdout)["rows"]] == ["m1"]


@pytest.mark.parametrize(
    "words", [["measure", "consistency"], ["measure", "accuracy"], ["measure", "agreement"], ["compare"]]
)
def test_records_without_a_reply_are_excluded_with_their_reason(words: list[str], tmp_path: Path) -> None:
    rows = [
        {"model": "m", "task": "t", "item": item, "instruction": sense, "input": sense, "gold": "yes",
         "answer": None if (item, sense) == ("a", "de") else "yes", "outcome": "error" if (item, sense) == ("a", "de") else "answered"}
        for item in "ab" for sense in ("en", "de")
    ]  # fmt: skip
    file = tmp_path / "r.parquet"
    write_records(conform(pl.DataFrame(rows)), file)
    arguments = [*words, str(file), *([str(file)] if words == ["compare"] else []), "--format", "json"]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    lost = [row for row in json.loads(done.stdout)["rows"] if row["excluded"]]
    assert lost
    for row in lost:
        assert (row["n"], row["excluded"]) == (1, 1) or row["value"] is None, row
        assert "1 item without a reply (error)" in row["reason"], row
