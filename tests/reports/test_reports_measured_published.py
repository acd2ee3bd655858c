"""Published accuracies, and agreement beyond chance, on real answers to parallel questions in twelve languages.

Source: the released answers of "Bridging the Gap" (AAAI 2025), 3,271 items in English and 11 African languages.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from hesperus.analysis.agreement import agreement_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import accuracy_table
from hesperus.measures import Bootstrap
from hesperus.records import Selection, conform

POINT = Bootstrap(resamples=0)
LANGUAGES = ("en", "af", "am", "bm", "ig", "nso", "sn", "st", "tn", "ts", "xh", "zu")


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    found = shared_data / "idm_african_mcq_outputs"
    if not found.is_dir():
        pytest.skip(f"no released answers at {found}")
    return found


@cache
def _o1_mini(folder: Path) -> pl.DataFrame:
    """One run of o1-mini; an answer is read where it is a single letter or digit, brackets aside."""
    wide = pl.read_csv(folder / "o1mini_raw_answers.csv.gz", infer_schema=False)
    long = wide.unpivot(index=["task", "item", "gold"], variable_name="input", value_name="reply")
    return conform(
        long.with_columns(
            model=pl.lit("openai/o1-mini"),
            instruction=pl.col("input"),
            answer=pl.col("reply").str.strip_chars().str.extract(r"^\(?([A-D12])\)?$"),
        )
    )


@cache
def _reruns(folder: Path) -> pl.DataFrame:
    """Three runs of three models on Winogrande, known only as right or wrong; two options, so wrong is the other."""
    runs = []
    for run in range(3):
        wide = pl.read_csv(folder / f"winogrande_correct_run{run}.csv.gz")
        long = wide.unpivot(index=["id", "answer"], variable_name="cell", value_name="right")
        gold = pl.col("answer").cast(pl.String)
        runs.append(
            long.select(
                model=pl.lit("openai/") + pl.col("cell").str.split("_").list.first(),
                task=pl.lit("winogrande"),
                item="id",
                instruction=pl.col("cell").str.split("_").list.last(),
                input=pl.col("cell").str.split("_").list.last(),
                repeat=pl.lit(run + 1),
                answer=pl.when(pl.col("right") == 1)
                .then(gold)
                .otherwise((3 - pl.col("answer")).cast(pl.String)),
                gold=gold,
            )
        )
    return conform(pl.concat(runs))


def test_the_published_accuracies_come_out(folder: Path) -> None:
    with (folder / "published_accuracy.csv").open(encoding="utf-8") as file:
        published = {row.pop("Model (Evaluation Benchmark)"): row for row in csv.DictReader(file)}
    checked = 0
    for row in accuracy_table(_o1_mini(folder), MeasureSettings(bootstrap=POINT)).rows:
        task, language, value = str(row["task"]), str(row["input"]), row["value"]
        printed = float(published[f"o1-mini ({task})"][language])
        if task in ("winogrande", "belebele", "mmlu-virology"):
            assert isinstance(value, float)
            assert abs(100 * value - printed) <= 0.05 + 1e-9, (task, language)
            checked += 1
    assert checked == 3 * len(LANGUAGES)


@pytest.mark.parametrize("invalid", ["disagree", "agree", "drop"])
@pytest.mark.parametrize(
    ("task", "a", "b", "kappa"),
    [
        ("belebele", "en", "af", 0.422),
        ("belebele", "en", "zu", 0.084),
        ("belebele", "en", "bm", 0.005),
        ("belebele", "xh", "zu", 0.205),
        ("winogrande", "en", "af", 0.412),
        ("winogrande", "en", "bm", 0.062),
    ],
)
def test_agreement_beyond_chance_is_the_published_whichever_way_unreadable_answers_go(
    folder: Path, task: str, a: str, b: str, kappa: float, invalid: str
) -> None:
    answers = _o1_mini(folder).filter(pl.col("task") == task)
    found = agreement_table(
        answers, MeasureSettings(a=Selection.parse(a), b=Selection.parse(b), invalid=invalid, bootstrap=POINT)
    )  # type: ignore[arg-type]
    values = {row["statistic"]: row["value"] for row in found.rows}
    assert values["kappa_p"] == pytest.approx(kappa, abs=0.005)
    if (task, b) == ("belebele", "af"):
        assert values["raw"] == pytest.approx(0.937, abs=0.005)


def test_reruns_give_the_noise_floor(folder: Path) -> None:
    answers = _reruns(folder).filter(pl.col("model") == "openai/gpt-4o")
    for language, floor in (("en", 0.96), ("zu", 0.91), ("bm", 0.85)):
        shares = []
        for first, second in ((1, 2), (1, 3), (2, 3)):
            cells = [f"instruction={language},input={language},repeat={repeat}" for repeat in (first, second)]
            found = agreement_table(
                answers,
                MeasureSettings(a=Selection.parse(cells[0]), b=Selection.parse(cells[1]), bootstrap=POINT),
            )
            shares.append(next(row["value"] for row in found.rows if row["statistic"] == "raw"))
        assert sum(shares) / 3 == pytest.approx(floor, abs=0.01), shares  # type: ignore[arg-type]
