"""The report as a file: whole, offline, escaped, and the same each time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from page_outline import is_sound, loads_nothing, outline, undrawn

from hesperus.analysis.settings import GivenSettings
from hesperus.errors import UsageError
from hesperus.evidence.shown import shown_on
from hesperus.records import SCHEMA, Run, read_any_run, write_records, write_run
from hesperus.records.packed import packed_run
from hesperus.reports.blocks import Page, Section
from hesperus.reports.columns import Column
from hesperus.reports.grid import Grid, Number
from hesperus.reports.html import report_html, report_page, write_report
from hesperus.reports.html_page import html
from hesperus.reports.multisense_page import multisense_report
from hesperus.version import __version__

QUICK = GivenSettings(resamples=100)


@pytest.fixture(scope="module")
def page(capitals: Run) -> str:
    return report_html(capitals, given=QUICK)


def test_it_is_well_formed_with_every_id_once_and_every_link_inside(page: str) -> None:
    found = outline(page)
    assert len(found.ids) == len(set(found.ids))
    links = [attrs["href"] for tag, attrs in found.tags if tag == "a"]
    assert links and all(str(link)[0] == "#" and str(link)[1:] in found.ids for link in links)


def test_it_loads_nothing(page: str) -> None:
    loads_nothing(page)


def test_a_hostile_reply_is_text(page: str) -> None:
    assert "&lt;script&gt;alert(&#39;reply&#39;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&lt;/style&gt;&lt;/svg&gt;" in page and "⟨U+001B⟩[31mred" in page and "⟨U+202E⟩desrever" in page
    assert "{{ 7 * 7 }}{% raw %}" in page
    assert "\x1b" not in page and "\u202e" not in page


def test_every_text_has_its_language_and_direction(page: str) -> None:
    assert '<dd lang="ar" dir="rtl">هل باريس عاصمة فرنسا؟</dd>' in page
    assert '<dd lang="en" dir="ltr">Is Paris the capital of France?</dd>' in page
    assert re.search(r'<dd class="reply" lang="ar" dir="auto">&lt;script', page)


def test_headings_tables_and_figures_are_named(page: str) -> None:
    found = is_sound(page)
    assert found.count("table") > 5 and found.count("figure") == found.count("svg") == 8
    images = [attrs for _, attrs in found.tags if attrs.get("role") == "img"]
    assert len(images) == 8 and all(str(attrs["aria-label"]).startswith("Figure: ") for attrs in images)


def test_it_says_the_finding_the_settings_and_the_version(page: str, capitals: Run) -> None:
    assert "<h1>Is pocket/m consistent across 4 languages?</h1>" in page
    assert ": same answer to" in page
    assert "100 resamples of items (seed 0)" in page
    assert f"hesperus {__version__}" in page and "study: multisense" in page
    assert "✓ Cross language" in page and "396 answers by 1 model to 36 items of 1 task" in page
    assert "&#34;temperature&#34;: 0.25" in page


def test_the_same_run_gives_the_same_bytes(page: str, capitals: Run, tmp_path: Path) -> None:
    write_run(capitals, tmp_path / "run")
    file = write_report(tmp_path / "run", tmp_path / "a" / "b" / "report.html", given=QUICK)
    assert file.read_text(encoding="utf-8") == page
    assert [path.name for path in file.parent.iterdir()] == ["report.html"]


def test_a_page_of_packed_records_is_that_of_the_records(
    make_run: Callable[..., Run], make_quiz: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    study = make_run({"m/1": 1.0, "m/2": 2.0}, ("de", "ar"))
    some = study.records.filter(pl.col("item").str.head(2).is_in(["q0", "q1"]))
    hard = some.with_columns(
        outcome=pl.when(pl.col("item") == "q0-1").then(pl.lit("error")).otherwise("outcome"),
        answer=pl.when(pl.col("item") == "q0-1").then(None).otherwise("answer"),
        subject=pl.col("item").str.head(2),
        probs=pl.lit(None, SCHEMA["probs"]),
    )
    told = hard.with_columns(reply_language=pl.lit("de"))
    runs = {
        "senses": replace(study, records=hard),
        "told": replace(study, records=told.filter(pl.col("model") == "m/1")),
        "languages": Run(make_quiz(["a", "b"], ["en", "de", "sw"], items=20)),
    }
    for name, run in runs.items():
        write_run(run, tmp_path / name)
        packed = packed_run(tmp_path / name)
        assert packed is not None and packed.records["item"].dtype == pl.Categorical
        assert ("reply" in packed.records.columns) == ("reply_language" not in run.records.columns)
        given = GivenSettings(resamples=10)
        whole = read_any_run(tmp_path / name)
        assert undrawn(report_page(packed, given=given)) == undrawn(report_page(whole, given=given))


def test_records_of_another_tool_are_not_packed(capitals: Run, tmp_path: Path) -> None:
    write_run(capitals, tmp_path)
    capitals.records.write_parquet(tmp_path / "records.parquet")
    assert packed_run(tmp_path) is None


def test_a_page_of_many_models_and_senses_draws_the_first_models(
    make_run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hesperus.analysis.multisense_findings._MANY_CELLS", 8)
    found = multisense_report(make_run({f"m/{n}": 2.0 for n in range(3)}), given=QUICK)
    assert found.found.drawn == ("m/0", "m/1")
    assert {row["low"] for row in found.found.directions.rows} == {None}
    assert "first 2 of 3 models" in next(one for one in found.drawings() if one.kind == "accuracy").caption


def test_of_very_many_pairs_neither_intervals_nor_rows_of_changes_are_made(
    make_run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run({"m/0": 2.0})
    assert multisense_report(run, given=QUICK).found.has_directions
    monkeypatch.setattr("hesperus.analysis.multisense_findings._MANY_PAIRS", 1)
    found = multisense_report(run, given=QUICK)
    assert not found.found.has_directions
    assert {row["low"] for row in found.found.directions.rows} == {None}
    text = undrawn(report_page(run, found=found, given=QUICK))
    assert "hesperus measure directions RUN" in text and "where changed answers go has" not in text


def test_a_page_holds_some_rows_of_a_very_long_table_and_says_how_many() -> None:
    heads = (Column("Model"), Column("Items", unit="number"))
    rows = tuple((f"model-{place:05}", Number(place, "count")) for place in range(3001))
    text = html(Page.of("Title", (), (Section("Table", "table"), Grid("All.", heads, rows))))
    (table,) = shown_on(text).tables
    assert len(table.rows) == 1 + 2500 and table.rows[-1] == ["model-02499", "2,499"]
    assert "first 2,500 of 3,001 rows" in text and "model-02500" not in text
    whole = html(Page.of("Title", (), (Section("Table", "table"), Grid("All.", heads, rows[:2500]))))
    assert " of 2,500 rows" not in whole and "model-02499" in whole


def test_a_records_file_alone_is_enough(capitals: Run, tmp_path: Path) -> None:
    write_records(capitals.records, tmp_path / "records.parquet")
    text = undrawn(report_page(read_any_run(tmp_path / "records.parquet"), given=QUICK))
    assert "These records came without a study file." in text
    assert "Is Paris the capital" not in text and "&lt;script&gt;" in text


def test_one_sense_alone_has_nothing_to_compare(capitals: Run) -> None:
    alone = (pl.col("instruction") == "en") & (pl.col("input") == "en") & (pl.col("repeat") == 1)
    text = undrawn(report_page(Run(capitals.records.filter(alone)), given=QUICK))
    outline(text)
    assert "there is nothing to compare" in text


def test_hostile_names_are_text_everywhere(capitals: Run) -> None:
    nasty = "</style><script>alert(1)</script>\u202e&"
    records = capitals.records.with_columns(
        model=pl.lit(nasty), task=pl.lit(nasty), answer=pl.col("answer").replace({"yes": nasty}),
        gold=pl.col("gold").replace({"yes": nasty}), options=pl.lit([nasty, "no"]), item=pl.col("item") + nasty,
    )  # fmt: skip
    text = report_html(Run(records, study={nasty: nasty}, signature={nasty: nasty}), given=QUICK)
    outline(text)
    assert text.count("<script>") == 1 and "\u202e" not in text


def test_passwords_in_addresses_stay_out(capitals: Run) -> None:
    url = "https://user:secret@example.org/v1"
    run = Run(
        capitals.records,
        None,
        {"base_url": url, "list": [url]},
        {"models": {"http/x": {"base_url": url, "n": 1}}},
    )
    text = undrawn(report_page(run, given=QUICK))
    assert "secret" not in text and text.count("https://example.org/v1") == 1  # of the list
    assert text.count("(an address)") == 2


def test_all_rules_for_unreadable_answers_are_named(capitals: Run) -> None:
    for rule, words in (("agree", "two invalid answers are the same"), ("drop", "are excluded")):
        settings = GivenSettings(invalid=rule, resamples=0)  # type: ignore[arg-type]
        assert words in undrawn(report_page(capitals, given=settings))


def test_33_languages_and_several_models(make_run: Callable[..., Run]) -> None:
    run = make_run({"a/1": 1.0, "b/2": 2.0})
    run = replace(run, records=run.records.filter(pl.col("item").str.starts_with("q0")))
    german = run.records.filter(
        pl.col("instruction").str.contains("de_from_en") | pl.col("input").str.contains("de_from_en")
    )
    tags = ["am", "bg", "bn", "cs", "el", "es", "et", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "lt",
            "lv", "nl", "pl", "pt", "ro", "ru", "sw", "ta", "th", "tr", "uk"]  # fmt: skip
    swapped = [
        german.with_columns(pl.col("instruction", "input").str.replace("de_from_en", f"{tag}_from_en"))
        for tag in tags
    ]
    text = report_html(Run(pl.concat([run.records, *swapped])), given=GivenSettings(resamples=0))
    outline(text)
    assert "translation into 32 other languages" in text and text.count("<details><summary>") > 3
    assert len(text) < 1_500_000


def test_bad_input_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        write_report(tmp_path / "none.parquet", tmp_path / "x.html")
    assert "Nothing was asked" in report_html(Run(pl.DataFrame(schema=SCHEMA)))
