"""Through the whole pipeline, the measures find what the pocket models were planted with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from hesperus.analysis.agreement import agreement_table
from hesperus.analysis.paired import consistency_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import accuracy_table, validity_table
from hesperus.analysis.table import Table
from hesperus.measures import Bootstrap
from hesperus.models.pocket import beliefs
from hesperus.studies.asked.keeping import StudyRun
from hesperus.studies.asked.stages import run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy

MODELS = ("pocket/s", "pocket/m")
LANGUAGES = {
    "generate": ("en", "ar", "zh"),
    "logprobs": ("en", "sw"),
}
SURE = Bootstrap(level=0.999)
"""Many intervals are looked at here, and every one has to hold the planted value."""

Planted = Mapping[str, Mapping[str, Mapping[str, int]]]


@pytest.fixture(scope="module")
def planted() -> Planted:
    return {f"pocket/{size}": row for size, row in beliefs().items()}


@pytest.fixture(scope="module", params=["generate", "logprobs"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    """The atlas in its own words in some languages, and in each model's own translation from English."""
    study = MultisenseStudy.from_mapping(
        {"task": "atlas", "models": MODELS, "target": LANGUAGES[request.param][1:], "originals": True,
         "conditions": ["T", "X"], "repeats": 1, "scoring": request.param, "answers": {"temperature": 0, "max_tokens": 8},
         "making": {"temperature": 0, "max_tokens": 128}}
    )  # fmt: skip
    done = run_study(study, tmp_path_factory.mktemp("planted") / "run")
    done.raise_if_incomplete()
    yield done


def agree(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    return sum(one[fact] == other[fact] for fact in one) / len(one)


def rows(table: Table, statistic: str | None = None) -> list[Mapping[str, object]]:
    return [row for row in table.rows if statistic is None or row["statistic"] == statistic]


def assert_holds(row: Mapping[str, object], truth: float) -> None:
    assert row["value"] is not None, row
    low, high = float(str(row["low"])), float(str(row["high"]))
    assert low - 0.005 <= truth <= high + 0.005, f"planted {truth:.3f}, measured {row}"


def test_nearly_every_reply_can_be_read(run: StudyRun) -> None:
    for row in validity_table(run.records).rows:
        assert float(str(row["value"])) >= 0.98, row


def test_accuracy_is_the_planted_coverage(run: StudyRun, planted: Planted) -> None:
    seen = 0
    for row in accuracy_table(run.records, MeasureSettings(bootstrap=SURE)).rows:
        language = str(row["input"]).partition("_")[0]
        believed = planted[str(row["model"])][language]
        assert_holds(row, sum(belief == 0 for belief in believed.values()) / len(believed))
        seen += 1
    others = len(run.run.study["target"])
    assert seen == len(MODELS) * (1 + others + others * 2)


def test_consistency_is_the_planted_agreement_with_english(run: StudyRun, planted: Planted) -> None:
    seen = 0
    for row in rows(consistency_table(run.records, MeasureSettings(bootstrap=SURE)), "consistency"):
        b = str(row["b"])
        if "_from_en" not in b or str(row["a"]) != "instruction=en,input=en":
            continue
        believed = planted[str(row["model"])]
        language = b.rpartition("input=")[2].partition("_")[0]
        assert_holds(row, agree(believed["en"], believed[language]))
        seen += 1
    assert seen == len(MODELS) * len(run.run.study["target"]) * 2


def test_agreement_of_models_is_the_planted_one(run: StudyRun, planted: Planted) -> None:
    english = run.records.filter((pl.col("instruction") == "en") & (pl.col("input") == "en"))
    raw = {
        frozenset((str(row["model_a"]), str(row["model_b"]))): row
        for row in rows(agreement_table(english, MeasureSettings(bootstrap=SURE)), "raw")
    }
    for one, other in combinations(MODELS, 2):
        assert_holds(raw[frozenset((one, other))], agree(planted[one]["en"], planted[other]["en"]))


def test_kappa_p_between_languages_is_the_planted_one(run: StudyRun, planted: Planted) -> None:
    originals = run.records.filter(
        (pl.col("model") == "pocket/m") & (pl.col("instruction") == pl.col("input"))
    )
    originals = originals.filter(~pl.col("input").str.contains("_"))
    believed = planted["pocket/m"]
    seen = 0
    for row in rows(agreement_table(originals, MeasureSettings(bootstrap=SURE)), "kappa_p"):
        a, b = (str(row[side]).rpartition("input=")[2].partition(",")[0] for side in ("a", "b"))
        observed = agree(believed[a], believed[b])
        right_a, right_b = (sum(v == 0 for v in believed[x].values()) / len(believed[x]) for x in (a, b))
        chance = right_a * right_b + (1 - right_a) * (1 - right_b) / 3
        assert_holds(row, (observed - chance) / (1 - chance))
        seen += 1
    others = len(run.run.study["target"])
    assert seen == (others + 1) * others / 2


def test_the_table_of_coverage_is_uneven_enough_to_tell(planted: Planted) -> None:
    shares = [
        sum(b == 0 for b in row.values()) / len(row) for model in planted.values() for row in model.values()
    ]
    assert min(shares) < 0.3 and max(shares) == 1.0


def test_records_are_the_same_on_every_day(run: StudyRun, tmp_path: Path) -> None:
    study = MultisenseStudy.from_mapping(
        {**run.run.study, "target": ["sw"], "models": ["pocket/s"], "originals": False, "sample": {"n": 40}}
    )
    first = run_study(study, tmp_path / "a" / "run")
    second = run_study(study, tmp_path / "b" / "run")
    assert first.records.equals(second.records)
