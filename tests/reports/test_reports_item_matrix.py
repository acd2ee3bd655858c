"""The items behind the numbers, as a page shows them, and the numbers that lead to them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from hesperus.records import Run, conform
from hesperus.reports.blocks import Items, Page, Section, Sentences
from hesperus.reports.columns import Column
from hesperus.reports.grid import Grid, Number
from hesperus.reports.html_page import html
from hesperus.reports.item_links import ItemLinks
from hesperus.reports.item_section import items_blocks
from hesperus.reports.page_files import page_json, page_markdown
from reports.headless_chromium import Page as Tab
from reports.headless_chromium import visit


def run_of(
    answers: dict[str, dict[str, str | None]], *, items: pl.DataFrame | None = None, model: str = "m"
) -> Run:
    """Answers by item and sense; None is a refusal. The right answer is yes."""
    rows = [
        {"model": model, "task": "t", "item": item, "instruction": sense, "input": sense, "gold": "yes",
         "answer": answer, "outcome": "refused" if answer is None else "answered"}
        for item, senses in answers.items() for sense, answer in senses.items()
    ]  # fmt: skip
    return Run(conform(pl.DataFrame(rows)), items)


def items_of(run: Run, **settings: int) -> Items:
    return next(block for block in items_blocks(run, **settings) if isinstance(block, Items))


def test_items_that_lose_most_stand_first_and_even_ones_are_left_out() -> None:
    run = run_of(
        {
            "same": {"en": "yes", "de": "yes", "sw": "yes"},
            "one": {"en": "yes", "de": "yes", "sw": "no"},
            "both": {"en": "yes", "de": "no", "sw": "no"},
            "silent": {"en": "yes", "de": "yes", "sw": None},
        }
    )
    items = items_of(run)
    assert [row.item for row in items.view.rows] == ["both", "one", "silent"]
    assert [head.key for head in items.view.heads] == ["en", "de", "sw"]
    marks = [(cell.mark, cell.lost) for cell in items.view.rows[0].cells]
    assert marks == [("right", False), ("wrong", True), ("wrong", True)]
    assert items.totals["m", "sw", "lost"] == 2 and items.totals["m", "sw", "unanswered"] == 1
    assert ("m", "en", "wrong") not in items.totals, "what no item has is left out"
    said = next(block for block in items_blocks(run) if isinstance(block, Sentences)).texts[0]
    assert said.startswith("3 of 4 pairs of item and model (4 items) ")


def test_every_answer_alike_is_said_and_one_sense_has_no_section() -> None:
    same = run_of({"a": {"en": "yes", "de": "yes"}})
    assert [block.texts for block in items_blocks(same) if isinstance(block, Sentences)] == [
        ("Every item has the same answer in all senses.",)
    ]
    assert list(items_blocks(run_of({"a": {"en": "no"}}))) == []


def test_a_file_keeps_some_items_of_every_model_and_sense() -> None:
    # 90 items are lost in two senses, hence more telling than the ten that only the third loses.
    answers = {f"a{n:02}": {"en": "yes", "de": "no", "sw": "no", "fr": "yes"} for n in range(90)}
    answers |= {f"z{n}": {"en": "yes", "de": "yes", "sw": "yes", "fr": "no"} for n in range(10)}
    items = items_of(run_of(answers), most=30)
    shown = [row.item for row in items.view.rows]
    assert len(shown) == 30 and shown == sorted(shown), "in the order of the rule"
    assert sum(name.startswith("z") for name in shown) >= 5
    assert items.totals["m", "fr", "lost"] == 10, "totals are of the whole run"


def test_texts_of_strangers_are_text_and_questions_are_shortened() -> None:
    hostile = "<script>alert(1)</script>\u202e{{ 7 * 7 }}" + "x" * 5000
    texts = pl.DataFrame({"item": ["a"], "language": ["en"], "field:question": [hostile]})
    run = run_of(
        {"a": {"en": "yes", "de": "<b>no</b>" + "y" * 4000}}, items=texts, model='"><script>alert(2)</script>'
    )
    blocks = list(items_blocks(run))
    grid = Grid("x", (Column("model", "Model"), Column("language", "Language"), Column("accuracy", "Right", "percentage")),
                (('"><script>alert(2)</script>', "German (de)", Number(0.5, "percentage")),))  # fmt: skip
    page = html(Page.of("Items", [], [Section("x", "x"), grid, *blocks]))
    assert "<script>alert" not in page and "<b>no" not in page and "\u202e" not in page
    assert "{{ 7 * 7 }}" in page and "data-leads=" in page
    assert "x" * 200 not in page and "y" * 200 not in page, "long texts are shortened"


@pytest.mark.parametrize(
    ("heads", "row", "query"),
    [
        (("model", "language"), ("a/one", "Swahili (sw)", "accuracy"), "model=a/one&wrong=sw"),
        (("model", "language"), ("a/one", "Swahili (sw)", "answered"), "model=a/one&unanswered=sw"),
        (("language",), ("Swahili (sw)", "consistency"), "changed=sw"),
        (("model", "source", "target"), ("a/one", "English (en)", "German (de)", "T"), "model=a/one&changed=de_from_en"),
        (("model", "source", "target"), ("a/one", "English (en)", "German (de)", "X"),
         "model=a/one&changed=instruction%3Den,input%3Dde_from_en"),
        (("model", "a", "b"), ("a/one", "English (en)", "Swahili (sw)", "kappa_p"), "model=a/one&differs=en%20vs%20sw"),
        (("one", "other"), ("a/one, English (en)", "a/one, Swahili (sw)", "kappa_p"), "model=a/one&differs=en%20vs%20sw"),
        (("one", "other"), ("a/one, Swahili (sw)", "b, Swahili (sw)", "kappa_p"), "model=a/one&model=b&wrong=sw"),
        (("model", "language"), ("a/one", "English (en)", "accuracy"), ""),  # no item is wrong there
        (("model", "language"), ("all models", "Swahili (sw)", "accuracy"), ""),
        (("model", "language"), ("a/one", "Swahili (sw)", "chance"), ""),
        (("model", "group"), ("a/one", "Latin", "accuracy"), ""),
    ],
)  # fmt: skip
def test_where_a_number_leads(heads: tuple[str, ...], row: tuple[str, ...], query: str) -> None:
    rows = [
        {"model": model, "task": "t", "item": f"q{n}", "instruction": a, "input": b, "gold": "yes",
         "answer": "yes" if (a, b) == ("en", "en") else None if n else "no", "outcome": "refused" if n and b != "en" else "answered"}
        for model in ("a/one", "b") for n in range(2)
        for a, b in (("en", "en"), ("sw", "sw"), ("de_from_en", "de_from_en"), ("en", "de_from_en"))
    ]  # fmt: skip
    links = ItemLinks.of(items_of(Run(conform(pl.DataFrame(rows)))))
    *labels, head = row
    columns = tuple(map(Column, (*heads, head)))
    assert links.of_row(columns, (*labels, Number(0.5, "percentage"))) == (*[""] * len(labels), query)
    assert links.of_row(columns, (*labels, Number(None, "percentage")))[-1] == "", "nothing is behind a dash"


def test_the_matrix_is_in_markdown_and_json() -> None:
    run = run_of({"one": {"en": "yes", "de": "no"}, "|two|": {"en": "yes", "de": None}})
    page = Page.of("Items", [], items_blocks(run))
    assert "| one | m | yes | yes ✓ | no ×≠ |" in page_markdown(page)
    found = json.loads(page_json(page))["items"]
    assert found[0]["answers"]["de"] == {"answer": "no", "mark": "wrong", "changed": True, "lost": True}
    assert [one["item"] for one in found] == ["one", "|two|"]


LOST = """[...document.querySelectorAll('.items tbody tr')].filter(r => !r.hidden)
  .map(r => r.querySelector('td[data-code="sw"]').classList.contains('lost'))"""


def test_a_number_leads_to_its_items_at_every_width(tmp_path: Path) -> None:
    answers = {f"q{n:02}": {"en": "yes", "de": "no" if n % 3 else "yes", "sw": "no" if n % 2 else "yes"} for n in range(20)}  # fmt: skip
    grid = Grid("Accuracy", (Column("language", "Language"), Column("accuracy", "Right", "percentage")),
                (("Swahili (sw)", Number(0.5, "percentage", 0.3, 0.7)),))  # fmt: skip
    file = tmp_path / "page.html"
    blocks = [Section("Accuracy", "accuracy"), grid, *items_blocks(run_of(answers), most=12)]
    file.write_text(html(Page.of("Items", [], blocks)), encoding="utf-8")

    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=1280)
        await tab.evaluate("document.querySelector('td[data-value] > a').click()")
        assert await tab.evaluate("location.hash") == "#items?wrong=sw"
        await tab.settle()
        assert set(await tab.evaluate(LOST)) == {True}
        status = await tab.evaluate("document.querySelector('.filtered').textContent")
        found = re.search(r"(\d+) of 10 in this file. All of them: (.*?) Copy", status)
        assert found and 0 < int(found[1]) <= 10 and found[2] == "hesperus view RUN --items 'wrong=sw'"
        await tab.evaluate("document.querySelector('th[data-key=de] button[data-mark=right]').click()")
        await tab.settle()
        assert await tab.evaluate("location.hash") == "#items?wrong=sw&right=de"
        assert await tab.evaluate("document.querySelectorAll('.toggles [aria-pressed=true]').length") == 2
        await tab.evaluate("[...document.querySelectorAll('.filtered button')].at(0).click()")
        await tab.settle()
        assert await tab.evaluate("location.hash") == "#items?right=de"
        await tab.evaluate("location.hash = 'items?model=nobody'")
        await tab.settle()
        assert await tab.evaluate(LOST) == [] and tab.messages == []
        for width in (390, 1920):
            await tab.resize(width, 900)
            await tab.evaluate("location.hash = 'items?wrong=sw'")
            assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
            beyond = "[...document.querySelectorAll('.items td.cell')].filter(c => c.getBoundingClientRect().right > innerWidth).length"
            assert await tab.evaluate(beyond) == 0, "no answer needs scrolling sideways"

    visit(look)


def test_a_phone_shows_the_first_rows_and_asks_before_more(tmp_path: Path) -> None:
    """A row is a card there: two hundred of them would be most of the page."""
    answers = {f"q{n:03}": {"en": "yes", "sw": "no" if n % 2 else None} for n in range(150)}
    file = tmp_path / "page.html"
    file.write_text(html(Page.of("Items", [], [*items_blocks(run_of(answers))])), encoding="utf-8")
    cards = "[...document.querySelectorAll('.items tbody tr')].filter(row => row.checkVisibility()).length"
    more = "document.querySelector('.items .more')"

    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), width=390)
        assert await tab.evaluate(cards) == 20
        assert await tab.evaluate(f"{more}.textContent") == "Show 100 more of 150 rows"
        await tab.evaluate(f"{more}.click()")
        assert await tab.evaluate(cards) == 120
        assert await tab.evaluate(f"{more}.textContent") == "Show 30 more of 150 rows"
        await tab.evaluate("location.hash = 'items?lost=sw'")
        assert (
            await tab.evaluate("document.querySelector('.filtered button').textContent")
            == "right in English, wrong in Swahili ×"
        )
        assert await tab.evaluate(cards) == 75 and await tab.evaluate(f"{more}.hidden")
        await tab.open(file.as_uri(), width=1280)
        assert await tab.evaluate(cards) == 150 and not await tab.evaluate(f"{more}.checkVisibility()")

    visit(look)
