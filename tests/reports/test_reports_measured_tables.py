"""The tables of measures on a small made-up design: rows, groups, missing cells, refusals, signatures."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

from hesperus.analysis.agreement import agreement_table
from hesperus.analysis.compared import compare_table
from hesperus.analysis.measure_names import MEASURES
from hesperus.analysis.paired import consistency_table, decomposition_table, directions_table
from hesperus.analysis.registry import measure_table
from hesperus.analysis.scores import check_scores, read_scores, translation_table
from hesperus.analysis.settings import GivenSettings, MeasureSettings
from hesperus.analysis.single import accuracy_table, labels_table, outcomes_table, validity_table
from hesperus.analysis.table import Table, table
from hesperus.analysis.views import narrowed
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import MANY_CLASSES, Bootstrap
from hesperus.records import Selection, conform

QUICK = Bootstrap(resamples=200)
SENSES = ("en/en", "de_from_en/de_from_en", "de_from_en/en", "en/de_from_en")


def _records(
    *,
    models: tuple[str, ...] = ("m1",),
    senses: tuple[str, ...] = SENSES,
    items: int = 40,
    repeats: int = 2,
    seed: int = 0,
) -> pl.DataFrame:
    """Answers of models that err more in made senses; a tenth unreadable; two subjects."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, items)
    rows = []
    for model in models:
        for sense in senses:
            instruction, given = sense.split("/")
            for repeat in range(1, 1 + (repeats if sense == "en/en" else 1)):
                right = rng.random(items) < (0.8 if sense == "en/en" else 0.6)
                answer = np.where(right, gold, rng.integers(0, 3, items))
                answer = np.where(rng.random(items) < 0.1, -1, answer)
                for item in range(items):
                    label = None if answer[item] < 0 else "ABC"[answer[item]]
                    rows.append(
                        (model, "quiz", f"q{item:03}", instruction, given, repeat, label,
                         "ABC"[gold[item]], "law" if item % 2 else "art")
                    )  # fmt: skip
    names = ("model", "task", "item", "instruction", "input", "repeat", "answer", "gold", "subject")
    return conform(pl.DataFrame(rows, schema=names, orient="row"))


@pytest.fixture(scope="module")
def records() -> pl.DataFrame:
    return _records(models=("m1", "m2"))


def _named(found: Table, **cells: object) -> list[dict[str, object]]:
    return [dict(row) for row in found.rows if all(row[name] == value for name, value in cells.items())]


def test_consistency_rows_are_those_of_the_contract(records: pl.DataFrame) -> None:
    found = consistency_table(records, MeasureSettings(bootstrap=QUICK))
    assert found.columns == (
        "model", "task", "a", "b", "statistic", "value", "low", "high", "n", "excluded", "reason",
    )  # fmt: skip
    assert [tuple(row) for row in found.rows] == [found.columns] * len(found.rows)
    pairs = list(dict.fromkeys((row["a"], row["b"]) for row in _named(found, model="m1")))
    assert pairs == [
        ("instruction=en,input=en,repeat=1", "instruction=en,input=en,repeat=2"),
        ("instruction=en,input=en", "instruction=de_from_en,input=de_from_en"),
        ("instruction=en,input=en", "instruction=de_from_en,input=en"),
        ("instruction=en,input=en", "instruction=en,input=de_from_en"),
    ]
    assert len(found.rows) == 2 * 4 * 5
    for row in found.rows:
        assert row["low"] <= row["value"] <= row["high"]  # type: ignore[operator]
    document = json.loads(json.dumps(found.document()))
    assert (
        set(document) == {"measure", "rows", "intervals", "signature"}
        and document["measure"] == "consistency"
    )
    assert list(document["rows"][0]) == list(found.columns)


def test_the_value_is_what_a_plain_join_gives(records: pl.DataFrame) -> None:
    senses = [
        records.filter(model="m2", instruction=sense, input=sense, repeat=1).select("item", "answer")
        for sense in ("en", "de_from_en")
    ]
    joined = senses[0].join(senses[1], on="item")
    both = joined.select((pl.col("answer") == pl.col("answer_right")).fill_null(False).mean()).item()
    either = joined.select(pl.col("answer").eq_missing(pl.col("answer_right")).mean()).item()
    for rule, value in (("disagree", both), ("agree", either)):
        found = consistency_table(
            records,
            MeasureSettings(
                a=Selection.parse("en"), b=Selection.parse("de_from_en"), invalid=rule, bootstrap=QUICK
            ),
        )
        assert _named(found, model="m2", statistic="consistency")[0]["value"] == value


def test_the_range_over_the_rules_holds_every_rule(records: pl.DataFrame) -> None:
    values = []
    for rule in ("disagree", "agree", "drop"):
        found = consistency_table(
            records,
            MeasureSettings(
                a=Selection.parse("en"), b=Selection.parse("de_from_en"), invalid=rule, bootstrap=QUICK
            ),
        )
        row = {r["statistic"]: r["value"] for r in _named(found, model="m1")}
        values.append(row["consistency"])
    assert (row["consistency_min"], row["consistency_max"]) == (min(values), max(values))


def test_signatures_hold_every_setting(records: pl.DataFrame) -> None:
    settings = {
        "a": Selection.parse("en"),
        "b": Selection.parse("de_from_en"),
        "by": ("subject",),
        "invalid": "agree",
        "bootstrap": Bootstrap(50, 3),
    }
    signed = consistency_table(records, MeasureSettings(**settings)).signature  # type: ignore[arg-type]
    for name, value in (
        ("a", Selection.parse("instruction=en,input=en,repeat=2")),
        ("b", Selection.parse("instruction=en,input=de_from_en")),
        ("by", ()),
        ("invalid", "drop"),
        ("bootstrap", Bootstrap(50, 4)),
        ("bootstrap", Bootstrap(51, 3)),
        ("bootstrap", Bootstrap(50, 3, 0.9)),
    ):
        changed = consistency_table(records, MeasureSettings(**{**settings, name: value})).signature  # type: ignore[arg-type]
        assert changed != signed, name
    assert signed["hesperus"]


def test_groups_are_measured_by_themselves(records: pl.DataFrame) -> None:
    found = accuracy_table(records, MeasureSettings(by=("subject",), bootstrap=QUICK))
    assert found.columns[:7] == ("model", "task", "subject", "instruction", "input", "repeat", "statistic")
    assert {row["n"] for row in found.rows} == {20}
    assert {row["subject"] for row in found.rows} == {"art", "law"}
    alone = accuracy_table(records.filter(pl.col("subject") == "law"), MeasureSettings(bootstrap=QUICK))
    law = [row["value"] for row in found.rows if row["subject"] == "law"]
    assert law == [row["value"] for row in alone.rows]
    by_date = records.with_columns(day=pl.date(2024, 1, 1), empty=pl.lit(None, dtype=pl.Float64))
    days = accuracy_table(by_date, MeasureSettings(by=("day", "empty"), bootstrap=QUICK)).rows
    assert {(row["day"], row["empty"]) for row in days} == {("2024-01-01", None)}


def test_a_cell_that_one_model_lacks_is_a_row_that_says_so(records: pl.DataFrame) -> None:
    lacking = records.filter((pl.col("model") == "m1") | (pl.col("input") == "en"))
    found = consistency_table(
        lacking, MeasureSettings(a=Selection.parse("en"), b=Selection.parse("de_from_en"), bootstrap=QUICK)
    )
    row = _named(found, model="m2", statistic="consistency")[0]
    assert (row["value"], row["n"], row["excluded"]) == (None, 0, 40)
    assert row["reason"] == "no item counts on both sides; 40 items asked on one side only"
    only = consistency_table(
        lacking,
        MeasureSettings(
            a=Selection.parse("instruction=en,input=en,model=m1"),
            b=Selection.parse("instruction=de_from_en,input=en"),
            bootstrap=QUICK,
        ),
    )
    assert {row["model"] for row in only.rows} == {"m1"}


def test_a_source_alone_is_compared_with_everything_else(records: pl.DataFrame) -> None:
    found = consistency_table(
        records, MeasureSettings(a=Selection.parse("instruction=en,input=en"), bootstrap=QUICK)
    )
    others = {row["b"] for row in found.rows}
    assert others == {
        "instruction=en,input=en,repeat=2",
        "instruction=de_from_en,input=de_from_en",
        "instruction=de_from_en,input=en",
        "instruction=en,input=de_from_en",
    }


def test_bad_choices_are_refused(records: pl.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="unknown instruction sense: 'fr'.*known: de_from_en, en"):
        consistency_table(records, MeasureSettings(a=Selection.parse("en"), b=Selection.parse("fr")))
    with pytest.raises(UsageError, match="give a as well"):
        consistency_table(records, MeasureSettings(b=Selection.parse("en")))
    with pytest.raises(UsageError, match="`measure agreement` compares models"):
        consistency_table(
            records,
            MeasureSettings(
                a=Selection.parse("instruction=en,input=en,model=m1"),
                b=Selection.parse("instruction=en,input=en,model=m2"),
            ),
        )
    with pytest.raises(UsageError, match="unknown rule for invalid answers: 'skip'"):
        consistency_table(records, MeasureSettings(invalid="skip"))  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown column: 'subjekt'; did you mean 'subject'"):
        accuracy_table(records, MeasureSettings(by=("subjekt",)))
    with pytest.raises(UsageError, match="every row says its input anyway"):
        accuracy_table(records, MeasureSettings(by=("input",)))
    with pytest.raises(DataError, match="the table has no records"):
        accuracy_table(records.clear())
    with pytest.raises(UnknownNameError, match="unknown measure: 'acuracy'; did you mean 'accuracy'"):
        measure_table("acuracy", records)
    with pytest.raises(UsageError, match="accuracy takes no pair of cells"):
        measure_table("accuracy", records, GivenSettings.of(a="en"))
    with pytest.raises(UnknownNameError, match="unknown model: 'm3'"):
        narrowed(records, models=["m3"])
    with pytest.raises(UnknownNameError, match="unknown task: 'quizz'; did you mean 'quiz'"):
        narrowed(records, tasks=["quizz"])
    assert narrowed(records, models=["m2"], tasks=["quiz"])["model"].unique().to_list() == ["m2"]


def _selection(code: str) -> object:
    from hesperus.records import Selection

    return Selection.parse(code)


def test_single_cells_shares_and_outcomes_add_up(records: pl.DataFrame) -> None:
    shares = labels_table(records, MeasureSettings(bootstrap=QUICK))
    valid = validity_table(records, MeasureSettings(bootstrap=QUICK))
    outcomes = outcomes_table(records, MeasureSettings(bootstrap=QUICK))
    for row in valid.rows:
        cell = {name: row[name] for name in ("model", "instruction", "input", "repeat")}
        summed = sum(r["value"] for r in _named(shares, **cell, statistic="share"))  # type: ignore[misc]
        assert summed == pytest.approx(row["value"])
        assert sum(r["value"] for r in _named(shares, **cell, statistic="gold_share")) == pytest.approx(1.0)  # type: ignore[misc]
        kinds = {r["statistic"]: r["value"] for r in _named(outcomes, **cell)}
        assert kinds["answered"] == row["value"] and kinds["answered"] + kinds["empty"] == pytest.approx(1.0)  # type: ignore[operator]
        assert kinds["refused"] == 0.0


def test_directions_name_labels_and_unreadable_answers(records: pl.DataFrame) -> None:
    found = directions_table(
        records,
        MeasureSettings(
            a=Selection.parse("en"), b=Selection.parse("de_from_en"), invalid="agree", bootstrap=QUICK
        ),
    )
    rows = _named(found, model="m1")
    assert sum(row["value"] for row in rows) == pytest.approx(1.0)  # type: ignore[misc]
    assert {row["from"] for row in rows} == {"A", "B", "C", "invalid"}
    assert found.columns[2:7] == ("a", "b", "from", "to", "statistic")


def test_the_split_of_inconsistency_needs_all_four_cells(records: pl.DataFrame) -> None:
    found = decomposition_table(records, MeasureSettings(bootstrap=QUICK))
    values = {row["statistic"]: row["value"] for row in _named(found, model="m1")}
    parts = values["noise"] + values["instruction"] + values["input"] + values["interaction"]  # type: ignore[operator]
    assert parts == pytest.approx(values["total"])
    assert (
        decomposition_table(records.filter(pl.col("input") == "en"), MeasureSettings(bootstrap=QUICK)).rows
        == ()
    )


def test_agreement_of_all_pairs_within_and_between_models(records: pl.DataFrame) -> None:
    found = agreement_table(records, MeasureSettings(bootstrap=QUICK))
    assert found.columns[:6] == ("model_a", "model_b", "task", "a", "b", "statistic")
    assert len(found.rows) == 5 * (10 * 9 // 2)
    between = agreement_table(
        records, MeasureSettings(a=Selection.parse("en"), b=Selection.parse("en"), bootstrap=QUICK)
    )
    assert {(row["model_a"], row["model_b"]) for row in between.rows} == {("m1", "m2")}
    within = agreement_table(
        records, MeasureSettings(a=Selection.parse("en"), b=Selection.parse("de_from_en"), bootstrap=QUICK)
    )
    assert {(row["model_a"], row["model_b"]) for row in within.rows} == {("m1", "m1"), ("m2", "m2")}
    again = agreement_table(
        records,
        MeasureSettings(
            a=Selection.parse("en"), b=Selection.parse("instruction=en,input=en,repeat=2"), bootstrap=QUICK
        ),
    )
    assert {(row["model_a"], row["model_b"]) for row in again.rows} == {("m1", "m1"), ("m2", "m2")}
    across = agreement_table(
        records,
        MeasureSettings(
            a=Selection.parse("instruction=en,input=en,model=m2"),
            b=Selection.parse("instruction=de_from_en,input=en,model=m1"),
            bootstrap=QUICK,
        ),
    )
    assert {(row["model_a"], row["model_b"]) for row in across.rows} == {("m2", "m1")}
    one = agreement_table(
        records, MeasureSettings(a=Selection.parse("instruction=en,input=en,model=m1"), bootstrap=QUICK)
    )
    assert len(one.rows) == 5 * 9
    consistent = consistency_table(
        records, MeasureSettings(a=Selection.parse("en"), b=Selection.parse("de_from_en"), bootstrap=QUICK)
    )
    assert (
        _named(within, statistic="raw", model_a="m1")[0]["value"]
        == (_named(consistent, statistic="consistency", model="m1")[0]["value"])
    )
    with pytest.raises(UnknownNameError, match="unknown model: 'm9'"):
        agreement_table(records, MeasureSettings(a=Selection.parse("instruction=en,input=en,model=m9")))


def test_agreement_leaves_out_items_whose_gold_differs(records: pl.DataFrame) -> None:
    turned = records.with_columns(
        gold=pl.when((pl.col("input") == "de_from_en") & (pl.col("item") < "q003"))
        .then(pl.lit("Z"))
        .otherwise("gold")
    )
    rows = agreement_table(
        turned,
        MeasureSettings(
            a=Selection.parse("en"), b=Selection.parse("instruction=de_from_en,input=en"), bootstrap=QUICK
        ),
    ).rows
    assert {(row["n"], row["excluded"], row["reason"]) for row in rows} == {
        (37, 3, "3 whose gold differs between senses")
    }


def test_agreement_takes_probabilities_where_both_runs_have_them() -> None:
    rng = np.random.default_rng(1)
    records = _records(models=("m1", "m2"), senses=("en/en",), repeats=1)
    probs = rng.dirichlet(np.ones(3), records.height)
    scored = conform(
        records.with_columns(
            options=pl.lit(["A", "B", "C"]),
            probs=pl.Series(
                [p.tolist() if m == "m1" else None for p, m in zip(probs, records["model"], strict=True)]
            ),
        )
    )
    assert "kappa_p_soft" not in {
        row["statistic"] for row in agreement_table(scored, MeasureSettings(bootstrap=QUICK)).rows
    }
    both = conform(scored.with_columns(probs=pl.Series(probs.tolist())))
    statistics = {row["statistic"] for row in agreement_table(both, MeasureSettings(bootstrap=QUICK)).rows}
    assert {"kappa_p", "kappa_p_soft", "rank_consistency"} <= statistics


def test_pairs_with_and_without_probabilities_have_their_own_estimates() -> None:
    rng = np.random.default_rng(2)
    bare = _records(models=("m1", "m2", "m3"), senses=("en/en", "de/de"), repeats=1)
    probs = rng.dirichlet(np.ones(3), bare.height)
    of = bare["model"].is_in(["m1", "m3"])
    scored = conform(
        bare.with_columns(
            options=pl.lit(["A", "B", "C"]),
            probs=pl.Series([p.tolist() if has else None for p, has in zip(probs, of, strict=True)]),
        )
    )
    whole = agreement_table(scored, MeasureSettings(bootstrap=QUICK))
    counts = Counter((row["model_a"], row["model_b"]) for row in whole.rows)
    assert {pair: count % 7 for pair, count in counts.items() if "m2" not in pair} == dict.fromkeys(
        [("m1", "m1"), ("m1", "m3"), ("m3", "m3")], 0
    )
    assert all(count % 5 == 0 for pair, count in counts.items() if "m2" in pair)
    alone = agreement_table(scored.filter(pl.col("model") != "m2"), MeasureSettings(bootstrap=QUICK))
    assert [row for row in whole.rows if "m2" not in (row["model_a"], row["model_b"])] == list(alone.rows)
    assert len(whole.frame()) == len(whole.rows) and whole.rows[3:5] == [whole.rows[3], whole.rows[4]]


def test_comparing_two_runs_pairs_items_and_corrects_for_number() -> None:
    first = _records(models=("old",), items=300)
    second = _records(models=("new",), items=320)
    better = second.with_columns(answer=pl.when(pl.col("input") == "en").then("gold").otherwise("answer"))
    found = compare_table(
        (first, conform(better.drop("outcome"))), "accuracy", settings=MeasureSettings(bootstrap=QUICK)
    )
    assert [row["instruction"] for row in found.rows] == ["de_from_en", "de_from_en", "en", "en", "en"]
    for row in found.rows:
        assert row["n"] == 300 and row["excluded"] == 20
        assert row["reason"] == "20 items that only one of the runs has"
        assert row["value"] == pytest.approx(row["value_b"] - row["value_a"])  # type: ignore[operator]
        assert row["p"] <= row["p_holm"] <= 1.0  # type: ignore[operator]
        if row["input"] == "en":
            assert row["low"] > 0 and row["p_holm"] < 1e-6 and row["value"] > row["detectable"]  # type: ignore[operator]
    consistent = compare_table(
        (first, first), settings=MeasureSettings(bootstrap=QUICK), models=("old", "old")
    )
    assert {(row["value"], row["p"]) for row in consistent.rows} == {(0.0, 1.0)}
    assert consistent.columns[3:5] == ("a", "b")
    valid = compare_table(
        (first, second), "validity", settings=MeasureSettings(by=("subject",), bootstrap=QUICK)
    )
    assert len(valid.rows) == 10


def test_runs_that_cannot_be_compared_are_refused(records: pl.DataFrame) -> None:
    other = _records(models=("m3",))
    with pytest.raises(
        DataError, match=r"share no model \(m1, m2 and m3\); name one of each side with --model-a"
    ):
        compare_table((records, other))
    with pytest.raises(UnknownNameError, match="unknown model: 'm4'"):
        compare_table((records, other), models=("m1", "m4"))
    with pytest.raises(UnknownNameError, match="unknown comparison: 'agreement'"):
        compare_table((records, records), "agreement")
    with pytest.raises(
        DataError, match="share no task: the first has .*, the second other; both need the same names"
    ):
        compare_table((other, other.with_columns(task=pl.lit("other"))), "accuracy")
    renamed = other.with_columns(item=pl.col("item") + "x")
    undefined = compare_table((other, renamed), "accuracy", settings=MeasureSettings(bootstrap=QUICK))
    assert {row["value"] for row in undefined.rows} == {None}
    assert {row["p_holm"] for row in undefined.rows} == {None}


def test_scores_of_translations_are_joined_by_sense_and_item(records: pl.DataFrame, tmp_path: object) -> None:
    from pathlib import Path

    rng = np.random.default_rng(2)
    items = records["item"].unique().sort()
    scores = pl.DataFrame({"sense": "de_from_en", "item": items, "bleu": rng.random(len(items)) * 100})
    found = translation_table(records, scores[:30], MeasureSettings(threshold=40, bootstrap=QUICK))
    row = {r["statistic"]: r for r in _named(found, model="m1")}
    assert set(row) == {
        "mean", "correlation", "correlation_correct", "consistency", "consistency_above", "share_above",
    }  # fmt: skip
    assert row["mean"]["value"] == pytest.approx(scores["bleu"][:30].mean())
    assert row["correlation"]["n"] == 30 and row["correlation"]["reason"] == "10 without a score"
    above = int((scores["bleu"][:30] > 40).sum())
    assert row["consistency_above"]["n"] == above and row["share_above"]["value"] == above / 40
    assert found.signature["MeasureSettings"]["threshold"] == 40.0  # type: ignore[index, call-overload]
    folder = Path(str(tmp_path))
    for name, write in (
        ("s.parquet", scores.write_parquet),
        ("s.csv", scores.write_csv),
        ("s.jsonl", scores.write_ndjson),
    ):
        write(folder / name)
        assert read_scores(folder / name)["bleu"].to_list() == pytest.approx(scores["bleu"].to_list())
    (folder / "bad.parquet").write_bytes(b"no")
    with pytest.raises(DataError, match=r"bad\.parquet: cannot be read"):
        read_scores(folder / "bad.parquet")
    with pytest.raises(UsageError, match=r"absent\.csv: no such file of scores"):
        read_scores(folder / "absent.csv")
    with pytest.raises(DataError, match="scores need the columns sense and item; no sense"):
        check_scores(scores.drop("sense"))
    with pytest.raises(DataError, match="no column of numbers"):
        check_scores(scores.drop("bleu"))
    with pytest.raises(DataError, match="line 1: more than one score for sense=de_from_en, item=q000"):
        check_scores(pl.concat([scores, scores]))
    with pytest.raises(DataError, match="no score belongs to a made input"):
        translation_table(records, scores.with_columns(sense=pl.lit("zh_from_en")))


def test_every_measure_of_the_registry_gives_a_table(records: pl.DataFrame) -> None:
    for what in MEASURES:
        found = measure_table(what, records, GivenSettings(resamples=QUICK.resamples, by=("subject",)))
        assert found.measure == what and found.rows and "subject" in found.columns


def test_a_printed_table_shows_value_interval_and_reason(records: pl.DataFrame) -> None:
    found = measure_table("accuracy", records, GivenSettings(resamples=QUICK.resamples))
    shown = repr(found)
    assert all(name in shown for name in found.columns), "no column is cut for the width of a terminal"


def test_tables_refuse_rows_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="row 1 of table 'x' does not fit its columns: b, c"):
        table("x", ("a", "b"), rows=[{"a": 1, "b": 2}, {"a": 1, "c": 2}], signature={})
    small = table("x", ("a",), rows=[{"a": 1}, {"a": 2}], signature={})
    assert [row["a"] for row in small.only("a", [2]).rows] == [2]
    with pytest.raises(UnknownNameError, match="unknown column of x: 'b'"):
        small.only("b", [1])
    with pytest.raises(UnknownNameError, match="unknown a of x: '3'"):
        small.only("a", [3])


def test_labels_of_free_answers_are_those_that_a_cell_has() -> None:
    rows = [
        {"model": "m", "task": "t", "item": str(number), "instruction": sense, "input": sense, "answer": f"{sense} {number}",
         "gold": f"en {number}"}
        for number in range(MANY_CLASSES) for sense in ("en", "de")
    ]  # fmt: skip
    found = labels_table(conform(pl.DataFrame(rows)), MeasureSettings(bootstrap=Bootstrap(0)))
    english = {str(row["label"]) for row in found.rows if row["input"] == "en"}
    assert english == {f"en {number}" for number in range(MANY_CLASSES)}
    german = [
        row for row in found.rows if row["input"] == "de" and row["statistic"] == "share" and row["value"]
    ]
    assert {str(row["label"]) for row in german} == {f"de {number}" for number in range(MANY_CLASSES)}
