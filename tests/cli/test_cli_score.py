"""`hesperus score` a second time: what was scored before stays, and COMET answers once for the whole run."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.errors import UnknownNameError
from hesperus.records import Run, conform, read_run, write_run

STAND_IN = """
import os
with open(os.environ["LOADS"], "a") as log:
    log.write("loaded\\n")

class _Model:
    def predict(self, segments, batch_size, gpus, progress_bar, num_workers):
        return {"scores": [0.9 if s["mt"] == s["ref"] else 0.6 for s in segments]}

def load_from_checkpoint(path, local_files_only):
    return _Model()
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two models that put four questions into German, the second one badly."""
    originals = [("en", None, f"How far is it to town {k}?") for k in range(4)]
    originals += [("de", None, f"Wie weit ist es bis zur Stadt {k}?") for k in range(4)]
    made = [("de_from_en", "a", f"Wie weit ist es bis zur Stadt {k}?") for k in range(4)]
    made += [("de_from_en", "b", f"Wie fern ist die Stadt {k}?") for k in range(4)]
    items = pl.DataFrame(
        [
            {
                "item": str(place % 4),
                "language": code[:2],
                "input": code,
                "model": model,
                "field:question": text,
            }
            for place, (code, model, text) in enumerate([*originals, *made])
        ],
        schema_overrides={"model": pl.String},
    )
    rows = [
        {"model": model, "task": "t", "item": str(k), "instruction": "en", "input": code, "answer": "A", "gold": "A",
         "options": ["A", "B"], "outcome": "answered"}
        for model in "ab" for k in range(4) for code in ("en", "de_from_en")
    ]  # fmt: skip
    write_run(Run(conform(pl.DataFrame(rows)), items), tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def comet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The flags of a Python that has a package with COMET's two calls."""
    site = tmp_path / "site"
    (site / "unbabel_comet-2.2.7.dist-info").mkdir(parents=True)
    (site / "unbabel_comet-2.2.7.dist-info" / "METADATA").write_text("Name: unbabel-comet\nVersion: 2.2.7\n")
    (site / "comet.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("LOADS", str(tmp_path / "loads"))
    (tmp_path / "snapshot" / "checkpoints").mkdir(parents=True)
    (tmp_path / "snapshot" / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    return ["--comet-python", sys.executable, "--comet-checkpoint", str(tmp_path / "snapshot")]


def call(*words: object) -> str:
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def test_a_second_score_keeps_the_columns_of_the_first(run: Path, comet: list[str], tmp_path: Path) -> None:
    first = json.loads(call("score", run, *comet, "--format", "json"))
    assert (tmp_path / "loads").read_text() == "loaded\n"
    assert first["signature"]["comet"] == {
        "unbabel-comet": "2.2.7", "checkpoint": "snapshot",
        "sha256": {"model.ckpt": hashlib.sha256(b"weights").hexdigest()},
    }  # fmt: skip
    before = pl.read_parquet(run / "scores.parquet")
    assert before.group_by("model").agg(pl.col("comet").mean()).sort("model")["comet"].to_list() == [
        pytest.approx(0.9), pytest.approx(0.6),
    ]  # fmt: skip
    call("score", run)
    after = pl.read_parquet(run / "scores.parquet")
    assert after.select(before.columns).equals(before)
    signed = json.loads(pl.read_parquet_metadata(run / "scores.parquet")["hesperus.scores"])
    assert signed["comet"]["comet"]["unbabel-comet"] == "2.2.7" and "comet" not in signed["bleu"]
    # What is measured with the scores says by what they were made: two checkpoints are two signatures.
    measured = json.loads(call("measure", "translation", run, "--resamples", "0", "--format", "json"))
    made = {tuple(one["columns"]): one.get("comet") for one in measured["signature"]["scores"]}
    assert made[("comet",)] == first["signature"]["comet"] and len(made) == 2
    (plain,) = (columns for columns, by in made.items() if by is None)
    assert {"bleu", "chrf"} <= set(plain)


def test_scores_of_other_texts_do_not_stay(run: Path, comet: list[str]) -> None:
    call("score", run, *comet)
    held = read_run(run)
    assert held.items is not None
    changed = held.items.with_columns(
        pl.when(pl.col("model") == "b")
        .then(pl.lit("Wo?"))
        .otherwise("field:question")
        .alias("field:question")
    )
    changed.write_parquet(run / "items.parquet")
    done = CliRunner().invoke(app, ["score", str(run)])
    assert done.exit_code == 0 and "texts have changed since: comet" in done.stderr
    assert "comet" not in pl.read_parquet(run / "scores.parquet").columns


def test_comet_has_a_threshold_on_its_own_scale(run: Path, comet: list[str]) -> None:
    call("score", run, *comet)

    def above(*more: str) -> dict[tuple[str, str], object]:
        found = json.loads(call("measure", "translation", run, "--resamples", "0", "--format", "json", *more))
        rows = found["rows"]
        return {(r["model"], r["score"]): r["value"] for r in rows if r["statistic"] == "share_above"}

    assert above()["a", "comet"] == 1.0 and above()["b", "comet"] == 0.0
    assert above("--comet-threshold", "0.5")["b", "comet"] == 1.0
    assert above("--threshold", "99.9999")["a", "bleu"] in (0.0, 1.0)
    assert (
        above("--threshold", "101")["a", "bleu"] == 0.0 and above("--threshold", "101")["a", "comet"] == 1.0
    )


def test_intervals_are_made_as_asked(run: Path) -> None:
    def ends(*flags: str) -> list[tuple[float | None, float | None]]:
        done = CliRunner().invoke(app, ["score", str(run), "--format", "json", *flags])
        assert done.exit_code == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["signature"]["Bootstrap"]["interval"] == (
            "percentile" if "percentile" in flags else "bayesian"
        )
        return [(row["low"], row["high"]) for row in document["rows"]]

    usual, papers = ends(), ends("--interval", "percentile")
    assert len(usual) == len(papers) and usual != papers
    assert {low for low, _ in ends("--resamples", "0")} == {None}
    refused = CliRunner().invoke(app, ["score", str(run), "--interval", "gaussian"])
    assert isinstance(refused.exception, UnknownNameError) and "bayesian" in str(refused.exception)
