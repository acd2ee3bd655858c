"""The explorer in a real Chromium: clicked through, at three widths, in light and dark; nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import polars as pl
import pytest

from explorer.explorer_site import Site, explored
from explorer.runs import hostile_run, many_languages, quiz_run
from hesperus.records import Run
from reports import headless_chromium
from reports.headless_chromium import Page
from reports.page_faults import ACCESS, BOXES


@pytest.fixture(scope="module")
def site(capitals: Run) -> Iterator[Site]:
    with explored(quiz=quiz_run(), capitals=capitals) as site:
        yield site


def visit(site: Site, look: Callable[[Page], Awaitable[None]]) -> None:
    async def entered(page: Page) -> None:
        await page.open(site.entrance, width=1280)
        await page.until("location.pathname === '/' && document.querySelector('h1')")
        await look(page)
        assert page.messages == [], page.messages
        assert [url for url in page.requests if not url.startswith((site.url, "data:"))] == []

    headless_chromium.visit(entered)


async def follow(page: Page, selector: str, path: str) -> None:
    """Click a link and wait for the page that it leads to."""
    await page.evaluate(f"document.querySelector({selector!r}).click()")
    await page.until(f"location.href.includes({path!r}) && document.readyState === 'complete'")


OVERLAPS = """(() => {
  const cells = [...document.querySelectorAll('tbody :is(.cell, .item) a')].slice(0, 400).map(e => e.getBoundingClientRect());
  const outside = [...document.querySelectorAll('main > *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1);
  return [cells.filter(b => !b.width || !b.height).length, outside.length, document.documentElement.scrollWidth - innerWidth];
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_every_width(site: Site, scheme: str) -> None:
    async def look(page: Page) -> None:
        for width in (390, 1280, 1920) if scheme == "light" else (1280,):
            for path in (
                "/",
                "/items?run=quiz&wrong=sw",
                "/question?of_item=q00",
                "/items?senses=all",
                "/question?of_item=q0-0",
            ):
                await page.open(site.url + path, width=width, scheme=scheme)
                assert await page.evaluate(OVERLAPS) == [0, 0, 0], (width, path)
                assert await page.evaluate(ACCESS) == [], (width, path)
                assert await page.evaluate(BOXES) == [], (width, path)
                dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
                assert (dark == "rgb(255, 255, 255)") == (scheme == "light")

    visit(site, look)


def test_from_a_number_to_the_question_in_three_clicks(site: Site) -> None:
    """Which questions are right in English and wrong in Swahili, and what was answered?"""

    async def look(page: Page) -> None:
        await follow(page, "a[href*='lost=sw']", "lost=sw")
        count = int(await page.evaluate("parseInt(document.querySelector('h1').textContent)"))
        assert 0 < count < 40
        await follow(page, "td.lost a[href$='#sense-sw']", "/question?")
        assert "lost=sw" in await page.evaluate("location.search"), "the filter stays"
        target = await page.evaluate("document.querySelector(':target').textContent")
        assert "sw" in target and "in sw?" in target
        assert f"of {count}" in await page.evaluate("document.querySelector('.around').textContent")
        first = await page.evaluate("document.querySelector('h1').textContent")
        await page.call("Input.dispatchKeyEvent", type="keyDown", key="j", text="j", windowsVirtualKeyCode=74)
        await page.until(f"document.querySelector('h1').textContent !== {first!r}")

    visit(site, look)


def test_filters_by_click_form_and_script(site: Site) -> None:
    async def look(page: Page) -> None:
        await page.open(f"{site.url}/items?run=quiz", width=1280)
        await follow(page, "th.sense .toggles a[title='Only: wrong, in ar']", "wrong=ar")
        assert await page.evaluate("document.querySelectorAll('.toggles a.on').length") == 1
        assert await page.evaluate("document.querySelectorAll('.chips li').length") == 3  # two, and all off
        await follow(page, ".toggles a.on", "/items?run=quiz")
        await page.until("!location.search.includes('wrong') && document.readyState === 'complete'")
        assert await page.evaluate("document.querySelectorAll('.toggles a.on').length") == 0
        await page.evaluate("document.querySelector('#mark').value = 'wrong'")
        await page.evaluate(
            "(s => { s.selectedIndex = 2; s.dispatchEvent(new Event('change', {bubbles: true})) })(document.querySelector('#in-sense'))"
        )
        await page.until("location.search.includes('wrong=') && document.readyState === 'complete'")
        assert "pick" not in await page.evaluate("location.search"), "the address can be shared"
        marks = await page.evaluate(
            "[...new Set([...document.querySelectorAll('tbody tr')].map(r => r.querySelectorAll('td.cell')[2].classList[1]))]"
        )
        assert marks == ["wrong"]

    visit(site, look)


def test_it_works_without_a_script(site: Site) -> None:
    async def look(page: Page) -> None:
        await page.open(f"{site.url}/items?run=quiz", width=1280)
        await page.call("Emulation.setScriptExecutionDisabled", value=True)
        await page.evaluate("window.is_before = true")
        await page.call("Page.reload")
        await page.until("!window.is_before && document.readyState === 'complete'")
        document = await page.call("DOM.getDocument")
        button = await page.call(
            "DOM.querySelector", nodeId=document["root"]["nodeId"], selector="form button"
        )
        box = (await page.call("DOM.getBoxModel", nodeId=button["nodeId"]))["model"]["content"]
        place = {"x": (box[0] + box[2]) / 2, "y": (box[1] + box[5]) / 2, "button": "left", "clickCount": 1}
        await page.evaluate("window.is_before = true")
        for kind in ("mousePressed", "mouseReleased"):
            await page.call("Input.dispatchMouseEvent", type=kind, **place)
        await page.until("!window.is_before && document.readyState === 'complete'")
        assert await page.evaluate("location.pathname + location.search") == "/items?run=quiz"

    visit(site, look)


def test_head_and_first_column_stay_in_sight() -> None:
    async def look(page: Page) -> None:
        await page.open(f"{site.url}/items", width=1280)
        corner = "(b => [b.left, b.top])(document.querySelector('thead .item').getBoundingClientRect())"
        before = await page.evaluate(corner)
        await page.evaluate("document.querySelector('.matrix').scrollTo(900, 300)")
        assert await page.evaluate(corner) == before
        assert await page.evaluate("document.querySelector('.matrix').scrollLeft") == 900

    with explored(languages=many_languages(200)) as site:
        visit(site, look)


def test_hostile_texts_do_nothing() -> None:
    async def look(page: Page) -> None:
        for path in (
            "/",
            "/items",
            "/question?of_item=hostile",
            "/items?text=%3Cscript%3Edocument.title=1%3C/script%3E",
        ):
            await page.open(site.url + path, width=1280)
            assert "owned" not in await page.evaluate("document.title")
            assert await page.evaluate("document.querySelectorAll('img, iframe, object').length") == 0
            assert await page.evaluate("document.scripts.length") == 1
            width = await page.evaluate("document.documentElement.scrollWidth")
            assert width == 1280, path

    with explored(hostile=hostile_run()) as site:
        visit(site, look)


def test_differences_of_two_texts_in_one_language_are_marked(capitals: Run) -> None:
    assert capitals.items is not None
    made = (pl.col("input") == "de_from_en") & (pl.col("item") == "q0-0")
    other = pl.when(made).then(pl.lit("Ist Paris die Hauptstadt in Frankreich?")).otherwise("question")
    original = pl.when(made).then(pl.lit("de~other")).otherwise("input")
    items = pl.concat(
        [capitals.items, capitals.items.filter(made).with_columns(question=other, input=original)]
    )
    records = pl.concat(
        [capitals.records,
         capitals.records.filter((pl.col("item") == "q0-0") & (pl.col("instruction") == "de_from_en") & (pl.col("input") == "de_from_en"))
         .with_columns(instruction=pl.lit("de~other"), input=pl.lit("de~other"))]
    )  # fmt: skip

    async def look(page: Page) -> None:
        await page.open(f"{site.url}/question?of_item=q0-0&a=de_from_en&b=de~other", width=1280)
        marked = await page.evaluate(
            "[...document.querySelectorAll('.compared mark')].map(m => m.textContent)"
        )
        assert marked == ["von", "in"]
        arabic = await page.evaluate(
            "(e => [e.lang, getComputedStyle(e).direction])(document.querySelector('[lang=ar]'))"
        )
        assert arabic == ["ar", "rtl"]

    with explored(capitals=Run(records, items, capitals.study)) as site:
        visit(site, look)
