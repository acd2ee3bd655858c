"""Where no pair of runs has a value, tables and figures say why instead of showing dashes."""

from __future__ import annotations

import polars as pl
import pytest

from hesperus.analysis.requirements import Requirement, check_table
from hesperus.analysis.similarity.all_pairs import similarity_tables
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.errors import DataError
from hesperus.measures import Bootstrap
from hesperus.records import Run, conform
from hesperus.reports.checked import junit_xml
from hesperus.reports.formats import format_table
from hesperus.reports.one_figure import FigureChoice, one_figure

QUICK = SimilaritySettings(bootstrap=Bootstrap(20), permutations=9)


@pytest.fixture
def free_answers() -> pl.DataFrame:
    """Two models in two languages; every answer is its own, and nothing is gold."""
    rows = [
        {"model": f"m/{model}", "task": "chat", "item": str(item), "instruction": tag, "input": tag, "answer": f"{model} {tag} {item}"}
        for model in "ab" for tag in ("en", "eu") for item in range(5)
    ]  # fmt: skip
    return conform(pl.DataFrame(rows))


def test_a_table_says_once_why_there_is_no_value(free_answers: pl.DataFrame) -> None:
    designs = similarity_tables(free_answers, QUICK)["means"]
    assert {row["value"] for row in designs.rows} == {None}
    text = " ".join(format_table(designs, "table", width=80).split())
    assert text.count("no pair has a value: kappa_p needs right answers, and no item has gold") == 1
    assert "κp" in text


@pytest.mark.parametrize("figure", ["languages", "models", "densities"])
def test_figures_of_nothing_are_refused(free_answers: pl.DataFrame, figure: str) -> None:
    with pytest.raises(
        DataError, match="takes pairs of runs that have a value: `hesperus measure similarity` says why"
    ):
        one_figure(figure, Run(free_answers), FigureChoice(statistic="kappa_p"))


def test_a_model_is_named_once(free_answers: pl.DataFrame) -> None:
    settings = SimilaritySettings(bootstrap=Bootstrap(20), permutations=9, statistic="raw")
    tables = similarity_tables(free_answers, settings)
    checked = check_table([Requirement.parse("similarity >= 0")], {"similarity": tables["similarity"]})
    assert {row["model"] for row in checked.rows} == {"m/a", "m/b", "m/a, m/b"}
    assert "(m/a, chat, instruction=en,input=en with instruction=eu,input=eu)" in junit_xml(checked)
