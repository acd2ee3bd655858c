"""`hesperus figure`: files of every kind, and clear errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from page_outline import loads_nothing
from typer.testing import CliRunner

from hesperus.api import figure
from hesperus.cli.app import app
from hesperus.errors import HesperusError
from hesperus.records import Run, write_records, write_run


@pytest.fixture(scope="module")
def place(
    make_quiz: Callable[..., pl.DataFrame],
    make_run: Callable[..., Run],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    write_records(make_quiz(), folder / "quiz.parquet")
    write_records(make_quiz(["m"]), folder / "one.parquet")
    both = pl.concat([make_quiz(), make_quiz().with_columns(task=pl.lit("other"))])
    write_records(both, folder / "tasks.parquet")
    write_run(make_run({"pocket/m": 1.0, "pocket/s": 1.5}), folder / "senses")
    return folder


def hesperus(*arguments: object) -> str:
    """Standard output; an error is raised as it is."""
    done = CliRunner().invoke(app, ["figure", *map(str, arguments)], catch_exceptions=True)
    if done.exception is not None:
        raise done.exception
    return done.output


@pytest.mark.parametrize(
    ("what", "ending", "start"),
    [
        ("languages", "svg", b"<svg"),
        ("models", "png", b"\x89PNG"),
        ("densities", "pdf", b"%PDF"),
        ("correlations", "html", b"<!doctype html>"),
    ],
)
def test_every_kind_as_every_file(place: Path, tmp_path: Path, what: str, ending: str, start: bytes) -> None:
    out = tmp_path / "new" / f"{what}.{ending}"
    assert hesperus(what, place / "quiz.parquet", "--out", out, "--resamples", 50).strip() == str(out)
    assert out.read_bytes().startswith(start)
    assert [file.name for file in out.parent.iterdir()] == [out.name]
    if ending == "html":
        loads_nothing(out.read_text(encoding="utf-8"))


def test_choices_are_followed(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "map.svg"
    base = ("languages", place / "quiz.parquet", "--out", out, "--resamples", 20)
    hesperus(*base, "--model", "a/small", "--order", "alphabet", "--statistic", "raw")
    svg = out.read_text(encoding="utf-8")
    assert "share of same answers" in svg and "a/large" not in svg
    again = figure("languages", place / "quiz.parquet", tmp_path / "again.svg", models=["a/small"], order="alphabet",
                   statistic="raw", resamples=20)  # fmt: skip
    assert again.read_text(encoding="utf-8") == svg
    assert svg.index(">Dutch (nl)<") < svg.index(">English (en)<") < svg.index(">Zulu (zu)<")
    hesperus("groups", place / "quiz.parquet", "--out", out, "--by", "subject", "--resamples", 20)
    assert ">maths<" in out.read_text(encoding="utf-8")
    hesperus(
        "models",
        place / "tasks.parquet",
        "--out",
        out,
        "--task",
        "other",
        "--language",
        "zu",
        "--resamples",
        20,
    )
    assert "Dutch" not in out.read_text(encoding="utf-8")
    hesperus("accuracy", place / "senses", "--out", out, "--resamples", 20)
    assert "right answers" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["langages", "quiz.parquet"], "unknown figure: 'langages'; did you mean 'languages'"),
        (["languages", "nowhere"], "no such file or folder"),
        (["languages", "quiz.parquet", "--model", "a/smal"], "did you mean 'a/small'"),
        (["languages", "quiz.parquet", "--order", "famly"], "did you mean 'family'"),
        (["languages", "quiz.parquet", "--statistic", "kapa_p"], "did you mean 'kappa_p'"),
        (["languages", "quiz.parquet", "--statistic", "rank_consistency"], "labels have no rank_consistency"),
        (["models", "quiz.parquet", "--language", "fr"], "unknown language: 'fr'"),
        (["models", "one.parquet"], "two or more models in one language"),
        (["correlations", "one.parquet"], "three or more models"),
        (["correlations", "quiz.parquet", "--with", "size"], "unknown number beside similarity: 'size'"),
        (["groups", "quiz.parquet"], "--by COLUMN"),
        (["groups", "quiz.parquet", "--by", "topic"], "unknown column: 'topic'"),
        (["languages", "tasks.parquet"], "the run has 2 tasks, a figure is of one: --task"),
        (["languages", "tasks.parquet", "--task", "oter"], "did you mean 'other'"),
        (["consistency", "quiz.parquet"], "`hesperus run multisense`"),
        (["translation", "senses"], "`hesperus score RUN`"),
        (["pairs", "senses"], "this figure is of one: --model pocket/m"),
    ],
)
def test_what_cannot_be_drawn_says_what_to_do(
    place: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    what, run, *more = arguments
    with pytest.raises(HesperusError) as error:
        hesperus(what, place / run, *more, "--out", tmp_path / "x.svg", "--resamples", 0)
    assert message in str(error.value) and error.value.exit_code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.gif", "x"])
def test_an_unknown_ending_is_told_before_anything_is_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(HesperusError, match="unknown ending of a figure's file.*svg"):
        hesperus("languages", tmp_path / "nowhere", "--out", tmp_path / name)


def test_a_place_that_cannot_be_written_is_told(place: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HesperusError, match="cannot write the figure"):
        hesperus("densities", place / "one.parquet", "--out", tmp_path / "file" / "x.svg", "--resamples", 0)
