"""Answers that are texts of their own have no label: nothing is compared word for word, and the user is told what does it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import hesperus as hs
from hesperus.api.measuring import measure
from hesperus.api.run_comparison import compare
from hesperus.errors import HesperusWarning, UsageError
from hesperus.records import conform
from hesperus.records.labels import free_texts

LONG = "Watermelon seeds pass through the body, and nothing happens at all; item {item} in {language}."
OUTCOMES = ("answered", "invalid", "empty", "truncated", "refused", "blocked", "wrong_language", "error")


def _records(task: str = "open", *, text: str = LONG, **more: object) -> pl.DataFrame:
    rows = [
        {
            "model": model, "task": task, "item": str(item), "instruction": language, "input": language, "repeat": 1,
            "outcome": "answered", "answer": text.format(item=item, language=language), "gold": None, "options": None,
            "probs": None, "reply": text.format(item=item, language=language),
        }
        | more
        for model in ("one", "two") for language in ("en", "de") for item in range(8)
    ]  # fmt: skip
    return conform(pl.DataFrame(rows, schema_overrides={"gold": pl.String, "options": pl.List(pl.String), "probs": pl.List(pl.Float64)}))  # fmt: skip


@pytest.mark.parametrize(
    ("records", "found"),
    [
        (_records(), ("open",)),
        (_records(text="yes {item}"), ()),
        (_records(text="x" * 40), ()),
        (_records(text="x" * 41), ("open",)),
        (_records(text="yes {item}", rule="whole text"), ("open",)),
        (_records(text="yes {item}").with_columns(rule=pl.lit(None, pl.String)), ()),
        (_records(gold="yes"), ()),
        (pl.concat([_records(), _records("closed", text="yes")]), ("open",)),
        (_records().clear(), ()),
    ],
)
def test_which_tasks_have_answers_that_are_texts(records: pl.DataFrame, found: tuple[str, ...]) -> None:
    assert free_texts(records) == found


@pytest.mark.parametrize(
    "what", ["accuracy", "agreement", "consistency", "labels", "all_languages", "similarity"]
)
def test_a_measure_of_labels_refuses_texts_and_says_what_compares_them(what: str) -> None:
    with pytest.raises(UsageError, match=r"answers of open are texts of their own; `hesperus evaluate"):
        measure(what, _records())


def test_other_tasks_are_measured_and_what_is_left_out_is_said() -> None:
    closed = _records("closed", text="yes")
    with pytest.warns(HesperusWarning, match="answers of open are texts of their own.*excluded here"):
        found = measure("consistency", pl.concat([_records(), closed]))
    assert found.rows == measure("consistency", closed).rows
    assert {row["task"] for row in found.rows} == {"closed"}


def test_the_summary_says_what_became_of_the_replies_and_no_more() -> None:
    rows = measure("summary", pl.concat([_records(), _records("closed", text="yes")])).rows
    assert {row["statistic"] for row in rows if row["task"] == "open"} == set(OUTCOMES)
    assert {"consistency", "chance"} < {row["statistic"] for row in rows if row["task"] == "closed"}


def test_the_page_says_why_nothing_is_compared(tmp_path: Path) -> None:
    file = tmp_path / "records.parquet"
    _records().write_parquet(file)
    page = Path(hs.report(file, out=tmp_path / "page.html")).read_text(encoding="utf-8")
    assert "Answers without labels" in page and "hesperus evaluate information" in page
    assert "How alike" not in page and "same answers" not in page


def test_two_models_are_not_compared_word_for_word(tmp_path: Path) -> None:
    file = tmp_path / "records.parquet"
    _records().write_parquet(file)
    with pytest.raises(UsageError, match="texts of their own"):
        compare(file, file, model_a="one", model_b="two")
    assert compare(file, file, "validity", model_a="one", model_b="two").rows
