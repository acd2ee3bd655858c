"""An audit of odd records, through the commands: what cannot be estimated is empty, counted and said, and ends nothing."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app

AUDIT = [
    "run",
    "translation_tax",
    "--task",
    "atlas",
    "--model",
    "pocket/m",
    "--model",
    "pocket/l",
    "--target",
    "zh",
]
Change = Callable[[pl.DataFrame], pl.DataFrame]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit") / "run"
    done = CliRunner().invoke(app, [*AUDIT, "--limit", "12", "--rewriter", "pocket/l", "--out", str(folder)])
    assert done.exit_code == 0, (done.stderr, done.exception)
    return folder


def changed(folder: Path, change: Change) -> Path:
    file = folder / "records.parquet"
    metadata = pl.read_parquet_metadata(file)
    change(pl.read_parquet(file)).write_parquet(file, metadata=metadata)
    return folder


def rows(measure: str, folder: Path) -> list[dict[str, str]]:
    done = CliRunner().invoke(app, ["measure", measure, str(folder), "--resamples", "20", "--format", "csv"])
    assert done.exit_code == 0, done.exception
    return list(csv.DictReader(io.StringIO(done.stdout)))


def failed(frame: pl.DataFrame) -> pl.DataFrame:
    nothing = {name: pl.lit(None, frame.schema[name]) for name in ("answer", "reply", "probs")}
    return frame.with_columns(outcome=pl.lit("error"), **nothing)


def without_gold(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(
        gold=pl.when(pl.col("input").str.starts_with("zh")).then(None).otherwise("gold")
    )


@pytest.mark.parametrize(
    ("change", "measures", "said"),
    [
        (failed, ("back_translation", "naturalisation", "bounds"), "without a reply (error)"),
        (without_gold, ("naturalisation",), "without gold"),
    ],
)
def test_what_cannot_be_estimated_is_empty_and_says_why(
    audit: Path, tmp_path: Path, change: Change, measures: tuple[str, ...], said: str
) -> None:
    folder = changed(Path(shutil.copytree(audit, tmp_path / "run")), change)
    for measure in measures:
        empty = [row for row in rows(measure, folder) if row["value"] == ""]
        assert empty and all(row["reason"] and row["n"] == "0" for row in empty), measure
        assert any(said in row["reason"] for row in empty), measure
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["report", str(folder), "--out", str(page)])
    assert done.exit_code == 0, done.exception
    assert said.split(" (")[0] in page.read_text(encoding="utf-8")


def test_an_estimate_that_the_study_does_not_make_is_named_as_it_was_asked_for(audit: Path) -> None:
    done = CliRunner().invoke(app, ["measure", "native_control", str(audit)])
    assert "native_control needs translated items and native ones" in str(done.exception)
    assert "which give back_translation" in str(done.exception)
