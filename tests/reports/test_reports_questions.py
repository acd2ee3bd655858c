"""The questions of a page in all languages, and long tables: what is packed in the page, and what its script does with it."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from hesperus.errors import DataError
from hesperus.evidence.shown import shown_on
from hesperus.packed_text import packed, unpacked
from hesperus.records import Run, conform
from hesperus.reports.blocks import Page, Section
from hesperus.reports.columns import Column
from hesperus.reports.grid import Grid, Number
from hesperus.reports.html_page import html
from hesperus.reports.item_section import items_blocks
from hesperus.reports.lean_svg import lean
from reports.headless_chromium import Page as Tab
from reports.headless_chromium import visit

HOSTILE = "</script><script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">"


@pytest.fixture(scope="module")
def text() -> str:
    """Two models, two questions, a long table."""
    rows = [
        {"model": model, "task": "t", "item": item, "instruction": sense, "input": sense, "gold": "A", "options": ["A", "B"],
         "answer": "A" if sense == "en" or model == "b" else "B", "probs": [0.25, 0.75], "reply": f"{model} in {sense}: {HOSTILE}"}
        for model in ("a", "b") for item in ("q1", "q2") for sense in ("en", "de", "de_from_en")
    ]  # fmt: skip
    words = {"en": "Is it old?", "de": "Ist es alt?", "de_from_en": "Ist es sehr alt?"}
    texts = [
        {"item": item, "language": code[:2], "input": code, "options": ["yes", "no"], "field:question": words[code]}
        for item in ("q1", "q2") for code in words
    ]  # fmt: skip
    run = Run(conform(pl.DataFrame(rows)), pl.DataFrame(texts))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("hesperus.reports.html_page._LARGE", 200_000)
        return html(Page.of("Items", [], [Section("Table", "table"), table_of(1_900), *items_blocks(run)]))


def table_of(rows: int) -> Grid:
    lines = tuple((f"row {n}", Number(n / 20_000, "percentage", 0.0, 1.0)) for n in range(rows))
    return Grid("Long", (Column("name", "Name"), Column("value", "Value", "percentage")), lines)


def test_texts_are_packed_and_read_back() -> None:
    said = "a line\nof 日本語 \ud800" * 100
    assert unpacked(packed(said)) == said and re.fullmatch(r"[\w+/=]+", packed(said))
    for broken in ("?", "AAAA", packed(said)[:40]):
        with pytest.raises(DataError, match="packed text|cut off"):
            unpacked(broken)


def test_what_is_packed_is_read_by_verify(text: str) -> None:
    assert "row 399" in text and "row 400<" not in text and "These are 400 of 1,900 rows" in text
    table = next(one for one in shown_on(text).tables if one.caption == "Long")
    assert len(table.rows) == 1_901 and table.rows[401] == ["row 400", "2.0 [0.0, 100.0]"]
    question = re.search(r'class="question"[^>]*>([^<]+)<', text)
    assert question is not None and "a in de_from_en" in unpacked(question[1])
    other = text.replace(question[1], packed(unpacked(question[1]).replace("a in de", "a out de")))
    assert shown_on(other) != shown_on(text)


def test_a_page_of_common_size_has_all_rows_without_its_script() -> None:
    text = html(Page.of("Table", [], [Section("Table", "table"), table_of(2_000)]))
    assert "row 1999" in text and "These are" not in text and "<script type" not in text


def test_a_drawing_says_once_what_its_parts_share() -> None:
    marks = "".join(
        f'<g data-leads="model=m&amp;wrong={tag}"><path pointer-events="none" d="M0.12345,{n}h1v1Z" fill="rgb(1, 2, 255)" opacity="1"/></g>'
        for n, tag in enumerate(("de", "sw"))
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><g>{marks}</g><g fill="red"><path d="M1"/><path d="M2" fill="blue"/></g></svg>'
    assert lean(svg) == (
        '<svg xmlns="http://www.w3.org/2000/svg"><g fill="#0102ff" data-under="model=m&amp;wrong="><path d="M0.12,0h1v1Z" '
        'data-leads="de"/><path d="M0.12,1h1v1Z" data-leads="sw"/></g><g fill="red"><path d="M1"/><path d="M2" fill="blue"/></g></svg>'
    ), "a part without a color has that of its group"


def test_a_click_opens_a_question_in_all_languages(text: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")

    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri() + "#items?wrong=de", width=1280)
        assert await tab.evaluate("document.querySelectorAll('table.grid tbody tr').length") == 1_900
        assert await tab.evaluate("document.body.innerText.includes('These are')") is False
        await tab.click("tr[data-item=q1] td[data-code=de]")
        assert await tab.evaluate("location.hash") == "#question?item=q1&model=a&task=t&sense=de"
        shown = await tab.evaluate("document.querySelector('dialog').innerText")
        for part in (
            "Is it old?",
            "Ist es sehr alt?",
            "0.750",
            "a in de: </script>",
            "marked: not so in de",
        ):
            assert part in shown, part
        assert await tab.evaluate(
            "[...document.querySelectorAll('dialog .field mark')].map(m => m.textContent)"
        ) == ["sehr "]
        assert await tab.evaluate("document.querySelectorAll('dialog .matrix tbody tr').length") == 2, (
            "both models"
        )
        await tab.press("j")
        assert await tab.evaluate("document.querySelector('dialog h2').textContent") == "q2"
        await tab.press("Escape")
        await tab.until("location.hash === '#items?wrong=de' && !document.querySelector('dialog').open")
        assert await tab.evaluate("document.title") == "Items" and tab.messages == []

    visit(look)
