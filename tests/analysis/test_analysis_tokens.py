"""Tokens of languages: means, and how many times those of the reference they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from hesperus.analysis.registry import measure_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.tokens import tokens_table
from hesperus.cli.app import app
from hesperus.errors import UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.records import conform, write_records

EXACT = Bootstrap(0)


def records_of(counts: dict[str, list[int | None]]) -> pl.DataFrame:
    """A reply for each language and item, with its tokens; those of the reply are twice the prompt's."""
    return conform(
        pl.DataFrame(
            [
                {"model": "m", "task": "t", "item": f"i{place}", "instruction": tag, "input": tag, "answer": "a",
                 "gold": "a", "tokens_in": held, "tokens_out": None if held is None else 2 * held}
                for tag, tokens in counts.items() for place, held in enumerate(tokens)
            ]
        )
    )  # fmt: skip


def values(records: pl.DataFrame) -> dict[tuple[str, str], dict[str, object]]:
    rows = tokens_table(records, MeasureSettings(bootstrap=EXACT)).rows
    return {(str(row["input"]), str(row["statistic"])): dict(row) for row in rows}


def test_ratios_are_sums_over_sums_of_the_items_asked_in_both() -> None:
    found = values(records_of({"en": [10, 20, 30], "my": [50, 60]}))
    assert found["en", "tokens_in"]["value"] == 20 and found["my", "tokens_in"]["value"] == 55
    ratio = found["my", "tokens_in_ratio"]
    assert ratio["value"] == pytest.approx(110 / 30) and (ratio["n"], ratio["reference"]) == (2, "en")
    assert found["my", "tokens_out_ratio"]["value"] == pytest.approx(110 / 30)
    assert ("en", "tokens_in_ratio") not in found, "nothing is compared with itself"


def test_replies_without_a_count_are_left_out_and_named() -> None:
    row = values(records_of({"en": [10, 20, 30], "de": [20, None, 60]}))["de", "tokens_in_ratio"]
    assert row["value"] == 2 and (row["n"], row["excluded"], row["reason"]) == (2, 1, "no count of tokens")
    gone = values(records_of({"en": [None], "de": [None]}))["de", "tokens_in"]
    assert gone["value"] is None and gone["reason"] == "no item to measure; no count of tokens"
    bare = records_of({"en": [1], "de": [1]}).drop("tokens_in", "tokens_out")
    assert all(row["value"] is None for row in tokens_table(bare, MeasureSettings(bootstrap=EXACT)).rows)


@settings(max_examples=30)
@given(st.lists(st.integers(1, 500), min_size=2, max_size=12), st.integers(1, 9))
def test_a_language_that_takes_k_times_as_many_has_the_ratio_k(tokens: list[int], times: int) -> None:
    found = values(records_of({"en": list(tokens), "de": [times * held for held in tokens]}))
    assert found["de", "tokens_in_ratio"]["value"] == pytest.approx(times)


def test_the_interval_is_that_of_resampled_items() -> None:
    rng = np.random.default_rng(1)
    english = rng.integers(20, 60, 400)
    other = (english * rng.uniform(1.5, 2.5, 400)).round().astype(int)
    table = tokens_table(
        records_of({"en": english.tolist(), "de": other.tolist()}), MeasureSettings(bootstrap=Bootstrap(2000))
    )
    row = next(row for row in table.rows if row["statistic"] == "tokens_in_ratio")
    drawn = rng.integers(0, 400, (4000, 400))
    low, high = np.quantile(other[drawn].sum(1) / english[drawn].sum(1), [0.025, 0.975])
    assert row["low"] == pytest.approx(low, abs=0.01) and row["high"] == pytest.approx(high, abs=0.01)


def test_it_is_a_measure_like_others(tmp_path: Path) -> None:
    records = records_of({"en": [10, 20], "de": [20, 40]}).with_columns(subject=pl.lit("law"))
    assert measure_table("tokens", records).measure == "tokens"
    write_records(records, tmp_path / "records.parquet")
    done = CliRunner().invoke(
        app, ["check", str(tmp_path / "records.parquet"), "--require", "tokens.tokens_in_ratio <= 1.5"]
    )
    assert done.exit_code == 1 and "2.000" in done.output
    with pytest.raises(UnknownNameError):
        tokens_table(records, MeasureSettings(by=("topic",), bootstrap=EXACT))
    with pytest.raises(UsageError, match="anyway"):
        tokens_table(records, MeasureSettings(by=("model",), bootstrap=EXACT))
