"""The share answered stands next to the numbers of open answers, of an audit and of translation scores, on every way out."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.analysis.answered import coverage_of_pairs
from hesperus.analysis.open_answers.contrasts import WAY, contrast_rows
from hesperus.analysis.open_answers.open_tables import groups_table, scores_table
from hesperus.analysis.registry import measure_table
from hesperus.analysis.scores import translation_table
from hesperus.analysis.settings import GivenSettings, MeasureSettings
from hesperus.analysis.tax.audit_evidence import Evidence, tax_tables
from hesperus.analysis.tax.tax_settings import Senses, TaxSettings
from hesperus.cli.app import app
from hesperus.measures import Bootstrap
from hesperus.records import conform

BARE = Bootstrap(resamples=20)
SENSES = Senses(original="en", translated="zh", back="en_from_zh", natural="zh~natural")


def pairs() -> pl.DataFrame:
    """Ten prompts in two languages: of German one is refused and one in another language, of English one is empty."""
    rows = []
    for tag in ("de", "sw"):
        for item in range(10):
            outcome = {("de", 1): "refused", ("de", 2): "wrong_language"}.get((tag, item), "answered")
            reference = "empty" if item == 0 else "answered"
            silent = {"empty": "reference_silent", "refused": "candidate_silent"}
            state = silent.get(reference, silent.get(outcome, "compared"))
            share = float(state == "compared")
            rows.append(
                {"model": "m", "task": "t", "item": f"q{item}", "instruction": tag, "input": tag, "repeat": 1, "language": tag,
                 "outcome": outcome, "reference_outcome": reference, "state": state, "precision": share, "recall": share,
                 "ceiling_state": None, "ceiling_precision": None, "ceiling_recall": None}
            )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def test_open_answers_count_each_reply_once() -> None:
    made = pairs()
    scores = {
        (r["language"], r["statistic"]): r for r in scores_table(made, "information", signature={}).rows
    }
    assert {scores["de", name]["answered"] for name in ("recall", "recall_answered")} == {17 / 20}
    assert scores["sw", "recall"]["answered"] == 19 / 20
    together = [r for r in groups_table(made, signature={}).rows if r["grouping"] == "all"]
    assert {row["answered"] for row in together} == {27 / 30}, "ten references, once, and twenty replies"
    assert coverage_of_pairs(made.drop("outcome", "reference_outcome")).share is None


def test_a_comparison_says_the_share_of_either_side_and_leaves_out_other_languages() -> None:
    first = pairs().filter(pl.col("language") == "de").with_columns(pl.lit("de").alias(WAY))
    second = first.with_columns(
        outcome=pl.when(pl.col("item") == "q3").then(pl.lit("wrong_language")).otherwise(pl.lit("answered")),
        state=pl.when(pl.col("item") == "q0").then(pl.lit("reference_silent")).otherwise(pl.lit("compared")),
        recall=pl.when(pl.col("item") == "q3").then(1.0).otherwise(0.5),
    )
    rows = {row["statistic"]: row for row in contrast_rows((first, second), reworded=(), bootstrap=BARE)}
    assert {(row["answered_a"], row["answered_b"]) for row in rows.values()} == {(17 / 20, 18 / 20)}
    right, ruled = rows["recall_right_language"], rows["recall"]
    assert (ruled["n"], right["n"], right["excluded"]) == (10, 8, 2)
    assert "1 with a reply in another language on side a" in str(right["reason"])
    assert "1 with a reply in another language on side b" in str(right["reason"])
    assert right["value_b"] == pytest.approx(0.5) != ruled["value_b"]


def audited(lost: str = "invalid") -> pl.DataFrame:
    """Two models, twenty items in four senses and ten native ones: on what came back every fourth reply has no answer."""
    rows = []
    for model in ("m1", "m2"):
        for sense in ("en", "zh", "en_from_zh", "zh~natural"):
            for item in range(20):
                silent = sense == "en_from_zh" and item % 4 == 0
                right = "A" if (item + len(sense)) % 3 else "B"
                rows.append(
                    (
                        model,
                        "quiz",
                        f"q{item:02}",
                        sense,
                        None if silent else right,
                        lost if silent else "answered",
                    )
                )
        rows += [(model, "local", f"n{item}", "zh", "A", "answered") for item in range(10)]
    frame = pl.DataFrame(rows, schema=("model", "task", "item", "input", "answer", "outcome"), orient="row")
    return conform(
        frame.with_columns(
            instruction="input", repeat=1, gold=pl.lit("A"), options=pl.lit(["A", "B", "C", "D"])
        )
    )


@pytest.mark.parametrize("lost", ["invalid", "error", "empty"])
def test_every_table_of_an_audit_says_the_share_answered(lost: str) -> None:
    ratings = pl.DataFrame(
        {"unit": [f"q{item:02}" for item in range(20)], "rater": "r", "question": "cue", "rating": [1 + i % 5 for i in range(20)]}
    )  # fmt: skip
    strata = {"high": [f"q{item:02}" for item in range(8)], "low": [f"q{item:02}" for item in range(8, 20)]}
    evidence = Evidence(
        audited(lost),
        SENSES,
        TaxSettings({"one": ("m1",)}, BARE),
        native="local",
        strata=strata,
        ratings=ratings,
    )
    tables = {name: make() for name, make in tax_tables(evidence).items()}
    for name in ("back_translation", "native_control", "naturalisation", "rating", "bounds"):
        found = tables[name]
        assert "answered" in found.columns and found.rows
        back = {"back_translation": 35 / 40, "rating": 35 / 40}.get(name, 1.0)
        seen = {row["answered"] for row in found.rows if not str(row.get("comparison", "")).startswith("E1")}
        assert seen == {back}, name


def test_an_audit_of_any_data_has_the_same_columns() -> None:
    whole = tax_tables(Evidence(audited(), SENSES, TaxSettings(bootstrap=BARE)))["back_translation"]()
    quiet = (
        audited().filter(pl.col("model") == "m1").with_columns(answer=pl.lit("A"), outcome=pl.lit("answered"))
    )
    alike = tax_tables(Evidence(quiet, SENSES, TaxSettings(bootstrap=BARE)))["back_translation"]()
    assert whole.columns == alike.columns


def test_translation_scores_say_it_too(tmp_path: Path) -> None:
    records = conform(
        pl.DataFrame(
            [
                ("m", "quiz", f"q{item}", "en", sense, None if item == 0 and sense != "en" else "A")
                for sense in ("en", "de_from_en")
                for item in range(20)
            ],
            schema=("model", "task", "item", "instruction", "input", "answer"),
            orient="row",
        ).with_columns(repeat=1, gold=pl.lit("A"), options=pl.lit(["A", "B"]))
    )  # fmt: skip
    scores = pl.DataFrame(
        {"sense": "de_from_en", "item": [f"q{i}" for i in range(20)], "bleu": [float(i) for i in range(20)]}
    )
    assert {
        row["answered"] for row in translation_table(records, scores, MeasureSettings(bootstrap=BARE)).rows
    } == {39 / 40}
    records.write_parquet(tmp_path / "records.parquet")
    scores.write_csv(tmp_path / "scores.csv")
    for format in ("json", "csv", "markdown", "latex", "table"):
        asked = [
            "measure",
            "translation",
            "records.parquet",
            "--scores",
            "scores.csv",
            "--format",
            format,
            "--resamples",
            "20",
        ]
        done = CliRunner().invoke(
            app, [str(tmp_path / a) if a.endswith((".csv", ".parquet")) else a for a in asked]
        )
        assert done.exit_code == 0 and "answered" in done.stdout.lower(), done.stderr
        if format == "json":
            assert {row["answered"] for row in json.loads(done.stdout)["rows"]} == {39 / 40}


def test_what_compares_first_asks_rests_on_these_alone() -> None:
    """Repeats are in no mean over runs, hence not in the share answered next to it."""
    rows = [
        {"model": "m", "task": "t", "item": f"q{item}", "instruction": tag, "input": tag, "repeat": repeat, "gold": "A",
         "options": ["A", "B"], "answer": "A" if repeat == 2 or item < 2 else None}
        for tag in ("de", "en") for repeat in (1, 2) for item in range(4)
    ]  # fmt: skip
    records = conform(pl.DataFrame(rows, infer_schema_length=None))
    settings = GivenSettings(resamples=0)
    (whole,) = {row["answered"] for row in measure_table("all_languages", records, settings).rows}
    assert whole == 0.5
    accuracy = measure_table("accuracy", records, settings).rows
    assert {(row["repeat"], row["answered"]) for row in accuracy} == {(1, 0.5), (2, 1.0)}
