"""Consistency by bins of translation scores: against a count of its own, and as a figure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from page_outline import undrawn

import hesperus as hs
from hesperus.analysis.multisense_findings import multisense_findings
from hesperus.analysis.scores import ALL_SENSES, translation_bins
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.table import Table
from hesperus.errors import DataError
from hesperus.measures import Bootstrap
from hesperus.records import Run, write_run
from hesperus.reports.html import report_findings, report_page
from hesperus.reports.multisense_drawings import drawings
from hesperus.reports.theme import render, specification
from hesperus.reports.translation_figures import translation_bins_figure
from hesperus.rounding import cell as written

QUICK = Bootstrap(resamples=100)


def scored(records: pl.DataFrame, *, low: float = 0.0, high: float = 100.0) -> pl.DataFrame:
    """A score for every translated question, as `hesperus score` leaves them."""
    rng = np.random.default_rng(5)
    frame = (
        records.filter(pl.col("input").str.contains("_from_") & (pl.col("instruction") == "en"))
        .select("model", "task", "item", sense="input")
        .sort(pl.all())
    )
    return frame.with_columns(
        pl.Series("bleu:question", rng.uniform(low, high, len(frame))),
        bleu=pl.Series(rng.uniform(low, high, len(frame))),
    )


@pytest.fixture(scope="module")
def records(make_run: Callable[..., Run]) -> pl.DataFrame:
    return make_run({"pocket/m": 1.0, "pocket/s": 1.8}).records


def counted(records: pl.DataFrame, scores: pl.DataFrame) -> dict[tuple[Any, ...], tuple[float, int]]:
    """The same by joins: same answer, both read; an invalid answer is the same as no other."""
    source = records.filter(
        (pl.col("instruction") == "en") & (pl.col("input") == "en") & (pl.col("repeat") == 1)
    )
    made = records.filter((pl.col("instruction") == "en") & pl.col("input").str.contains("_from_"))
    both = made.join(source, on=["model", "task", "item"], suffix="_source").join(
        scores.rename({"sense": "input"}), on=["model", "task", "item", "input"]
    )
    same = (pl.col("answer") == pl.col("answer_source")).fill_null(False)
    bins = both.with_columns(same=same, edge=(pl.col("bleu") // 10 * 10).clip(0, 90))
    found: dict[tuple[Any, ...], tuple[float, int]] = {}
    for keys in (["model", "input", "edge"], ["model", "edge"]):
        for row in bins.group_by(keys).agg(pl.col("same").mean(), pl.len()).iter_rows(named=True):
            found[row["model"], row.get("input", ALL_SENSES), row["edge"]] = (row["same"], row["len"])
    return found


def test_bins_are_what_a_count_gives(records: pl.DataFrame) -> None:
    scores = scored(records)
    table = translation_bins(records, scores, bootstrap=QUICK)
    expected = counted(records, scores)
    assert {str(row["score"]) for row in table.rows} == {"bleu"}, "scores of single fields stand aside"
    assert len(table.rows) == len(expected)
    for row in table.rows:
        value, answers = expected[row["model"], row["sense"], row["from"]]
        assert (row["value"], row["answers"]) == (pytest.approx(value), answers)
        assert float(str(row["low"])) <= value <= float(str(row["high"]))


def test_scores_without_a_scale_fall_into_bins_of_as_many(records: pl.DataFrame) -> None:
    scores = scored(records, low=-1.0, high=0.9).rename({"bleu": "comet"})
    table = translation_bins(records, scores, bootstrap=QUICK)
    sizes = [
        row["answers"] for row in table.rows if row["sense"] == ALL_SENSES and row["model"] == "pocket/m"
    ]
    assert len(sizes) == 5 and max(sizes) - min(sizes) <= 1  # type: ignore[operator, type-var]
    same = translation_bins(
        records, scores.with_columns(comet=pl.lit(1.5)).with_columns(comet=pl.lit(-1.5)), bootstrap=QUICK
    )
    assert {(row["from"], row["to"]) for row in same.rows} == {(-1.5, -1.5)}
    assert translation_bins_figure(same, score="comet") is not None


def test_the_last_bin_takes_its_upper_edge(records: pl.DataFrame) -> None:
    table = translation_bins(records, scored(records).with_columns(bleu=pl.lit(100.0)), bootstrap=QUICK)
    assert {(row["from"], row["to"]) for row in table.rows} == {(90.0, 100.0)}


def test_scores_of_nothing_are_told(records: pl.DataFrame) -> None:
    with pytest.raises(DataError, match="no score belongs to a made input"):
        translation_bins(
            records,
            scored(records).with_columns(sense=pl.col("sense").str.replace("_from_en", "_from_fr")),
            bootstrap=QUICK,
        )


def _points(chart: Any) -> list[dict[str, Any]]:
    spec = json.loads(specification(chart))
    held = [rows for rows in spec.get("datasets", {}).values()]

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "values" in node.get("data", {}):
                held.append(node["data"]["values"])
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(spec)
    return [row for rows in held for row in rows]


def test_the_figure_draws_the_table(records: pl.DataFrame) -> None:
    table = translation_bins(records, scored(records), bootstrap=QUICK)
    chart = translation_bins_figure(table)
    shown = render(chart).decode()
    assert "BLEU of the item's translation" in shown.replace("&#39;", "'") and "pocket/s" in shown
    drawn = {(row["sense"], row["told"]) for row in _points(chart) if "told" in row}
    for row in table.rows:
        if row["sense"] == ALL_SENSES:
            start = f"all made senses, {row['from']:g} to {row['to']:g}: {written(float(str(row['value'])), 'share')}"
            assert any(sense == ALL_SENSES and told.startswith(start) for sense, told in drawn), row
    few = [row for row in _points(chart) if row.get("many") is False]
    assert all(int(row["count"]) < 10 for row in few)
    assert translation_bins_figure(table, score="comet") is None
    assert translation_bins_figure(Table("x", table.columns, (), {})) is None


def test_a_run_with_scores_shows_them_in_its_report(make_run: Callable[..., Run], tmp_path: Path) -> None:
    run = make_run({"pocket/m": 1.0})
    write_run(run, tmp_path / "run")
    scored(run.records).write_parquet(tmp_path / "run" / "scores.parquet")
    few = GivenSettings(resamples=100)
    text = undrawn(hs.open_run(tmp_path / "run").page(resamples=100).page)
    assert "Is it the translation?" in text and ">translation-bleu: " in text
    assert "Consistency by translation score" in text
    assert "Is it the translation?" not in undrawn(report_page(run, given=few))
    found = multisense_findings(run.records, bootstrap=QUICK, scores=scored(run.records))
    assert [drawing.name for drawing in drawings(found)][-2:] == ["translation-bleu", "translation-mean-bleu"]


def test_scores_that_fit_nothing_do_not_cost_the_report(make_run: Callable[..., Run]) -> None:
    run = make_run({"pocket/m": 1.0})
    scores = scored(run.records).with_columns(sense=pl.col("sense").str.replace("_from_en", "_from_fr"))
    found = report_findings(run, scores=scores, given=GivenSettings(resamples=100))
    text = undrawn(report_page(run, found=found))
    assert "could not be used: no score belongs to a made input" in text
