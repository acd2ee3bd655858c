"""`hesperus report`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from command_line import hesperus
from hesperus.records import Run, write_records, write_run


@pytest.fixture(scope="module")
def folder(capitals: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs") / "capitals"
    write_run(capitals, place)
    return place


def test_a_run_gets_its_report_figures_and_card(folder: Path, tmp_path: Path) -> None:
    done = hesperus(
        "report",
        folder,
        "--resamples",
        50,
        "--figures",
        tmp_path / "figures",
        "--figure-format",
        "png",
        "--card",
        tmp_path / "c.md",
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = [Path(line) for line in done.stdout.splitlines()]
    assert written[0] == folder / "report.html" and written[-1] == tmp_path / "c.md"
    assert [path.name for path in written[1:-1]] == [
        "overview.png", "causes.png", "consistency.png", "pairs-1.png", "accuracy.png", "labels.png", "directions.png", "outcomes.png",
    ]  # fmt: skip
    assert all(path.stat().st_size > 500 for path in written)


def test_a_records_file_gets_it_beside_itself(capitals: Run, tmp_path: Path) -> None:
    write_records(capitals.records, tmp_path / "answers.parquet")
    done = hesperus(
        "report", tmp_path / "answers.parquet", "--resamples", 0, "--card", tmp_path / "card.json"
    )
    assert done.returncode == 0 and done.stdout.splitlines()[0] == str(tmp_path / "answers.html")
    assert (tmp_path / "card.json").read_text().startswith('{\n  "models"')


def test_records_in_several_languages_get_the_report_of_similarity(
    make_quiz: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    write_records(make_quiz(["m"], items=20), tmp_path / "quiz.parquet")
    done = hesperus("report", tmp_path / "quiz.parquet", "--resamples", 20, "--figures", tmp_path / "figures")
    assert (done.returncode, done.stderr) == (0, "")
    assert [Path(line).name for line in done.stdout.splitlines()] == [
        "quiz.html", "runs.svg", "languages.svg", "densities.svg",
    ]  # fmt: skip
    assert "How alike does m answer in 5 languages?" in (tmp_path / "quiz.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["{run}", "--figure-format", "gif"], "unknown figure format: 'gif'"),
        (["{run}", "--invalid", "agre"], "did you mean 'agree'"),
        (["{run}", "--resamples", "0", "--out", "{run}/records.parquet/x.html"], "cannot write the report"),
        (["{run}", "--resamples", "0", "--card", "{run}/records.parquet/card.md"], "cannot write the card"),
    ],
)
def test_bad_use_is_told_on_one_line(folder: Path, arguments: list[str], message: str) -> None:
    done = hesperus("report", *(argument.replace("{run}", str(folder)) for argument in arguments))
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and message in done.stderr and "Traceback" not in done.stderr
