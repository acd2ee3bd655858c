"""What figures draw besides the numbers of tables: fitted lines, densities, families; which examples come first."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from typer.testing import CliRunner

from hesperus.analysis.changed_answers import changed_answers
from hesperus.analysis.families import spans
from hesperus.analysis.similarity.curves import BAND_POINTS, density, fitted_line
from hesperus.analysis.similarity.similarity_findings import similarity_findings
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.cli.app import app
from hesperus.measures import Bootstrap
from hesperus.records import Run, conform, write_records


def _records(answers: dict[tuple[str, int], str], *, model: str = "m") -> pl.DataFrame:
    """Items i0, i1, … with gold A; answers by sense and repeat, a letter for each item."""
    return pl.DataFrame(
        {"model": model, "task": "t", "item": f"i{place}", "instruction": code, "input": code, "repeat": repeat,
         "answer": letter, "outcome": "answered", "options": list("ABC"), "gold": "A"}
        for (code, repeat), said in answers.items() for place, letter in enumerate(said)
    )  # fmt: skip


def test_a_line_is_that_of_least_squares_with_a_band_around_it_also_where_x_are_shares() -> None:
    x = np.linspace(0.4, 0.9, BAND_POINTS + 3)
    y = 2 * x + np.where(np.arange(len(x)) % 2, 0.1, -0.1)
    slope, start = np.polyfit(x, y, 1)
    for point in fitted_line(x, y, seed=0, level=0.95):
        at, value, low, high = (float(str(point[name])) for name in ("x", "y", "low", "high"))
        assert value == pytest.approx(start + slope * at)
        assert low < value < high and high - low < 0.5
    assert fitted_line(np.full(9, 0.5), y[:9], seed=0, level=0.95) == []


def test_a_density_is_a_mean_of_normal_densities_of_silvermans_width() -> None:
    at = np.array([0.1, 0.2, 0.25, 0.3, 0.55, 0.6, 0.8])
    quartiles = np.percentile(at, 75) - np.percentile(at, 25)
    width = 0.9 * min(at.std(ddof=1), quartiles / 1.349) / len(at) ** 0.2
    drawn = density(at, (-1.0, 2.0))
    assert [y for _, y in drawn] == pytest.approx([norm.pdf(x, at, width).mean() for x, _ in drawn])
    assert sum(y for _, y in drawn) * (drawn[1][0] - drawn[0][0]) == pytest.approx(1.0, abs=0.01)
    assert density(np.array([0.5, 0.5, 0.5]), (0.0, 1.0)) == []


def test_neighbours_of_one_family_are_one_span() -> None:
    families = {"de": "I", "nl": "I", "fi": "U", "en": "I", "sv": "I", "da": "I"}
    assert spans(list(families), families) == [("I", 0, 2), ("U", 2, 3), ("I", 3, 6)]


def test_items_that_a_study_excludes_are_counted() -> None:
    records = conform(
        pl.concat([_records({("en", 1): "AAAA", ("de", 1): "AABB"}, model=model) for model in ("m", "n")])
    )
    settings = SimilaritySettings(bootstrap=Bootstrap(0), exclude=("i0", "elsewhere"))
    found = similarity_findings(records, settings)
    assert (found.excluded, found.items) == (1, 3)


def test_the_most_frequent_change_of_an_answer_is_shown_first() -> None:
    records = _records({("en", 1): "AAAAAA", ("de_from_en", 1): "CABBBA"})
    found, total = changed_answers(Run(records), each=2)
    # i0 alone changes to C; of the three that change to B the first comes first
    assert (total, {a["item"] for a, _ in found}) == (4, {"i2", "i0"})
    assert [a["item"] for a, _ in changed_answers(Run(records), each=1)[0]] == ["i2"]


def test_a_repeat_that_a_model_lacks_is_named_as_it_was_asked_for(tmp_path: Path) -> None:
    both = _records({("en", 1): "AAA", ("de", 1): "AAB", ("de", 2): "ABB"}, model="both")
    once = _records({("en", 1): "AAA", ("de", 1): "AAB"}, model="once")
    write_records(pl.concat([both, once]), tmp_path / "r.parquet")
    arguments = [
        "measure",
        "consistency",
        str(tmp_path / "r.parquet"),
        "--a",
        "en",
        "--b",
        "instruction=de,input=de,repeat=2",
    ]
    done = CliRunner().invoke(app, [*arguments, "--resamples", "0", "--format", "json"])
    rows = [row for row in json.loads(done.stdout)["rows"] if row["statistic"] == "consistency"]
    told = {row["model"]: (row["b"], row["n"], row["value"]) for row in rows}
    assert told["both"][1:] == (3, pytest.approx(1 / 3))
    assert told["once"] == ("instruction=de,input=de,repeat=2", 0, None)
