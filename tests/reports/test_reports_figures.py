"""Figures: drawn, the same each time, and only from what the tables say."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import polars as pl
import pytest
from altair.utils.schemapi import SchemaValidationError

from hesperus.analysis.multisense_findings import MultisenseFindings, multisense_findings
from hesperus.analysis.scores import translation_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import Table
from hesperus.api.pages import page_of
from hesperus.errors import UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.records import Run
from hesperus.reports import theme
from hesperus.reports.answer_figures import directions_figure, labels_figure, outcomes_figure
from hesperus.reports.drawing import write_drawings
from hesperus.reports.multisense_drawings import drawings
from hesperus.reports.multisense_figures import (
    accuracy_figure,
    consistency_figure,
    map_figure,
    models_figure,
    pairs_figure,
)
from hesperus.reports.points import MOST_LINES, Series, points_figure, share_axis
from hesperus.reports.theme import INK, inline_svg, render, specification, unchecked
from hesperus.reports.translation_figures import translation_figure
from hesperus.rounding import cell

QUICK = Bootstrap(resamples=100)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def two(make_run: Callable[..., Run]) -> MultisenseFindings:
    return multisense_findings(make_run({"pocket/m": 1.0, "pocket/s": 1.8}).records, bootstrap=QUICK)


@pytest.fixture(scope="module")
def one(capitals: Run) -> MultisenseFindings:
    return multisense_findings(capitals.records, bootstrap=QUICK)


def words(svg: bytes) -> set[str]:
    return {text.text or "" for text in ElementTree.fromstring(svg.decode()).iter(f"{SVG}text")}


def test_consistency_shows_every_target_by_name_and_tag(two: MultisenseFindings) -> None:
    shown = words(render(consistency_figure(two.consistency)))
    assert {"German (de)", "Arabic (ar)", "Chinese (zh)"} <= shown
    assert {"T: instruction and input", "I: instruction only", "X: input only"} <= shown
    assert {"pocket/m, from English (en)", "pocket/s, from English (en)"} <= shown
    assert "answers that stay the same" in shown


def test_the_best_stands_on_top(one: MultisenseFindings) -> None:
    sort = json.loads(specification(consistency_figure(one.consistency)))["layer"][0]["encoding"]["y"]["sort"]
    values = {
        row["b"]: row["value"]
        for row in one.consistency.rows
        if row["statistic"] == "consistency" and str(row["b"]).count("_from_") == 2
    }
    best = max(values, key=lambda side: values[side])
    assert {"de": "German (de)", "ar": "Arabic (ar)", "zh": "Chinese (zh)"}[best[12:14]] == sort[0]


def test_every_figure_of_a_run_is_drawn_and_named(two: MultisenseFindings) -> None:
    made = drawings(two)
    assert [drawing.name for drawing in made] == [
        "overview", "map", "causes", "consistency", "pairs-1", "pairs-2", "accuracy", "labels", "directions", "outcomes",
    ]  # fmt: skip
    for drawing in made:
        assert len(words(render(drawing.chart))) > 5, drawing.name


def test_labels_stand_beside_the_right_answers(one: MultisenseFindings) -> None:
    shown = words(render(labels_figure(one.labels)))
    assert {"yes", "no", "no valid answer", "right answers", "17%"} <= shown


def test_directions_name_the_change_and_how_many(one: MultisenseFindings) -> None:
    shown = words(render(directions_figure(one.directions)))
    assert "no → yes" in shown
    assert any(text.startswith("Arabic (ar), ") and text.endswith(" changed") for text in shown)


def test_pairs_show_every_sense_with_every_other(one: MultisenseFindings) -> None:
    chart = pairs_figure(one.pairs, model="pocket/m")
    (cells,) = json.loads(specification(chart))["datasets"].values()
    assert len(cells) == 4 * 3
    assert pairs_figure(one.pairs, model="pocket/x") is None


def test_originals_and_what_was_made_keep_lines_of_their_own(make_run: Callable[..., Run]) -> None:
    run = make_run({"m": 1.0}, ("de", "ar"))
    german = run.records.filter(pl.col("instruction") == "en", pl.col("input") == "en", pl.col("repeat") == 1)
    records = pl.concat([run.records, german.with_columns(instruction=pl.lit("de"), input=pl.lit("de"))])
    chart = pairs_figure(multisense_findings(records, bootstrap=QUICK).pairs, model="m")
    (cells,) = json.loads(specification(chart))["datasets"].values()
    assert {cell["down"] for cell in cells} == {
        "English (en)", "German (de)", "German (de) from English", "Arabic (ar) from English",
    }  # fmt: skip
    assert len(cells) == 4 * 3


def test_nothing_to_draw_is_none(one: MultisenseFindings) -> None:
    for figure, table in (
        (consistency_figure, one.consistency),
        (accuracy_figure, one.accuracy),
        (labels_figure, one.labels),
        (directions_figure, one.directions),
        (outcomes_figure, one.outcomes),
    ):
        assert figure(Table(table.measure, table.columns, (), {})) is None


def test_all_answered_needs_no_figure_of_outcomes(one: MultisenseFindings) -> None:
    answered = tuple(row for row in one.outcomes.rows if row["statistic"] == "answered")
    assert outcomes_figure(Table("outcomes", one.outcomes.columns, answered, {})) is None


def test_free_answers_have_no_picture_of_labels(one: MultisenseFindings) -> None:
    row = one.labels.rows[0]
    many = tuple({**row, "label": f"answer {number}"} for number in range(11))
    assert labels_figure(Table("labels", one.labels.columns, many, {})) is None
    row = one.directions.rows[0]
    many = tuple({**row, "from": f"answer {number}"} for number in range(11))
    assert directions_figure(Table("directions", one.directions.columns, many, {})) is None


def test_more_models_than_colours_get_panels(one: MultisenseFindings) -> None:
    rows = tuple({**row, "model": f"m/{number}"} for number in range(7) for row in one.accuracy.rows)
    chart = accuracy_figure(Table("accuracy", one.accuracy.columns, rows, {}))
    assert {f"m/{number}" for number in range(7)} <= words(render(chart))


def test_translation_against_consistency(make_run: Callable[..., Run]) -> None:
    records = make_run({"pocket/m": 1.0, "pocket/s": 1.8}).records
    items = records["item"].unique(maintain_order=True).to_list()
    scores = pl.DataFrame(
        [
            {
                "model": model,
                "task": "capitals",
                "sense": f"{tag}_from_en",
                "item": item,
                "bleu": mean + number % 7,
            }
            for model in ("pocket/m", "pocket/s")
            for tag, mean in (("de", 60.0), ("ar", 30.0), ("zh", 45.0))
            for number, item in enumerate(items)
        ]
    )
    table = translation_table(records, scores, MeasureSettings(bootstrap=QUICK))
    shown = words(render(translation_figure(table)))
    assert {"de", "ar", "zh", "mean BLEU of the translated input", "pocket/m", "pocket/s"} <= shown
    assert translation_figure(table, score="comet") is None


def test_the_same_table_gives_the_same_bytes_in_any_process(one: MultisenseFindings, tmp_path: Path) -> None:
    for format, number in (("svg", 8), ("png", 1)):
        first = [render(drawing.chart, format) for drawing in drawings(one)[:number]]
        theme._drawn.cache_clear()
        second = [render(drawing.chart, format) for drawing in drawings(one)[:number]]
        assert [a == b for a, b in zip(first, second, strict=True)] == [True] * len(first), format
    code = (
        "import altair as alt; alt.Chart().mark_bar(); alt.layer(alt.Chart().mark_bar())\n"
        "from hesperus.analysis.table import Table; from hesperus.reports.theme import render; from hesperus.reports.multisense_figures import accuracy_figure\n"
        "import json, sys; rows = json.load(sys.stdin)\n"
        "sys.stdout.buffer.write(render(accuracy_figure(Table('accuracy', tuple(rows[0]), tuple(rows), {}))))"
    )
    rows = json.dumps(one.accuracy.document()["rows"]).encode()
    other = subprocess.run([sys.executable, "-c", code], input=rows, capture_output=True, check=True)
    assert other.stdout == render(accuracy_figure(one.accuracy))


def test_markup_in_a_name_stays_text(one: MultisenseFindings) -> None:
    nasty = "</svg><script>alert(1)</script>\"'&"
    rows = tuple({**row, "model": nasty} for row in one.consistency.rows)
    others = tuple({**row, "model": "b"} for row in one.consistency.rows)
    chart = consistency_figure(Table("consistency", one.consistency.columns, rows + others, {}))
    svg = inline_svg(chart, "x")
    assert "<script" not in svg and svg.count("</svg>") == 1
    assert any(nasty in text for text in words(render(chart)))


def test_an_inline_figure_takes_the_page_s_ink_and_has_ids_of_its_own(one: MultisenseFindings) -> None:
    svg = inline_svg(consistency_figure(one.consistency), "first")
    assert svg.startswith("<svg") and INK not in svg and "currentColor" in svg
    root = ElementTree.fromstring(svg)
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert all(str(name).startswith("first-") for name in ids)


def test_every_chart_keeps_to_the_schema_of_its_language(demo_runs: dict[str, Path]) -> None:
    """Which is not looked at where they are made."""
    checked = 0
    for run in demo_runs.values():
        for drawing in page_of([run], resamples=10).found.drawings():
            drawing.chart.to_dict(validate=True)
            checked += 1
    assert checked > 20
    with unchecked():
        wrong = alt.Chart().mark_bar(opacity="much")
    with pytest.raises(SchemaValidationError, match="much"):
        wrong.to_dict(validate=True)


def test_files_of_every_format(one: MultisenseFindings, tmp_path: Path) -> None:
    for format, start, number in (("svg", b"<svg", 8), ("png", b"\x89PNG", 2), ("pdf", b"%PDF", 2)):
        files = write_drawings(drawings(one)[:number], tmp_path / format, format=format)  # type: ignore[arg-type]
        assert [file.name for file in files][0] == f"overview.{format}" and len(files) == number
        assert all(file.read_bytes().startswith(start) for file in files)


def test_bad_formats_and_folders_are_told(one: MultisenseFindings, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown figure format: 'gif'"):
        write_drawings(drawings(one), tmp_path, format="gif")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown figure format: 'gif'"):
        render(accuracy_figure(one.accuracy), "gif")  # type: ignore[arg-type]
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write figures to"):
        write_drawings(drawings(one), tmp_path / "file")


def test_models_stand_side_by_side_on_one_axis_with_their_numbers(two: MultisenseFindings) -> None:
    chart = models_figure(two).to_dict()  # type: ignore[union-attr]  # there is something to draw
    assert [panel["title"] for panel in chart["concat"]] == sorted(
        {str(row["model"]) for row in two.accuracy.rows}
    )
    scales = [panel["layer"][-1]["encoding"]["x"].get("scale") or panel["layer"][1]["encoding"]["x"]["scale"]
              for panel in chart["concat"]]  # fmt: skip
    assert all(scale == scales[0] for scale in scales), "one axis for all"
    shown = words(render(models_figure(two)))
    values = [
        row["value"]
        for row in two.consistency.rows
        if row["statistic"] == "consistency" and "_from_" in str(row["b"])
    ]
    assert any(cell(float(str(value)), "percentage") in shown for value in values)


def test_a_map_needs_two_models_and_three_senses(one: MultisenseFindings, two: MultisenseFindings) -> None:
    assert map_figure(one) is None
    chart = map_figure(two)
    shown = words(render(chart))
    assert {str(row["model"]) for row in two.accuracy.rows} <= shown and {
        "German (de)",
        "Chinese (zh)",
    } <= shown


def test_labels_of_points_side_by_side_are_a_line_apart() -> None:
    head = {"task": "t", "score": "bleu", "low": None, "high": None, "n": 9, "excluded": 0, "reason": None}
    rows = []
    for tag, value in (("sw", 0.5), ("hi", 0.502), ("de", 0.9)):
        pair = {
            "a": "instruction=en,input=en",
            "b": f"instruction=en,input={tag}_from_en",
            "source": "en",
            "target": f"{tag}_from_en",
        }
        for statistic, held in (("mean", 100.0), ("consistency", value)):
            rows.append({"model": "m", **head, **pair, "statistic": statistic, "value": held})
    chart = translation_figure(Table("translation", tuple(rows[0]), tuple(rows), {}))
    assert chart is not None
    (held,) = json.loads(specification(chart))["datasets"].values()
    places = sorted(row["label at"] for row in held)
    assert places[1] - places[0] > 0.02 and places[2] == 0.9


def test_more_lines_than_anyone_reads_are_left_to_the_table() -> None:
    def chart(lines: int) -> object:
        rows = [
            {"panel": "m", "line": f"l{at}", "value": 0.5, "low": 0.4, "high": 0.6} for at in range(lines)
        ]
        return points_figure(rows, [Series("")], share_axis(rows, "same"))

    assert chart(MOST_LINES) is not None and chart(MOST_LINES + 1) is None
