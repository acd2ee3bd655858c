"""The page of open answers: what it says and leaves out, that hostile replies stay text, how it stands in Chromium."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import open_answer_runs as towns
import polars as pl
import pytest
from page_outline import as_read, is_sound, loads_nothing, undrawn

from hesperus.analysis.open_answers.evidence import Evaluated, OpenEvidence, gathered
from hesperus.analysis.open_answers.open_findings import cell_labels
from hesperus.analysis.run_kinds import study_kind
from hesperus.analysis.settings import GivenSettings
from hesperus.errors import DataError, UsageError
from hesperus.records import Run, read_run
from hesperus.reports.html import report_findings, report_html, report_page, write_report
from hesperus.reports.html_page import html
from hesperus.reports.open_answers.open_report import open_answers_report
from hesperus.reports.study_pages import Report
from hesperus.rounding import cell as written
from hesperus.rounding import interval
from reports.headless_chromium import Page, visit

QUICK = GivenSettings(resamples=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("open") / "run"
    towns.written(place)
    return place


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return report_findings(read_run(folder), folder=folder)


@pytest.fixture(scope="module")
def page(folder: Path, report: Report) -> str:
    return as_read(report_html(read_run(folder), found=report))


def test_it_is_one_whole_page_that_loads_nothing(page: str) -> None:
    loads_nothing(page)
    found = is_sound(page)
    assert found.count("figure") == 6


def test_it_says_what_was_asked_and_what_was_left_out(page: str) -> None:
    for words in (
        "Do a/large and a/small say as much in 5 other languages as in English?",
        "5, compared with English: Arabic, Hebrew, Swahili, German and Hindi",
        "10 of towns; in each language in the task&#39;s own words",
        "information: claims of each answer, verified against the other, by the embedded judge",
        "100 (an answer with the same model&#39;s answer to the same prompt): 90 compared, 5 only the reference gives no "
        "answer, 4 only this language gives no answer, 1 not asked in both languages",
        "2 items (2 leaked)",
        "9 of 100 pairs have a side that gives no answer",
        "information: 96.0\u00a0% of 250 replies of the judge could be read.",
        "Brackets are 90 % intervals over the prompts",
        "90 % of 200 resamples of prompts (seed 5)",
        "61.5", "The embedded judge compares words and numbers", "translated twice (there and back)",
    ):  # fmt: skip
        assert words in page, words
    assert "secret" not in page and "example.org/v1" not in page and "(an address)" in page


def test_the_verdict_and_the_table_have_the_planted_numbers(report: Report, page: str) -> None:
    found = report.found[0]
    held = {(cell[0], cell[2]): rows for cell, rows in found.cells.items()}
    # Without the town whose English answer holds a sentence more, four facts of five, three of five, two of five.
    for tag, kept in (("ar", 4), ("he", 3), ("hi", 2)):
        recall = float(str(held["a/large", tag]["recall_answered"]["value"]))
        assert recall == pytest.approx(kept / towns.FACTS, abs=0.02), tag
        assert held["a/large", tag]["precision_answered"]["value"] == pytest.approx(1), tag
    assert held["a/large", "sw"]["precision_answered"]["value"] == pytest.approx(3 / 5, abs=0.02)
    low = held["a/small", "hi"]["recall"]
    assert f"between {written(float(str(low['value'])), 'share')} [" in page and "(a/small in Hindi)" in page
    assert (
        "What translation loses of" in page
        and "does not explain it" in page
        and "agree with themselves to 100.0\u00a0%" in page
    )
    assert all(rows["f_of_means"]["ceiling"] == 1 for rows in held.values())
    row = held["a/small", "he"]["f_of_means"]
    shown = interval(*(float(str(row[name])) for name in ("value", "low", "high")), "percentage")
    assert f">{shown}<" in page


def test_every_grouping_stands_there(page: str) -> None:
    for words in (
        "By declared training languages", "declared as training languages", "not declared", "By script", "Hebrew",
        "By family (Glottolog)", "Atlantic-Congo", "By family, as the paper groups it", "Romance",
        "All languages together",
    ):  # fmt: skip
        assert words in page, words


def test_missing_answers_are_shown_both_ways(report: Report, page: str) -> None:
    rows = next(
        rows for cell, rows in report.found[0].cells.items() if (cell[0], cell[2]) == ("a/large", "ar")
    )
    by_rule, answered = (float(str(rows[name]["value"])) for name in ("f_of_means", "f_of_means_answered"))
    assert answered > by_rule + 0.05
    line = next(part for part in page.split("<tr>") if f">{written(answered, 'percentage')} [" in part)
    assert f">{written(by_rule, 'percentage')} [" in line
    outcomes = page.split('id="answers"')[1].split("</section>")[0]
    assert all(f">{word}<" in outcomes for word in ("Refused", "Blocked", "Answered"))
    assert "English (en), the reference" in outcomes


def test_repairs_and_what_was_given_up_are_shown(page: str) -> None:
    part = page.split('id="translations"')[1].split("</section>")[0]
    assert "Repaired by sampling" in part and "repeats itself" in part
    assert towns.put(towns.STUCK, "sw") in part and "so on and so on" in part


def test_what_loses_most_can_be_read(report: Report, page: str) -> None:
    first = page.split('class="fold"')[1].split("</details>")[0]
    assert "contradicted" in page and "✓ supported" in first and "× not supported" in first
    assert 'lang="hi" dir="auto"' in first and 'lang="en" dir="auto"' in first
    lost = undrawn(report.page(Run(pl.DataFrame(), towns.items()))).split('class="fold"')
    assert len(lost) == 1 + 8 + 2 + 1, "eight prompts of information, two of length, sentences given up"
    assert "Tell me about town 1." in page


def test_each_property_has_agreement_kappa_and_change(report: Report, page: str) -> None:
    found = report.found[1]
    assert (found.what, found.main, found.properties) == ("length", "agreement", ("length",))
    assert "κ" in page and "Change, points" in page and "same length" in page
    rows = next(iter(found.cells.values()))
    assert {"agreement.length", "kappa.length", "change.length"} <= set(rows)


def test_the_same_run_gives_the_same_bytes_from_its_folder(page: str, folder: Path, tmp_path: Path) -> None:
    assert as_read(write_report(folder, tmp_path / "report.html").read_text(encoding="utf-8")) == page


def test_a_study_s_own_bootstrap_holds_unless_another_is_given(folder: Path) -> None:
    run = read_run(folder)
    settings = GivenSettings(resamples=10, seed=1)
    text = undrawn(report_page(run, found=report_findings(run, given=settings, folder=folder)))
    assert "90 % of 10 resamples of prompts (seed 1)" in text


def test_hostile_replies_are_text_everywhere(page: str) -> None:
    loads_nothing(page)
    assert page.count("<script>") == 1 and "\u202e" not in page and "\x1b" not in page
    assert "&lt;script&gt;alert(&#39;reply&#39;)&lt;/script&gt;" in page and "⟨U+202E⟩desrever" in page
    assert "{{ 7 * 7 }}" in page and "49" not in page.split('class="fold"')[1].split("{{ 7")[0][-20:]


def test_hostile_names_are_text_too(folder: Path) -> None:
    nasty = "</style><script>alert(1)</script>\u202e&"
    run = read_run(folder)
    evidence = gathered(folder, run)
    marked = [
        Evaluated(
            nasty,
            one.pairs.with_columns(model=pl.lit(nasty), task=pl.lit(nasty), item=pl.col("item") + nasty),
            one.details.with_columns(model=pl.lit(nasty)),
            one.sentences.with_columns(faults=pl.lit(nasty), rung=pl.lit(nasty), model=pl.lit(nasty)),
            {**one.signature, "translator": nasty, "judge": {"judge": nasty, "rule": nasty}},
        )
        for one in evidence.evaluations
    ]
    report = open_answers_report(
        Run(run.records, None, {nasty: nasty}, {}), OpenEvidence(marked), given=QUICK
    )
    text = html(report.page(Run(run.records, None, {nasty: nasty}, {})))
    loads_nothing(text)
    assert text.count("<script>") == 1 and "\u202e" not in text and "alert(1)&lt;/script&gt;⟨U+202E⟩" in text


def test_without_a_ceiling_or_any_answer_the_page_says_so(folder: Path) -> None:
    run = Run(read_run(folder).records)
    (one, _) = gathered(folder, read_run(folder)).evaluations
    bare = one.pairs.drop([name for name in one.pairs.columns if name.startswith("ceiling_")])
    text = undrawn(open_answers_report(run, OpenEvidence([replace(one, pairs=bare)]), given=QUICK).page(run))
    assert "no ceiling was measured" in text and "Of the ceiling" not in text
    loads_nothing(text)
    silent = bare.with_columns(state=pl.lit("untranslated"), precision=None, recall=None).with_columns(
        pl.col("precision", "recall").cast(pl.Float64)
    )
    lost = open_answers_report(run, OpenEvidence([replace(one, pairs=silent)]), given=QUICK)
    assert lost.drawings() == []
    text = undrawn(lost.page(run))
    assert "Nothing could be compared" in text and "100 without a translation" in text
    loads_nothing(text)


def test_a_page_of_silence_and_one_without_intervals_claim_nothing(folder: Path) -> None:
    run = Run(read_run(folder).records)
    (one, _) = gathered(folder, read_run(folder)).evaluations
    rule = pl.lit(1.0).alias("precision"), pl.lit(1.0).alias("recall")
    silent = replace(one, pairs=one.pairs.with_columns(pl.lit("both_silent").alias("state"), *rule))
    text = undrawn(open_answers_report(run, OpenEvidence([silent]), given=QUICK).page(run))
    assert "In no pair do both sides give an answer" in text
    assert "also said in the answers" not in text and "all languages together: F" not in text
    bare = open_answers_report(run, OpenEvidence([one]), given=GivenSettings(resamples=0))
    text = undrawn(bare.page(run))
    assert "Scores, in per cent. Precision" in text and "Lines are intervals" not in text
    assert "the grey band" not in text and "lines are intervals" not in text and "(tick)" in text
    assert "task&#39;s own words" not in text, (
        "answers that were there already do not say how they were asked"
    )


def test_what_the_embedded_judge_cannot_read_stands_in_the_verdict(folder: Path) -> None:
    run = Run(read_run(folder).records)
    (one, _) = gathered(folder, read_run(folder)).evaluations
    for changed, words in (
        (
            {"translator": "none"},
            "rules of English only, and the answers were not translated, so that these scores say little",
        ),
        (
            {"reference": "fr"},
            "rules of English only, and the texts it compared are in French, so that these scores say little",
        ),
    ):
        told = replace(one, signature={**one.signature, **changed})
        text = undrawn(open_answers_report(run, OpenEvidence([told]), given=QUICK).page(run))
        assert words in text and "does not explain" not in text
    text = undrawn(open_answers_report(run, OpenEvidence([one]), given=QUICK).page(run))
    assert "say little of what the answers say" not in text


def test_ends_that_round_to_the_same_are_one_number(folder: Path) -> None:
    run = Run(read_run(folder).records)
    (one, _) = gathered(folder, read_run(folder)).evaluations
    nearly = pl.when(pl.col("language") == "de").then(0.5001).otherwise(0.4999)
    alike = replace(
        one, pairs=one.pairs.with_columns(state=pl.lit("compared"), precision=nearly, recall=nearly)
    )
    text = undrawn(open_answers_report(run, OpenEvidence([alike]), given=QUICK).page(run))
    assert text.startswith("50.0\u00a0% [", text.index('<p class="lead">') + len('<p class="lead">'))
    assert "the same in each." in text


def test_a_page_without_repairs_and_losses_says_so(folder: Path) -> None:
    run = Run(read_run(folder).records)
    (one, _) = gathered(folder, read_run(folder)).evaluations
    same = one.pairs.filter(pl.col("state") == "compared").with_columns(
        pl.lit(1.0).alias("precision"), pl.lit(1.0).alias("recall")
    )
    whole = Evaluated("information", same, signature=one.signature)
    text = undrawn(open_answers_report(run, OpenEvidence([whole]), given=QUICK).page(run))
    for words in ("no pair falls below its ceiling", "No answer was translated here"):
        assert words in text, words


def test_languages_asked_in_several_ways_are_told_apart() -> None:
    cells = [
        ("m", "t", "de", "de", "de"),
        ("m", "t", "de", "de_from_en", "de_from_en"),
        ("m", "t", "fr", "fr", "fr"),
    ]
    assert list(cell_labels(cells).values()) == ["German (de)", "German (de) from English", "French (fr)"]


def test_a_broken_or_bare_run_is_named(folder: Path, tmp_path: Path) -> None:
    run = read_run(folder)
    assert study_kind(run) == "translate_then_evaluate"
    with pytest.raises(UsageError, match="give the folder"):
        report_html(run)
    with pytest.raises(UsageError, match="open answers have none"):
        report_findings(run, given=GivenSettings(invalid="drop"), folder=folder)
    with pytest.raises(DataError, match=r"information.pairs\.parquet"):
        report_findings(run, folder=tmp_path)
    empty = Evaluated("information", gathered(folder, run).evaluations[0].pairs.clear())
    with pytest.raises(DataError, match="has no pairs"):
        open_answers_report(run, OpenEvidence([empty]))


def test_it_stands_in_chromium(page: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    file = (tmp_path / "report.html").as_uri()

    async def look(tab: Page) -> None:
        await tab.open(file, width=1200)
        assert tab.messages == [] and tab.requests == [file]
        boxes = await tab.evaluate(
            "[...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect()).map(b => [b.width, b.height])"
        )
        assert len(boxes) == 6 and min(min(box) for box in boxes) > 60
        told = await tab.evaluate(
            "[...document.querySelectorAll('#figure-1-scores title')].map(e => e.textContent)"
        )
        assert any(
            re.search(r"Arabic \(ar\): \d+\.\d.% \[.+\]; relative to the ceiling .+, 10 pairs", one)
            for one in told
        )
        assert any(one.startswith("Arabic (ar): ceiling 100") for one in told)
        assert await tab.evaluate("document.querySelectorAll('script:not([type]), img, iframe').length") == 1
        await tab.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        shown = await tab.evaluate("[...document.querySelectorAll('.reply')].map(e => e.textContent)")
        assert any(
            "</style><script>alert('reply')</script><img src=x onerror=alert(1)>" in one for one in shown
        )
        right = await tab.evaluate(
            "(e => { const r = document.createRange(); r.selectNodeContents(e); const t = [...r.getClientRects()].at(-1), "
            "b = e.getBoundingClientRect(); return [b.right - t.right, t.left - b.left] })"
            "([...document.querySelectorAll('.reply[lang=he]')][0])"
        )
        assert right[0] < right[1], "Hebrew begins at the right"
        for scheme in ("light", "dark"):
            await tab.open(file, width=390, scheme=scheme)
            await tab.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
            assert await tab.evaluate("document.documentElement.scrollWidth") == 390
            wide = await tab.evaluate(
                "[...document.querySelectorAll('main *, header *')].filter(e => !e.closest('.scroll') && "
                "!e.classList.contains('skip') && e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
            )
            assert wide == []
            ground, ink, figure = await tab.evaluate(
                "(s => [s(document.body).backgroundColor, s(document.body).color, "
                "s(document.querySelector('#figure-1-scores svg text')).fill])(getComputedStyle)"
            )
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light") and figure == ink != ground
        assert set(tab.requests) == {file} and tab.messages == []

    visit(look)
