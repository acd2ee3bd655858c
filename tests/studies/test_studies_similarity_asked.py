"""The similarity study that asks: an embedded model whose beliefs are known, options scored and labels generated."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hesperus.analysis.similarity.all_pairs import similarity_tables
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings, settings_of
from hesperus.asking import Progress, engine
from hesperus.errors import BudgetReachedError, UsageError
from hesperus.measures import Bootstrap, Key, agreement_statistics, estimate
from hesperus.models.pocket import beliefs
from hesperus.records import read_run
from hesperus.studies.asked.keeping import StudyRun
from hesperus.studies.asked.stages import default_folder, plan_study, run_study
from hesperus.studies.similarity.similarity_study import SimilarityStudy

LANGUAGES = ("en", "sw", "zh")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    study = SimilarityStudy.from_mapping(
        {"task": "atlas", "models": "pocket/m", "languages": LANGUAGES, "scoring": "both",
         "answers": {"temperature": 0, "max_tokens": 8}, "comparison": {"permutations": 19, "bootstrap": {"level": 0.999}}}
    )  # fmt: skip
    done = run_study(study, tmp_path_factory.mktemp("asked") / "run")
    done.raise_if_incomplete()
    return done


def test_labels_and_probabilities_of_a_question_stand_in_one_record(run: StudyRun) -> None:
    items = run.records["item"].n_unique()
    assert run.records.height == len(LANGUAGES) * items
    assert run.records["probs"].null_count() == 0 and run.records["reply"].null_count() == 0
    assert run.records.filter(pl.col("outcome") == "answered").height >= 0.99 * run.records.height


def test_similarity_is_what_the_planted_beliefs_predict(run: StudyRun) -> None:
    planted = {language: np.array(list(beliefs()["m"][language].values())) for language in LANGUAGES}
    gold = np.zeros(len(planted["en"]), np.int32)
    key = Key(gold, np.full(len(gold), 4, np.int32))
    settings = SimilaritySettings(answers="hard", bootstrap=Bootstrap(level=0.999), permutations=9)
    rows = similarity_tables(run.records, settings)["similarity"].rows
    assert len(rows) == len(list(combinations(LANGUAGES, 2)))
    for row in rows:
        a, b = (str(row[side]).rpartition("=")[2] for side in ("a", "b"))
        truth = estimate(
            agreement_statistics(planted[a].astype(np.int32), planted[b].astype(np.int32), key=key)["kappa_p"]
        ).value
        if row["value"] is None or truth is None:
            continue
        assert float(str(row["low"])) - 0.01 <= truth <= float(str(row["high"])) + 0.01, (row, truth)


def test_where_the_two_ways_of_answering_differ_is_counted(run: StudyRun) -> None:
    table = similarity_tables(run.folder, settings_of(read_run(run.folder).study))["scoring"]
    assert len(table.rows) == 4 * len(LANGUAGES)
    for row in table.rows:
        assert row["n"] == run.records["item"].n_unique() and row["value"] is not None
        if row["statistic"] == "disagreement":
            assert 0.0 <= float(str(row["value"])) < 0.2
            asked = run.records.filter(pl.col("input") == row["input"])
            best = asked["options"].list.get(asked["probs"].list.arg_max())
            differing = (asked["answer"].fill_null("") != best).mean()
            assert row["value"] == pytest.approx(differing)


@pytest.mark.parametrize("scoring", ["logprobs", "generate"])
def test_either_way_alone(scoring: str, tmp_path: Path) -> None:
    study = SimilarityStudy.from_mapping(
        {"task": "atlas", "models": "pocket/m", "languages": ["en", "de"], "scoring": scoring, "sample": {"n": 12},
         "answers": {"temperature": 0, "max_tokens": 8}}
    )  # fmt: skip
    done = run_study(study, tmp_path / "run")
    assert (done.records["probs"].null_count() == 0) == (scoring == "logprobs")
    plan = plan_study(study, store=tmp_path / "replies.sqlite")
    assert plan.rows[-1]["to_ask"] == 0 and plan.rows[-1]["stored"] == 24
    assert default_folder(study).name.startswith("similarity-atlas-")


def test_a_plan_of_both_ways_counts_both() -> None:
    values = {
        "task": "atlas",
        "models": ["pocket/s", "pocket/m"],
        "languages": ["en", "de"],
        "sample": {"n": 12},
    }
    both = plan_study(SimilarityStudy.from_mapping({**values, "scoring": "both"})).rows
    assert {row["stage"] for row in both} == {"answer", "score", "total"}
    totals = {row["model"]: row["requests"] for row in both if row["stage"] == "total"}
    assert totals == {"pocket/s": 48, "pocket/m": 48}
    alone = [
        plan_study(SimilarityStudy.from_mapping({**values, "scoring": way})).rows
        for way in ("generate", "logprobs")
    ]
    assert sum(float(str(rows[-1]["tokens_in_low"])) for rows in alone) == both[-1]["tokens_in_low"]
    longest = [float(str(rows[-1]["tokens_out_high"])) for rows in alone]
    assert both[-1]["tokens_out_high"] == sum(longest) and longest == [24 * 256, 24]


def test_a_resolved_study_gives_the_same_run(run: StudyRun, tmp_path: Path) -> None:
    resolved = SimilarityStudy.read(run.folder / "study.yaml")
    assert run_study(resolved, tmp_path / "again", store=run.folder.parent / "replies.sqlite").faults == ()
    for name in ("records.parquet", "items.parquet", "study.yaml", "signature.json"):
        assert (tmp_path / "again" / name).read_bytes() == (run.folder / name).read_bytes()


def test_a_study_of_records_has_no_plan() -> None:
    with pytest.raises(UsageError, match="compares records and asks nothing"):
        plan_study(SimilarityStudy.from_mapping({"records": "x.parquet"}))


def test_a_study_asked_in_parts_is_the_study_asked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = {
        "task": "atlas",
        "models": "pocket/s",
        "languages": ("en", "de"),
        "scoring": "logprobs",
        "sample": {"n": 12},
    }
    study = SimilarityStudy.from_mapping(declared)
    run_study(study, tmp_path / "whole")
    monkeypatch.setattr(engine, "COMPUTED_PART", 5)
    seen: list[Progress] = []
    store = tmp_path / "again.sqlite"
    limited = SimilarityStudy.from_mapping({**declared, "budget": {"requests": 7}})
    with pytest.raises(BudgetReachedError, match="7 of 24 requests are answered and kept, 17 are left"):
        run_study(limited, tmp_path / "parts", store=store)
    run_study(study, tmp_path / "parts", store=store, progress=lambda stage, state: seen.append(state))
    assert (tmp_path / "parts/records.parquet").read_bytes() == (
        tmp_path / "whole/records.parquet"
    ).read_bytes()
    last = seen[-1]
    assert (last.done, last.total, last.cached) == (24, 24, 7)


def test_a_task_without_options_says_how_it_is_asked() -> None:
    asked = {"task": "atlas-describe", "models": "pocket/m", "languages": ["en", "de"]}
    with pytest.raises(UsageError, match="no options to score.*--scoring generate"):
        plan_study(SimilarityStudy.from_mapping(asked))
    assert plan_study(SimilarityStudy.from_mapping({**asked, "scoring": "generate"})).lines
