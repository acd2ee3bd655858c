"""`hesperus report` on the run of an audit, and on records of one and what lies next to them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from page_outline import loads_nothing
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import Run, conform, write_records, write_run
from hesperus.studies.asked.stages import run_study
from hesperus.studies.translation_tax.simulator import Planted, simulated_benchmark
from hesperus.studies.translation_tax.strata import StrataRule, strata_of, write_strata
from hesperus.studies.translation_tax.tax_study import TaxStudy

GROUPS = {name: [f"{name}/{k}" for k in (1, 2, 3)] for name in ("english", "chinese")}
DIMENSIONS = ("semantic", "difficulty", "key", "order", "cue_removal", "excess")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder of an audit, with what people and the alignment audit left in it."""
    made = simulated_benchmark(Planted(items=60, native=30, tax={"english": 0.3}, seed=2))
    place = tmp_path_factory.mktemp("runs") / "tax-simulated"
    study = {
        "study": "translation_tax",
        "task": "simulated",
        "groups": GROUPS,
        "quality": {"metric": "bleu", "threshold": 25.0},
    }
    write_run(Run(made.records, None, study, {"hesperus": "0.1.0", "dropped": [{"reason": "length"}]}), place)
    made.scores.write_parquet(place / "scores.parquet")
    asked = made.records.filter(pl.col("task") == "simulated")
    rule = StrataRule(anchor="original", per_subject=None)
    strata = strata_of(asked, rule, centric=GROUPS["english"], others=GROUPS["chinese"])
    write_strata(strata, place / "strata.json")
    made.ratings.write_csv(place / "ratings.csv")
    rows = [
        {"kind": "gold_differs", "severity": "exclude", "item": "t00001", "languages": ["zh"], "detail": ""}
    ]
    (place / "audit.json").write_text(
        json.dumps({"measure": "audit", "rows": rows, "signature": {}}), encoding="utf-8"
    )
    checked = [
        {"unit": item, "rater": rater, "question": name, "rating": "pass"}
        for ids in strata.items.values() for item in ids for rater in ("ann", "bo") for name in DIMENSIONS
    ]  # fmt: skip
    pl.DataFrame(checked).write_csv(place / "checks.csv")
    return place


@pytest.fixture(scope="module")
def reported(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What `hesperus report` writes of the folder: the page in it, figures and card elsewhere."""
    place = tmp_path_factory.mktemp("reported")
    more = ["--figures", str(place / "figures"), "--card", str(place / "card.json")]
    done = CliRunner().invoke(app, ["report", str(folder), "--resamples", "40", "--seed", "3", *more])
    assert done.exit_code == 0, done.exception
    return [Path(line) for line in done.stdout.split()]


def test_a_run_folder_gets_its_page_with_all_that_lies_in_it(folder: Path, reported: list[Path]) -> None:
    assert reported[0] == folder / "report.html"
    assert [file.name for file in reported[1:]] == [
        "quality.svg", "back_translation.svg", "back_translation-without.svg", "native_control.svg", "naturalisation.svg", "naturalisation-models.svg", "rating.svg", "card.json",
    ]  # fmt: skip
    text = reported[0].read_text(encoding="utf-8")
    loads_nothing(text)
    for words in (
        "40 resamples of items (seed 3)", "bleu 25 or more", "items with findings: 1 gold_differs", "cue: ρ",
        "ann: ", "of 2", "agreement on checks of rewritten items", "Excluded before anything was asked: 1 length.",
        "Native control (E3): simulated-native (30 items).", "group english",
    ):  # fmt: skip
        assert words in text, words
    assert json.loads(reported[-1].read_text())["axes"]["Motivation"]["ticked"] == ["Practical"]


def test_the_page_and_the_checklist_of_a_folder_say_the_same(folder: Path, reported: list[Path]) -> None:
    settings = ["--resamples", "40", "--seed", "3"]
    listed = CliRunner().invoke(app, ["tax", "checklist", str(folder), *settings, "--format", "json"])
    text = reported[0].read_text(encoding="utf-8")
    rows = json.loads(listed.stdout)["checklist"]["rows"]
    assert len(rows) == 22
    for row in rows:
        assert row["finding"].replace("'", "&#39;") in text, row["item"]


def test_records_of_another_origin_get_it_from_the_files_that_flags_name(
    folder: Path, tmp_path: Path
) -> None:
    records = pl.read_parquet(folder / "records.parquet")
    table = tmp_path / "answers.csv"
    asked = records.filter(pl.col("task") == "simulated")
    asked.select("model", "task", "item", "instruction", "input", "answer", "gold").write_csv(table)
    write_records(records.filter(pl.col("task") != "simulated"), tmp_path / "native.parquet")
    groups = [part for name, models in GROUPS.items() for part in ("--group", f"{name}={','.join(models)}")]
    invoke = CliRunner().invoke
    done = invoke(
        app,
        ["report", str(table), "--scores", str(folder / "scores.parquet"), "--strata", str(folder / "strata.json"),
         "--native", str(tmp_path / "native.parquet"), "--resamples", "10", *groups],
    )  # fmt: skip
    assert done.exit_code == 0 and done.stdout.strip() == str(tmp_path / "answers.html"), done.exception
    text = (tmp_path / "answers.html").read_text(encoding="utf-8")
    assert "bleu 20 or more" in text and "These records came without a study file." in text
    assert (
        "E2 rating of cues against the tax of items.</" not in text and "Not done:</strong> E2 rating" in text
    )
    for wrong, error, said in (
        ([str(table), str(folder)], UsageError, "say where it goes"),
        ([str(table), "--back", "en_from_fr"], UnknownNameError, "unknown back sense"),
        ([str(table), "--audit", str(table)], DataError, "hesperus audit"),
        ([str(table), "--figure-format", "gif"], UnknownNameError, "unknown figure format"),
        (
            [str(tmp_path / "native.parquet"), "--min-valid", "0.5"],
            UsageError,
            "no two conditions to compare",
        ),
    ):
        result = invoke(app, ["report", *wrong])
        assert isinstance(result.exception, error) and said in str(result.exception), (
            wrong,
            result.exception,
        )


def test_an_estimate_of_a_run_ends_with_the_line_that_verifies_it(folder: Path) -> None:
    def lines(*arguments: str) -> list[str]:
        done = CliRunner().invoke(app, [*arguments, str(folder), "--resamples", "50"])
        return [line for line in done.stdout.splitlines() if line.startswith("hesperus")]

    for name, more in (("back_translation", ()), ("bounds", ()), ("back_translation", ("--threshold", "30"))):
        (line,) = lines("measure", name, *more)
        assert line.startswith(f"hesperus|{name}|resamples:50|") and ("threshold:30" in line) == bool(more)
        done = CliRunner().invoke(app, ["verify", str(folder), "--signature", line])
        assert done.exit_code == 0, done.stderr
    # What names other files cannot be made again from a line: all settings are there in full
    (line,) = lines("measure", "back_translation", "--min-valid", "0.5")
    assert "|" not in line


def test_a_rule_for_unreadable_answers_is_refused(folder: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(folder), "--invalid", "drop"])
    assert isinstance(result.exception, UsageError) and "--invalid does not apply" in str(result.exception)


def test_a_real_run_of_pocket_models_into_a_language_from_right_to_left(tmp_path: Path) -> None:
    study = TaxStudy.from_mapping(
        {"task": "atlas", "models": ["pocket/s", "pocket/m"], "target": "ar", "sample": {"n": 12},
         "groups": {"small": ["pocket/s"], "medium": ["pocket/m"]}, "answers": {"temperature": 0.0, "max_tokens": 8},
         "naturalise": {"rewriter": "pocket/m"}}
    )  # fmt: skip
    done = run_study(study, tmp_path / "run")
    shown = CliRunner().invoke(app, ["report", str(done.folder), "--resamples", "40", "--parser", "strict"])
    assert shown.exit_code == 0, shown.exception
    text = (done.folder / "report.html").read_text(encoding="utf-8")
    loads_nothing(text)
    assert "How much of a score on atlas in Arabic rests on traces of English?" in text
    assert "No item was excluded before anything was asked." in text and "as recorded, strict" in text
    assert ('lang="ar" dir="rtl"' in text) == ('<details class="example">' in text)
    assert "Natural rewriting (E4): Arabic, natural by pocket/m; not checked." in text


def test_a_second_reader_needs_replies(folder: Path, tmp_path: Path) -> None:
    records = pl.read_parquet(folder / "records.parquet").filter(pl.col("task") == "simulated")
    table = tmp_path / "answers.csv"
    records.select("model", "task", "item", "instruction", "input", "answer", "gold").write_csv(table)
    parsers = ["--parser", "strict", "--parser", "ohmer2023", "--resamples", "0"]
    invoke = CliRunner().invoke
    found = invoke(app, ["measure", "parsers", str(table), *parsers, "--format", "json"])
    assert found.exit_code == 0, found.exception
    verdicts = {row["verdict"] for row in json.loads(found.stdout)["rows"]}
    assert "robust" not in verdicts and "not checked" in verdicts
    assert (
        "not possible: the records hold no replies" in found.stderr
        and "no cell is parser-sensitive" not in found.stderr
    )
    assert "hold no reply that could be read again" in found.stderr
    alone = invoke(app, ["measure", "parsers", str(folder), "--task", "simulated", "--resamples", "0"])
    assert "(--parser strict --parser ohmer2023)" in alone.stderr, "nobody asked for a second parser"
    assert "no reply" not in alone.stderr
    listed = invoke(app, ["tax", "checklist", str(table), *parsers, "--format", "json"])
    rows = {row["item"]: row for row in json.loads(listed.stdout)["checklist"]["rows"]}
    line = rows["cells that depend on the parser, by several parsers"]
    assert (line["status"], line["command"]) == ("not done", "")
    assert line["finding"].startswith("not possible: the records hold no replies")


def test_a_cell_is_checked_where_its_replies_were_read_again(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "task": "t", "item": f"{k}", "instruction": code, "input": code, "answer": "A", "gold": "A",
         "options": ["A", "B"], "outcome": "answered", "reply": "A" if code == "en" else None}
        for k in range(6) for code in ("en", "de")
    ]  # fmt: skip
    write_records(conform(pl.DataFrame(rows)), tmp_path / "r.parquet")
    found = CliRunner().invoke(
        app, ["measure", "parsers", str(tmp_path / "r.parquet"), "--parser", "strict", "--format", "json"]
    )
    cells = {(row["input"], row["parser"]): row for row in json.loads(found.stdout)["rows"]}
    assert cells["en", "strict"]["verdict"] == "robust" and cells["en", "strict"]["read"] == 6
    assert cells["de", "strict"]["verdict"] == "not checked" and cells["de", "strict"]["read"] == 0
