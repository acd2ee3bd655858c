"""What commands say about numbers: with units, in the words of what was measured, and with advice where there is none."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from hesperus.errors import DataError

ANSWERED = "The capital of Peru is Lima, which lies on the sea and is very large."


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in words])


def quiz(
    file: Path,
    items: Iterable[int],
    answer: Callable[[str, int], str],
    *,
    senses: tuple[str, ...] = ("en", "de"),
    task: str = "quiz",
) -> Path:
    rows = [
        {"model": "m", "task": task, "item": f"q{item}", "instruction": sense, "input": sense, "repeat": 1,
         "outcome": "answered", "answer": answer(sense, item), "gold": "A", "options": list("ABCD")}
        for item in items for sense in senses
    ]  # fmt: skip
    pl.DataFrame(rows).write_parquet(file)
    return file


def replies(file: Path, german: str) -> Path:
    """Six items: English answers, German is refused, empty in half of Swahili and in all of French."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["model", "item", "input", "reply", "outcome"])
        for item in range(6):
            writer.writerow(["m", item, "en", ANSWERED, "answered"])
            writer.writerow(["m", item, "de", "Es tut mir leid, aber dabei kann ich nicht helfen.", german])
            writer.writerow(["m", item, "fr", "", "empty"])
    return file


def test_a_language_that_refuses_everything_has_a_number_of_refusals(tmp_path: Path) -> None:
    asked = (
        "evaluate",
        "refusal",
        replies(tmp_path / "r.csv", "refused"),
        "--reference",
        "en",
        "--translator",
        "none",
        "-q",
    )
    rows = json.loads(call(*asked, "--format", "json", "--store", tmp_path / "s").stdout)["rows"]
    found = {(row["language"], row["statistic"]): row for row in rows}
    same, more = found["de", "agreement"], found["de", "change.refusal"]
    assert (same["value"], same["n"], same["excluded"]) == (0.0, 6, 0)
    assert (more["value"], more["n"]) == (1.0, 6) and more["low"] > 0
    # What is no answer of any kind stays without a number.
    assert found["fr", "agreement"]["value"] is None and found["fr", "agreement"]["excluded"] == 6
    shown = call(*asked).stdout
    assert "Same refusal, %" in shown and "profile" not in shown and "+100.0" in shown
    assert (
        "How much of the reference's answer" not in shown
        and "refusal is the same as in the reference" in shown
    )
    groups = call(*asked, "--table", "groups").stdout
    assert "Same refusal, %" in groups and "groups profile" not in groups


def test_runs_without_a_common_item_are_told_apart_by_what_they_have(tmp_path: Path) -> None:
    one = quiz(tmp_path / "one.parquet", range(10), lambda sense, item: "AB"[item % 2])
    other = quiz(tmp_path / "other.parquet", range(50, 60), lambda sense, item: "A")
    done = call("compare", one, other)
    assert done.exit_code == 0 and not done.stdout
    assert "the runs share no item, the first has q0, q1, q2, …, the second q50, q51, q52, …" in done.stderr
    assert "20 items that only one of the runs has" in done.stderr
    half = quiz(tmp_path / "half.parquet", range(5, 15), lambda sense, item: "A")
    for what in ("consistency", "accuracy", "similarity"):
        rows = json.loads(call("compare", one, half, what, "--resamples", 0, "--format", "json").stdout)[
            "rows"
        ]
        assert {(row["n"], row["excluded"]) for row in rows} == {(5, 10)}
        assert all("10 items that only one of the runs has" in row["reason"] for row in rows)
    for changed, said in (({"task": "u"}, "no task: the first has quiz, the second u"),
                          ({"senses": ("fr", "sw")}, "the first has de/de, en/en, the second fr/fr, sw/sw")):  # fmt: skip
        strange = quiz(tmp_path / "strange.parquet", range(10), lambda sense, item: "A", **changed)  # type: ignore[arg-type]
        refused = call("compare", one, strange)
        assert isinstance(refused.exception, DataError) and said in str(refused.exception)


def test_a_comparison_says_its_units_and_names_senses_in_words(tmp_path: Path) -> None:
    one = quiz(tmp_path / "one.parquet", range(30), lambda sense, item: "AB"[sense == "de" and item % 2])
    shown = call("compare", one, one, "--resamples", 50).stdout
    assert "First, %" in shown and "Difference, points" in shown
    assert "German (de)" in shown and "instruction=" not in shown
    kappas = call("compare", one, one, "similarity", "--resamples", 50).stdout
    assert "First" in kappas and "First, %" not in kappas and "points" not in kappas


@pytest.mark.parametrize(
    ("study", "table", "measure"),
    [
        ("similarity", "contrasts", "contrasts"),
        ("open_answers", "scores", "scores"),
        ("tax", "back_translation", "back_translation"),
    ],
)
def test_a_table_of_a_run_ends_with_the_line_of_its_measure(
    demo_runs: dict[str, Path], study: str, table: str, measure: str
) -> None:
    last = call("run", demo_runs[study], "--table", table).stdout.splitlines()[-1]
    assert last.startswith(f"hesperus|{measure}|") and "|#" in last
    assert last == call("measure", measure, demo_runs[study]).stdout.splitlines()[-1]


def test_a_kappa_without_room_is_not_said_to_be_chance_where_labels_vary(tmp_path: Path) -> None:
    file = tmp_path / "right.parquet"
    quiz(file, range(20), lambda sense, item: "ABCD"[item % 4])
    pl.read_parquet(file).with_columns(gold="answer").write_parquet(file)
    shown = call("measure", "summary", file, "--resamples", 0)
    assert "By chance, %" in shown.stdout and " 25.0 " in shown.stdout
    assert "chance alone" not in shown.stderr and "runs with the same accuracies" in shown.stderr


@pytest.mark.parametrize(("gold", "told", "silent"), [("A", "all are right", "whatever is asked"),
                                                      ("B", "whatever is asked", "all are right")])  # fmt: skip
def test_one_label_is_the_model_s_habit_only_where_it_is_not_always_right(
    tmp_path: Path, gold: str, told: str, silent: str
) -> None:
    file = quiz(tmp_path / "a.parquet", range(8), lambda sense, item: "A")
    pl.read_parquet(file).with_columns(gold=pl.lit(gold)).write_parquet(file)
    said = call("measure", "summary", file, "--resamples", 0).stderr
    assert told in said and silent not in said


def test_what_is_done_with_replies_without_an_answer_is_said_as_it_was_done(tmp_path: Path) -> None:
    file = quiz(tmp_path / "a.parquet", range(12), lambda sense, item: "AB"[item % 2])
    lost = pl.col("item").is_in(["q0", "q1", "q2"])
    pl.read_parquet(file).with_columns(
        answer=pl.when(~lost).then("answer"), outcome=pl.when(lost).then(pl.lit("empty")).otherwise("outcome")
    ).write_parquet(file)
    drop = ("--invalid", "drop", "--resamples", 0)
    assert (
        "A reply without an answer counts as wrong"
        in call("measure", "accuracy", file, "--resamples", 0).stdout
    )
    assert "is left out of what is right" in call("measure", "accuracy", file, *drop).stdout
    assert "counts as wrong" not in call("measure", "validity", file, "--resamples", 0).stdout
    # Labels are counted by no such rule: the line does not say that one was followed.
    assert "|invalid:disagree|" in call("measure", "labels", file, *drop).stdout
    assert "|invalid:drop|" in call("measure", "accuracy", file, *drop).stdout


def test_summary_and_agreement_give_the_same_interval_of_the_same_pair(tmp_path: Path) -> None:
    file = quiz(tmp_path / "a.parquet", range(9), lambda sense, item: "AB"[sense == "de" and item % 2])
    words = ("--resamples", 200, "--format", "json")
    one, other = (
        {
            row["statistic"]: row
            for row in json.loads(call("measure", what, file, *words).stdout)["rows"]
            if row.get("input") != "en"
        }
        for what in ("summary", "agreement")
    )
    for name in ("kappa_p", "cohen_kappa"):
        assert [one[name][end] for end in ("low", "high")] == pytest.approx(
            [other[name][end] for end in ("low", "high")]
        )


def test_a_check_says_what_its_numbers_rest_on_and_what_rounding_hides(tmp_path: Path) -> None:
    before = quiz(tmp_path / "a.parquet", range(3), lambda sense, item: "AB"[sense == "de" and item == 1])
    run, junit = tmp_path / "b.parquet", tmp_path / "j.xml"
    lost = (pl.col("item") == "q2") & (pl.col("input") == "de")
    pl.read_parquet(before).with_columns(
        answer=pl.when(~lost).then("answer"), outcome=pl.when(lost).then(pl.lit("empty")).otherwise("outcome")
    ).write_parquet(run)
    done = call(
        "check", before, "--require", "consistency >= 0.667", "--require", "summary.consistency >= 0.1"
    )
    assert done.exit_code == 1 and "0.6666667 before it is rounded" in done.stderr
    drops = ("--max-drop", "consistency=0.01", "--require", "summary.consistency >= 0.9", "--junit", junit)
    shown = call("check", run, "--baseline", before, *drops, "--format", "json")
    found = {row["requirement"]: row["answered"] for row in json.loads(shown.stdout)["rows"]}
    assert found["max-drop consistency=0.01"] == pytest.approx(5 / 6)
    assert found["summary.consistency >= 0.9"] == pytest.approx(2 / 3)
    text = junit.read_text(encoding="utf-8")
    assert "answered 83.3 %" in text.replace("\u00a0", " ") and "n 3" in text


def test_a_page_of_runs_says_why_answers_are_missing_and_of_what_its_means_are(tmp_path: Path) -> None:
    file = quiz(tmp_path / "a.parquet", range(20), lambda sense, item: "AB"[item % 2])
    failed, silent = (pl.col("item") == name for name in ("q0", "q1"))
    there = pl.col("input") == "en"
    pl.read_parquet(file).with_columns(
        answer=pl.when(there | ~(failed | silent)).then("answer"),
        outcome=pl.when(there | ~(failed | silent))
        .then("outcome")
        .when(failed)
        .then(pl.lit("error"))
        .otherwise(pl.lit("empty")),
    ).write_parquet(file)
    out = tmp_path / "page.html"
    assert call("report", file, "--out", out, "--resamples", 50).exit_code == 0
    page = out.read_text(encoding="utf-8").replace("\u00a0", " ")
    assert "1 item without a reply (error)" in page and "1 empty, 1 without a reply (error)" in page
    assert "1 of 39 replies (2.6 %) carry no answer" in page and "2 runs make 1 pair." in page
    assert "Right, mean of languages" in page and "Right, of all answers" in page


def test_the_first_line_of_several_statistics_is_about_one_of_them(tmp_path: Path) -> None:
    rows = [
        {"item": item, "who": who, "score": (item + (who == "b" and item == 2)) % 5}
        for item in range(4)
        for who in "ab"
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "ratings.csv")
    asked = (
        "measure",
        "raters",
        tmp_path / "ratings.csv",
        "--unit",
        "item",
        "--rater",
        "who",
        "--rating",
        "score",
    )
    lines = call(*asked, "--level", "ordinal", "--resamples", 50).stdout.splitlines()
    assert lines[0] == "raters: 0.910 (krippendorff_alpha)" and any("bias" in line for line in lines[1:])


def test_items_that_no_language_answers_are_left_out_and_notes_name_their_group(tmp_path: Path) -> None:
    file = quiz(tmp_path / "a.parquet", range(12), lambda sense, item: "AB"[item % 3 == 0 and sense == "de"])
    own = pl.read_parquet(file).with_columns(
        subject=pl.when(pl.col("item") == "q11").then(pl.lit("bio")).otherwise(pl.lit("law"))
    )
    mute = own.with_columns(model=pl.lit("mute"), answer=pl.lit(None, pl.String()), outcome=pl.lit("refused"))
    pl.concat([own, mute]).write_parquet(file)
    rows = json.loads(
        call("measure", "all_languages", file, "--model", "mute", "--resamples", 0, "--format", "json").stdout
    )["rows"]
    assert {(row["value"], row["n"], row["excluded"]) for row in rows} == {(None, 0, 12)}
    said = call("measure", "summary", file, "--model", "m", "--by", "subject", "--resamples", 0).stderr
    assert "in bio German (" in said, said
