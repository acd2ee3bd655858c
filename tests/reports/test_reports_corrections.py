"""Tests that are read together: their correction, what decides, and that nothing is tested without resamples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kstest
from typer.testing import CliRunner

from hesperus.analysis.compared import compare_table
from hesperus.analysis.scores import translation_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import Table
from hesperus.analysis.tax.back_translation import back_translation_table
from hesperus.analysis.tax.native_control import native_control_table
from hesperus.analysis.tax.paired_records import Side, compared
from hesperus.analysis.tax.rating import rating_table
from hesperus.analysis.tax.tax_settings import QualityThreshold, TaxSettings
from hesperus.cli.app import app
from hesperus.measures import Bootstrap, holm, sign_test
from hesperus.records import conform

LANGUAGES = ("ar", "de", "en", "es", "fr", "hi", "id", "ja", "ko", "sw", "ur", "zh")
QUICK = Bootstrap(resamples=200, seed=3)


def records(
    rates: dict[str, float], *, models: tuple[str, ...] = ("m",), items: int = 120, seed: int = 0
) -> pl.DataFrame:
    """Answers that are right at a rate for each sense, else one wrong label: the same for everybody."""
    rng = np.random.default_rng(seed)
    rows = [
        (model, "quiz", f"q{item:03}", "en", sense, 1, "A" if rng.random() < rate else "B", "A")
        for model in models
        for sense, rate in rates.items()
        for item in range(items)
    ]
    names = ("model", "task", "item", "instruction", "input", "repeat", "answer", "gold")
    return conform(
        pl.DataFrame(rows, schema=names, orient="row").with_columns(options=pl.lit(["A", "B", "C", "D"]))
    )


def by_language(seed: int, agree: float) -> pl.DataFrame:
    """Each language answers as English does at a rate, else at random."""
    rng = np.random.default_rng(seed)
    english = rng.integers(0, 4, 100)
    rows = []
    for language in LANGUAGES:
        same = rng.random(100) < (1.0 if language == "en" else agree)
        codes = np.where(same, english, rng.integers(0, 4, 100))
        rows += [
            ("m", "quiz", f"q{i:03}", language, language, 1, "ABCD"[code], "A")
            for i, code in enumerate(codes)
        ]
    names = ("model", "task", "item", "instruction", "input", "repeat", "answer", "gold")
    return conform(
        pl.DataFrame(rows, schema=names, orient="row").with_columns(options=pl.lit(["A", "B", "C", "D"]))
    )


def column(found: Table, name: str) -> list[float]:
    return [float(str(row[name])) for row in found.rows]


def test_a_clear_difference_of_similarity_survives_the_correction_over_66_rows() -> None:
    found = compare_table(
        (by_language(1, 0.05), by_language(2, 0.95)),
        "similarity",
        settings=MeasureSettings(bootstrap=Bootstrap(resamples=400)),
    )
    assert len(found.rows) == 66 and min(column(found, "value")) > 0.5
    assert max(column(found, "p_holm")) < 0.01
    assert "66 tests" in found.signature["tests"]["p_holm"]  # type: ignore[index, operator]
    for row in found.rows:
        assert (float(str(row["p"])) < 0.05) == (float(str(row["low"])) > 0)


def test_nothing_is_found_where_nothing_is() -> None:
    found = compare_table(
        (by_language(3, 0.6), by_language(4, 0.6)),
        "similarity",
        settings=MeasureSettings(bootstrap=Bootstrap(resamples=400)),
    )
    assert min(column(found, "p_holm")) > 0.05


def test_mcnemar_is_mid_p_unless_the_exact_test_is_wanted() -> None:
    first, second = records({"en": 0.5}), records({"en": 0.65}, seed=1)
    mid = compare_table((first, second), "accuracy", settings=MeasureSettings(bootstrap=QUICK))
    exact = compare_table((first, second), "accuracy", settings=MeasureSettings(bootstrap=QUICK), exact=True)
    both = first.join(second, on="item", suffix="_b")
    wins = both.filter(pl.col("answer") > pl.col("answer_b")).height
    losses = both.filter(pl.col("answer") < pl.col("answer_b")).height
    assert mid.rows[0]["p"] == sign_test(wins, losses).value
    assert exact.rows[0]["p"] == sign_test(wins, losses, exact=True).value
    assert mid.rows[0]["detectable"] < exact.rows[0]["detectable"]  # type: ignore[operator]
    assert mid.signature != exact.signature


@pytest.mark.parametrize("what", ["accuracy", "consistency", "similarity", "validity"])
def test_without_resamples_there_is_neither_interval_nor_p(what: str) -> None:
    runs = (by_language(1, 0.5), by_language(2, 0.5))
    found = compare_table(runs, what, settings=MeasureSettings(bootstrap=Bootstrap(resamples=0)))
    for row in found.rows:
        assert row["value"] is not None
        assert (row["low"], row["high"], row["p"], row["p_holm"]) == (None, None, None, None)
        assert "no resamples" in str(row["reason"])


def test_a_correlation_with_few_disagreements_has_a_p_and_no_interval() -> None:
    rng = np.random.default_rng(5)
    items = 100
    rows = []
    for sense, wrong in (("en", 0), ("de_from_en", 4), ("zh_from_en", 40)):
        for item in range(items):
            rows.append(("m", "quiz", f"q{item:03}", "en", sense, 1, "B" if item < wrong else "A", "A"))
    names = ("model", "task", "item", "instruction", "input", "repeat", "answer", "gold")
    asked = conform(pl.DataFrame(rows, schema=names, orient="row").with_columns(options=pl.lit(["A", "B"])))
    scores = pl.DataFrame(
        {
            "sense": np.repeat(["de_from_en", "zh_from_en"], items),
            "item": [f"q{item:03}" for item in range(items)] * 2,
            "bleu": np.concatenate([rng.normal(50, 10, items), np.arange(items, dtype=float)]),
        }
    )
    found = translation_table(asked, scores, MeasureSettings(bootstrap=Bootstrap(300)))
    told = {(row["b"].split("=")[-1], row["statistic"]): row for row in found.rows}  # type: ignore[attr-defined]
    few, clear = told["de_from_en", "correlation"], told["zh_from_en", "correlation"]
    assert few["value"] is not None and few["low"] is None and "only 4 items" in str(few["reason"])
    assert 0 < float(str(few["p"])) <= 1 and clear["low"] is not None
    assert float(str(clear["p_holm"])) < 0.02, "four tests, and enough permutations for them"
    tested = [row for row in found.rows if str(row["statistic"]).startswith("correlation")]
    assert [row["p_holm"] for row in tested] == holm([row["p"] for row in tested])  # type: ignore[misc]
    assert all(row["p"] is None for row in found.rows if row not in tested)
    bare = translation_table(asked, scores, MeasureSettings(bootstrap=Bootstrap(0)))
    assert {row["p"] for row in bare.rows} == {None} == {row["low"] for row in bare.rows}


TAX = {"en": 0.9, "en_from_zh": 0.8}
ORIGINAL, BACK = Side("en"), Side("en_from_zh")


def test_the_models_of_an_estimator_are_corrected_together() -> None:
    answers = records(TAX, models=("m1", "m2", "m3"), seed=2)
    settings = TaxSettings(bootstrap=QUICK)
    given = compared(answers, ORIGINAL, BACK)
    found = back_translation_table(given, settings)
    tested = [row for row in found.rows if row["analysis"] == "cell" and row["p"] is not None]
    assert [row["model"] for row in tested] == ["m1", "m2", "m3"]
    assert [row["p_holm"] for row in tested] == holm([row["p"] for row in tested])  # type: ignore[misc]
    for row in tested:
        assert row["p"] == sign_test(int(str(row["positive"])), int(str(row["negative"]))).value
    assert "3 tests" in found.signature["tests"]["p_holm"]  # type: ignore[index, operator]
    exact = back_translation_table(given, TaxSettings(bootstrap=QUICK, exact=True))
    assert [row["p"] for row in exact.rows if row["analysis"] == "cell" and row["p"] is not None] == [
        sign_test(int(str(row["positive"])), int(str(row["negative"])), exact=True).value for row in tested
    ]
    bare = back_translation_table(given, TaxSettings(bootstrap=Bootstrap(0)))
    assert {row["p"] for row in bare.rows} == {None}


def test_every_tax_of_several_models_is_tested_by_exchanging_whole_items() -> None:
    groups = {"one": ("m1",), "two": ("m2", "m3")}
    answers = records({"en": 0.9, "en_from_zh": 0.6}, models=("m1", "m2", "m3"), seed=2)
    found = back_translation_table(compared(answers, ORIGINAL, BACK), TaxSettings(groups, QUICK))
    taxes = [row for row in found.rows if row["statistic"] == "tax"]
    assert all(row["p"] is not None and row["p_holm"] is not None for row in taxes), (
        "every difference has a test"
    )
    by = {(str(row["analysis"]), str(row["group"]), str(row["model"])): row for row in taxes}
    assert by["clustered", "one", ""]["p"] == by["cell", "one", "m1"]["p"], "one model: McNemar's test"
    assert float(str(by["clustered", "", ""]["p"])) < 0.01 < float(str(by["groups", "one − two", ""]["p"]))
    together = [row["p"] for row in taxes if row["analysis"] == "clustered"]
    told = [row["p_holm"] for row in taxes if row["analysis"] == "clustered"]
    assert told == holm(together), "all models and both groups are one family"  # type: ignore[arg-type]


def test_a_native_gap_is_tested_and_its_family_corrected() -> None:
    translated = records({"zh": 0.8}, models=("m1", "m2"), items=120, seed=3)
    other = {"item": pl.concat_str(pl.lit("n"), pl.col("item")), "task": pl.lit("native")}
    side = (Side("zh"), Side("zh"))
    seen = set()
    for accuracy in (0.8, 0.65, 0.5):
        native = records({"zh": accuracy}, models=("m1", "m2"), items=60, seed=4).with_columns(**other)
        found = native_control_table(
            translated, native, side, settings=TaxSettings(bootstrap=Bootstrap(1000))
        )
        for row in (row for row in found.rows if row["statistic"] == "gap"):
            low, high, p = (float(str(row[name])) for name in ("low", "high", "p"))
            if not 0.03 < p < 0.08:
                assert (low > 0 or high < 0) == (p < 0.05)
            seen.add(p < 0.05)
        tested = [row for row in found.rows if row["p"] is not None and row["model"]]
        assert [row["p_holm"] for row in tested] == holm([row["p"] for row in tested])  # type: ignore[misc]
    assert seen == {True, False}
    bare = native_control_table(translated, native, side, settings=TaxSettings(bootstrap=Bootstrap(0)))
    assert {row["p"] for row in bare.rows} == {None}


def test_pairs_under_the_gate_are_counted_though_every_item_stays() -> None:
    answers = records(TAX, models=("m1", "m2"), items=100, seed=2)
    below = {("m1", f"q{item:03}") for item in (3, 5)} | {("m2", f"q{item:03}") for item in (7, 8)}
    scores = pl.DataFrame(
        [
            ("quiz", model, f"q{item:03}", "en_from_zh", 5.0 if (model, f"q{item:03}") in below else 60.0)
            for model in ("m1", "m2")
            for item in range(100)
        ],
        schema=("task", "model", "item", "sense", "bleu"),
        orient="row",
    )
    given = compared(answers, ORIGINAL, BACK, scores=scores, quality=QualityThreshold("bleu", 20))
    found = back_translation_table(given, TaxSettings(bootstrap=QUICK))
    row = next(row for row in found.rows if row["analysis"] == "clustered")
    assert (row["n"], row["excluded"]) == (100, 0)
    assert "4 of 200 pairs" in str(row["reason"]) and "4 below bleu 20" in str(row["reason"])
    cell = next(row for row in found.rows if row["model"] == "m1" and row["statistic"] == "tax")
    assert (cell["n"], cell["excluded"], cell["reason"]) == (98, 2, "2 below bleu 20")


def test_ratings_are_tested_by_permutation_and_corrected() -> None:
    given = compared(records(TAX, models=("m1", "m2"), items=80, seed=4), ORIGINAL, BACK)
    rng = np.random.default_rng(1)
    ratings = pl.DataFrame(
        {
            "unit": [f"q{item:03}" for item in range(80)],
            "rater": "ann",
            "question": "cue",
            "rating": rng.integers(1, 6, 80).astype(float),
        }
    )
    found = rating_table(given, ratings, settings=TaxSettings(bootstrap=Bootstrap(300, 1)))
    assert [row["p_holm"] for row in found.rows] == holm([row["p"] for row in found.rows])  # type: ignore[misc]
    bare = rating_table(given, ratings, settings=TaxSettings(bootstrap=Bootstrap(0)))
    for row in bare.rows:
        assert (row["p"], row["p_holm"], row["low"]) == (None, None, None)
        assert "no resamples" in str(row["reason"])


def check(
    before: pl.DataFrame, after: pl.DataFrame, folder: Path, *drops: str
) -> tuple[int, list[dict[str, object]]]:
    paths = [folder / "before.parquet", folder / "after.parquet"]
    for path, frame in zip(paths, (before, after), strict=True):
        frame.write_parquet(path)
    flags = [flag for drop in drops for flag in ("--max-drop", drop)]
    done = CliRunner().invoke(
        app,
        [
            "check",
            str(paths[1]),
            "--baseline",
            str(paths[0]),
            *flags,
            "--format",
            "json",
            "--resamples",
            "400",
        ],
    )
    return done.exit_code, json.loads(done.stdout)["rows"]


def test_a_check_for_certain_drops_holds_over_all_rows_together(tmp_path: Path) -> None:
    rates = dict.fromkeys(LANGUAGES, 0.6)
    before = records(rates, items=60)
    failed = 0
    for seed in range(1, 5):
        code, rows = check(before, records(rates, items=60, seed=seed), tmp_path, "accuracy.high=0")
        failed += code == 1
        assert len(rows) == 12 and all("simultaneous over 12 rows" in str(row["reason"]) for row in rows)
    assert failed == 0
    worse = records(rates | {"hi": 0.1}, items=60, seed=1)
    code, rows = check(before, worse, tmp_path, "accuracy.high=0")
    assert code == 1 and [row["where"] for row in rows if not row["passed"]] == [
        "instruction=en,input=hi,repeat=1"
    ]
    _, rows = check(before, worse, tmp_path, "0.9", "accuracy.high=0")
    assert len(rows) == 24 and all("simultaneous over 12 rows" in str(row["reason"]) for row in rows)
    code, rows = check(before, worse, tmp_path, "accuracy.high[input=hi]=0")
    assert code == 1 and "simultaneous" not in str(rows[0]["reason"])


def test_p_of_the_correlation_is_uniform_where_there_is_none() -> None:
    rng = np.random.default_rng(9)
    given = compared(records(TAX, models=("m1",), items=40, seed=6), ORIGINAL, BACK)
    found = []
    for _ in range(40):
        ratings = pl.DataFrame(
            {
                "unit": [f"q{item:03}" for item in range(40)],
                "rater": "ann",
                "question": "cue",
                "rating": rng.normal(size=40),
            }
        )
        row = rating_table(given, ratings, settings=TaxSettings(bootstrap=Bootstrap(99, 1))).rows[0]
        found.append(float(str(row["p"])))
    assert kstest(found, "uniform").pvalue > 0.01
