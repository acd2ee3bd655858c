"""Records that are odd but possible, through the commands: what cannot be measured is undefined and says why."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from page_outline import undrawn
from typer.testing import CliRunner, Result

from hesperus.analysis.settings import GivenSettings
from hesperus.cli.app import app
from hesperus.errors import DataError
from hesperus.records import Run, conform, read_records
from hesperus.reports.html import report_page

Rows = list[dict[str, object]]
QUICK = GivenSettings(resamples=30)


def call(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    if not isinstance(done.exception, SystemExit | None):
        raise done.exception
    return done


def numbers(measure: str, run: Path) -> dict[tuple[str, str], dict[str, object]]:
    """Rows by language (of a pair: its second) and statistic."""
    done = call("measure", measure, run, "--format", "json", "--resamples", 50)
    rows = json.loads(done.stdout)["rows"]
    return {(row.get("input", row.get("b", "")), row["statistic"]): row for row in rows}


def records(folder: Path, rows: Rows) -> Path:
    whole = [
        {"model": "m", "task": "t", "repeat": 1, "outcome": "answered", **row, "instruction": row["input"]}
        for row in rows
    ]
    file = folder / "records.jsonl"
    file.write_text("\n".join(map(json.dumps, whole)), encoding="utf-8")
    return file


def rows(answers: dict[str, list[object]], gold: dict[str, object], options: dict[str, list[object]]) -> Rows:
    return [
        {"item": f"q{item}", "input": tag, "answer": answer, "gold": gold[tag], "options": options[tag]}
        for tag, given in answers.items()
        for item, answer in enumerate(given)
    ]


def both(value: list[object]) -> dict[str, list[object]]:
    return {"en": value, "de": value}


def test_items_with_one_option_have_no_agreement_beyond_chance(tmp_path: Path) -> None:
    file = records(tmp_path, rows(both(["A"] * 4), {"en": "A", "de": "A"}, both(["A"])))
    found = numbers("summary", file)
    assert found["de", "accuracy"]["value"] == found["de", "consistency"]["value"] == 1.0
    assert found["de", "kappa_p"]["value"] is None
    assert "4 of 4 items do not say two or more options" in str(found["de", "kappa_p"]["reason"])
    assert "no more" not in call("measure", "summary", file).stdout


def test_a_list_that_leaves_no_item_is_refused_and_named(tmp_path: Path) -> None:
    answers = {"en": ["A"] * 3, "zh": ["A"] * 3, "en_from_zh": ["A"] * 3}
    file = records(tmp_path, rows(answers, dict.fromkeys(answers, "A"), dict.fromkeys(answers, ["A", "B"])))
    out = tmp_path / "out.csv"
    out.write_text("item,reason\nq0,bad\nq1,bad\nq2,bad\n", encoding="utf-8")
    with pytest.raises(DataError, match="names all 3 items; nothing is left to compare"):
        call("measure", "back_translation", file, "--exclude", out, "--resamples", 20)
    other = [{"task": "u", "item": "n0", "input": "zh", "answer": "A", "gold": "A", "options": ["A", "B"]}]
    of_two = [*rows(answers, dict.fromkeys(answers, "A"), dict.fromkeys(answers, ["A", "B"])), *other]
    with pytest.raises(DataError, match=r"out\.csv.*leaves no item of t"):
        call(
            "measure",
            "back_translation",
            records(tmp_path, of_two),
            "--exclude",
            out,
            "--task",
            "t",
            "--resamples",
            20,
        )


def test_labels_that_differ_only_in_case_are_two_where_both_are_options(tmp_path: Path) -> None:
    two = records(tmp_path, rows(both(["a", "A", "a", "A"]), {"en": "a", "de": "a"}, both(["a", "A"])))
    assert numbers("accuracy", two)["en", "accuracy"]["value"] == 0.5
    one = records(tmp_path, rows(both(["a", "b", "a", "A"]), {"en": "A", "de": "A"}, both(["A", "B"])))
    assert numbers("accuracy", one)["en", "accuracy"]["value"] == 0.75
    assert set(read_records(one)["answer"]) == {"A", "B"}, "written as the options are"


def test_a_number_in_one_file_is_the_text_in_another(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for tag, make in (("en", int), ("de", str), ("fr", float)):
        given = [{"id": make(item), "answer": make(item % 2), "gold": make(1)} for item in range(6)]
        (logs / f"quiz_{tag}.json").write_text(json.dumps(given), encoding="utf-8")
    done = call("import", logs, "--out", tmp_path / "run", "--map", "item=id", "--model", "m")
    assert done.exit_code == 0 and "18 records (1 model, 1 task, 3 languages, 6 items)" in done.stderr
    found = numbers("summary", tmp_path / "run")
    for tag in ("de", "fr"):
        assert (found[tag, "accuracy"]["value"], found[tag, "consistency"]["value"]) == (0.5, 1.0), tag
    assert set(read_records(tmp_path / "run")["answer"]) == {"0", "1"}


def test_gold_that_one_language_lacks_is_missing_there_only(tmp_path: Path) -> None:
    file = records(tmp_path, rows(both(["A", "B", "A", "A"]), {"en": "A", "de": None}, both(["A", "B"])))
    found = numbers("summary", file)
    assert found["en", "accuracy"]["value"] == 0.75 and found["de", "accuracy"]["value"] is None
    assert "4 items without a gold label" in str(found["de", "accuracy"]["reason"])
    assert found["de", "consistency"]["value"] == 1.0, "agreement needs no gold"
    checked = call("check", file, "--require", "accuracy >= 0.5", "--resamples", 20)
    assert checked.exit_code == 1 and "undefined: no item with a gold label counts" in checked.stderr
    split = next(
        row for (_, name), row in numbers("consistency", file).items() if name == "consistency_correct"
    )
    assert (split["n"], split["excluded"]) in ((0, 4), (3, 0))
    if not split["n"]:
        assert "4 items without a gold label" in str(split["reason"])


def test_a_table_without_records_is_said_to_be_empty(tmp_path: Path) -> None:
    file = tmp_path / "none.parquet"
    read_records(
        records(tmp_path, rows({"en": ["A"]}, {"en": "A"}, {"en": ["A", "B"]}))
    ).clear().write_parquet(file)
    assert pl.read_parquet(file).is_empty()
    assert "nothing was asked: there is no record" in call("measure", "summary", file).stderr
    for command in (
        ("measure", "consistency", file),
        ("check", file, "--require", "accuracy >= 0.1"),
    ):
        with pytest.raises(DataError, match="the table has no records"):
            call(*command)
    call("report", file, "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Nothing was asked" in page and "hesperus import SOURCE" in page


def _compared(answers: dict[tuple[str, str], str], **more: object) -> Run:
    """Answers by model and language, a letter a question; the right answer is A."""
    rows = [
        {"model": model, "task": "quiz", "item": f"q{n}", "instruction": tag, "input": tag, "answer": answer,
         "gold": "A", "options": ["A", "B", "C", "D"], **more}
        for (model, tag), told in answers.items() for n, answer in enumerate(told) if answer != "-"
    ]  # fmt: skip
    return Run(conform(pl.DataFrame(rows)), study={"study": "similarity", "task": "quiz"})


def _told(run: Run) -> str:
    return re.sub(
        r"<[^>]+>",
        "",
        re.sub(r"<(script|style|pre)\b.*?</\1>", "", undrawn(report_page(run, given=QUICK)), flags=re.DOTALL),
    )


def test_one_model_in_one_language_has_a_page_that_says_what_would_compare_it() -> None:
    told = _told(_compared({("m", "en"): "AABB"}))
    assert "One model in one language, hence no two runs to compare" in told
    assert "--language TAG" in told and "50.0" in told, "accuracy is there all the same"
    assert "κp: agreement" not in told


def test_what_was_not_asked_in_every_language_is_not_called_the_same_in_each() -> None:
    pairs = {("m", "en"): "AABBAB", ("m", "de"): "ABBBAA", ("n", "en"): "ABBAAB", ("n", "de"): "AABBBA"}
    assert "6 questions the same in each. " in _told(_compared(pairs))
    some = {key: told if key[1] == "en" else f"{told[:4]}--" for key, told in pairs.items()}
    assert "6 questions, not all of them in each. " in _told(_compared(some))


def test_without_right_answers_no_question_is_said_not_to_count() -> None:
    pairs = {("m", "en"): "AABBAB", ("m", "de"): "ABBBAA", ("n", "en"): "ABBAAB", ("n", "de"): "AABBBA"}
    told = _told(_compared(pairs, gold=None))
    assert "Share of same answers is compared here." in told
    assert "without a right answer" not in told
    overview = told.partition("Every model and language.")[2].partition("Model")[0]
    assert "Excluded 0" in overview, "same answers are of all questions"


def test_what_was_refused_in_each_language_is_on_a_page_of_similarity() -> None:
    pairs = {("m", "en"): "AABBAB", ("m", "de"): "ABBBAA", ("n", "en"): "ABBAAB", ("n", "de"): "AABBBA"}
    run = _compared(pairs)
    assert "What became of the replies" not in _told(run), "every reply carries an answer"
    lost = (pl.col("input") == "de") & pl.col("item").is_in(["q0", "q1"])
    records = run.records.with_columns(
        outcome=pl.when(lost).then(pl.lit("refused")).otherwise("outcome"),
        answer=pl.when(lost).then(None).otherwise("answer"),
    )
    told = _told(replace(run, records=records)).rpartition("What became of the replies")[2]
    assert "Refused, %" in told.partition("Items: which questions")[0] and "33.3" in told
