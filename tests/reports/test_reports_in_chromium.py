"""The pages of all four studies in a real Chromium, at three widths, light, dark and on paper, with no fonts but their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from page_faults import ACCESS, BOXES, SIGNS

import hesperus as hs
from hesperus.cli.demo import MODELS, TARGETS
from hesperus.records import Run, conform, write_run
from reports.headless_chromium import Page as Tab
from reports.headless_chromium import visit

STUDIES = ("multisense", "similarity", "open_answers", "tax")
VIEWS = [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark"), (1920, "light")]
PAPER = (8.5, 11.0)
"""Letter, of the usual sheets the one that holds least."""
LANGUAGES = [
    "ar",
    "bn",
    "cs",
    "de",
    "es",
    "fa",
    "fr",
    "he",
    "hi",
    "id",
    "it",
    "ja",
    "ko",
    "pt",
    "ru",
    "sw",
    "th",
    "tr",
    "vi",
    "zh",
]


@dataclass(frozen=True)
class Seen:
    """What a browser found on a page.

    Attributes:
        faults: View to what is wrong there.
        signs: Signs of the page's own text.
        fonts: Families that draw them.
        messages: What the console says.
        requests: What was asked for.
        sheets: How many sheets it prints on.
    """

    faults: Mapping[str, Sequence[str]]
    signs: str
    fonts: set[str]
    messages: list[str]
    requests: list[str]
    sheets: int


@pytest.fixture(scope="module")
def large_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first study of the demo on a tenth of its items: all tables, figures and examples of its page."""
    folder = tmp_path_factory.mktemp("large")
    values = {"task": "atlas", "models": list(MODELS), "source": ["en"], "target": list(TARGETS),
              "originals": True, "sample": {"n": 12}}  # fmt: skip
    hs.run(values, out=folder, store=folder / "replies.sqlite", progress=False)
    return hs.report(folder, resamples=20)


@pytest.fixture(scope="module")
def seen(large_run: Path, demo_runs: dict[str, Path]) -> dict[str, Seen]:
    """Every page, looked at with one browser."""
    pages = {study: demo_runs[study] / "report.html" for study in STUDIES} | {"multisense": large_run}

    found: dict[str, Seen] = {}

    async def look(tab: Tab) -> None:
        for study, page in pages.items():
            found[study] = await looked_at(tab, page)

    visit(look)
    return found


async def looked_at(tab: Tab, page: Path) -> Seen:
    tab.messages.clear()
    tab.requests.clear()
    await tab.open(page.as_uri(), width=1000)
    await tab.evaluate(
        "document.querySelectorAll('details').forEach(part => { part.dataset.open = part.open; part.open = true })"
    )
    faults: dict[str, list[str]] = {}
    for width, scheme in VIEWS:
        await show(tab, width, scheme)
        # Where a box lies is the same in light and in dark.
        boxes = await listed(tab, BOXES) if scheme == "light" else []
        faults[f"{width} {scheme}"] = boxes + await listed(tab, ACCESS)
    messages, requests = [*tab.messages], [*tab.requests]
    await tab.resize(733, 1000)  # what a sheet is wide between its margins
    await tab.call("Emulation.setEmulatedMedia", media="print")
    faults["print"] = await listed(tab, BOXES)
    await tab.evaluate(
        "document.querySelectorAll('details').forEach(part => { part.open = part.dataset.open === 'true' })"
    )
    width, height = PAPER
    sheets = await tab.printed_pages(printBackground=True, paperWidth=width, paperHeight=height)
    await show(tab, 1280, "light")
    signs = await tab.evaluate(SIGNS)
    await tab.evaluate("document.getElementById('signs-of-the-page').scrollIntoView()")
    await show(tab, 1280, "light")
    return Seen(faults, signs, await fonts_of(tab, "#signs-of-the-page"), messages, requests, sheets)


async def show(tab: Tab, width: int, scheme: str) -> None:
    await tab.resize(width, 900)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    await tab.call("Emulation.setEmulatedMedia", media="", features=features)
    await tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


async def listed(tab: Tab, script: str) -> list[str]:
    found = await tab.evaluate(script)
    assert isinstance(found, list), "the script failed"
    return found


async def fonts_of(tab: Tab, selector: str) -> set[str]:
    for domain in ("DOM", "CSS"):
        await tab.call(f"{domain}.enable")
    root: Any = (await tab.call("DOM.getDocument"))["root"]["nodeId"]
    node = (await tab.call("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
    fonts = (await tab.call("CSS.getPlatformFontsForNode", nodeId=node))["fonts"]
    return {font["familyName"] for font in fonts}


@pytest.mark.parametrize("study", STUDIES)
def test_no_text_is_cut_or_overlaps_and_all_of_it_can_be_read(study: str, seen: dict[str, Seen]) -> None:
    assert seen[study].faults == {view: [] for view in (*(f"{w} {s}" for w, s in VIEWS), "print")}


@pytest.mark.parametrize("study", STUDIES)
def test_a_page_says_nothing_to_the_console_and_asks_for_itself_alone(
    study: str, seen: dict[str, Seen]
) -> None:
    assert seen[study].messages == []
    assert len(set(seen[study].requests)) == 1


@pytest.mark.parametrize("study", STUDIES)
def test_every_sign_is_in_the_font_of_the_page(study: str, seen: dict[str, Seen]) -> None:
    assert len(seen[study].signs) > 20
    assert seen[study].fonts == {"Hesperus Sans"}, seen[study].signs


@pytest.mark.parametrize("study", STUDIES)
def test_a_page_takes_at_most_ten_sheets(study: str, seen: dict[str, Seen]) -> None:
    assert 1 <= seen[study].sheets <= 10


def test_a_study_in_twenty_languages_is_one_file_of_less_than_three_megabytes(tmp_path: Path) -> None:
    """With original texts: 41 senses, 1,640 pairs of them, and every question of the matrix in all of them."""
    senses = ["en", *LANGUAGES, *(f"{tag}_from_en" for tag in LANGUAGES)]
    rows = []
    for model in ("my/small", "my/large"):
        for item in range(42):
            for place, tag in enumerate(senses):
                right = (item * 7 + place * (3 if model == "my/small" else 2)) % 11 > 3
                answer = "yes" if right == (item % 2 == 0) else "no"
                rows.append(
                    {"model": model, "task": "quiz", "item": f"q{item}", "instruction": tag, "input": tag, "repeat": 1,
                     "outcome": "answered", "answer": answer, "gold": "yes" if item % 2 == 0 else "no",
                     "options": ["yes", "no"], "reply": f"My answer to this question is: {answer}."}
                )  # fmt: skip
    texts = [
        {"item": f"q{item}", "language": tag.partition("_")[0], "input": tag, "gold": "yes", "options": ["yes", "no"],
         "field:question": f"Is {item * 7919 % 1009} in {tag} more than {item * 104729 % 997}, if {tag} counts from {item}?"}
        for item in range(42) for tag in senses
    ]  # fmt: skip
    write_run(Run(conform(pl.DataFrame(rows)), pl.DataFrame(texts)), tmp_path / "run")
    page = hs.report(tmp_path / "run", resamples=10)
    assert page.stat().st_size < 3_000_000
    text = page.read_text(encoding="utf-8")
    assert len(re.findall("Swahili", text)) > 5 and text.count('class="question"') > 30


BAD = """<!doctype html><html><title></title><style>p { color: #999 } .box { width: 40px; overflow: hidden; white-space: nowrap }
button { height: 10px }</style><h1>One</h1><h3>Three</h3><p>pale words</p><div class="scroll">x</div><button></button>
<p class="box">words that are too long for their box</p><p id="x">مرحبا بالعالم</p><p id="x">一二三四五</p><a href="#none">n</a>
<table><tr><th>head</th><td style="max-width: 20px"><span style="position: relative; left: 90px">far</span></td></tr></table>
<figure id="f"><svg width="100" height="40"><text x="5" y="20">first</text><text x="8" y="21">second</text>
<text x="90" y="35">beyond</text></svg></figure>"""
FOUND = (
    "contrast 2.", "without a name", "heading 3 after 1", "table without a caption", "heads without a scope", "set from the left",
    "no language", "ids twice: x", "dead link #none", "scrolls without the keyboard", "target", "cut: p", "outside its box: td",
    "labels overlap in f: first and second", "label outside f: beyond",
)  # fmt: skip


def test_these_checks_find_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(BAD, encoding="utf-8")

    seen: list[Seen] = []

    async def look(tab: Tab) -> None:
        seen.append(await looked_at(tab, page))

    visit(look)
    faults = "\n".join(seen[0].faults["1280 light"])
    assert not [fault for fault in FOUND if fault not in faults], faults
