"""What the page's script does, in a real Chromium: order, filter, CSV, LaTeX, pictures, tips; and how the page is set."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import time
from pathlib import Path

import altair as alt
import pytest
from page_faults import ACCESS, BOXES
from page_outline import is_sound, loads_nothing

from hesperus.item_views.markup import FONTS
from hesperus.reports.blocks import Fold, Page, Section, Sentences
from hesperus.reports.columns import Column
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid, Number
from hesperus.reports.html_page import ShownPage, html
from hesperus.reports.theme import chart_of
from reports.headless_chromium import Page as Tab
from reports.headless_chromium import visit
from waiting import LIMIT, until

NASTY = '=HYPERLINK("x") \\input{y} </script><script>alert(1)</script> & % $ # _ ~ ^ {z}'
CLIPBOARD = "navigator.clipboard.writeText = async text => { window.copied = text }"


def languages(number: int) -> Grid:
    """A table of many languages; the third value is undefined, the second negative."""
    rows = [
        (
            f"language {place}",
            Number(place / 1000, "percentage", place / 2000, place / 900),
            Number(40 + place, "count"),
        )
        for place in range(4, number + 1)
    ]
    first = [
        ("[first", Number(0.575, "percentage", 0.5, 0.65), Number(41, "count")),
        (NASTY, Number(-0.125, "points", -0.25, 0.0), Number(42, "count")),
        ("third", Number(None, "percentage"), Number(43, "count")),
    ]
    return Grid(
        "Right, by language.",
        (Column("Language"), Column("=Right, %", unit="number"), Column("Items", unit="number")),
        (*first, *rows),
    )


def drawn(number: int) -> Drawing:
    rows = [
        {"language": f"A language with a long name ({place})", "right": place / number}
        for place in range(number)
    ]
    y = alt.Y("language:N", title=None, axis=alt.Axis(labelLimit=400))
    chart = (
        chart_of(rows).mark_bar().encode(x=alt.X("right:Q", title="right answers"), y=y).properties(width=300)
    )
    return Drawing("accuracy", "accuracy", chart, "Right answers by language.", "accuracy")


@pytest.fixture(scope="module")
def page() -> Page:
    words = Sentences(
        ("A model answers 57.5 % [50.0, 65.0] of 41 questions right in one language of many. " * 4,)
    )
    table = languages(200)
    return Page.of(
        "Is it consistent across 200 languages?",
        [words],
        [Section("First", "first"), words, table, drawn(60), Section("Second", "second"), *[words] * 20,
         Fold("More", (languages(9), Section("Within", "within", 3), words))],
    )  # fmt: skip


@pytest.fixture(scope="module")
def file(page: Page, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(html(page), encoding="utf-8", newline="\n")
    return file


def test_one_script_runs_and_nothing_is_loaded(page: Page) -> None:
    text = html(page)
    loads_nothing(text)
    is_sound(text)
    script = text.split("<script>")[1].split("</script>")[0]
    assert len(script.encode()) < 25_000
    assert sum(file.stat().st_size for file in FONTS.glob("*.woff2")) < 60_000


def test_tables_are_sorted_and_filtered(file: Path) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280)

        async def column(at: int, rows: int = 3) -> list[str]:
            shown = f"[...document.querySelectorAll('table.grid tbody')[0].rows].filter(r => !r.hidden).map(r => r.cells[{at}].dataset.value ?? r.cells[{at}].textContent)"
            found = await tab.evaluate(shown)
            return list(found[:rows])

        head = "document.querySelectorAll('th .sort')[1]"
        original = await column(2)
        for order, first in (("ascending", "-12.5"), ("descending", "57.5")):
            await tab.evaluate(f"{head}.click()")
            assert (await column(1))[0] == first
            assert (await column(1, 200))[-1] == "–", "what is undefined stands last"
            assert await tab.evaluate(f"{head}.closest('th').getAttribute('aria-sort')") == order
        await tab.evaluate(f"{head}.click()")
        assert await column(2) == original
        await tab.evaluate(
            "(i => { i.value = 'THIRD 43'; i.dispatchEvent(new Event('input')) })(document.querySelector('input'))"
        )
        assert await column(0, 200) == ["third"]
        assert await tab.evaluate("document.querySelector('[role=status]').textContent") == "1 of 200 rows"
        assert tab.messages == []

    visit(look)


def test_a_table_is_copied_as_csv_and_latex(file: Path) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280)
        await tab.evaluate(CLIPBOARD)
        await tab.evaluate(
            "[...document.querySelectorAll('button')].find(b => b.textContent === 'Copy CSV').click()"
        )
        rows = list(csv.reader(io.StringIO(await tab.evaluate("window.copied"))))
        assert rows[0] == ["Language", "'=Right, %", "'=Right, %, low", "'=Right, %, high", "Items"]
        assert rows[1] == ["[first", "57.5", "50", "65", "41"]
        assert rows[2] == [f"'{NASTY}", "-12.5", "-25", "0", "42"]
        assert rows[3] == ["third", "", "", "", "43"] and len(rows) == 201
        await tab.evaluate(
            "[...document.querySelectorAll('button')].find(b => b.textContent === 'Copy LaTeX').click()"
        )
        lines = (await tab.evaluate("window.copied")).splitlines()
        assert lines[4] == r"\begin{tabular}{@{}lrr@{}}" and lines[-2:] == [r"\end{tabular}", r"\end{table}"]
        body = [line for line in lines if line.startswith("{}")]
        assert body[1] == r"{}[first & 57.5 {\scriptsize [50.0, 65.0]} & 41 \\"
        assert (
            r"\textbackslash{}input\{y\}" in body[2]
            and r"\& \% \$ \# \_ \textasciitilde{} \textasciicircum{} \{z\}" in body[2]
        )
        assert "$-$12.5" in body[2] and len(re.findall(r"(?<!\\)&", body[2])) == 2

    visit(look)


def test_tables_and_figures_are_saved(file: Path, tmp_path: Path) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280)
        await tab.download_to(tmp_path)
        names = {
            "Save CSV": "first-1.csv",
            "Save LaTeX": "first-1.tex",
            "Save SVG": "figure-accuracy.svg",
            "Save PNG": "figure-accuracy.png",
        }
        for label, name in names.items():
            await tab.evaluate(
                f"[...document.querySelectorAll('button')].find(b => b.textContent === '{label}').click()"
            )
            await asyncio.to_thread(until, (tmp_path / name).is_file)
        assert tab.messages == []

    visit(look)
    assert (tmp_path / "first-1.csv").read_text(encoding="utf-8").startswith('"Language"')
    svg = (tmp_path / "figure-accuracy.svg").read_text(encoding="utf-8")
    assert "@font-face" in svg and 'color="#23272e"' in svg
    assert (tmp_path / "figure-accuracy.png").read_bytes().startswith(b"\x89PNG")


def test_a_number_tells_whose_it_is_and_a_link_opens_what_is_folded(file: Path) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280)
        await tab.evaluate(
            "document.querySelector('td[data-low]').dispatchEvent(new Event('pointerover', {bubbles: true}))"
        )
        told = await tab.evaluate("document.querySelector('.tip').textContent")
        assert told.splitlines() == ["[first", "=Right, %: 57.5", "interval 50 to 65", "n = 41 (Items)"]
        await tab.evaluate("location.hash = 'within'")
        await tab.evaluate("document.getElementById('second').scrollIntoView()")
        await tab.until("document.getElementById('within').closest('details').open")
        await tab.until("document.querySelector('nav [aria-current]').textContent === 'Second'")

    visit(look)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light"), (1920, "light")])
def test_no_text_is_cut_or_overlaps(file: Path, width: int, scheme: str) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=width, scheme=scheme)
        await tab.evaluate("document.querySelector('details').open = true")
        assert await tab.evaluate(BOXES) == []
        font = await tab.evaluate(
            "document.fonts.check('16px \"Hesperus Sans\"') && [...document.fonts].map(f => f.status).join()"
        )
        assert font == "loaded,loaded"
        inside = await tab.evaluate(
            "(b => b.right <= innerWidth)(document.querySelector('td.n').getBoundingClientRect())"
        )
        assert inside, "the first number is seen without scrolling sideways"

    visit(look)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_and_has_names(file: Path, scheme: str) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280, scheme=scheme)
        assert await tab.evaluate(ACCESS) == []

    visit(look)


def test_paper_keeps_what_is_folded_folded(file: Path) -> None:
    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1000)
        folded = await tab.printed_pages()
        await tab.evaluate(
            "document.querySelector('details').append(...[...Array(200)].map(() => { const p = document.createElement('p'); p.textContent = 'more'; return p }))"
        )
        assert await tab.printed_pages() == folded

    visit(look)


def test_a_notebook_shows_it_in_a_frame_that_reaches_nothing(page: Page, tmp_path: Path) -> None:
    frame = ShownPage(page)._repr_html_()
    assert frame.count("<") == 2 and 'sandbox="allow-scripts allow-downloads"' in frame
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>Notebook</title><body>{frame}</body>", encoding="utf-8")

    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280)
        assert tab.messages == [] and set(tab.requests) <= {file.as_uri(), "about:srcdoc"}
        assert await tab.evaluate("document.querySelector('iframe').contentDocument") is None
        end = time.monotonic() + LIMIT
        while len(await tab.screenshot((0, 0, 1280, 600))) < 20_000:  # an empty frame takes 5,000 bytes
            assert time.monotonic() < end, "the frame stays empty"

    visit(look)
