"""Open answers from the command line: report, measure, check and compare of a run, the page of ready answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import open_answer_runs as towns
import polars as pl
import pytest
from page_outline import loads_nothing
from typer.testing import CliRunner, Result

from hesperus import api
from hesperus.analysis.open_answers.open_tables import GROUPINGS, STATES, settings_of
from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import language, languages
from hesperus.records import read_run, write_run
from hesperus.reports.open_answers.open_wording import (
    FAULT_WORDS,
    GROUPING_NAMES,
    RUNG_WORDS,
    SCRIPT_NAMES,
    STATE_WORDS,
)
from hesperus.translation.degeneration.faults import FaultKind
from hesperus.translation.repair import LADDER

Call = Callable[..., Result]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("commands") / "run"
    towns.written(place, bootstrap={"resamples": 30, "seed": 0, "level": 0.9, "interval": "bayesian"})
    return place


@pytest.fixture
def call() -> Call:
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(one) for one in arguments])


def rows(done: Result) -> list[dict[str, object]]:
    assert done.exit_code == 0, (done.stdout, done.stderr, done.exception)
    return list(json.loads(done.stdout)["rows"])


def test_report_writes_the_page_and_its_figures(folder: Path, tmp_path: Path, call: Call) -> None:
    done = call("report", folder, "--out", tmp_path / "page.html", "--figures", tmp_path / "figures")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    loads_nothing(page)
    assert "90 % of 30 resamples" in page
    names = sorted(file.name for file in (tmp_path / "figures").iterdir())
    assert names == [
        "1-groups.svg",
        "1-scores.svg",
        "1-sides.svg",
        "2-groups.svg",
        "2-properties.svg",
        "2-scores.svg",
    ]


def test_measure_gives_the_tables_of_the_run(folder: Path, call: Call) -> None:
    scores = rows(
        call("measure", "scores", folder, "--statistic", "recall", "--model", "a/large", "--format", "json")
    )
    assert {(row["evaluator"], row["model"], row["statistic"]) for row in scores} == {
        ("information", "a/large", "recall")
    }
    assert {str(row["language"]) for row in scores} == set(towns.KEPT)
    assert all(row["low"] is not None for row in scores)
    bare = rows(
        call("measure", "scores", folder, "--resamples", 0, "--statistic", "recall", "--format", "json")
    )
    assert {row["value"] for row in scores} <= {row["value"] for row in bare} and bare[0]["low"] is None
    for name, height in (("groups", None), ("counts", 20), ("prompts", 3), ("readability", 1)):
        found = rows(call("measure", name, folder, "--format", "json"))
        assert len(found) == height if height else found, name
    assert len(rows(call("measure", "outcomes", folder, "--format", "json"))) > 0
    assert api.measure("scores", folder).frame()["evaluator"].unique().sort().to_list() == [
        "information",
        "length",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("measure", "consistency", "RUN"), ("measure", "directions", "RUN"), ("measure", "means", "RUN"),
        ("measure", "translation", "RUN"), ("compare", "RUN", "RUN", "accuracy"),
        ("check", "RUN", "--require", "accuracy >= 0.1"),
        ("check", "RUN", "--baseline", "RUN", "--max-drop", "accuracy=0.02"),
    ],
)  # fmt: skip
def test_a_measure_of_labels_says_which_command_to_use(
    arguments: tuple[str, ...], folder: Path, call: Call
) -> None:
    done = call(*(folder if one == "RUN" else one for one in arguments))
    assert isinstance(done.exception, UsageError) and done.stdout == ""
    assert "about labels, and open answers have none; `hesperus measure scores RUN`" in str(done.exception)


def test_what_open_answers_do_not_take_is_refused(folder: Path, call: Call) -> None:
    for more, said in (
        (("scores", folder, "--by", "answer"), "groups of languages"),
        (("scores", folder, "--invalid", "drop"), "--invalid is about labels"),
        (("scores", folder, "--a", "en"), "takes no pair of cells"),
        (("scores", folder / "records.parquet"), "and this is none"),
    ):
        done = call("measure", *more)
        assert isinstance(done.exception, UsageError) and said in str(done.exception), more


def test_a_figure_of_labels_names_the_figures_that_there_are(
    folder: Path, call: Call, tmp_path: Path
) -> None:
    done = call("figure", "languages", folder, "--out", tmp_path / "x.svg")
    assert isinstance(done.exception, UsageError) and "--figures FOLDER" in str(done.exception)


def test_check_holds_a_run_to_its_scores(folder: Path, call: Call) -> None:
    held = ("scores.f_of_means.low[language=de, model=a/large] >= 0.8", "scores.agreement.length[de] >= 0.5",
            "groups.recall[grouping=family, Indo-European, model=a/large] > 0.6")  # fmt: skip
    done = call("check", folder, *(part for one in held for part in ("--require", one)), "--format", "json")
    assert done.exit_code == 0, (done.stdout, done.exception)
    failed = call("check", folder, "--require", "scores.recall[hi] >= 0.9", "--format", "json")
    assert failed.exit_code == 1 and len(json.loads(failed.stdout)["rows"]) == 2
    several = call("check", folder, "--require", "scores[de] >= 0.5")
    assert "has several statistics" in str(several.exception)
    unknown = call("check", folder, "--require", "scores.f_of_mean[de] >= 0.5")
    assert isinstance(unknown.exception, UnknownNameError) and "f_of_means" in str(unknown.exception)


def test_ready_answers_get_a_page_of_their_own(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = {
        "en": f"Peru is in South America. Its capital is Lima. {towns.HOSTILE}",
        "de": "Its capital is Lima.",
        "fr": None,
    }
    pl.DataFrame(
        [{"model": "m", "item": "peru", "input": tag, "reply": text} for tag, text in said.items()]
    ).write_ndjson("answers.jsonl")
    pl.DataFrame({"item": ["peru"], "prompt": ["Tell me about Peru."]}).write_csv("prompts.csv")
    done = call(
        "evaluate", "information", "answers.jsonl", "--prompts", "prompts.csv", "--report", "page.html"
    )
    assert done.exit_code == 0, (done.stderr, done.exception)
    page = Path("page.html").read_text(encoding="utf-8")
    loads_nothing(page)
    for words in ("Does m say as much in 2 other languages as in English?", "Tell me about Peru.", "Its capital is Lima.",
                  "only this language gives no answer", "the answers were not translated, so that these scores say little"):  # fmt: skip
        assert words in page, words
    assert page.count("<script>") == 1 and "\u202e" not in page


def test_a_study_file_with_a_broken_bootstrap_is_named(folder: Path, tmp_path: Path) -> None:
    run = read_run(folder)
    write_run(
        type(run)(run.records, run.items, {**run.study, "bootstrap": {"resample": 3}}, run.signature),
        tmp_path / "r",
    )
    with pytest.raises(DataError, match="bootstrap"):
        api.measure("scores", tmp_path / "r")
    with pytest.raises(DataError, match="bootstrap"):
        settings_of({"bootstrap": {"resamples": -3}})


def test_every_word_has_a_name() -> None:
    assert set(STATES) == set(STATE_WORDS)
    assert set(get_args(FaultKind)) == set(FAULT_WORDS)
    assert {rung.name for rung in LADDER.rungs} <= set(RUNG_WORDS)
    assert {*GROUPINGS, "trained_on"} == set(GROUPING_NAMES)
    scripts = {language(tag).script for tag in languages() if language(tag).paper_family}
    assert scripts <= set(SCRIPT_NAMES)


def test_a_real_run_of_the_study_has_its_tables_and_its_page(tmp_path: Path, call: Call) -> None:
    """The embedded model describes countries and translates within its world."""
    place = tmp_path / "run"
    done = call(
        "run", "translate_then_evaluate", "--task", "atlas-describe", "--model", "pocket/s", "--language", "de",
        "--translator", "pocket/s", "--evaluate", "information", "--evaluate", "refusal", "--limit", 4,
        "--resamples", 40, "--seed", 9, "--out", place, "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert "hesperus report" in done.stderr
    readable = rows(call("measure", "readability", place, "--format", "json"))
    assert [(row["evaluator"], row["value"]) for row in readable] == [
        ("information", None),
        ("refusal", None),
    ]
    assert "the judge asks nothing" in str(readable[0]["reason"])
    assert call("report", place).exit_code == 0
    page = (place / "report.html").read_text(encoding="utf-8")
    for words in ("Does pocket/s say as much in German as in English?", "95 % of 40 resamples of prompts (seed 9)",
                  "Describe", "refusal: properties of each answer"):  # fmt: skip
        assert words in page, words
