"""A table of ratings with columns of its own names: what it answers is a command that works as it is."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.annotation.rating_columns import command_for
from hesperus.cli.app import app
from hesperus.errors import UsageError

LONG = pl.DataFrame(
    {"qid": [f"q{i}" for i in range(12) for _ in "xy"], "coder": ["x", "y"] * 12, "grade": [1, 1, 2, 3] * 6}
)


def _typed(command: str) -> str:
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (("qid", "coder", "grade"), ("qid", "coder", "grade")),
        (("sentence", "annotator_name", "my score"), ("sentence", "annotator_name", "my score")),
        (
            ("a", "b", "c"),
            ("a", "b", "c"),
        ),  # nothing in the names: text that repeats rates, numbers are ratings
    ],
)
def test_the_command_of_a_long_table_works(
    tmp_path: Path, names: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    path = tmp_path / "my ratings.csv"
    LONG.rename(dict(zip(LONG.columns, names, strict=True))).write_csv(path)
    refused = CliRunner().invoke(app, ["measure", "raters", str(path)])
    assert isinstance(refused.exception, UsageError)
    command = str(refused.exception).partition("by their looks: ")[2]
    assert shlex.split(command)[4:] == ["--unit", columns[0], "--rater", columns[1], "--rating", columns[2]]
    assert "krippendorff_alpha" in _typed(command)


def test_of_a_wide_table_a_long_one_is_made(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    wide = LONG.pivot("coder", index="qid", values="grade")
    wide.with_columns(y=pl.when(pl.col("qid") == "q3").then(None).otherwise("y")).write_csv(path)
    command = command_for(pl.read_csv(path), path, "raters")
    assert command is not None
    makes, _, measures = command.partition(" && ")
    subprocess.run([sys.executable, *shlex.split(makes)[1:]], check=True)
    long = pl.read_csv(tmp_path / "wide_long.csv")
    assert (long.height, set(long["rater"])) == (23, {"x", "y"})
    assert "krippendorff_alpha" in _typed(measures)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"text": ["a", "b"], "note": ["long", "other"]}).clear(),
        pl.DataFrame({"id": [1, 2, 3]}),
        pl.DataFrame({"rater": ["x", "x"], "item": ["a", "b"]}),
    ],
)
def test_where_nothing_looks_like_ratings_nothing_is_guessed(frame: pl.DataFrame) -> None:
    assert command_for(frame, Path("t.csv"), "raters") is None
