"""The estimators on records: simulated ones whose truth is known, ones written by hand, and ones that are broken."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.analysis.table import Table
from hesperus.analysis.tax.audit_evidence import Evidence, tax_tables
from hesperus.analysis.tax.back_translation import back_translation_table
from hesperus.analysis.tax.native_control import native_control_table
from hesperus.analysis.tax.naturalisation import NO_GAIN, naturalisation_table
from hesperus.analysis.tax.paired_records import Side, compared, quality_scores
from hesperus.analysis.tax.rating import rating_table
from hesperus.analysis.tax.tax_settings import (
    QualityThreshold,
    Senses,
    TaxSettings,
    conditions_of,
    parse_groups,
)
from hesperus.analysis.tax.validity import bounds_table, sensitive_cells, validity_table
from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap, estimate, spearman, tax_bounds, tax_statistic
from hesperus.records import records_frame
from hesperus.reports.tax.checklist import checklist_of
from hesperus.studies.translation_tax.simulator import (
    Faults,
    Planted,
    SimulatedBenchmark,
    simulate,
    simulated_benchmark,
)
from hesperus.studies.translation_tax.strata import StrataRule, read_strata, strata_of, write_strata
from hesperus.types import Record

PLANTED = Planted(
    tax={"english": 0.2}, gain={"english": 0.1}, inflation={"chinese": -0.1},
    faults=Faults(noisy=0.05, misaligned=0.05, validity={"chinese/3": 0.34}), seed=3,
)  # fmt: skip
GROUPS = {name: tuple(f"{name}/{k}" for k in (1, 2, 3)) for name in ("english", "chinese")}
SETTINGS = TaxSettings(GROUPS, Bootstrap(200, 42))
BACK = "en_from_zh"


@pytest.fixture(scope="module")
def made() -> SimulatedBenchmark:
    return simulated_benchmark(PLANTED)


@pytest.fixture(scope="module")
def records(made: SimulatedBenchmark) -> pl.DataFrame:
    return made.records.filter(pl.col("task") == "simulated")


@pytest.fixture(scope="module")
def scores(made: SimulatedBenchmark) -> pl.DataFrame:
    return quality_scores(made.scores, BACK, ["simulated"], metric="bleu")


def _row(table: Table, **wanted: object) -> dict[str, object]:
    found = [dict(row) for row in table.rows if all(row[name] == value for name, value in wanted.items())]
    assert len(found) == 1, (wanted, len(found))
    return found[0]


def test_records_give_what_the_arrays_behind_them_give(records: pl.DataFrame, scores: pl.DataFrame) -> None:
    drawn = simulate(PLANTED)
    keep = ~drawn.lost[0] & ~drawn.misaligned[0]  # what the quality threshold and gold take out together
    pairs = drawn.pairs(0, "original", "back").of_items(keep)
    given = compared(records, Side("en"), Side(BACK), scores=scores, quality=QualityThreshold())
    table = back_translation_table(given, SETTINGS)
    order = [PLANTED.models.index(model) for model in sorted(PLANTED.models)]
    for row, model in zip(order, sorted(PLANTED.models), strict=True):
        cell = _row(table, analysis="cell", model=model, statistic="tax")
        alone = estimate(tax_statistic(pairs.of_models([row])))
        assert cell["value"] == pytest.approx(alone.value) and cell["n"] == alone.n
        assert cell["n"] + cell["excluded"] == PLANTED.items  # type: ignore[operator]
    whole = _row(table, analysis="clustered", group="", statistic="tax")
    assert whole["value"] == pytest.approx(estimate(tax_statistic(pairs)).value)
    assert whole["excluded"] == int((~keep).sum())
    assert f"{int(drawn.moved[0].sum())} gold differs between the sides" in str(whole["reason"])
    robust = _row(table, analysis="without parser-sensitive models")
    assert robust["model"] == "chinese/3"
    assert robust["value"] == _row(table, analysis="without model", model="chinese/3")["value"]
    apart = _row(table, analysis="groups")
    one, two = (_row(table, analysis="clustered", group=group)["value"] for group in GROUPS)
    assert apart["value"] == pytest.approx(one - two)  # type: ignore[operator]
    low, high = (estimate(bound).value for bound in tax_bounds(pairs))
    bound = _row(
        bounds_table({"E1": compared(records, Side("en"), Side(BACK), scores=scores, quality=QualityThreshold())}, settings=SETTINGS),
        analysis="clustered", group="",
    )  # fmt: skip
    assert (bound["lowest"], bound["highest"]) == (pytest.approx(low), pytest.approx(high))


def test_two_benchmarks_are_pooled_over_items_and_also_stand_alone(records: pl.DataFrame) -> None:
    other = records.with_columns(pl.lit("second").alias("task")).filter(pl.col("model") != "english/1")
    table, alone = (
        back_translation_table(compared(of, Side("en"), Side(BACK)), SETTINGS)
        for of in (pl.concat([records, other]), records)
    )
    first = _row(table, analysis="one benchmark", task="simulated")
    assert first["value"] == _row(alone, analysis="clustered", group="")["value"]
    pooled, second = (
        _row(table, analysis="clustered", group=""),
        _row(table, analysis="one benchmark", task="second"),
    )
    assert pooled["n"] == first["n"] + second["n"]  # type: ignore[operator]
    assert not [row for row in table.rows if row["task"] == "second" and row["model"] == "english/1"]
    assert table.signature["quality"] == "none: no scores were given"


def test_native_control_says_what_it_cannot_tell(made: SimulatedBenchmark, records: pl.DataFrame) -> None:
    native = made.records.filter(pl.col("task") == "simulated-native")
    table = native_control_table(records, native, (Side("zh"), Side("zh")), settings=SETTINGS)
    sides = {name: _row(table, model="english/1", statistic=name) for name in ("translated", "native", "gap")}
    assert sides["gap"]["value"] == pytest.approx(sides["translated"]["value"] - sides["native"]["value"])  # type: ignore[operator]
    assert len(table.signature["limits"]) == 3  # type: ignore[arg-type]
    gap = _row(table, model="", group="chinese")
    assert gap["low"] <= -0.1 <= gap["high"]  # type: ignore[operator]
    with pytest.raises(DataError, match="200 items stand in both sets"):
        native_control_table(records, records, (Side("zh"), Side("en")))
    with pytest.raises(UnknownNameError, match="'fr'"):
        native_control_table(records, native, (Side("zh"), Side("fr")))


def test_strata_are_fixed_by_a_fingerprint_and_cap_every_subject(
    records: pl.DataFrame, tmp_path: Path
) -> None:
    rule = StrataRule(anchor="original", per_subject=3, sizes={"low": 5})
    picked = strata_of(records, rule, centric=GROUPS["english"], others=GROUPS["chinese"][:2])
    chosen = [item for ids in picked.items.values() for item in ids]
    assert len(set(chosen)) == len(chosen) and len(picked.items["low"]) <= 5
    subjects = records.filter(pl.col("item").is_in(chosen)).unique("item").group_by("subject").len()
    assert subjects["len"].max() == 3
    again = strata_of(records, rule, centric=GROUPS["english"], others=GROUPS["chinese"][:2])
    assert again == picked
    file = tmp_path / "strata.json"
    write_strata(picked, file)
    write_strata(picked, file)
    assert read_strata(file).document() == picked.document()
    with pytest.raises(UsageError, match="holds other strata"):
        write_strata(strata_of(records, rule, centric=GROUPS["english"]), file)
    changed = json.loads(file.read_text())
    changed["items"]["high"] = changed["items"]["high"][1:]
    file.write_text(json.dumps(changed))
    with pytest.raises(DataError, match="changed after it was written"):
        read_strata(file)
    right = simulate(PLANTED).right
    for item in picked.items["high"]:
        k = int(item[1:])
        assert right["original"][0, :3, k].all() and not right["back"][0, :3, k].all()


def test_naturalisation_by_stratum_and_by_who_passed_it(records: pl.DataFrame) -> None:
    rule = StrataRule(anchor="original", per_subject=None)
    strata = strata_of(records, rule, centric=GROUPS["english"], others=GROUPS["chinese"][:2]).items
    every = [item for ids in strata.values() for item in ids]
    passed = {"verifier": every, "ann": every[:-2], "bo": every[2:]}
    table = naturalisation_table(
        records, (Side("zh~natural"), Side("zh")), strata, passed=passed, reused=True, settings=SETTINGS
    )
    pooled = _row(table, analysis="pooled")
    assert _row(table, analysis="passed by verifier", stratum="")["value"] == pooled["value"]
    both = _row(table, analysis="passed by all raters", stratum="")
    kept = records.filter(pl.col("item").is_in(every[2:-2]))
    assert both["value"] == _row(naturalisation_table(kept, (Side("zh~natural"), Side("zh")), strata, settings=SETTINGS), analysis="pooled")["value"]  # fmt: skip
    assert "very replies" in str(table.signature["notes"])
    assert {row["stratum"] for row in table.rows if row["analysis"] == "stratum"} == set(strata)
    kept_right = records.filter(pl.col("input") != "zh").vstack(
        records.filter(pl.col("input") == "zh").with_columns(
            answer=pl.col("gold"), outcome=pl.lit("answered")
        )
    )
    full = naturalisation_table(kept_right, (Side("zh~natural"), Side("zh")), strata, settings=SETTINGS)
    assert NO_GAIN in str(full.signature["notes"]) and NO_GAIN not in str(table.signature["notes"])
    assert float(str(_row(full, analysis="pooled")["value"])) <= 0, "what is all right can only lose"
    with pytest.raises(DataError, match="no item of the strata was asked"):
        naturalisation_table(records, (Side("zh~natural"), Side("zh")), {"high": ["gone"]})


def test_rating_is_spearmans_with_ties_and_few_pairs_said(
    made: SimulatedBenchmark, records: pl.DataFrame
) -> None:
    given = compared(records, Side("en"), Side(BACK))
    table = rating_table(given, made.ratings, settings=SETTINGS)
    row = _row(table, model="chinese/3")
    assert "few to rest a correlation on" in str(row["remark"]) and row["negative"] > row["positive"]  # type: ignore[operator]
    means = made.ratings.group_by("unit").agg(pl.col("rating").mean()).sort("unit")["rating"].to_numpy()
    pairs = given.pairs.of_models([given.models.index("english/1")])
    signal = np.where(
        pairs.strict[0], pairs.first_right[0].astype(float) - pairs.second_right[0].astype(float), np.nan
    )
    english = _row(table, model="english/1")
    assert english["value"] == pytest.approx(spearman(means, signal).value)
    assert english["tied"] == int((signal == 0).sum())
    flat = made.ratings.with_columns(pl.lit(3).alias("rating"))
    undefined = _row(rating_table(given, flat, settings=SETTINGS), model="", group="")
    assert undefined["value"] is None and "all values of the ratings are the same" in str(undefined["reason"])
    with pytest.raises(DataError, match="no rated unit is an item"):
        rating_table(given, made.ratings.with_columns(pl.lit("x").alias("unit")).unique(["unit", "rater"]))
    with pytest.raises(DataError, match="rated 'cue' twice"):
        rating_table(given, pl.concat([made.ratings, made.ratings]))


def test_cells_that_hang_on_the_reader_are_named(records: pl.DataFrame) -> None:
    lenient = records.with_columns(
        pl.when((pl.col("model") == "english/2") & (pl.col("input") == "zh") & pl.col("item").is_in([f"t{k:05d}" for k in range(30)]))
        .then(pl.lit(None)).otherwise(pl.col("answer")).alias("answer")
    )  # fmt: skip
    table = validity_table({"recorded": records, "strict": lenient}, settings=SETTINGS)
    lines = sensitive_cells(table)
    assert len(lines) == 3 and lines[0].startswith("chinese/3, simulated, en_from_zh: 34.0\u00a0% readable")
    assert "english/2, simulated, zh: accuracy differs by" in lines[2]
    assert sensitive_cells(validity_table({"recorded": records.filter(pl.col("model") != "chinese/3")}, settings=SETTINGS)) == []  # fmt: skip


def test_what_is_on_one_side_only_or_moved_is_counted_and_not_compared() -> None:
    def record(model: str, item: str, sense: str, answer: str | None, gold: str | None = "A") -> Record:
        return Record(
            model, "t", item, sense[:2], sense, 1, "answered" if answer else "invalid", answer, gold
        )

    rows = [
        record(model, item, sense, "A")
        for model in ("m", "k")
        for item in "abcd"
        for sense in ("en", "en_via_de")
    ]
    rows += [
        record("m", "e", "en", "A"),
        record("m", "f", "en", "A"),
        record("m", "f", "en_via_de", "A", "B"),
    ]
    rows += [record("m", "g", "en", "B"), record("m", "g", "en_via_de", None), record("lone", "a", "en", "A")]
    settings = TaxSettings(bootstrap=Bootstrap(50))
    table = back_translation_table(compared(records_frame(rows), Side("en"), Side("en_via_de")), settings)
    cell = _row(table, analysis="cell", model="m", statistic="tax")
    assert (
        cell["reason"] == "1 asked on one side only; 1 gold differs between the sides; 1 invalid in en_via_de"
    )
    assert (cell["n"], cell["excluded"], cell["value"]) == (4, 3, 0.0)
    assert table.signature["asked on one side only"] == ["lone"]
    one = records_frame(rows).filter(pl.col("model") == "m")
    single = back_translation_table(compared(one, Side("en"), Side("en_via_de")), settings)
    assert any("one model" in str(note) for note in single.signature["notes"])  # type: ignore[attr-defined]
    assert not [row for row in single.rows if row["analysis"] == "without model"]
    with pytest.raises(DataError, match="no model has answers to both"):
        compared(records_frame([r for r in rows if (r.model == "m") == (r.input == "en")]), Side("en"), Side("en_via_de"))  # fmt: skip
    with pytest.raises(UnknownNameError, match="did you mean 'en_via_de'"):
        compared(records_frame(rows), Side("en"), Side("en_via_d"))


def test_conditions_are_found_and_doubt_is_said() -> None:
    assert conditions_of(["en", "zh", BACK, "zh~natural@m/x"]) == Senses("en", "zh", BACK, "zh~natural@m/x")
    assert conditions_of(["en", "en_via_de", "de_from_en"]) == Senses("en", None, "en_via_de", None)
    two = ["en", "zh", "en_from_zh", "en_from_zh@nllb", "zh~natural"]
    assert conditions_of(two, needed=("natural",)) == Senses("en", "zh", None, "zh~natural")
    assert conditions_of(["en", "zh", "de", "en_from_zh", "en_from_de"], needed=()) == Senses("en")
    with pytest.raises(UsageError, match="2 senses could be the back one"):
        conditions_of(["en", "zh", "de", BACK, "en_from_de"])
    assert conditions_of(["en", "zh", "de", BACK, "en_from_de"], Senses(translated="de")).back == "en_from_de"
    with pytest.raises(UnknownNameError, match="back sense"):
        conditions_of(["en", "zh"], Senses(back=BACK))


def test_settings_refuse_what_cannot_be(scores: pl.DataFrame) -> None:
    assert parse_groups(["a=x,y", "a=z", "b=w"]) == {"a": ("x", "y", "z"), "b": ("w",)}
    with pytest.raises(UsageError, match="write NAME=MODEL"):
        parse_groups(["x,y"])
    with pytest.raises(UsageError, match="stands in the groups"):
        TaxSettings({"a": ("x",), "b": ("x",)})
    with pytest.raises(UnknownNameError, match="model of the group 'a'"):
        TaxSettings({"a": ("x",)}).grouped(["y"])
    with pytest.raises(UsageError, match="between 0 and 100"):
        QualityThreshold(threshold=101)
    for frame, said in (
        (scores.drop("bleu"), "no column 'bleu'"),
        (pl.concat([scores, scores]), "two scores"),
        (scores.with_columns(bleu=pl.lit("much")), "no number"),
    ):
        with pytest.raises(DataError, match=said):
            quality_scores(frame, BACK, ["simulated"], metric="bleu")


def test_the_checklist_says_what_was_not_done(made: SimulatedBenchmark, scores: pl.DataFrame) -> None:
    senses = conditions_of(made.records["input"].unique().to_list())
    bare = checklist_of(Evidence(made.records, senses, SETTINGS, native="simulated-native"))
    status = {row["item"]: row["status"] for row in bare.table.rows}
    assert (
        status["E3 native control"] == "done"
        and status["E1 quality threshold on the back-translations"] == "not done"
    )
    assert (
        status["E4 naturalisation, same items"] == status["rewritten items checked by people"] == "not done"
    )
    strata = {"high": ["t00001", "t00002"], "low": ["t00003"]}
    evidence = Evidence(
        made.records, senses, SETTINGS, native="simulated-native", scores=scores, strata=strata, reused=True,
        passed={"verifier": ["t00001"], "ann": ["t00001"]}, checked={"verifier": ["t00001", "t00002"]},
        ratings=made.ratings, alignment={"gold_differs": 2}, dropped={},
    )  # fmt: skip
    full = checklist_of(evidence)
    found = {row["item"]: row for row in full.table.rows}
    assert (
        found["audit of ids, options and gold on every side"]["finding"]
        == "items with findings: 2 gold_differs"
    )
    assert found["rewritten items verified by another model"]["finding"] == "1 of 2 pass strictly"
    assert found["E4 naturalisation, same items"]["status"] == "done, with a warning"
    assert set(tax_tables(evidence)) == {
        "back_translation",
        "native_control",
        "naturalisation",
        "rating",
        "parsers",
        "bounds",
    }
    document = json.loads(full.write("json"))
    assert document["card"]["axes"]["Motivation"]["ticked"] == ["Practical"]
    assert len(document["checklist"]["rows"]) == len(full.table.rows)
    assert "✓ Cross language" in full.write("markdown") and full.write("latex").count(r"\bottomrule") == 2


def test_an_author_goes_through_it_in_a_terminal(made: SimulatedBenchmark, tmp_path: Path) -> None:
    """From a plain CSV of answers, as another tool would give it, to the checklist; and the messages on the way."""
    run = CliRunner().invoke
    folder = tmp_path / "planted"
    asked = [
        "--tax",
        "english=0.2",
        "--gain",
        "english=0.1",
        "--validity",
        "chinese/3=0.34",
        "--items",
        "60",
        "--native",
        "40",
    ]
    assert run(app, ["tax", "simulate", "--out", str(folder), *asked]).exit_code == 0
    table = tmp_path / "answers.csv"
    frame = pl.read_parquet(folder / "records.parquet")
    frame.select("model", "task", "item", "instruction", "input", "answer", "gold", "subject").write_csv(
        table
    )
    groups = [part for name, models in GROUPS.items() for part in ("--group", f"{name}={','.join(models)}")]
    some = [*groups, "--resamples", "100"]
    found = run(
        app, ["measure", "back_translation", str(table), "--scores", str(folder / "scores.parquet"), *some]
    )
    assert found.exit_code == 0 and "clustered" in found.output and "quality: bleu 20 or more" in found.output
    assert (
        "no quality threshold was applied"
        in run(app, ["measure", "back_translation", str(table), *some]).output
    )
    misspelt = run(
        app, ["measure", "back_translation", str(table), "--group", "english=english/1,english/22"]
    )
    assert "model of the group 'english': 'english/22'; did you mean" in str(misspelt.exception)
    strata = tmp_path / "strata.json"
    fixed = run(app, ["tax", "strata", str(table), "--out", str(strata), "--anchor", "original", *groups])
    assert fixed.exit_code == 0 and "high" in fixed.output
    four = run(
        app, ["measure", "naturalisation", str(table), "--strata", str(strata), *some, "--format", "json"]
    )
    assert json.loads(four.stdout)["measure"] == "naturalisation"
    three = run(app, ["measure", "native_control", str(table), "--native", str(folder / "native"), *some])
    assert three.exit_code == 0 and "the two sets have different items" in three.output
    rated = run(
        app,
        ["measure", "rating", str(table), "--ratings", str(folder / "ratings.csv"), *some, "--format", "csv"],
    )
    assert rated.exit_code == 0 and rated.stdout.startswith("question,group,model,statistic,value")
    valid = run(app, ["measure", "parsers", str(table), "--resamples", "100"])
    assert "parser-sensitive: chinese/3, simulated, en_from_zh" in valid.output
    assert run(app, ["measure", "bounds", str(table), *some]).exit_code == 0
    filled = run(app, ["tax", "checklist", str(table), "--strata", str(strata), "--ratings", str(folder / "ratings.csv"), *some, "--format", "markdown"])  # fmt: skip
    assert (
        filled.exit_code == 0
        and "## GenBench evaluation card" in filled.stdout
        and "(ordinal): α " in filled.stdout
    )
    for wrong, said in (
        (["measure", "naturalisation", str(table)], "naturalisation needs strata"),
        (["measure", "native_control", str(table)], "native_control needs translated items and native ones"),
        (["measure", "back_translation", str(table), "--back", "en_from_fr"], "unknown back sense"),
        (["tax", "strata", str(table), "--out", str(strata)], "need the source-centric models"),
        (
            ["measure", "back_translation", str(table), "--metric", "rouge"],
            "unknown score of the quality threshold",
        ),
        (["tax", "simulate", "--out", str(folder), "--tax", "english"], "write GROUP=LOSS"),
    ):
        result = run(app, wrong)
        assert result.exit_code != 0 and said in str(result.exception), (wrong, result.exception)
