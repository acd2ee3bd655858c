"""The tax of two runs: over the items that count in both, paired, and the same from every side."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.command_line import hesperus

import hesperus as hs
from hesperus.analysis.table import Row, Table
from hesperus.analysis.tax.audit_evidence import Evidence
from hesperus.analysis.tax.tax_comparison import compare_taxes
from hesperus.analysis.tax.tax_settings import Senses, TaxSettings
from hesperus.errors import DataError, HesperusWarning, UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.studies.translation_tax.simulator import Planted, SimulatedBenchmark, simulated_benchmark

SENSES = Senses("en", "zh", "en_from_zh", "zh~natural")
GROUPS = {"english": 2, "chinese": 1}


def _made(seed: int, tax: float) -> SimulatedBenchmark:
    return simulated_benchmark(
        Planted(items=60, native=40, groups=GROUPS, tax={"english": tax}, gain={"english": 0.1}, seed=seed)
    )


def _records(made: SimulatedBenchmark) -> pl.DataFrame:
    """Records with the gold of the first run for the same item: two runs of one benchmark."""
    gold = FIRST.records.select("task", "item", "input", "repeat", "model", other="gold")
    joined = made.records.join(gold, on=["task", "item", "input", "repeat", "model"], how="left")
    right = pl.col("answer") == pl.col("gold")
    wrong = pl.col("options").list.set_difference(pl.concat_list("other")).list.first()
    answer = pl.when(right).then(pl.col("other")).when(pl.col("answer").is_not_null()).then(wrong)
    return joined.with_columns(answer=answer, gold=pl.col("other")).drop("other")


FIRST = _made(1, 0.1)
BEFORE, AFTER = (_records(made) for made in (FIRST, _made(2, 0.4)))
ITEMS = BEFORE.filter(pl.col("task") == "simulated")["item"].unique().sort().to_list()
ESTIMATORS = {"back_translation": "tax", "native_control": "gap", "naturalisation": "effect"}


def _evidence(records: pl.DataFrame, *, high: int = 20, by: tuple[str, ...] = ()) -> Evidence:
    settings = TaxSettings(bootstrap=Bootstrap(400, 3), by=by)
    strata = {"high": ITEMS[:high], "low": ITEMS[high:45]}
    return Evidence(
        records, SENSES, settings, native="simulated-native", strata=strata, strata_task="simulated"
    )


def _compared(what: str, before: pl.DataFrame = BEFORE, after: pl.DataFrame = AFTER) -> Table:
    return compare_taxes((_evidence(before), _evidence(after)), what)


def _numbers(table: Table) -> dict[tuple[object, ...], Row]:
    return {
        (row["model_a"], row.get("stratum"), row.get("task"), row.get("subject")): row for row in table.rows
    }


def _valid(records: pl.DataFrame, sense: str, task: str) -> dict[tuple[str, str], bool]:
    """Whether each answer that can be read is right, by model and item."""
    rows = records.filter((pl.col("input") == sense) & (pl.col("task") == task) & (pl.col("repeat") == 1))
    return {
        (row["model"], row["item"]): row["answer"] == row["gold"]
        for row in rows.to_dicts()
        if row["outcome"] == "answered"
    }


def _holed(records: pl.DataFrame, start: int) -> pl.DataFrame:
    """Records of which every ninth reply holds no answer, beginning at one of them."""
    hole = (pl.int_range(pl.len()) % 9 == start) & (pl.col("task") == "simulated")
    return records.with_columns(
        outcome=pl.when(hole).then(pl.lit("invalid")).otherwise("outcome"),
        answer=pl.when(~hole).then(pl.col("answer")),
    )


@pytest.mark.parametrize("what", ESTIMATORS)
def test_a_difference_is_what_counting_gives(what: str) -> None:
    """Recomputed from the rows, with no code of the project."""
    runs = (_holed(BEFORE, 1), _holed(AFTER, 4))
    sides = {
        "back_translation": (("en", "simulated"), ("en_from_zh", "simulated")),
        "naturalisation": (("zh~natural", "simulated"), ("zh", "simulated")),
        "native_control": (("zh", "simulated"), ("zh", "simulated-native")),
    }[what]
    held = [[_valid(run, *side) for side in sides] for run in runs]
    for (model, stratum, *_), row in _numbers(_compared(what, *runs)).items():
        wanted = {"high": ITEMS[:20], "low": ITEMS[20:45], "": ITEMS[:45]}.get(str(stratum))

        def kept(place: tuple[str, str], model: object = model, wanted: object = wanted) -> bool:
            return model in ("", place[0]) and (wanted is None or place[1] in wanted)  # type: ignore[operator]

        if what == "native_control":
            sets = [set(filter(kept, held[0][side].keys() & held[1][side].keys())) for side in (0, 1)]
        else:
            shared = held[0][0].keys() & held[0][1].keys() & held[1][0].keys() & held[1][1].keys()
            sets = [set(filter(kept, shared))] * 2
        means = [
            [sum(held[run][side][place] for place in sets[side]) / len(sets[side]) for side in (0, 1)]
            for run in (0, 1)
        ]
        before, after = (first - second for first, second in means)
        assert row["statistic"] == ESTIMATORS[what]
        assert (row["value_a"], row["value_b"]) == (pytest.approx(before), pytest.approx(after))
        assert row["value"] == pytest.approx(after - before)
        assert row["n"] == min(len({item for _, item in own}) for own in sets)
        assert row["low"] < row["value"] < row["high"] and 0 < row["p"] <= row["p_holm"] <= 1
        reach = (row["high"] - row["low"]) / 2
        assert 0.8 < row["detectable"] / (reach * 2.8016 / 1.96) < 1.5, "near where the normal test has it"


@pytest.mark.parametrize("what", ESTIMATORS)
def test_a_comparison_the_other_way_round_has_the_other_sign(what: str) -> None:
    there, back = _numbers(_compared(what)), _numbers(_compared(what, AFTER, BEFORE))
    assert there.keys() == back.keys()
    for place, row in there.items():
        other = back[place]
        assert row["value"] == pytest.approx(-other["value"]) and row["n"] == other["n"]
        assert row["p"] == pytest.approx(other["p"], abs=0.05)
        assert (row["low"], row["high"]) == (pytest.approx(-other["high"], abs=0.05), pytest.approx(-other["low"], abs=0.05))  # fmt: skip


@pytest.mark.parametrize("what", ESTIMATORS)
def test_a_run_does_not_differ_from_itself(what: str) -> None:
    for row in _compared(what, BEFORE, BEFORE).rows:
        assert (row["value"], row["p"]) == (0.0, 1.0) and row["value_a"] == row["value_b"]
        assert row["low"] < 0 < row["high"], "items that other samples would show may still differ"


@pytest.mark.parametrize("what", ESTIMATORS)
def test_the_order_of_records_changes_nothing(what: str) -> None:
    shuffled = AFTER.sample(fraction=1.0, shuffle=True, seed=9)
    assert _compared(what, BEFORE, shuffled).rows == _compared(what).rows


def test_items_of_one_run_alone_are_counted_and_said() -> None:
    fewer = AFTER.filter(~pl.col("item").is_in(ITEMS[:7]))
    row = _numbers(_compared("back_translation", BEFORE, fewer))["", None, "simulated", None]
    assert (row["n"], row["excluded"]) == (53, 7) and "7 that only one of the runs has" in row["reason"]
    one = replace(_evidence(BEFORE), strata={"high": ITEMS[:20]})
    other = replace(_evidence(AFTER), strata={"high": ITEMS[10:30]})
    rows = _numbers(compare_taxes((one, other), "naturalisation"))
    assert rows["", "high", None, None]["n"] == 10
    assert rows["", "", None, None]["excluded"] == 20


def test_runs_without_a_shared_item_or_model_are_refused() -> None:
    with pytest.raises(DataError, match="share no item"):
        _compared("back_translation", BEFORE, AFTER.with_columns(item=pl.col("item") + "x"))
    with pytest.raises(DataError, match="share no model"):
        _compared("back_translation", BEFORE, AFTER.with_columns(model=pl.col("model") + "x"))
    with pytest.raises(UnknownNameError, match="unknown model: 'nobody'"):
        compare_taxes((_evidence(BEFORE), _evidence(AFTER)), "native_control", models=("nobody", "english/1"))


@pytest.mark.parametrize("what", ESTIMATORS)
def test_two_models_of_one_run_and_groups_of_items(what: str) -> None:
    number = pl.col("item").str.extract(r"(\d+)$").cast(pl.Int64) % 2
    runs = [run.with_columns(subject=pl.format("subject {}", number)) for run in (BEFORE, AFTER)]
    named = ("english/1", "chinese/1")
    found = compare_taxes((_evidence(runs[0], by=("subject",)), _evidence(runs[1], by=("subject",))), what, models=named)  # fmt: skip
    assert {row["subject"] for row in found.rows} == {"subject 0", "subject 1"}
    for row in found.rows:
        assert (row["model_a"], row["model_b"]) == named
        parts = [run.filter(pl.col("subject") == row["subject"]) for run in runs]
        alone = compare_taxes((_evidence(parts[0]), _evidence(parts[1])), what, models=named)
        own = next(one for one in alone.rows if one.get("stratum") == row.get("stratum"))
        assert [row[name] for name in ("value", "low", "high", "n")] == [own[name] for name in ("value", "low", "high", "n")]  # fmt: skip
    moved = runs[1].with_columns(subject=pl.lit("subject 0"))
    with pytest.raises(DataError, match=r"is in the group|has several values of 'subject'"):
        compare_taxes((_evidence(runs[0], by=("subject",)), _evidence(moved, by=("subject",))), what)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("audits")
    for name, records in (("before", BEFORE), ("after", AFTER)):
        records.filter(pl.col("task") == "simulated").write_parquet(place / f"{name}.parquet")
    return place / "before.parquet", place / "after.parquet"


def test_it_is_the_same_from_python_and_the_command(folders: tuple[Path, Path]) -> None:
    found = hs.compare(*folders, "back_translation", resamples=300)
    done = hesperus("compare", *folders, "back_translation", "--resamples", 300, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split(",")[3:5] == ["tax", repr(found.rows[0]["value_a"])]
    shown = hesperus("compare", *folders, "back_translation", "--resamples", 300)
    assert "of 4 differences are significant" in shown.stdout.splitlines()[0] and "all models" in shown.stdout
    assert "back_translation|resamples:300|" in str(found.signature["short"])


def test_what_a_comparison_of_audits_does_not_take_is_refused(folders: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="--exact is about McNemar"):
        hs.compare(*folders, "naturalisation", exact=True)
    with pytest.raises(UsageError, match="--back is for audits"):
        hs.compare(*folders, "accuracy", back="en_from_zh")
    with pytest.raises(UsageError, match="takes no invalid"):
        hs.compare(*folders, "back_translation", invalid="drop")
    with pytest.raises(UsageError, match="naturalisation needs strata"):
        hs.compare(*folders, "naturalisation")
    with pytest.raises(UnknownNameError, match="unknown comparison: 'rating'"):
        hs.compare(*folders, "rating")


def test_audits_of_different_senses_are_compared_and_it_is_said(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    other = pl.read_parquet(folders[1]).with_columns(pl.col("input").replace("en_from_zh", "en_from_zh@nllb"))
    other.write_parquet(tmp_path / "nllb.parquet")
    with pytest.warns(HesperusWarning, match="different senses"):
        found = hs.compare(folders[0], tmp_path / "nllb.parquet", "back_translation", resamples=0)
    assert found.rows[0]["p"] is None and "no resamples" in found.rows[0]["reason"]


def _checked(
    runs: tuple[Path, Path], drop: str, ends: int, *more: object
) -> tuple[list[dict[str, object]], str]:
    words = ("check", runs[1], "--baseline", runs[0], "--max-drop", drop, "--resamples", 300, *more)
    done = hesperus(*words, "--format", "json")
    assert done.returncode == ends, (done.stdout, done.stderr)
    return (json.loads(done.stdout)["rows"] if done.stdout else []), done.stderr


def test_a_check_limits_how_far_a_tax_rises(folders: tuple[Path, Path]) -> None:
    rows = hs.compare(*folders, "back_translation", resamples=300).rows
    most = max(float(str(row["value"])) for row in rows)
    assert most > 0.1, "the second run has the larger tax"
    held, _ = _checked(folders, f"back_translation={most}", 0)
    assert [row["value"] for row in held] == [row["value"] for row in rows]
    failed, _ = _checked(folders, f"back_translation={most - 0.01}", 1)
    assert [row["passed"] for row in failed].count(False) == 1
    back = (folders[1], folders[0])
    _checked(back, "back_translation=0", 0, "--model", "english/1")
    certain, _ = _checked(folders, "back_translation.low=0", 1)
    assert {row["passed"] for row in certain} == {True, False}, "English models alone have a larger tax"
    assert all("simultaneous over 4 rows" in str(row["reason"]) for row in certain)
    _checked(back, "back_translation.low=0", 0)
    one, _ = _checked(folders, "back_translation.tax=1", 2)
    assert one == [], "a comparison of taxes has one statistic"


def test_a_check_takes_chosen_models_and_other_drops_beside(folders: tuple[Path, Path]) -> None:
    alone, _ = _checked(folders, "back_translation=1", 0, "--model", "chinese/1", "--max-drop", "accuracy=1")
    whose = {str(row["requirement"]): row["model"] for row in alone}
    assert whose == {"max-drop back_translation=1": "chinese/1", "max-drop accuracy=1": "chinese/1"}
