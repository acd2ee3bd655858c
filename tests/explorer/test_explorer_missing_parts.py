"""Runs that lack something: their page and the explorer say what, and how to get it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from explorer.explorer_site import explored
from explorer.runs import many_languages, quiz_run
from hesperus.analysis.settings import GivenSettings
from hesperus.api.pages import report
from hesperus.api.results import open_run
from hesperus.cli.app import app
from hesperus.item_views.missing_parts import limits, missing_parts
from hesperus.records import Run, conform, write_run
from hesperus.reports.html import report_page
from reports.page_outline import undrawn

PLAIN = quiz_run(("en", "de", "sw"), items=12)
RECORDS = PLAIN.records
NO_LABELS = pl.lit(None, pl.String)


def of(records: pl.DataFrame, items: pl.DataFrame | None = PLAIN.items) -> Run:
    return Run(records, items)


def other_model(records: pl.DataFrame, name: str) -> pl.DataFrame:
    return pl.concat([records, records.with_columns(model=pl.lit(name))])


def without(items: pl.DataFrame | None, name: str) -> pl.DataFrame:
    assert items is not None
    return items.filter(pl.col("item") != name)


CASES: Mapping[str, tuple[Run, str]] = {
    "empty": (of(RECORDS.clear()), "hesperus import SOURCE"),
    "one language": (of(RECORDS.filter(pl.col("input") == "en")), "hesperus run with --target TAG asks"),
    "one model": (PLAIN, ""),
    "nothing answered": (of(RECORDS.with_columns(outcome=pl.lit("refused"), answer=NO_LABELS)), "hesperus reread RUN"),
    "no reply": (of(RECORDS.with_columns(outcome=pl.lit("error"), answer=NO_LABELS)), "hesperus doctor"),
    "no gold": (of(RECORDS.with_columns(gold=NO_LABELS)), "a column gold"),
    "no probabilities": (of(RECORDS.with_columns(probs=pl.lit(None, pl.List(pl.Float64)))), "--scoring both"),
    "no texts": (of(RECORDS, None), "items.parquet"),
    "half finished": (
        of(other_model(RECORDS, "test/two").filter((pl.col("model") == "test/one") | (pl.col("item") < "q05"))),
        "21 questions that others were asked are missing (test/two in German, test/two in English, test/two in Swahili)",
    ),
    "half finished, one model": (of(RECORDS.filter((pl.col("input") == "en") | (pl.col("item") < "q05"))), "fewer in German, Swahili"),
    "records without items": (of(RECORDS, without(PLAIN.items, "q00")), "No texts of 1 item of 12 (q00)"),
}  # fmt: skip


def read(html: str) -> str:
    """The words of a page."""
    text = re.sub(r"<(style|script|svg|pre)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).replace("&#39;", "'")


@cache
def page_of(name: str) -> str:
    """The page of a case."""
    return undrawn(report_page(CASES[name][0], given=GivenSettings(resamples=20)))


@pytest.mark.parametrize("name", CASES)
def test_a_page_and_the_explorer_say_what_is_missing(name: str) -> None:
    run, said = CASES[name]
    assert said in " ".join(missing_parts(run)).replace("`", "") and bool(said) == bool(missing_parts(run))
    page = read(page_of(name))
    assert said in page and "nan" not in page.lower().split() and "None" not in page.split()
    with explored(run=run) as site:
        assert said in read(site.ask("/").text)
        for path in ("/", "/items", "/question", "/items.csv", "/items?text=q00", "/items?lost=sw"):
            answer = site.ask(path)
            assert answer.status in (200, 400) and answer.text.strip(), (name, path)
            words = read(answer.text) if path != "/items.csv" else ""
            assert "nan" not in words.lower().split() and "None" not in words.split(), (name, path)


def test_what_decides_the_numbers_is_said_before_the_first_of_them() -> None:
    for name in ("half finished", "one language", "no gold"):
        run, said = CASES[name]
        page = page_of(name).replace("<code>", "").replace("</code>", "")
        assert page.index(said.partition(" (")[0]) < page.index('<p class="lead"'), name
        assert said in " ".join(limits(run)).replace("`", ""), name


def test_a_folder_without_a_signature_is_opened_and_says_so(tmp_path: Path) -> None:
    write_run(PLAIN, tmp_path / "run")
    (tmp_path / "run" / "signature.json").unlink()
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--resamples", "20"])
    assert done.exit_code == 0, done.stderr
    assert "No signature.json" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    (tmp_path / "run" / "study.yaml").unlink()
    with explored(run=open_run(tmp_path / "run").run) as site:
        assert "No signature.json" in site.ask("/").text


def test_two_hundred_languages_and_four_hundred_runs() -> None:
    one = RECORDS.filter(pl.col("item") < "q03")
    models = pl.concat([one.with_columns(model=pl.lit(f"model/{number:03}")) for number in range(134)])
    for run, senses in ((many_languages(200), 200), (of(models), 3)):
        with explored(run=run) as site:
            page = site.ask("/").text
            assert page.count('<th scope="col" class="n">') == senses
            assert site.ask("/items").text.count('class="sense') == senses
            assert site.ask("/question").status == 200


def test_the_page_of_a_hundred_languages_is_no_larger_than_others(tmp_path: Path) -> None:
    write_run(many_languages(100), tmp_path / "run")
    page = report(tmp_path / "run", resamples=0)
    text = page.read_text(encoding="utf-8")
    assert page.stat().st_size < 1_500_000 and text.count("figure-languages-task-1") >= 1
    assert re.search(r"than chance alone would give in [^<]* and \d+ more", text)


def test_an_open_answer_needs_no_gold() -> None:
    rows = [
        {"model": "m", "task": "t", "item": "q", "instruction": tag, "input": tag, "answer": tag, "rule": "whole text"}
        for tag in ("en", "de")
    ]  # fmt: skip
    said = missing_parts(Run(conform(pl.DataFrame(rows))))
    assert len(said) == 1 and said[0].startswith("No texts")
