"""The whole audit asked: of pocket models on the atlas, and of a real endpoint that translates, rewrites and verifies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bilingual import TASK, write_task
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import read_run
from hesperus.studies.asked.keeping import StudyRun
from hesperus.studies.asked.stages import default_folder, plan_study, run_study
from hesperus.studies.translation_tax.strata import read_strata
from hesperus.studies.translation_tax.tax_study import TaxStudy
from loopback_endpoint import Say, serving, user_text

POCKET: dict[str, Any] = {
    "task": "atlas", "models": ["pocket/s", "pocket/m", "pocket/l"], "target": "sw", "sample": {"n": 16},
    "groups": {"small": ["pocket/s", "pocket/m"], "large": ["pocket/l"]},
    "answers": {"temperature": 0.0, "max_tokens": 8},
    "naturalise": {"rewriter": "pocket/l"},
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    return run_study(TaxStudy.from_mapping(POCKET), tmp_path_factory.mktemp("tax") / "run")


def test_pocket_models_and_the_atlas_go_through_the_whole_audit(run: StudyRun) -> None:
    counted = run.records.group_by("input", "repeat").len()
    named = {(sense, repeat): count for sense, repeat, count in counted.iter_rows()}
    assert named["en", 1] == named["sw", 1] == named["sw", 2] == named["en_from_sw", 1] == 3 * 16
    strata = read_strata(run.folder / "strata.json")
    chosen = sum(map(len, strata.items.values()))
    assert chosen and named["sw~natural@pocket/l", 1] == 3 * chosen
    assert (
        strata.centric == ("pocket/s", "pocket/m") and strata.rule.per_subject is None
    )  # the atlas has no subjects
    scores = pl.read_parquet(run.folder / "scores.parquet")
    assert (
        scores.height == 3 * 16 and scores["bleu"].null_count() <= 1
    )  # a text that did not come back has no score
    held = read_run(run.folder)
    assert TaxStudy.from_mapping(held.study) == TaxStudy.from_mapping(POCKET)
    golds = run.records.group_by("item").agg(pl.col("gold").n_unique())["gold"]
    assert golds.max() == 1


def test_the_run_is_read_by_the_command_without_a_flag(run: StudyRun) -> None:
    invoke = CliRunner().invoke
    folder = str(run.folder)
    for name, said in (
        ("back_translation", "small − large"),
        ("naturalisation", "stratum"),
        ("bounds", "Bounds"),
        ("parsers", "not checked"),
    ):
        found = invoke(app, ["measure", name, folder, "--resamples", "50"])
        assert found.exit_code == 0 and said in found.output, (name, found.output, found.exception)
    checklist = invoke(
        app, ["tax", "checklist", folder, "--resamples", "50", "--parser", "strict", "--format", "json"]
    )
    rows = {row["item"]: row for row in json.loads(checklist.stdout)["checklist"]["rows"]}
    assert rows["strata fixed before rewriting, with a fingerprint"]["status"] == "done"
    assert rows["E3 native control"]["status"] == "not done"
    assert rows["cells that depend on the parser, by several parsers"]["status"].startswith("done")


def test_a_second_run_asks_nothing_and_other_strata_are_refused(run: StudyRun) -> None:
    study = TaxStudy.from_mapping(POCKET)
    plan = plan_study(study, store=run.folder.parent / "replies.sqlite")
    known = [row for row in plan.rows if row["stage"] == "make" and row["what"] == "en_from_sw"]
    assert known and all(row["to_ask"] == 0 for row in known)
    before = {path.name: path.read_bytes() for path in run.folder.iterdir()}
    run_study(study, run.folder)
    assert {path.name: path.read_bytes() for path in run.folder.iterdir()} == before
    other = TaxStudy.from_mapping({**POCKET, "naturalise": {"rewriter": "pocket/l", "sizes": {"low": 1}}})
    with pytest.raises(UsageError, match="holds other strata"):
        run_study(other, run.folder)
    (run.folder / "signature.json").write_bytes(before["signature.json"])


def _behave(body: dict[str, Any], count: int) -> Say:
    """Translates and rewrites by a mark, verifies as it is told by the text, and always answers A."""
    text = user_text(body)
    if "You check a rewritten test question" in text:
        good = '{"semantic": 5, "difficulty": 5, "cue_removal": 3, "excess": 1, "key": true, "order": true}'
        return Say(good if count % 2 else "I think it is fine")
    return Say("A")


def test_an_endpoint_verifies_and_a_native_benchmark_stands_beside(tmp_path: Path) -> None:
    native = write_task(tmp_path, 6)
    native.write_text(
        TASK.replace("  en:\n", "  de:\n").replace("yes", "ja").replace("no}", "nein}"), encoding="utf-8"
    )
    with serving(_behave) as endpoint:
        study = TaxStudy.from_mapping(
            {"task": "atlas", "models": "pocket/l", "target": "de", "sample": {"n": 8}, "base_url": endpoint.url,
             "naturalise": {"rewriter": "pocket/l", "verifier": "http/judge", "anchor": "original"},
             "translator": "pocket/m", "native": {"task": str(native), "data": str(native.with_suffix(".jsonl"))}}
        )  # fmt: skip
        done = run_study(study, tmp_path / "run")
    assert "en_from_de@pocket/m" in done.records["input"].unique().to_list()
    assert done.records.filter(
        pl.col("repeat") == 2
    ).is_empty()  # the original picked the items: nothing is asked twice
    verdicts = pl.read_parquet(tmp_path / "run" / "verdicts.parquet")
    native_rows = done.records.filter(pl.col("task") == "tides")
    assert native_rows.height == 6 and native_rows["input"].unique().to_list() == ["de"]
    shown = CliRunner().invoke(app, ["measure", "native_control", str(tmp_path / "run"), "--resamples", "50"])
    assert shown.exit_code == 0 and "gap" in shown.output, shown.exception
    judged = verdicts.filter(pl.col("problem").is_null())
    assert judged.height and judged["strict"].all()
    assert verdicts.filter(pl.col("problem").is_not_null())["strict"].any() is False
    assert "model" not in pl.read_parquet(tmp_path / "run" / "scores.parquet").columns


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"target": "en"}, DataError, "source and target are both"),
        ({"groups": {"x": ["pocket/xl"]}}, DataError, "not among the models"),
        ({"groups": ["x=pocket/s", "y=pocket/s"]}, DataError, "is in two"),
        ({"groups": ["pocket/s"]}, DataError, "NAME=VALUE"),
        ({"naturalise": {"rewriter": "pocket/l", "verifier": "pocket/l"}}, DataError, "another model"),
        (
            {"naturalise": {"rewriter": "pocket/l", "sizes": {"middle": 3}}},
            UnknownNameError,
            "unknown stratum",
        ),
        ({"naturalize": {}}, UnknownNameError, "did you mean 'naturalise'"),
        ({"quality": {"threshold": 120}}, DataError, "at most 100"),
    ],
)
def test_a_study_that_cannot_be_meant_is_refused(
    change: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        TaxStudy.from_mapping({**POCKET, **change})


def test_a_subject_that_items_do_not_have_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    study = TaxStudy.from_mapping({**POCKET, "naturalise": {"rewriter": "pocket/l", "subject": "topic"}})
    with pytest.raises(UnknownNameError, match="group of the items: 'topic'"):
        run_study(study, tmp_path / "run")
    assert not (tmp_path / "replies.sqlite").exists()
    assert default_folder(study).name.startswith("tax-atlas-")


def test_checks_from_the_rating_page_find_their_items(run: StudyRun, tmp_path: Path) -> None:
    """Units of made items are called ITEM|MAKER on the page; the exported table names the item beside."""
    strata = read_strata(run.folder / "strata.json")
    items = [item for ids in strata.items.values() for item in ids]
    dimensions = ("semantic", "difficulty", "key", "order", "cue_removal", "excess")
    rows = [
        {"unit": f"{item}|pocket/l", "rater": rater, "question": name, "item": item,
         "rating": "fail" if rater == "bo" and item == items[0] and name == "key" else "pass"}
        for item in items for rater in ("ann", "bo") for name in dimensions
    ]  # fmt: skip
    checks = tmp_path / "qc.csv"
    pl.DataFrame(rows).write_csv(checks)
    invoke = CliRunner().invoke
    shown = invoke(
        app,
        [
            "measure",
            "naturalisation",
            str(run.folder),
            "--checks",
            str(checks),
            "--resamples",
            "50",
            "--format",
            "json",
        ],
    )
    by = {
        row["analysis"]: row["n"]
        for row in json.loads(shown.stdout)["rows"]
        if not row["stratum"] and not row["group"]
    }
    assert by["passed by ann"] - by["passed by bo"] == by["passed by ann"] - by["passed by all raters"] == 1
    filled = invoke(app, ["tax", "checklist", str(run.folder), "--checks", str(checks), "--resamples", "50", "--format", "csv"])  # fmt: skip
    assert f"bo: {len(items) - 1} of {len(items)} pass strictly" in filled.stdout
    pl.DataFrame(rows).drop("item").write_csv(checks)
    wrong = invoke(app, ["measure", "naturalisation", str(run.folder), "--checks", str(checks)])
    assert isinstance(wrong.exception, DataError) and "is an item of the strata" in str(wrong.exception)
