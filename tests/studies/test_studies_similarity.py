"""The similarity study from answers that are there already: designs, means, tests, relations, in a simulated world."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hesperus.analysis.compared import compare_table
from hesperus.analysis.measure_names import SIMILARITY
from hesperus.analysis.registry import measure_table
from hesperus.analysis.run_kinds import Described, described
from hesperus.analysis.settings import GivenSettings, MeasureSettings
from hesperus.analysis.similarity import run_arrays
from hesperus.analysis.similarity.all_pairs import similarity_tables
from hesperus.analysis.similarity.run_arrays import RecordStream
from hesperus.analysis.similarity.similarity_settings import (
    Covariate,
    SimilaritySettings,
    columns_of,
    groups_of,
    settings_of,
)
from hesperus.analysis.table import Table
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap, agreement_statistics, estimate, kappa_p_statistic
from hesperus.records import conform, read_run, write_records
from hesperus.studies.asked.stages import default_folder, run_study
from hesperus.studies.similarity.grouping import grouping
from hesperus.studies.similarity.similarity_study import SimilarityStudy

MODELS = ("a/small", "a/large", "b/small", "b/large")
LANGUAGES = ("en", "de", "sw")
SIZES = {"a/small": 1e9, "a/large": 8e9, "b/small": 2e9, "b/large": 7e9}
FAMILIES = {model: model[0] for model in MODELS}
SUBJECTS = ("college_physics", "astronomy", "sociology", "jurisprudence")
ITEMS = 120
QUICK = SimilaritySettings(sizes=SIZES, families=FAMILIES, bootstrap=Bootstrap(100), permutations=99)


def _world(seed: int = 0) -> pl.DataFrame:
    """Models that know more the larger they are, and languages in which they know less; each errs in its own way."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, ITEMS)
    own = {model: rng.normal(size=(ITEMS, 4)) for model in MODELS}
    rows = []
    for model in MODELS:
        for language in LANGUAGES:
            skill = 1.0 + 0.3 * np.log(SIZES[model] / 1e9) - 0.5 * LANGUAGES.index(language)
            scores = 1.5 * own[model] + rng.normal(size=(ITEMS, 4))
            scores[np.arange(ITEMS), gold] += skill
            probs = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
            for item in range(ITEMS):
                rows.append(
                    {"model": model, "task": "quiz", "item": f"q{item:03}", "instruction": language, "input": language,
                     "answer": "ABCD"[int(probs[item].argmax())], "gold": "ABCD"[gold[item]],
                     "options": list("ABCD"), "probs": probs[item].tolist(), "subject": SUBJECTS[item % 4]}
                )  # fmt: skip
    return conform(pl.DataFrame(rows))


@pytest.fixture(scope="module")
def world() -> pl.DataFrame:
    return _world()


@pytest.fixture(scope="module")
def tables(world: pl.DataFrame) -> dict[str, Table]:
    numbers = Covariate(
        {"en": 7e6, "de": 3e6, "sw": 8e4}, "made up for this test", "2026-01-01", logarithm=True
    )
    settings = SimilaritySettings(
        sizes=SIZES, families=FAMILIES, covariates={"articles": numbers}, bootstrap=Bootstrap(100), permutations=99,
        macro="subject",
    )  # fmt: skip
    return similarity_tables(world, settings, by=["subject"])


def _one(table: Table, **wanted: object) -> Mapping[str, object]:
    found = [row for row in table.rows if all(row[name] == value for name, value in wanted.items())]
    assert len(found) == 1, (wanted, len(found))
    return found[0]


def _laid(world: pl.DataFrame) -> tuple[dict[tuple[str, str], int], RecordStream]:
    stream = RecordStream(world)
    return {(cell.model, cell.input): place for place, cell in enumerate(stream.cells)}, stream


def test_every_pair_is_measured_as_one_pair_is(world: pl.DataFrame, tables: dict[str, Table]) -> None:
    places, stream = _laid(world)
    runs = stream.whole()
    assert runs.probs is not None
    assert len(tables["similarity"].rows) == 4 * 3 + 3 * 6
    for row in tables["similarity"].rows:
        a = places[str(row["model_a"]), str(row["a"]).rpartition("=")[2]]
        b = places[str(row["model_b"]), str(row["b"]).rpartition("=")[2]]
        single = estimate(kappa_p_statistic(runs.probs[a], runs.probs[b], key=runs.soft_key), Bootstrap(100))
        assert row["statistic"] == "kappa_p_soft"
        assert row["value"] == pytest.approx(single.value, abs=1e-12)
        assert (row["low"], row["high"]) == pytest.approx((single.low, single.high), abs=1e-5)
        assert (row["n"], row["excluded"], row["reason"]) == (ITEMS, 0, "")


def test_designs_are_means_of_their_pairs(tables: dict[str, Table]) -> None:
    pairs = tables["similarity"].rows

    def mean(keep: object) -> float:
        return float(np.mean([row["value"] for row in pairs if keep(row)]))  # type: ignore[operator]

    def design(name: str, group: str) -> Mapping[str, object]:
        return _one(tables["means"], design=name, group=group, by=None)

    within = design("within_model", "a/small")
    assert within["pairs"] == 3
    assert within["value"] == pytest.approx(mean(lambda r: r["model_a"] == r["model_b"] == "a/small"))
    between = design("between_models", "sw")
    assert between["pairs"] == 6
    assert between["value"] == pytest.approx(mean(lambda r: r["a"] == r["b"] == "instruction=sw,input=sw"))
    pivot = design("pivot", "b/large")
    assert pivot["pairs"] == 2
    assert pivot["value"] == pytest.approx(
        mean(lambda r: r["model_a"] == r["model_b"] == "b/large" and "input=en" in str((r["a"], r["b"])))
    )
    partner = design("partner", "a/large")
    assert partner["pairs"] == 3, "b/large is the nearest of the other family"
    assert partner["value"] == pytest.approx(
        mean(lambda r: {r["model_a"], r["model_b"]} == {"a/large", "b/large"})
    )
    for row in tables["means"].rows:
        assert float(str(row["low"])) <= float(str(row["value"])) <= float(str(row["high"]))


def test_by_subject_micro_and_macro(world: pl.DataFrame, tables: dict[str, Table]) -> None:
    part = world.filter(pl.col("subject") == "astronomy")
    alone = _one(similarity_tables(part, QUICK)["means"], design="within_model", group="all")
    row = _one(tables["means"], design="within_model", group="all", part="astronomy")
    assert (row["value"], row["n"], row["by"]) == (pytest.approx(alone["value"]), 30, "subject")
    parts = [
        _one(tables["means"], design="pivot", group="all", part=subject)["value"] for subject in SUBJECTS
    ]
    macro = _one(tables["means"], design="pivot", group="all", aggregate="macro")
    assert macro["value"] == pytest.approx(np.mean([float(str(value)) for value in parts]))
    assert float(str(macro["low"])) < float(str(macro["value"])) < float(str(macro["high"]))


def test_a_model_is_closer_to_itself_than_to_others(tables: dict[str, Table]) -> None:
    rows = [
        row for row in tables["contrasts"].rows if row["comparison"] == "within_model − between_models_of"
    ]
    assert [row["model"] for row in rows] == sorted(MODELS)
    for row in rows:
        within = _one(tables["means"], design="within_model", group=row["model"], by=None)["value"]
        between = _one(tables["means"], design="between_models_of", group=row["model"], by=None)["value"]
        assert row["value"] == pytest.approx(float(str(within)) - float(str(between)))
        assert float(str(row["low"])) > 0, "each model errs in its own way, in every language"
        assert (
            float(str(row["p_items"]))
            <= float(str(row["p_items_bh"]))
            <= float(str(row["p_items_holm"]))
            <= 0.1
        )
        assert float(str(row["detectable"])) > 0 and row["u"] is not None
    overall = _one(tables["contrasts"], model=None)
    assert 0 < float(str(overall["p_mantel"])) <= 0.01 and float(str(overall["p_mann_whitney"])) < 1e-3
    assert overall["comparison"] == "within_model − between_models"


def test_relations_name_what_they_rest_on(tables: dict[str, Table]) -> None:
    log_size = _one(tables["correlations"], design="within_model", **{"with": "log size"})
    assert (log_size["points"], log_size["n"], log_size["source"]) == ("model", 4, None)
    articles = _one(tables["correlations"], **{"with": "log articles"})
    assert (articles["design"], articles["n"], articles["date"]) == ("between_models", 3, "2026-01-01")
    assert articles["source"] == "made up for this test" and -1 <= float(str(articles["value"])) <= 1
    accuracy = _one(tables["correlations"], design="between_models", **{"with": "accuracy"})
    assert float(str(accuracy["low"])) <= float(str(accuracy["value"])) <= float(str(accuracy["high"]))


def test_all_languages_of_a_model_at_once(tables: dict[str, Table]) -> None:
    row = _one(tables["all_languages"], model="a/small", statistic="krippendorff_alpha")
    assert row["languages"] == 3 and float(str(row["low"])) < float(str(row["value"])) < float(
        str(row["high"])
    )
    two, three = (
        _one(tables["all_languages"], model="a/small", statistic="subset_consistency", size=k) for k in (2, 3)
    )
    assert float(str(three["value"])) < float(str(two["value"]))
    assert _one(tables["all_languages"], model="b/large", statistic="ac3", size=3)["n"] == ITEMS


def test_labels_are_compared_where_they_are_wanted(world: pl.DataFrame) -> None:
    places, stream = _laid(world)
    runs = stream.whole()
    for statistic in ("kappa_p", "cohen_kappa"):
        settings = SimilaritySettings(
            statistic=statistic, answers="hard", bootstrap=Bootstrap(0), permutations=9
        )  # type: ignore[arg-type]
        row = similarity_tables(world, settings)["similarity"].rows[0]
        a, b = places["a/large", "de"], places["a/large", "en"]
        single = estimate(agreement_statistics(runs.codes[a], runs.codes[b], key=runs.key)[statistic])
        assert (row["statistic"], row["value"], row["low"]) == (statistic, pytest.approx(single.value), None)
    bare = world.with_columns(pl.lit(None, pl.List(pl.Float64)).alias("probs"))
    assert "scoring" not in similarity_tables(bare, QUICK)
    assert similarity_tables(bare, QUICK)["similarity"].rows[0]["statistic"] == "kappa_p"
    with pytest.raises(DataError, match="no record has probabilities; compare labels"):
        similarity_tables(bare, SimilaritySettings(answers="soft"))
    with pytest.raises(UsageError, match="labels have no rank_consistency; there is raw, kappa_p"):
        similarity_tables(bare, SimilaritySettings(statistic="rank_consistency"))


def test_items_whose_gold_differs_are_left_out_and_counted(world: pl.DataFrame) -> None:
    turned = world.with_columns(
        pl.when((pl.col("item") == "q007") & (pl.col("input") == "sw") & (pl.col("model") == "a/small"))
        .then(pl.when(pl.col("gold") == "A").then(pl.lit("B")).otherwise(pl.lit("A")))
        .otherwise(pl.col("gold")).alias("gold")
    )  # fmt: skip
    found = similarity_tables(turned, QUICK)
    row = found["similarity"].rows[0]
    assert (row["n"], row["excluded"]) == (ITEMS - 1, 1)
    assert row["reason"] == "1 item whose gold differs between runs"
    assert found["similarity"].signature["gold_differs"] == 1
    fewer = SimilaritySettings(exclude=("q000", "q001"), bootstrap=Bootstrap(0), permutations=9)
    assert similarity_tables(turned, fewer)["similarity"].rows[0]["n"] == ITEMS - 3


def test_a_pair_says_what_it_could_not_compare(world: pl.DataFrame) -> None:
    holed = world.filter((pl.col("item") != "q003") | (pl.col("model") != "a/small")).with_columns(
        pl.when(pl.col("item") == "q009").then(None).otherwise(pl.col("gold")).alias("gold")
    )
    rows = similarity_tables(holed, QUICK)["similarity"].rows
    other = next(row for row in rows if {row["model_a"], row["model_b"]} == {"a/small", "b/large"})
    assert (other["n"], other["excluded"]) == (ITEMS - 2, 2)
    assert (
        other["reason"]
        == "1 item asked on one side only; 1 item without gold, or without an answer that can be compared"
    )


def test_options_in_another_order_are_put_in_order(world: pl.DataFrame) -> None:
    flip = (pl.col("input") == "de") & (pl.col("item") > "q050")
    turned = world.with_columns(
        pl.when(flip).then(pl.col(name).list.reverse()).otherwise(pl.col(name)).alias(name)
        for name in ("options", "probs")
    )
    first, second = RecordStream(world).whole(), RecordStream(turned).whole()
    assert first.probs is not None and second.probs is not None
    np.testing.assert_array_equal(first.probs, second.probs)
    other = world.with_columns(
        pl.when(flip).then(pl.lit(["A", "B", "C", "E"])).otherwise(pl.col("options")).alias("options")
    )
    with pytest.raises(DataError, match="field 'options', item 'q051': has other options in one run"):
        RecordStream(other).whole()


def test_mixed_numbers_of_options_and_missing_probabilities() -> None:
    rows = [
        {"model": "m/x", "task": "t", "item": item, "instruction": tag, "input": tag, "answer": labels[0], "gold": labels[1],
         "options": labels, "probs": probs}
        for tag in ("en", "de")
        for item, labels, probs in (
            ("a", ["yes", "no"], [0.6, 0.4]), ("b", ["no", "yes", "maybe"], [0.5, 0.3, 0.2]), ("c", ["red", "blue"], None)
        )
    ]  # fmt: skip
    runs = RecordStream(conform(pl.DataFrame(rows))).whole()
    assert runs.probs is not None and runs.probs.shape == (2, 3, 3)
    assert runs.key.options.tolist() == [2, 3, 2] and runs.places.tolist() == [1, 1, 1]
    assert runs.probs[0, 0].tolist() == [0.6, 0.4, 0.0] and np.isnan(runs.probs[:, 2]).all()
    longer = pl.DataFrame([*rows[:5], {**rows[5], "options": ["red", "blue", "green"]}])
    with pytest.raises(DataError, match="item 'c': has (more|other) options in one run"):
        RecordStream(conform(longer)).whole()


def test_a_file_read_in_parts_gives_what_the_whole_table_gives(
    world: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_records(world.sample(fraction=1.0, shuffle=True, seed=1), tmp_path / "r.parquet")
    monkeypatch.setattr(run_arrays, "_RECORDS_AT_ONCE", 50 * len(MODELS) * len(LANGUAGES))
    parted = RecordStream(tmp_path / "r.parquet", columns=["subject"]).whole()
    whole = RecordStream(world, columns=["subject"]).whole()
    assert parted.items == whole.items and parted.probs is not None and whole.probs is not None
    for name in ("codes", "places", "probs", "options"):
        np.testing.assert_array_equal(getattr(parted, name), getattr(whole, name))
    assert parted.groups["subject"].tolist() == [SUBJECTS[i % 4] for i in range(ITEMS)]
    (tmp_path / "r.csv").write_text(world.drop("options", "probs").write_csv(), encoding="utf-8")
    bare = RecordStream(tmp_path / "r.csv").whole()
    assert bare.probs is None and bare.codes.shape == whole.codes.shape


def test_bad_use_is_refused(world: pl.DataFrame, tmp_path: Path) -> None:
    two = pl.concat([world, world.with_columns(pl.lit("other").alias("task"))])
    with pytest.raises(DataError, match="runs are compared within one task, the table has other, quiz"):
        RecordStream(two)
    assert len(RecordStream(two, task="other").whole().items) == ITEMS
    with pytest.raises(UnknownNameError, match="unknown task: 'quizz'; did you mean 'quiz'"):
        RecordStream(world, task="quizz")
    with pytest.raises(UnknownNameError, match="unknown column: 'subjects'; did you mean 'subject'"):
        similarity_tables(world, QUICK, by=["subjects"])
    with pytest.raises(DataError, match="no two runs to compare"):
        similarity_tables(world.filter((pl.col("model") == "a/small") & (pl.col("input") == "en")), QUICK)
    with pytest.raises(DataError, match="item 'q000': has two records of one run"):
        RecordStream(pl.concat([world, world.head(1)])).whole()
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="cannot be read as PARQUET"):
        RecordStream(tmp_path / "broken.parquet")
    with pytest.raises(UsageError, match="the number of 'xx' is 0, which has no logarithm"):
        Covariate({"xx": 0.0}, "s", "d", logarithm=True).of("xx")
    with pytest.raises(UsageError, match="the study's comparison cannot be used"):
        settings_of({"comparison": {"nonsense": 1}})
    for broken in ({"level": 2}, {"draws": 3}, [4]):
        with pytest.raises(DataError, match=r"study.yaml, field 'comparison.bootstrap'"):
            settings_of({"comparison": {"bootstrap": broken}})
    for wrong in ([1], {"languages": {"x": {"values": {}}}}, {"languages": 3}):
        with pytest.raises(UsageError, match="the study's comparison cannot be used"):
            settings_of({"comparison": wrong})
    assert settings_of({}) == SimilaritySettings()


def test_a_study_of_records_writes_a_run_that_says_what_to_compare(
    world: pl.DataFrame, tmp_path: Path
) -> None:
    for language in LANGUAGES:
        write_records(world.filter(pl.col("input") == language), tmp_path / f"{language}.parquet")
    (tmp_path / "articles.tsv").write_text(
        "wiki\tarticles\nen\t7000000\nde\t3000000\niw\t\n", encoding="utf-8"
    )
    (tmp_path / "out.txt").write_text("# found by an audit\nq000\n", encoding="utf-8")
    file = tmp_path / "study.yaml"
    file.write_text(
        f"""
study: similarity
records: [{", ".join(str(tmp_path / f"{language}.parquet") for language in LANGUAGES)}]
grouping: global-mmlu
exclude: {tmp_path / "out.txt"}
comparison:
  by: [domain, topic]
  macro: topic
  sizes: {{a/small: 1.0e+9, b/small: 2.0e+9}}
  families: {{a/small: a, b/small: b}}
  bootstrap: {{resamples: 50}}
  permutations: 19
  languages:
    articles: {{file: {tmp_path / "articles.tsv"}, language: wiki, value: articles, log: true, source: somewhere, date: 2026-01-01}}
""",
        encoding="utf-8",
    )
    study = SimilarityStudy.read(file)
    done = run_study(study, tmp_path / "run")
    assert done.faults == () and done.records.height == world.height - len(MODELS) * len(LANGUAGES)
    assert str(done.excluded) == "1 item excluded (1 no reason given)"
    run = read_run(tmp_path / "run")
    assert run.signature["excluded"] == {"items": 1, "reasons": {"no reason given": 1}, "absent": 0}
    settings = settings_of(run.study)
    assert settings.covariates["articles"].of("de") == pytest.approx(np.log(3e6))
    assert settings.bootstrap.resamples == 50
    assert (groups_of(run.study), columns_of(run.study)) == (("domain", "topic"), ("domain", "topic"))
    found = similarity_tables(tmp_path / "run", settings, by=groups_of(run.study))
    domains = {row["part"] for row in found["means"].rows if row["by"] == "domain"}
    assert domains == {"STEM", "Social Sciences", "Humanities"}
    assert found["similarity"].rows[0]["n"] == ITEMS - 1
    for name in ("articles.tsv", "out.txt"):
        (tmp_path / name).unlink()
    resolved = SimilarityStudy.read(tmp_path / "run" / "study.yaml")
    assert resolved == study and default_folder(resolved) == default_folder(study)
    run_study(resolved, tmp_path / "again")
    for name in ("records.parquet", "study.yaml", "signature.json"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()
    table = measure_table("means", run.records, described=described(tmp_path / "run"))
    assert [{**row, "answered": None} for row in table.rows] == [
        {**row, "answered": None} for row in found["means"].rows
    ]
    assert table.signature["excluded"] == run.signature["excluded"]
    with pytest.raises(UsageError, match="would be written over what it reads"):
        run_study(SimilarityStudy.from_mapping({"records": str(tmp_path / "run")}), tmp_path / "run")


def test_the_shipped_grouping_holds_the_tables_of_the_paper() -> None:
    found = grouping("global-mmlu")
    subjects = {name: [s for many in groups.values() for s in many] for name, groups in found.groups.items()}
    assert len(subjects["domain"]) == len(subjects["topic"]) == 57
    assert set(subjects["domain"]) == set(subjects["topic"])
    for name, groups in (("domain", 4), ("topic", 14)):
        assert len(found.groups[name]) == groups
        assert found.counts[name].keys() == found.groups[name].keys()
        assert sum(found.counts[name].values()) == 13_844
    shown = found.applied(
        pl.LazyFrame({"subject": ["High School Mathematics", "formal_logic", "cooking", None]})
    ).collect()
    assert shown["topic"].to_list() == ["Mathematics", "Logic", None, None]
    assert shown["domain"].to_list() == ["STEM", "Humanities", None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("column: subject", "a grouping has `column` and `groups"),
        ("column: s\ngroups: {g: {A: x}}", "field 'groups.g': expected groups, each a list"),
        ("column: s\ngroups: {g: {A: [x], B: [X]}}", "field 'groups.g.B': 'X' is in two groups"),
        ("column: [", "no YAML"),
    ],
)
def test_a_grouping_that_breaks_its_contract(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "g.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        grouping(str(tmp_path / "g.yaml"))


def test_a_grouping_that_does_not_fit(world: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown grouping: 'global-mlu'; did you mean 'global-mmlu'"):
        grouping("global-mlu")
    with pytest.raises(UsageError, match="cannot read the grouping"):
        grouping(str(tmp_path / "none.yaml"))
    shipped = grouping("global-mmlu")
    with pytest.raises(UnknownNameError, match="unknown column: 'subject'"):
        shipped.applied(world.drop("subject").lazy())
    with pytest.raises(DataError, match="no value of 'subject' belongs to a group of 'domain'"):
        shipped.applied(world.lazy().with_columns(pl.lit("cooking").alias("subject")))
    with pytest.raises(DataError, match="have a column 'domain' already"):
        shipped.applied(shipped.applied(world.lazy()))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({}, DataError, "give either records, or models and languages to ask in"),
        ({"records": "x", "models": "m/x", "languages": "en", "task": "t"}, DataError, "give either records"),
        (
            {"models": "m/x", "languages": ["en", "de"]},
            DataError,
            "asking needs a task, models and languages",
        ),
        ({"models": "m/x", "languages": "en", "task": "t"}, DataError, "nothing to compare"),
        ({"records": "x", "taks": "t"}, UnknownNameError, "did you mean 'task'"),
        ({"records": "x", "comparison": {"pivt": "en"}}, UnknownNameError, "did you mean 'comparison.pivot'"),
        ({"records": "x", "comparison": {"sizes": {"m": 0}}}, DataError, "the size of m is 0"),
        (
            {"records": "x", "comparison": {"bootstrap": {"level": 2}}},
            DataError,
            "field 'comparison.bootstrap.level'",
        ),
        (
            {"records": "x", "comparison": {"languages": {"a": {"file": "f"}}}},
            DataError,
            "this key is missing",
        ),
        (
            {"records": "x", "comparison": {"languages": {"a": {"fil": "f"}}}},
            UnknownNameError,
            "did you mean 'comparison.languages.a.file'",
        ),
    ],
)
def test_a_study_that_cannot_be_is_refused(
    values: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SimilarityStudy.from_mapping(values)


def test_numbers_of_languages_that_break_their_contract(world: pl.DataFrame, tmp_path: Path) -> None:
    write_records(world, tmp_path / "r.parquet")

    def run(text: str, **more: object) -> None:
        (tmp_path / "n.csv").write_text(text, encoding="utf-8")
        numbers = {"file": str(tmp_path / "n.csv"), "value": "n", "source": "s", "date": "d", **more}
        study = {"records": str(tmp_path / "r.parquet"), "comparison": {"languages": {"x": numbers}}}
        run_study(SimilarityStudy.from_mapping(study), tmp_path / "run")

    with pytest.raises(UnknownNameError, match="unknown column of n.csv: 'n'"):
        run("language,m\nen,1\n")
    with pytest.raises(DataError, match="line 2: could not convert"):
        run("language,n\nen,many\n")
    with pytest.raises(DataError, match="line 2: 'nan' is no finite number"):
        run("language,n\nen,nan\n")
    with pytest.raises(DataError, match="no language has a number in the column 'n'"):
        run("language,n\n")
    with pytest.raises(DataError, match="give either a file and its column"):
        run("language,n\nen,1\n", values={"en": 1})
    with pytest.raises(DataError, match="line 3: 'en' has two numbers"):
        run("language,n\neng,1\neng,2\n")
    # The language's own tag wins, and rows of languages that the study does not have may be as they like.
    run("language,n\nen,1\neng,2\nxx-none,3\nay,1\nay,2\nqu,many\n")
    with pytest.raises(UsageError, match="cannot read the numbers of languages"):
        run("", file=str(tmp_path / "none.csv"))
    for more, error, message in (
        ({"task": "quizz"}, UnknownNameError, "unknown task of the records"),
        ({"comparison": {"macro": "sea"}}, UnknownNameError, "unknown column under comparison: 'sea'"),
        ({"exclude": "none.txt"}, UsageError, "cannot read the list of items to leave out"),
    ):
        with pytest.raises(error, match=message):
            run_study(
                SimilarityStudy.from_mapping({"records": str(tmp_path / "r.parquet"), **more}),
                tmp_path / "run",
            )


def test_a_table_of_all_languages_serves_a_study_of_a_few(shared_data: Path, tmp_path: Path) -> None:
    packed = shared_data / "language_metadata" / "linguameta.tsv.gz"
    (tmp_path / "linguameta.tsv").write_bytes(gzip.decompress(packed.read_bytes()))
    numbers = {
        "file": str(tmp_path / "linguameta.tsv"), "language": "bcp_47_code", "value": "estimated_number_of_speakers",
        "log": True, "source": "LinguaMeta", "date": "2024",
    }  # fmt: skip
    study = SimilarityStudy.from_mapping(
        {"task": "atlas", "models": ["pocket/s"], "languages": ["en", "zh", "sw"],
         "comparison": {"languages": {"speakers": numbers}}}
    )  # fmt: skip
    values = study.comparison.languages["speakers"].values
    assert values["zh"] > values["en"] > values["sw"] > 1e6


def test_partners_are_of_another_family_and_nearest_in_size(tables: dict[str, Table]) -> None:
    designs = {(row["design"], row["group"]) for row in tables["means"].rows}
    assert {("partner", model) for model in MODELS} <= designs
    nearest = {
        a: min((b for b in MODELS if b[0] != a[0]), key=lambda b: abs(SIZES[a] - SIZES[b])) for a in MODELS
    }
    assert nearest["a/small"] == "b/small" and len(list(combinations(MODELS, 2))) == 6


def test_items_without_probabilities_are_excluded_from_scoring_and_said(world: pl.DataFrame) -> None:
    few = sorted(world["item"].unique())[:7]
    bare = world.with_columns(probs=pl.when(~pl.col("item").is_in(few)).then("probs"))
    whole, found = (measure_table("scoring", one, GivenSettings(resamples=0)).rows for one in (world, bare))
    assert [row["excluded"] for row in found] == [row["excluded"] + 7 for row in whole]  # type: ignore[operator]
    assert [row["n"] for row in found] == [row["n"] - 7 for row in whole]  # type: ignore[operator]
    assert all("7 items without probabilities of the options" in str(row["reason"]) for row in found)


def test_tables_can_be_made_one_by_one(world: pl.DataFrame, tables: dict[str, Table]) -> None:
    assert set(tables) == set(SIMILARITY)
    alone = similarity_tables(world, QUICK, only=("contrasts",))
    assert (
        set(alone) == {"contrasts"}
        and alone["contrasts"].rows == similarity_tables(world, QUICK)["contrasts"].rows
    )
    bare = world.with_columns(pl.lit(None, pl.List(pl.Float64)).alias("probs"))
    with pytest.raises(DataError, match="no record has probabilities, which `scoring` sets beside labels"):
        measure_table("scoring", bare)
    with pytest.raises(UnknownNameError, match="unknown measure: 'maens'; did you mean 'means'"):
        measure_table("maens", world)
    with pytest.raises(UsageError, match="means takes no pair of cells"):
        measure_table("means", world, GivenSettings.of(a="en"))


def test_flags_of_a_measure_win_over_the_study(world: pl.DataFrame) -> None:
    study = {
        "comparison": {"answers": "hard", "permutations": 9, "bootstrap": {"resamples": 40, "level": 0.5}}
    }
    own = measure_table("similarity", world, described=Described(study))
    assert own.rows[0]["statistic"] == "kappa_p"
    signed = own.signature["SimilaritySettings"]
    assert isinstance(signed, dict) and signed["bootstrap"] == asdict(Bootstrap(40, 0, 0.5))
    settings = GivenSettings(resamples=30, seed=1, by=("subject",))
    flagged = measure_table("means", world, settings, described=Described(study))
    signed = flagged.signature["SimilaritySettings"]
    assert isinstance(signed, dict) and signed["bootstrap"] == asdict(Bootstrap(30, 1, 0.5))
    assert {row["part"] for row in flagged.rows} == {None, *SUBJECTS}


def test_two_sides_are_compared_in_every_pair_of_languages(world: pl.DataFrame) -> None:
    found = compare_table(
        (world, world),
        "similarity",
        settings=MeasureSettings(bootstrap=Bootstrap(200)),
        models=("a/small", "b/large"),
    )
    assert len(found.rows) == 3
    hard = similarity_tables(
        world, SimilaritySettings(answers="hard", bootstrap=Bootstrap(0), permutations=9)
    )
    of = {
        (row["model_a"], row["a"], row["b"]): row["value"]
        for row in hard["similarity"].rows
        if row["model_a"] == row["model_b"]
    }
    for row in found.rows:
        assert row["statistic"] == "kappa_p" and row["n"] == ITEMS and row["excluded"] == 0
        for side in ("a", "b"):
            whole = of[row[f"model_{side}"], row["a"], row["b"]]
            assert row[f"value_{side}"] == pytest.approx(whole)
        assert row["value"] == pytest.approx(float(str(row["value_b"])) - float(str(row["value_a"])))
        assert float(str(row["low"])) <= float(str(row["value"])) <= float(str(row["high"]))
        # An interval of 95 % that holds 0 belongs to a p above 0.05, and the other way round.
        assert (float(str(row["low"])) <= 0 <= float(str(row["high"]))) == (float(str(row["p"])) > 0.05)
        assert float(str(row["p"])) <= float(str(row["p_holm"]))
    same = compare_table(
        (world, world),
        "similarity",
        settings=MeasureSettings(bootstrap=Bootstrap(50)),
        models=("a/small", "a/small"),
    )
    # Other items could tell even these two apart, so that the interval has a width, and p is 1 but for chance.
    assert {row["value"] for row in same.rows} == {0.0} and all(
        float(str(row["p"])) > 0.9 for row in same.rows
    )
    holed = world.filter(
        (pl.col("item") != "q003") | (pl.col("model") != "b/large") | (pl.col("input") != "sw")
    )
    lost = compare_table(
        (world, holed),
        "similarity",
        settings=MeasureSettings(bootstrap=Bootstrap(0)),
        models=("a/small", "b/large"),
    )
    counts = {(row["n"], row["excluded"], row["p"]) for row in lost.rows}
    assert counts == {(ITEMS, 0, None), (ITEMS - 1, 1, None)}
