"""The page of an audit: what it says and no more, what was not done, and how it stands in a real Chromium."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from page_outline import as_read, is_sound, loads_nothing, outline, undrawn

from hesperus.analysis.raters import raters_table
from hesperus.analysis.rating_tables import RaterSettings
from hesperus.analysis.run_kinds import study_kind
from hesperus.analysis.table import Table
from hesperus.analysis.tax.audit_evidence import Evidence
from hesperus.analysis.tax.paired_records import quality_scores
from hesperus.analysis.tax.tax_settings import QualityThreshold, Senses, TaxSettings
from hesperus.errors import UsageError
from hesperus.measures import Bootstrap
from hesperus.records import Run, records_frame
from hesperus.reports.html import report_findings, report_html, write_report
from hesperus.reports.study_pages import Report
from hesperus.reports.tax import tax_story as story
from hesperus.reports.tax.tax_report import tax_report
from hesperus.studies.translation_tax.simulator import Faults, Planted, simulated_benchmark
from hesperus.studies.translation_tax.strata import StrataRule, strata_of
from hesperus.types import Record
from hesperus.version import __version__
from reports.headless_chromium import Page, visit

GROUPS = {name: tuple(f"{name}/{k}" for k in (1, 2, 3)) for name in ("english", "chinese")}
SETTINGS = TaxSettings(GROUPS, Bootstrap(60, 42))
SENSES = Senses("en", "zh", "en_from_zh", "zh~natural")
STUDY = {
    "study": "translation_tax", "task": "simulated", "naturalise": {"rewriter": "a/b", "verifier": "judge/one"},
    "base_url": "https://user:secret@example.org/v1",
}  # fmt: skip
PLANTED = Planted(
    items=90, native=40, tax={"english": 0.5, "chinese": 0.5}, gain={"english": 0.15},
    faults=Faults(noisy=0.1, misaligned=0.03, validity={"chinese/3": 0.34}), seed=5,
)  # fmt: skip


def evidence_of(planted: Planted = PLANTED) -> Evidence:
    made = simulated_benchmark(planted)
    records = made.records
    asked = records.filter(pl.col("task") == "simulated")
    rule = StrataRule(anchor="original", per_subject=None)
    strata = strata_of(asked, rule, centric=GROUPS["english"], others=GROUPS["chinese"][:2]).items
    every = [item for ids in strata.values() for item in ids]
    level = RaterSettings(
        unit=("unit",), rater="rater", rating="rating", level="ordinal", bootstrap=Bootstrap(0)
    )
    return Evidence(
        records, SENSES, SETTINGS, QualityThreshold(), "simulated-native",
        scores=quality_scores(made.scores, "en_from_zh", ["simulated"], metric="bleu"), strata=strata,
        passed={"verifier": every[3:], "ann": every[:-2], "bo": every[2:]},
        checked=dict.fromkeys(("verifier", "ann", "bo"), every), ratings=made.ratings,
        agreement={"ratings of cues": raters_table(made.ratings, level)},
        rereadings={"strict": records}, alignment={"gold_differs": 2}, dropped={"length": 1},
    )  # fmt: skip


def texts(evidence: Evidence, mark: str = "") -> pl.DataFrame:
    """Items as a run folder keeps them; every model made its own back-translation."""
    ids = evidence.audited["item"].unique().sort().to_list()
    rows = [
        {"item": item, "language": code[:2], "input": code, "model": model, "gold": "A",
         "options": [f"{mark}{label} {item}" for label in "ABCD"], "field:question": f"{mark}{said} {item}"}
        for item in ids
        for code, model, said in (
            ("en", None, "Which?"), ("zh", None, "哪个？"), ("zh~natural", "a/b", "到底哪个？"),
            ("en_from_zh", "english/1", "Which one?"), ("en_from_zh", "english/2", "Which one?"), ("en_from_zh", "chinese/1", "What?"),
        )
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"model": pl.String})


@pytest.fixture(scope="module")
def report() -> Report:
    evidence = evidence_of()
    return tax_report(evidence, items=texts(evidence))


@pytest.fixture(scope="module")
def run(report: Report) -> Run:
    return Run(report.found.evidence.records, report.found.items, STUDY, {"hesperus": "0.1.0"})


@pytest.fixture(scope="module")
def page(run: Run, report: Report) -> str:
    return as_read(report_html(run, found=report))


def test_it_is_one_whole_page_that_loads_nothing(page: str) -> None:
    loads_nothing(page)
    found = is_sound(page)
    assert found.count("table") == 28
    assert found.count("figure") == 8


def test_it_says_what_was_audited_and_what_was_left_out(page: str) -> None:
    for words in (
        "How much of a score on simulated in Chinese rests on traces of English?",
        "Benchmark: simulated (90 items), English (en) and its translation into Chinese (zh).",
        "6 models: english: english/1, english/2 and english/3; chinese: chinese/1, chinese/2 and chinese/3.",
        "Back-translation (E1): English, translated from Chinese.",
        "Native control (E3): simulated-native (40 items).",
        "verified by judge/one and checked by ann and bo.",
        "Excluded before anything was asked: 1 length.",
        "gold differs between the sides", "below bleu 20", "carry no valid answer; no pair with one is compared.",
        "95 % intervals over 60 resamples of items",
    ):  # fmt: skip
        assert words in page, words
    assert "secret" not in page and "example.org" not in page, "a page names neither key nor endpoint"


def test_the_notes_tell_the_test_and_the_intervals_that_were_used(page: str) -> None:
    assert "The sign test of one model is by the weights of the interval, on its discordant pairs." in page
    assert "without width" not in page, "Bayesian intervals have a width"


def test_the_sections_stand_in_the_order_in_which_they_are_read(page: str) -> None:
    wanted = [
        "audited",
        "summary",
        "alignment",
        "back_translation",
        "validity",
        "native_control",
        "naturalisation",
        "rating",
        "residue",
        "card",
        "measured",
        "notes",
    ]
    found = [identifier for identifier in outline(page).ids if identifier in wanted]
    assert found == wanted


def test_every_number_is_that_of_its_table(page: str, report: Report) -> None:
    row = next(
        row
        for row in report.found.tables["back_translation"].rows
        if row["analysis"] == "clustered" and not row["group"]
    )
    low, value, high = (100 * float(str(row[name])) for name in ("low", "value", "high"))
    assert (
        f"cost the models {value:+.1f} [{low:+.1f}, {high:+.1f}] percentage points on {row['n']} items"
        in page
    )
    assert page.count(f'<td>all models</td><td class="n">{value:+.1f} [{low:+.1f}, {high:+.1f}]</td>') == 1
    assert f"{row['positive']} / {row['negative']}" in page
    bound = next(row for row in report.found.tables["bounds"].rows if str(row["comparison"]).startswith("E4"))
    pooled = next(row for row in report.found.tables["naturalisation"].rows if row["analysis"] == "pooled")
    assert bound["value"] == pytest.approx(pooled["value"]) and bound["n"] == pooled["n"]


def test_high_minus_low_is_the_difference_of_these_strata(report: Report) -> None:
    rows = [row for row in report.found.tables["naturalisation"].rows if not row["group"]]
    of = {row["stratum"]: row for row in rows if row["analysis"] == "stratum"}
    apart = next(row for row in rows if row["analysis"] == "strata")
    assert apart["value"] == pytest.approx(float(str(of["high"]["value"])) - float(str(of["low"]["value"])))
    assert apart["n"] == min(int(str(of[name]["n"])) for name in ("high", "low"))


def test_what_was_found_stands_in_every_part(page: str) -> None:
    for words in (
        "items with findings: 2 gold_differs", "gold differs between languages", "bleu 20 or more",
        "Often without a valid answer in E1: chinese/3 (", "chinese/3, simulated, en_from_zh: ", "parser-sensitive: ",
        "The two sets have different items", "passed by all raters and the verifier, stratum high",
        "Krippendorff&#39;s α", "few to rest a correlation on", "✓ Practical", "a gap is no item-level effect",
        "without chinese/3 (often without a valid answer)", "group english", "difference of groups: english − chinese",
        " strict, %", "The Translation Tax Is Not a Scalar",
    ):  # fmt: skip
        assert words in page or words[0].upper() + words[1:] in page, words


def test_items_for_reading_show_every_version_and_reply(page: str, report: Report) -> None:
    blocks = page.split('<details class="fold">')[1:]
    assert len(blocks) == 12
    first = blocks[0]
    assert "models right on the original only" in first and 'dir="ltr"' in first and 'lang="zh"' in first
    assert first.count("Which one?") == 1, "two models that made the same text stand together"
    assert "(english/1, english/2)" in first and "What?" in first and "到底哪个？" in first
    losses = [
        int(found[1])
        for block in blocks
        if (found := re.search(r": (\d) of \d models right on the original only", block))
    ]
    assert len(losses) == 12 and losses[0] == max(losses) and losses[0] >= 3
    assert report.found.evidence.strata is not None and '<th scope="col">came back</th>' in first


def bare() -> Evidence:
    whole = evidence_of()
    audited = whole.audited.filter(pl.col("input").is_in(["en", "en_from_zh"]))
    return Evidence(audited, Senses("en", None, "en_from_zh"), TaxSettings(bootstrap=Bootstrap(30)))


def test_what_was_not_done_says_so_with_the_command_that_does_it() -> None:
    report = tax_report(bare())
    text = undrawn(report.page(Run(report.found.evidence.records)))
    loads_nothing(text)
    text = re.sub(r"</?span>", "", text)
    for words in (
        "☐ not done", "Not done:</strong> E3 native control. It needs answers to items that were written in Chinese",
        "Not done:</strong> E1 quality threshold on the back-translations. It needs scores of the back-translations",
        "Not done:</strong> E4 naturalisation, same items.", "Not done:</strong> E2 rating of cues",
        "No item was rewritten naturally (E4), so traces of English and the costs of translating back cannot be told apart.",
        "no quality threshold was applied", "Whether items were excluded before anything was asked is not known.",
        "These records came without a study file.", "Its texts are not kept.",
    ):  # fmt: skip
        assert words in text, words
    done = sum(row["status"] != "not done" for row in report.found.checklist.table.rows)
    assert f"{done} of {len(report.found.checklist.table.rows)} points done" in text
    # Evidence in memory lies nowhere, so that no command can go on from it.
    assert not any(row["command"] for row in report.found.checklist.table.rows)
    assert all(row["finding"] for row in report.found.checklist.table.rows)


def paired(outcomes: str, models: int = 2) -> Evidence:
    """Items of which ``=`` is right on both sides, ``-`` lost on the way back, ``+`` won."""
    rows = [
        Record(f"m{number}", "t", f"i{place:03}", sense[:2], sense, 1, "answered", answer, "A")
        for number in range(models)
        for place, outcome in enumerate(outcomes)
        for sense, answer in (
            ("en", "B" if outcome == "+" else "A"),
            ("en_from_de", "B" if outcome == "-" else "A"),
        )
    ]
    return Evidence(
        records_frame(rows), Senses("en", None, "en_from_de"), TaxSettings(bootstrap=Bootstrap(200, 1))
    )


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ("=" * 60, "no answer turned from right to wrong or from wrong to right, on any of 60 items; that leaves room for a cost on up to 4.9\u00a0% of such items"),
        ("-" * 20 + "=" * 20, "the items cost the models +50.0 [+INTERVAL] percentage points on 40 items: traces of English that are lost would do that, and so would errors"),
        ("+" * 20 + "=" * 20, "the items become easier (−50.0 [−INTERVAL] percentage points on 40 items): a tax of this kind does not show"),
        ("-" * 5 + "+" * 5 + "=" * 30, "Whether the way back to English costs the models anything cannot be told"),
        ("-" * 8, "cannot be told from so few items (+100.0 [+41.7, +100.0] percentage points on 8 items)"),
    ],
)  # fmt: skip
def test_the_verdict_says_no_more_than_the_numbers(outcomes: str, said: str) -> None:
    report = tax_report(paired(outcomes))
    told = story.verdict(report.found.evidence, report.found.tables)
    first = re.sub(r"\[([+−])[36]\d\.\d, \1[36]\d\.\d\]", r"[\1INTERVAL]", told[0])
    assert said in first and len(told) == 2 and "cannot be told apart" in told[1]


def test_where_interval_and_p_differ_the_verdict_follows_p() -> None:
    """Of few discordant items the interval may exclude 0 where the test finds nothing: the sentence claims nothing then."""
    row = {"analysis": "clustered", "group": "", "model": "", "statistic": "tax", "value": 0.1, "low": 0.01, "high": 0.2,
           "n": 50, "excluded": 0, "reason": "", "p": 0.06, "could_change": None}  # fmt: skip
    for p, said in (
        (0.06, "cannot be told (+10.0 [+1.0, +20.0] percentage points on 50 items, p = 0.060)"),
        (0.04, "cost the models"),
    ):
        found = Table("back_translation", tuple(row), ({**row, "p": p},), {})
        assert said in story.verdict(paired("="), {"back_translation": found})[0]


@pytest.mark.parametrize(
    ("value", "p", "said"),
    [
        (0.1, 0.01, "+10.0 [0.0, +20.0] points (p = 0.010: more often right on the translated)"),
        (-0.1, 0.01, "−10.0 [0.0, +20.0] points (p = 0.010: more often right on the native)"),
        (0.1, 0.3, "+10.0 [0.0, +20.0] points (p = 0.300: which is more cannot be told)"),
        (None, None, "all models undefined (no valid answer)"),
    ],
)
def test_a_native_gap_is_told_as_it_is(value: float | None, p: float | None, said: str) -> None:
    row = {"group": "all", "model": "", "statistic": "gap", "value": value, "low": 0.0, "high": 0.2, "n": 50, "p": p,
           "reason": "no valid answer"}  # fmt: skip
    (told,) = story.verdict(paired("="), {"native_control": Table("native_control", tuple(row), (row,), {})})
    assert said in told and "these are other items" in told


def test_requests_without_a_reply_are_no_unreadable_answers() -> None:
    evidence = paired("=" * 10)
    failed = pl.when(pl.col("item") == "i003").then(pl.lit("error")).otherwise("outcome")
    told = story.asides(replace(evidence, records=evidence.records.with_columns(outcome=failed)), {})
    assert "All 36 replies could be read." in told
    assert "4 questions of 40 got no reply (error): missing data, in no number." in told


def test_a_verdict_that_hangs_on_one_model_says_on_which() -> None:
    evidence = paired("=" * 30)
    lost = pl.col("model").eq("m1") & pl.col("input").eq("en_from_de")
    records = evidence.records.with_columns(answer=pl.when(lost).then(pl.lit("B")).otherwise("answer"))
    report = tax_report(replace(evidence, records=records))
    assert "cost the models +50.0" in story.verdict(report.found.evidence, report.found.tables)[0]
    told = story.hangs_on(report.found.evidence, report.found.tables)
    assert "E1 does not tell on which side of 0 it lies without m1: 0.0 [−7.4, +6.7] points." in told


def test_without_intervals_and_without_pairs_it_still_stands() -> None:
    evidence = replace(paired("-" * 20), settings=TaxSettings(bootstrap=Bootstrap(0)))
    text = undrawn(tax_report(evidence).page(Run(evidence.records)))
    assert "without an interval" in text and "95 % intervals" not in text and "with no intervals" in text
    back = pl.col("input") == "en_from_de"
    unread = evidence.records.with_columns(
        answer=pl.when(back).then(None).otherwise("answer"),
        outcome=pl.when(back).then(pl.lit("invalid")).otherwise("outcome"),
    )
    text = undrawn(tax_report(replace(evidence, records=unread)).page(Run(unread)))
    assert (
        "What the way back to English costs cannot be told: " in text
        and 'class="n">– <small class="why">(' in text
    )
    assert "figure-back_translation" not in text, "there is nothing to draw"


def test_one_model_is_counted_as_one() -> None:
    evidence = paired("-" * 10 + "+" * 10, models=1)
    text = undrawn(tax_report(evidence).page(Run(evidence.records)))
    assert "1 of 1 model right on the original only" in text and "1 models" not in text


def test_records_without_two_conditions_are_refused() -> None:
    evidence = paired("====")
    only = evidence.records.filter(pl.col("input") == "en")
    with pytest.raises(UsageError, match="no two conditions to compare among the senses en"):
        tax_report(Evidence(only, Senses("en")))


def test_which_report_an_audit_gets(run: Run, report: Report, page: str) -> None:
    assert study_kind(run) == "translation_tax"
    with pytest.raises(UsageError, match="hesperus report RUN"):
        report_findings(run)
    names = [drawing.name for drawing in report.drawings()]
    assert names == [
        "quality",
        "back_translation",
        "back_translation-without",
        "native_control",
        "naturalisation",
        "naturalisation-models",
        "rating",
        "bounds",
    ]
    assert f"Made by hesperus {__version__}." in page
    again = report_html(run, found=tax_report(report.found.evidence, items=report.found.items))
    assert as_read(again) == page, "the same bytes"


NASTY = "</style><script>alert(1)</script>\u202e&\x1b[31m"


def hostile() -> tuple[Run, Report]:
    evidence = evidence_of(replace(PLANTED, items=24, native=12))
    renamed = evidence.records.with_columns(
        model=pl.col("model") + NASTY, task=pl.col("task") + NASTY, item=pl.col("item") + NASTY,
        reply=pl.lit(NASTY + "{{ 7*7 }}"), answer=pl.col("answer") + NASTY, gold=pl.col("gold") + NASTY,
    )  # fmt: skip
    assert evidence.scores is not None and evidence.ratings is not None and evidence.strata is not None
    changed = replace(
        evidence,
        records=renamed,
        settings=TaxSettings(
            {f"{NASTY}{k}": tuple(m + NASTY for m in v) for k, v in GROUPS.items()}, Bootstrap(30)
        ),
        native=f"simulated-native{NASTY}",
        scores=None,
        strata={name: [item + NASTY for item in ids] for name, ids in evidence.strata.items()} | {NASTY: []},
        passed={NASTY: [item + NASTY for item in evidence.passed["ann"]]},
        checked={},
        ratings=evidence.ratings.with_columns(
            unit=pl.col("unit") + NASTY, question=pl.lit(NASTY), rater=pl.col("rater") + NASTY
        ),
        alignment={NASTY: 1},
        dropped={NASTY: 1},
        rereadings={NASTY: renamed},
    )
    items = texts(evidence, NASTY).with_columns(item=pl.col("item") + NASTY, model=pl.col("model") + NASTY)
    return Run(renamed, items, {NASTY: NASTY}, {NASTY: NASTY}), tax_report(changed, items=items)


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run, report = hostile()
    return write_report(run, tmp_path_factory.mktemp("hostile") / "hostile.html", found=report)


def test_hostile_texts_are_text_everywhere(hostile_page: Path) -> None:
    text = hostile_page.read_text(encoding="utf-8")
    loads_nothing(text)
    assert text.count("<script>") == 1 and "\u202e" not in text and "\x1b" not in text
    assert "alert(1)&lt;/script&gt;⟨U+202E⟩&amp;⟨U+001B⟩" in text and "{{ 7*7 }}" in text


def test_it_stands_in_chromium(page: str, hostile_page: Path, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    file = (tmp_path / "report.html").as_uri()
    other = hostile_page.as_uri()

    async def look(page: Page) -> None:
        await page.open(file, width=1200)
        assert page.messages == [] and page.requests == [file]
        boxes = await page.evaluate(
            "[...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect()).map(b => [b.width, b.height])"
        )
        assert len(boxes) == 8 and min(min(box) for box in boxes) > 80
        marks = "document.querySelectorAll('#figure-back_translation title')"
        told = await page.evaluate(f"[...{marks}].map(e => e.textContent)")
        assert len(told) == 9
        pattern = r"all models: [+-]\d+\.\d \[.+\] points, \d+ items, discordant"
        assert sum(bool(re.match(pattern, text)) for text in told) == 1
        closed = "[...document.querySelectorAll('details.fold')].map(d => d.getBoundingClientRect().height)"
        before = await page.evaluate(closed)
        await page.evaluate("document.querySelector('details.fold summary').click()")
        assert (await page.evaluate(closed))[0] > 2 * before[0]
        for scheme in ("light", "dark"):
            await page.open(file, width=390, scheme=scheme)
            await page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            assert await page.evaluate("document.documentElement.scrollWidth") == 390
            table = await page.evaluate(
                "document.querySelector('table.checks').getBoundingClientRect().width"
            )
            assert table <= 390, "the checklist is read without scrolling sideways"
            ground, ink, figure, done, warned = await page.evaluate(
                "(s => [s(document.body).backgroundColor, s(document.body).color, s(document.querySelector('#figure-back_translation svg text')).fill, "
                "s(document.querySelector('.checks .done')).color, s(document.querySelector('.checks .warned')).color])(getComputedStyle)"
            )
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light") and figure == ink != ground
            assert len({ground, ink, done, warned}) == 4
        await page.open(other, width=390)
        await page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert page.messages == [] and set(page.requests) == {file, other}
        assert await page.evaluate("document.querySelectorAll('script:not([type]), img, iframe').length") == 1
        assert await page.evaluate("document.documentElement.scrollWidth") == 390

    visit(look)
