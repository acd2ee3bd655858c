"""The page of a similarity study: what it says, what it leaves out in words, and how it stands in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from page_outline import is_sound, loads_nothing, outline, undrawn

from hesperus.analysis.run_kinds import study_kind
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.similarity.similarity_findings import similarity_findings
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings, similarity_settings
from hesperus.measures import Bootstrap
from hesperus.records import Run, conform, write_run
from hesperus.reports.html import report_findings, report_html, report_page, write_report
from hesperus.reports.similarity.similarity_grids import MOST_PAIRS, pairs_grid
from hesperus.reports.similarity.similarity_report import drawings_of
from hesperus.reports.similarity.similarity_story import headlines
from hesperus.reports.study_pages import Report
from reports.headless_chromium import Page, visit

QUICK = GivenSettings(resamples=60)
STUDY = {
    "study": "similarity",
    "models": ["a/small"],
    "base_url": "https://user:secret@example.org/v1",
    "comparison": {
        "statistic": "kappa_p", "sizes": {"a/small": 1e9, "a/large": 8e9, "b/small": 2e9}, "permutations": 19,
        "families": {"a/small": "a", "a/large": "a", "b/small": "b"}, "by": ["subject"], "macro": "subject",
        "bootstrap": {"resamples": 60, "seed": 3, "level": 0.9}, "exclude": ["q000", "q001", "elsewhere"],
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def run(make_quiz: Callable[..., pl.DataFrame]) -> Run:
    records = make_quiz()
    lost = (pl.col("item") == "q005") & (pl.col("input") == "zu")
    other = (pl.col("item") == "q007") & (pl.col("input") == "xh")
    changed = records.with_columns(
        outcome=pl.when(lost).then(pl.lit("invalid")).otherwise("outcome"),
        answer=pl.when(lost).then(None).otherwise("answer"),
        gold=pl.when(other).then(pl.lit("A")).otherwise(
            pl.when(pl.col("item") == "q007").then(pl.lit("B")).otherwise("gold")
        ),
    ).filter(~((pl.col("item") == "q009") & (pl.col("model") == "b/small")))  # fmt: skip
    return Run(changed, None, STUDY, {"hesperus": "0.1.0"})


@pytest.fixture(scope="module")
def report(run: Run) -> Report:
    return report_findings(run)


@pytest.fixture(scope="module")
def page(run: Run, report: Report) -> str:
    return report_html(run, found=report)


def test_it_is_one_whole_page_that_loads_nothing(page: str) -> None:
    loads_nothing(page)
    found = is_sound(page)
    assert found.count("table") == 10
    assert found.count("figure") == 7


def test_it_says_what_was_compared_and_what_was_left_out(page: str) -> None:
    for words in (
        "How alike do a/large, a/small and b/small answer in 5 languages?",
        "quiz: 3 models in 5 languages, 57 questions, not all of them in each. Compared are the answers given, in pairs "
        "of runs: 30 of one model in two languages and 15 of two models in one language.",
        "2 questions excluded by the study&#39;s list.",
        "1 question excluded, since their right answer is not the same in all runs.",
        "5 answers of 855 were never asked for",
        "3 of 850 replies (0.4\u00a0%) carry no answer: they agree with nothing and count as wrong.",
        "Brackets are 90 % intervals",
        "90 % of 60 resamples of items (seed 3)",
        "Mantel&#39;s test: 19 permutations",
    ):
        assert words in page, words
    assert "secret" not in page and "example.org" not in page and "(an address)" in page


def test_every_part_is_there(page: str) -> None:
    for words in (
        "Most alike", "Two models in a language", "by subject", "mean of the groups (macro)", "Detectable",
        "p, Mantel (Holm)", "minus the partner", "log size", "Krippendorff&#39;s α", "AC3 of 2", "What became of the replies",
        "Pairs share runs: 5 runs make 10 pairs", "hesperus audit", "&#34;SimilaritySettings&#34;", "Wang et al",
    ):  # fmt: skip
        assert words in page, words
    assert "Labels and probabilities" not in page, "no answer has probabilities"


def test_labels_and_probabilities_stand_beside_each_other_where_both_are(run: Run) -> None:
    sure = pl.concat_list(*(pl.when(pl.col("answer") == label).then(0.7).otherwise(0.1) for label in "ABCD"))
    records = run.records.with_columns(probs=sure.cast(pl.List(pl.Float64)))
    text = undrawn(report_page(Run(records, None, STUDY, {}), given=GivenSettings(resamples=10)))
    assert "Labels and probabilities" in text and "κp of probabilities" in text
    assert "the two are not to be compared with each other" in text


def test_the_same_run_gives_the_same_bytes_from_its_folder(page: str, run: Run, tmp_path: Path) -> None:
    write_run(run, tmp_path / "run")
    file = write_report(tmp_path / "run", tmp_path / "report.html")
    assert file.read_text(encoding="utf-8") == page


def test_a_study_s_own_settings_hold_unless_others_are_given(run: Run) -> None:
    assert similarity_settings(run).bootstrap == Bootstrap(60, 3, 0.9)
    given = similarity_settings(run, GivenSettings(invalid="drop", resamples=10, seed=1))
    assert (given.invalid, given.bootstrap) == ("drop", Bootstrap(10, 1, 0.9))


def test_which_report_a_run_gets(run: Run, capitals: Run, make_quiz: Callable[..., pl.DataFrame]) -> None:
    assert study_kind(run) == study_kind(Run(make_quiz())) == "similarity"
    assert study_kind(Run(make_quiz(["m"]))) == study_kind(Run(make_quiz(languages=["en"]))) == "similarity"
    assert study_kind(Run(make_quiz(["m"], ["en"]))) == "multisense"
    assert study_kind(capitals) == study_kind(Run(capitals.records)) == "multisense"
    assert study_kind(Run(make_quiz(), study={"study": "multisense"})) == "multisense"


def test_tasks_stand_one_after_the_other_and_what_cannot_be_compared_is_named(
    make_quiz: Callable[..., pl.DataFrame],
) -> None:
    records = pl.concat(
        [make_quiz(["m"], items=20), make_quiz(["m"], items=20).with_columns(task=pl.lit("second")),
         make_quiz(["m"], ["en"], items=20).with_columns(task=pl.lit("third"))]
    )  # fmt: skip
    text = undrawn(report_page(Run(records), given=QUICK))
    found = outline(text)
    assert len(found.ids) == len(set(found.ids)) and {"task-1", "task-2"} <= set(found.ids)
    assert "On second: m in two languages" in text
    assert "third: not compared: no two runs to compare" in text
    only = Run(records.filter(pl.col("task") == "third"), study={"study": "similarity"})
    assert "One model in one language, hence no two runs to compare" in undrawn(
        report_page(only, given=QUICK)
    )


def test_without_right_answers_plain_agreement_is_compared(make_quiz: Callable[..., pl.DataFrame]) -> None:
    bare = make_quiz(["m"]).with_columns(gold=pl.lit(None, pl.String))
    text = undrawn(report_page(Run(bare), given=QUICK))
    assert "Share of same answers is compared here." in text
    assert "without a right answer" not in text, "every question counts"


def test_what_an_import_left_out_is_said(make_quiz: Callable[..., pl.DataFrame]) -> None:
    left = [{"place": "a.jsonl", "count": 3, "reason": "row stands twice", "detail": ""},
            {"place": "b.jsonl", "count": 4, "reason": "row stands twice", "detail": "<b>"}]  # fmt: skip
    run = Run(make_quiz(["m"]), study={"study": "import", "left_out": left})
    text = undrawn(report_page(run, given=QUICK))
    assert "Excluded at the import: 7 × row stands twice." in text


def test_many_pairs_are_shown_by_their_ends(make_quiz: Callable[..., pl.DataFrame]) -> None:
    languages = [f"q{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    settings = SimilaritySettings(bootstrap=Bootstrap(0))
    found = similarity_findings(
        make_quiz(["m", "n"], languages, items=12), settings, only=["similarity", "means"]
    )
    grid = pairs_grid(found.tables["similarity"])
    assert grid is not None
    assert len(found.tables["similarity"].rows) == 2 * 325 + 26 > MOST_PAIRS
    undefined = sum(row["value"] is None for row in found.tables["similarity"].rows)
    assert len(grid.rows) == 2 * 10 + undefined and "Of 676 pairs" in grid.caption


NASTY = "</style><script>alert(1)</script>\u202e&"


def hostile(make_quiz: Callable[..., pl.DataFrame]) -> Run:
    records = make_quiz(["a", "b", NASTY], ["en", f"{NASTY},input=x", "de"], items=30)
    records = records.with_columns(task=pl.lit(NASTY), subject=pl.lit(NASTY), item=pl.col("item") + NASTY)
    study = {"study": "similarity", "comparison": {"by": ["subject"], "permutations": 9}, NASTY: NASTY}
    return Run(records, None, study, {NASTY: NASTY})


@pytest.fixture(scope="module")
def hostile_page(make_quiz: Callable[..., pl.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(hostile(make_quiz), tmp_path_factory.mktemp("hostile") / "hostile.html", given=QUICK)


def test_hostile_names_are_text_everywhere(
    hostile_page: Path, make_quiz: Callable[..., pl.DataFrame]
) -> None:
    text = hostile_page.read_text(encoding="utf-8")
    loads_nothing(text)
    assert text.count("<script>") == 1 and "\u202e" not in text and "alert(1)&lt;/script&gt;⟨U+202E⟩" in text
    plain = hostile(make_quiz).records.with_columns(input=pl.lit("en_via_de"))
    senses = undrawn(report_page(Run(plain.unique(["model", "item"])), given=GivenSettings(resamples=0)))
    assert senses.count("<script>") == 1 and "alert(1)" in senses


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
        assert len(boxes) == 7 and min(min(box) for box in boxes) > 80
        told = await page.evaluate(
            "document.querySelector('#figure-languages-task-1 path title').textContent"
        )
        assert re.search(r"\(\w+\) and .+ \(\w+\): -?\d\.\d{3} \[.+\], \d+ items", told)
        for scheme in ("light", "dark"):
            await page.open(file, width=380, scheme=scheme)
            assert await page.evaluate("document.documentElement.scrollWidth") == 380
            ground, ink, figure = await page.evaluate(
                "(s => [s(document.body).backgroundColor, s(document.body).color, "
                "s(document.querySelector('#figure-densities-task-1 svg text')).fill])(getComputedStyle)"
            )
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light") and figure == ink != ground
        await page.open(other, width=1000)
        assert page.messages == [] and set(page.requests) == {file, other}
        assert await page.evaluate("document.querySelectorAll('script:not([type]), img, iframe').length") == 1

    visit(look)


def test_figures_of_a_report_as_files(report: Report) -> None:
    names = [drawing.name for drawing in report.drawings()]
    assert names == ["runs", "languages", "models", "groups-1", "densities", "densities-models",
                     "correlations"]  # fmt: skip
    assert len({drawing.name for drawing in drawings_of(report.found * 2)}) == 2 * len(names)


def test_a_difference_is_above_zero_in_the_direction_in_which_it_is_told() -> None:
    """Two models that give the same answers in each language, other ones in the next: more alike than one is to itself."""
    labels = "ABCD"
    records = conform(
        pl.DataFrame(
            [
                {"model": model, "task": "t", "item": f"q{number:02}", "instruction": tag, "input": tag, "repeat": 1,
                 "outcome": "answered", "answer": labels[(number * (3 + at) + at) % 4], "gold": "A", "options": list(labels)}
                for model in ("m", "n") for at, tag in enumerate(("en", "de", "sw")) for number in range(60)
            ]
        )
    )  # fmt: skip
    made = report_findings(Run(records, None, {"study": "similarity"}, {}))
    (told,) = [one for one in headlines(made.found[0]) if "more alike than one model" in one]
    value, low, high = map(float, re.findall(r"is (\S+) \[(\S+), (\S+)\] over items", told)[0])
    assert 0 < low <= value <= high, told
