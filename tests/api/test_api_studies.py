"""Every study, measure and page from Python, as from the command."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import hesperus as hs
from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError

STUDY: dict[str, dict[str, Any]] = {
    "multisense": {"task": "atlas", "target": ["de"]},
    "similarity": {"task": "atlas", "languages": ["en", "de"]},
    "translate_then_evaluate": {"task": "atlas-describe", "languages": ["de"], "translator": "pocket/l"},
    "translation_tax": {"task": "atlas", "source": "en", "target": "de"},
}
MEASURES = {
    "multisense": ("summary", "consistency", "accuracy"),
    "similarity": ("means", "similarity", "accuracy"),
    "translate_then_evaluate": ("scores", "groups"),
    "translation_tax": ("back_translation", "bounds"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, hs.RunResult]:
    place = tmp_path_factory.mktemp("runs")
    return {
        name: hs.run(
            name, out=place / name, store=place / "replies.sqlite", progress=False, models=["pocket/s", "pocket/m"],
            sample={"n": 8}, **settings,
        )
        for name, settings in STUDY.items()
    }  # fmt: skip


def ordered(records: pl.DataFrame) -> pl.DataFrame:
    keys = ["model", "task", "item", "instruction", "input", "repeat"]
    return (
        records.select(*keys, "outcome", "answer", "gold", "reply")
        .cast({"model": pl.String, "task": pl.String})
        .sort(keys)
    )


def command(*words: object) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    return done


@pytest.mark.parametrize("name", STUDY)
def test_a_run_says_what_it_is_and_what_was_found(runs: dict[str, hs.RunResult], name: str) -> None:
    run = runs[name]
    assert repr(run).startswith(f"{name}: 2 models, ") and len(run.records) > 20
    assert run.folder.is_dir() and not run.faults
    again = hs.open_run(run.folder)
    assert again.kind == run.kind == name and ordered(again.records).equals(ordered(run.records))
    assert "<table" in run._repr_html_() and name in run._repr_html_()


@pytest.mark.parametrize(("name", "what"), [(name, what) for name, many in MEASURES.items() for what in many])
def test_a_measure_is_the_same_from_the_run_the_folder_and_the_command(
    runs: dict[str, hs.RunResult], name: str, what: str
) -> None:
    run = runs[name]
    found = run.measure(what, resamples=20)
    assert found.rows and found.document() == hs.measure(what, run.folder, resamples=20).document()
    printed = command("measure", what, run.folder, "--resamples", 20, "--format", "json")
    assert printed.exit_code == 0, printed.output
    assert json.loads(printed.stdout) == json.loads(json.dumps(found.document()))


def test_an_estimate_of_an_audit_is_checked_like_any_measure(runs: dict[str, hs.RunResult]) -> None:
    folder = runs["translation_tax"].folder
    held = hs.check(folder, "back_translation.tax.low[clustered] > -1")
    assert [row["passed"] for row in held.rows] == [True] and held.rows[0]["where"] == "analysis=clustered"
    by_group = hs.check(folder, "back_translation.tax.low[clustered] > -1", by="relation")
    assert len(by_group.rows) > 1 and "relation=" in by_group.rows[0]["where"]
    done = command("check", folder, "--require", "back_translation.tax.high[clustered] < -1")
    assert done.exit_code == 1 and done.output.count("0 of 1 satisfied") == 1
    done = command(
        "check", folder, "--require", "back_translation.tax.high[clustered] < -1", "--format", "json"
    )
    assert json.loads(done.stdout)["rows"] and done.stderr.count("0 of 1 satisfied") == 1
    with pytest.raises(UsageError, match="takes no invalid"):
        hs.measure("back_translation", folder, invalid="drop")
    with pytest.raises(UsageError, match="needs the original items"):
        hs.measure("back_translation", runs["multisense"])


@pytest.mark.parametrize("name", STUDY)
def test_every_study_has_a_page(runs: dict[str, hs.RunResult], name: str, tmp_path: Path) -> None:
    written = hs.report(runs[name], tmp_path / "page.html", resamples=20).read_text(encoding="utf-8")
    assert written.count("<h1>") == 1 and "pocket/m" in written
    if name == "translation_tax":  # every command hands its flags to the same function; this one has the most
        by_command = tmp_path / "again.html"
        assert command("report", runs[name].folder, "--out", by_command, "--resamples", 20).exit_code == 0
        assert written == by_command.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", STUDY)
def test_a_plan_sends_nothing_and_counts_what_is_stored(runs: dict[str, hs.RunResult], name: str) -> None:
    settings = {"models": ["pocket/s", "pocket/m"], "sample": {"n": 8}, **STUDY[name]}
    fresh = hs.plan(name, **settings).rows
    held = hs.plan(name, store=runs[name].folder.parent / "replies.sqlite", **settings).rows
    totals = [
        sum(int(str(row["to_ask"])) for row in rows if row["stage"] == "total") for rows in (fresh, held)
    ]
    assert totals[0] > totals[1] >= 0


def test_a_study_file_a_mapping_and_keys_are_one_study(runs: dict[str, hs.RunResult], tmp_path: Path) -> None:
    run = runs["similarity"]
    from_file = hs.run(
        run.folder, out=tmp_path / "a", store=run.folder.parent / "replies.sqlite", progress=False
    )
    from_mapping = hs.run(
        dict(run.study), out=tmp_path / "b", store=run.folder.parent / "replies.sqlite", progress=False
    )
    assert ordered(from_file.records).equals(ordered(run.records)) and ordered(from_mapping.records).equals(
        ordered(run.records)
    )


def test_it_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    async def inside() -> hs.RunResult:
        return hs.run("multisense", out=tmp_path / "r", progress=False, task="atlas", models="pocket/s", target="de", sample={"n": 3})  # fmt: skip

    assert len(asyncio.run(inside()).records) > 0


def test_runs_are_compared_and_open_answers_evaluated(runs: dict[str, hs.RunResult], tmp_path: Path) -> None:
    folder = runs["multisense"].folder
    found = hs.compare(folder, folder, "accuracy", model_a="pocket/s", model_b="pocket/m", resamples=20)
    assert found.measure == "compare accuracy" and {row["model_a"] for row in found.rows} == {"pocket/s"}
    stores = {"store": tmp_path / "r.sqlite", "translations": tmp_path / "t.sqlite"}
    answers = hs.evaluate("information", runs["translate_then_evaluate"].folder, translator="pocket/l", progress=False, resamples=20, **stores)  # fmt: skip
    assert answers.table().rows and "information of" in repr(answers)
    assert answers.report(tmp_path / "page.html").stat().st_size > 10_000
    assert (answers.save(tmp_path / "saved") / "pairs.parquet").is_file()


def test_logs_and_tables_become_a_run(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("id,lang,choice,gold\n1,en,A,A\n1,de,B,A\n2,en,C,C\n2,de,C,C\n")
    run = hs.import_logs(
        tmp_path / "answers.csv", tmp_path / "run", model="my/model", task="t",
        columns={"item": "id", "language": "lang", "answer": "choice"},
    )  # fmt: skip
    assert repr(run).startswith("records: 1 models, 2 items, 4 records") or len(run.records) == 4
    assert {row["value"] for row in run.measure("accuracy", resamples=0).rows} == {1.0, 0.5}


def test_an_audit_lists_its_findings() -> None:
    found = hs.audit("atlas", languages=["en", "de"])
    assert found.measure == "audit" and found.rows == ()


def test_what_does_not_exist_is_said_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="multisense"):
        hs.run("multisens", task="atlas")
    with pytest.raises(UnknownNameError, match="models"):
        hs.plan("multisense", task="atlas", modles="pocket/s")
    with pytest.raises(UnknownNameError, match="columns"):
        hs.import_logs(tmp_path, tmp_path / "r", column={"a": "b"})
    with pytest.raises(UsageError, match="no such study file"):
        hs.run(tmp_path / "s.yaml")


def test_a_setting_goes_by_its_key_or_by_the_name_of_its_flag() -> None:
    by_key = hs.plan("multisense", task="atlas", models=["pocket/m"], target=["de"], sample={"n": 5})
    by_flag = hs.plan("multisense", task="atlas", model="pocket/m", target="de", limit=5)
    assert by_flag.rows == by_key.rows and by_flag.signature == by_key.signature
    with pytest.raises(UsageError, match=r"sample\.n is given twice, also as limit"):
        hs.plan("multisense", task="atlas", models=["pocket/m"], **{"sample.n": 5, "limit": 6})


def test_the_folder_of_another_run_is_not_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    values = {"task": "atlas", "models": ["pocket/s"], "language": ["en", "de"], "sample": {"n": 3}}
    hs.run("similarity", out=folder, progress=False, **values)
    before = (folder / "records.parquet").read_bytes()
    other = {"task": "atlas", "models": ["pocket/s"], "source": ["en"], "target": ["de"], "sample": {"n": 3}}
    with pytest.raises(UsageError, match="holds a run of the study 'similarity'.*give --out another folder"):
        hs.run("multisense", out=folder, progress=False, **other)
    with pytest.raises(UsageError, match="holds a run of the task 'atlas'"):
        hs.run("similarity", out=folder, progress=False, **{**values, "task": "atlas-open"})
    assert (folder / "records.parquet").read_bytes() == before
    again = hs.run("similarity", out=folder, progress=False, **{**values, "sample": {"n": 4}})
    assert again.run.records["item"].n_unique() == 4
    again.run.records.write_parquet(folder / "records.parquet", metadata={"hesperus.records": "99"})
    before = (folder / "records.parquet").read_bytes()
    with pytest.raises(DataError, match="version '99' of the records table"):
        hs.run("similarity", out=folder, progress=False, **values)
    assert (folder / "records.parquet").read_bytes() == before
