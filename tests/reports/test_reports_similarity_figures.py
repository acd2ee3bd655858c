"""Figures of similarity: they hold the marks and the values that the tables have, and are told apart without colour."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from hesperus.analysis.families import family_of
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.similarity.curves import relation_points
from hesperus.analysis.similarity.orders import clustered, ordered_languages, ordered_models
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings, similarity_findings
from hesperus.analysis.similarity.similarity_settings import Covariate, SimilaritySettings
from hesperus.analysis.single import accuracy_table
from hesperus.errors import UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.reports.similarity.densities import densities_figure
from hesperus.reports.similarity.heat_maps import languages_figure, models_figure
from hesperus.reports.similarity.relation_figures import relations_figure
from hesperus.reports.similarity.similarity_figures import by_group_figure, similarity_drawings
from hesperus.reports.theme import render, specification
from hesperus.rounding import cell as written

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = Covariate(
    {"en": 9.0, "de": 5.0, "nl": 4.0, "zu": 1.0, "xh": 2.0}, "counted for this test", "2026-01-01"
)
SETTINGS = SimilaritySettings(
    sizes={"a/small": 1e9, "a/large": 8e9, "b/small": 2e9}, covariates={"pages": NUMBERS}, bootstrap=Bootstrap(100),
    permutations=19,
)  # fmt: skip


@pytest.fixture(scope="module")
def found(make_quiz: Callable[..., pl.DataFrame]) -> SimilarityFindings:
    return similarity_findings(make_quiz(), SETTINGS, by=["subject"])


def data(chart: Any) -> list[dict[str, Any]]:
    """All rows that a chart draws."""
    spec = json.loads(specification(chart))
    held: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("data"), dict) and isinstance(node["data"].get("values"), list):
                held.extend(node["data"]["values"])
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(spec)
    for rows in spec.get("datasets", {}).values():
        held.extend(rows)
    return held


def titles(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg.decode()).iter(f"{SVG}title")]


def words(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg.decode()).iter(f"{SVG}text")]


def within(found: SimilarityFindings, model: str) -> dict[tuple[str, str], Mapping[str, object]]:
    return {
        tuple(sorted(str(row[side]).rpartition("=")[2] for side in ("a", "b"))): row  # type: ignore[misc]
        for row in found.tables["similarity"].rows
        if row["model_a"] == row["model_b"] == model
    }


def test_a_map_has_every_pair_both_ways_with_its_interval(found: SimilarityFindings) -> None:
    names = {
        "en": "English (en)",
        "de": "German (de)",
        "nl": "Dutch (nl)",
        "zu": "Zulu (zu)",
        "xh": "Xhosa (xh)",
    }
    cells = {
        (row["down"], row["across"]): row
        for row in data(languages_figure(found, models=["a/small"]))
        if "value" in row
    }
    pairs = within(found, "a/small")
    assert len(pairs) == 10 and len(cells) == 20
    for (a, b), row in pairs.items():
        for cell in (cells[names[a], names[b]], cells[names[b], names[a]]):
            assert (cell["value"], cell["low"], cell["high"]) == (row["value"], row["low"], row["high"])
            assert f"[{written(row['low'])}, {written(row['high'])}], 60 items" in cell["told"]
    svg = render(languages_figure(found, models=["a/small"]))
    assert len(titles(svg)) == 20 and set(names.values()) <= set(words(svg))
    shown_values = [
        written(float(str(row["value"])), "short").replace("0.", ".", 1) for row in pairs.values()
    ]
    assert set(shown_values) <= set(words(svg))
    assert words(svg).count("–") == 5, "the diagonal is not measured"


def test_dark_means_more_also_in_grey(found: SimilarityFindings) -> None:
    root = ElementTree.fromstring(render(languages_figure(found, models=["a/large"])).decode())
    above = {child: parent for parent in root.iter() for child in parent}
    shades = []
    for path in root.iter(f"{SVG}path"):
        title = path.find(f"{SVG}title")
        color = path.get("fill") or above[path].get("fill", "")  # a group says what most of its parts have
        fill = re.fullmatch("#(..)(..)(..)", color)
        if title is not None and fill is not None:
            linear = [(int(part, 16) / 255) ** 2.2 for part in fill.groups()]
            shades.append(
                (
                    float((title.text or "").split(": ")[1].split(" ")[0]),
                    np.dot(linear, [0.2126, 0.7152, 0.0722]),
                )
            )
    shades.sort()
    assert len(shades) == 20
    assert all(b[1] < a[1] for a, b in zip(shades, shades[1:], strict=False) if b[0] - a[0] > 0.01)


def test_what_is_undefined_is_crossed_out_and_says_why(make_quiz: Callable[..., pl.DataFrame]) -> None:
    records = make_quiz(["m"], ["en", "de", "sw"], perfect=["en", "de"])
    chart = languages_figure(similarity_findings(records, SETTINGS))
    svg = render(chart)
    assert words(svg).count("×") == 2 and "κp (× undefined)" in words(svg)
    told = {title.partition(": ") for title in titles(svg) if "undefined" in title}
    assert {names for names, _, _ in told} == {
        "English (en) and German (de)",
        "German (de) and English (en)",
    }
    (why,) = {reason for _, _, reason in told}
    assert re.fullmatch(r"undefined: .*independent runs.* \(60 items\)", why)


def test_all_maps_of_a_report_have_one_scale(found: SimilarityFindings) -> None:
    held = [float(str(row["value"])) for model in found.models for row in within(found, model).values()]
    for model in found.models:
        spec = specification(languages_figure(found, models=[model]))
        assert f'"domain": [{min(held)}, {max(held)}]' in spec


def test_families_stand_together_and_are_named(found: SimilarityFindings) -> None:
    codes = ["zu", "en", "xh", "nl", "de", "qq"]
    placed = ordered_languages(codes, {}, order="family")
    families = [family_of(code) for code in placed]
    assert families == sorted(families[:-1]) + ["family not known"]
    assert {"Atlantic-Congo", "Indo-European"} <= set(
        words(render(languages_figure(found, models=["a/small"])))
    )
    assert ordered_languages(["zu", "de", "en"], {}, order="alphabet") == ["en", "de", "zu"]
    with pytest.raises(UnknownNameError, match="did you mean 'family'"):
        ordered_languages(codes, {}, order="famly")  # type: ignore[arg-type]
    assert ordered_models(["x", "b", "a"], {}, order="family", families={"b": "1", "a": "2"}) == [
        "b",
        "a",
        "x",
    ]


def test_clustering_puts_alike_names_beside_each_other() -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    block = {"a": 0, "c": 0, "e": 0, "b": 1, "d": 1, "f": 1}
    square = {
        pair: {"value": 0.9 if block[pair[0]] == block[pair[1]] else 0.1}
        for one in combinations(names, 2)
        for pair in (one, one[::-1])
    }
    square["a", "f"] = square["f", "a"] = {"value": None}
    placed = clustered(names, square)
    assert sorted(placed) == names
    assert {frozenset(placed[:3]), frozenset(placed[3:])} == {frozenset("ace"), frozenset("bdf")}
    assert clustered(["b", "a"], {}) == ["b", "a"] and clustered(["b", "a", "c"], {}) == ["b", "a", "c"]


def test_64_languages_keep_their_names_and_give_up_their_numbers(
    make_quiz: Callable[..., pl.DataFrame],
) -> None:
    tags = [f"{a}{b}" for a in "qrstuvwx" for b in "abcdefgh"]
    found = similarity_findings(make_quiz(["m"], tags, items=12), SimilaritySettings(bootstrap=Bootstrap(0)))
    chart = languages_figure(found)
    width = json.loads(specification(chart))["width"]
    assert width >= 12 * 64
    svg = render(chart)
    shown = [word for word in words(svg) if any(word == tag or word.endswith(f"({tag})") for tag in tags)]
    assert len(shown) == 2 * 64
    assert not [word for word in words(svg) if re.fullmatch(r"−?\.\d\d", word)]
    assert len(titles(svg)) == 64 * 63


def test_models_are_mapped_language_by_language(
    found: SimilarityFindings, make_quiz: Callable[..., pl.DataFrame]
) -> None:
    svg = render(models_figure(found, languages=["en", "zu"]))
    assert {"English (en)", "Zulu (zu)", "a/small", "b/small"} <= set(words(svg))
    assert len(titles(svg)) == 2 * 6
    alone = similarity_findings(make_quiz(["a/small"]), SETTINGS)
    assert models_figure(alone) is None and relations_figure(alone) is None


def test_densities_show_every_pair_and_the_means_of_the_table(found: SimilarityFindings) -> None:
    svg = render(densities_figure(found))
    assert {"within a model, two languages (30 pairs)", "between models, one language (15 pairs)"} <= set(
        words(svg)
    )
    rows = data(densities_figure(found))
    ticks = [row for row in rows if "lane" in row]
    values = sorted(float(str(row["value"])) for row in found.tables["similarity"].rows)
    assert sorted(row["at"] for row in ticks) == values
    means = {row["at"] for row in rows if str(row.get("told", "")).startswith("mean ")}
    assert means == {found.mean(design, "all")["value"] for design in ("within_model", "between_models")}  # type: ignore[index]
    panels = render(densities_figure(found, models=found.models))
    assert set(found.models) <= set(words(panels))
    assert "within a model, two languages (10 pairs)" in words(panels)


def test_a_density_holds_an_area_of_one(make_quiz: Callable[..., pl.DataFrame]) -> None:
    records = make_quiz(["m"], [f"q{letter}" for letter in "abcdefghijklmnop"])
    curve = [
        row for row in data(densities_figure(similarity_findings(records, SETTINGS))) if "density" in row
    ]
    by_place = {row["at"]: row["density"] for row in curve}
    places = sorted(by_place)
    area = np.trapezoid([by_place[place] for place in places], places)
    assert 0.93 < area <= 1.0


def test_groups_hold_the_means_of_the_table(found: SimilarityFindings) -> None:
    points = {
        (row["line"], row["of"]): row for row in data(by_group_figure(found, "subject")) if "line" in row
    }
    assert len(points) == 3 * 4
    for row in found.means("within_model", by="subject"):
        if row["group"] != "all":
            assert points[row["part"], row["group"]]["value"] == row["value"]
    assert points["law", "between models"]["low"] is not None
    assert {"law", "maths", "art", "between models"} <= set(words(render(by_group_figure(found, "subject"))))
    with pytest.raises(UnknownNameError, match="unknown column"):
        by_group_figure(found, "topic")
    with pytest.raises(UsageError, match="at most 5 models"):
        by_group_figure(found, "subject", models=["m"] * 6)


def test_relations_draw_the_points_of_the_table_and_their_r(
    found: SimilarityFindings, make_quiz: Callable[..., pl.DataFrame]
) -> None:
    rows = {(row["design"], row["with"]): row for row in found.tables["correlations"].rows}
    right = pl.DataFrame(list(accuracy_table(make_quiz(), MeasureSettings(bootstrap=Bootstrap(0))).rows))
    for design, column in (("within_model", "model"), ("between_models", "input")):
        relation = rows[design, "accuracy"]
        expected = dict(right.group_by(column).agg(pl.col("value").mean()).iter_rows())
        points = relation_points(found, relation)
        assert {point.name: point.x for point in points} == pytest.approx(expected)
        r = np.corrcoef([point.x for point in points], [point.y for point in points])[0, 1]
        assert r == pytest.approx(relation["value"])
    points = relation_points(found, rows["between_models", "pages"])
    assert {point.name: point.x for point in points} == dict(NUMBERS.values)
    shown = words(render(relations_figure(found)))
    assert any(
        word.startswith(f"r = {written(rows['between_models', 'accuracy']['value'])} [") for word in shown
    )
    assert any("counted for this test" in word for word in shown)
    assert relations_figure(found, beside=["nothing"]) is None


def test_the_line_is_of_least_squares_inside_its_band(found: SimilarityFindings) -> None:
    (relation,) = [row for row in found.tables["correlations"].rows if row["with"] == "pages"]
    points = relation_points(found, relation)
    line = [
        row for row in data(relations_figure(found, beside=["pages"])) if "low" in row and "name" not in row
    ]
    slope, start = np.polyfit([point.x for point in points], [point.y for point in points], 1)
    for row in line:
        assert row["y"] == pytest.approx(start + slope * row["x"])
        assert row["low"] <= row["y"] + 1e-9 and row["y"] - 1e-9 <= row["high"]
    three = data(relations_figure(found, designs=["within_model"], beside=["accuracy"]))
    assert all(row["low"] is None for row in three if "y" in row and "name" not in row), (
        "three points have no band"
    )


def test_names_are_text_whatever_they_hold(make_quiz: Callable[..., pl.DataFrame]) -> None:
    nasty = "</svg><script>alert(1)</script>\u202e,input=x\"'&"
    records = make_quiz(["a", "b", nasty], ["en", nasty, "de"]).with_columns(subject=pl.lit(nasty))
    found = similarity_findings(records, SETTINGS, by=["subject"])
    for drawing in similarity_drawings(found):
        svg = render(drawing.chart).decode()
        ElementTree.fromstring(svg)
        assert "<script" not in svg and "\u202e" not in svg and svg.count("</svg>") == 1
    svg = render(languages_figure(found, models=["a"]))
    assert any(word.startswith("</svg><script>alert(1)<") for word in words(svg))
    assert any("<script>alert(1)</script>⟨U+202E⟩" in title for title in titles(svg))


def test_a_report_of_one_model_draws_what_it_has(make_quiz: Callable[..., pl.DataFrame]) -> None:
    alone = similarity_findings(make_quiz(["m"]), SETTINGS)
    assert [drawing.name for drawing in similarity_drawings(alone)] == ["runs", "languages", "densities"]
    single = similarity_findings(make_quiz(languages=["en"]), SETTINGS)
    assert [drawing.name for drawing in similarity_drawings(single)] == ["runs", "models", "densities"]
