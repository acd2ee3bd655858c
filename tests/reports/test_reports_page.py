"""The report in a real Chromium: it renders, stays within a phone's width, and neither runs what it quotes nor loads anything."""

from __future__ import annotations

import struct
import zlib

import pytest

from hesperus.analysis.settings import GivenSettings
from hesperus.records import Run
from hesperus.reports.html import write_report
from reports.headless_chromium import Page, visit


@pytest.fixture(scope="module")
def report(capitals: Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("report") / "report.html"
    write_report(capitals, file, given=GivenSettings(resamples=100))
    return file.as_uri()


def colours(png: bytes) -> set[bytes]:
    """The distinct pixels of every eighth line of a PNG, without undoing its line filters on others."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8 and kind in (2, 6)
    size = 3 if kind == 2 else 4
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    raw = zlib.decompress(data)
    line = width * size + 1
    return {
        raw[row * line + 1 + x * size : row * line + 1 + x * size + size]
        for row in range(0, height, 8)
        for x in range(0, width, 8)
    }


def test_it_renders_and_neither_runs_what_it_quotes_nor_loads_anything(report: str) -> None:
    async def look(page: Page) -> None:
        await page.open(report, width=1200)
        assert page.messages == [] and page.requests == [report]
        for name in ("consistency", "accuracy", "labels", "directions"):
            box = await page.evaluate(
                f"(b => [b.width, b.height])(document.querySelector('#figure-{name} svg').getBoundingClientRect())"
            )
            assert min(box) > 80, name
        assert await page.evaluate("document.querySelectorAll('script:not([type]), img, iframe').length") == 1
        assert await page.evaluate("document.querySelector('h1').textContent.startsWith('Is pocket/m')")
        reply = await page.evaluate(
            "[...document.querySelectorAll('.reply')].find(e => e.textContent.includes('script')).textContent"
        )
        assert reply.startswith("<script>alert('reply')</script><img src=x onerror=alert(1)></style></svg>")
        assert len(colours(await page.screenshot())) > 30

    visit(look)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_light_and_dark(report: str, scheme: str) -> None:
    async def look(page: Page) -> None:
        await page.open(report, width=390, scheme=scheme)
        assert await page.evaluate("document.documentElement.scrollWidth") == 390
        wide = await page.evaluate(
            "[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll') && "
            "e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
        )
        assert wide == []
        ground, ink, figure = await page.evaluate(
            "(s => [s(document.body).backgroundColor, s(document.body).color, "
            "s(document.querySelector('#figure-accuracy svg text')).fill])(getComputedStyle)"
        )
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        assert figure == ink != ground  # a figure's words take the page's ink
        assert len(colours(await page.screenshot((0, 0, 390, 1500)))) > 8

    visit(look)


def test_arabic_runs_from_the_right(report: str) -> None:
    async def look(page: Page) -> None:
        await page.open(report, width=1000)
        right, left = await page.evaluate(
            "(e => { const r = document.createRange(); r.selectNodeContents(e); const t = r.getBoundingClientRect(), "
            "b = e.getBoundingClientRect(); return [b.right - t.right, t.left - b.left] })"
            "(document.querySelector('dd[dir=rtl]'))"
        )
        assert right < 2 < 50 < left

    visit(look)
