"""Ten tasks of a person on the demo's pages and its explorer, with real clicks in Chromium: each within four."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import polars as pl
import pytest
from explorer_site import served

import hesperus as hs
from hesperus.explorer.state import OpenRuns, with_scores_of
from hesperus.records import KEY, Run, read_run
from reports.headless_chromium import Page, chromium_page, executable
from waiting import until

pytestmark = [
    pytest.mark.skipif(executable() is None, reason="no Chromium on the path"),
    pytest.mark.xdist_group("pages in chromium"),
]

MOST = 4
Task = Callable[[Page], Awaitable[None]]


@pytest.fixture(scope="module")
def runs(demo_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The demo's runs; the first with scores of its translations and a reply that holds no answer; and the same run later."""
    folder = tmp_path_factory.mktemp("tasks")
    found = {name: folder / name for name in ("multisense", "after", "tax")}
    for name, place in found.items():
        shutil.copytree(
            demo_runs["multisense" if name == "after" else name],
            place,
            ignore=shutil.ignore_patterns("after", "*.sqlite"),
        )
    changed(found["multisense"], "sw", outcome="invalid", most=1)
    changed(found["after"], "sw", answer=pl.col("gold"), most=1)
    texts = pl.read_parquet(found["multisense"] / "items.parquet").filter(pl.col("input") == "sw_from_en")
    scores = texts.select("model", pl.lit("atlas").alias("task"), "item", pl.lit("sw_from_en").alias("sense"))
    scores.with_columns(bleu=50.0 + pl.int_range(pl.len())).write_parquet(
        found["multisense"] / "scores.parquet"
    )
    for name in ("multisense", "tax"):
        hs.report(found[name], resamples=10)
    return found


def changed(folder: Path, code: str, *, answer: object = None, outcome: str = "answered", most: int) -> None:
    """Other answers of pocket/l in a language, to the first questions that it gets wrong."""
    file = folder / "records.parquet"
    records = pl.read_parquet(file)
    wrong = (pl.col("model") == "pocket/l") & (pl.col("instruction") == code) & (pl.col("input") == code) & (pl.col("answer") != pl.col("gold"))  # fmt: skip
    first = records.filter(wrong).sort("item").head(most).select(KEY).with_columns(first=True)
    assert first.height
    joined = records.join(first, on=KEY, how="left", maintain_order="left", nulls_equal=True)
    is_first = pl.col("first").fill_null(False)
    joined.with_columns(
        answer=pl.when(is_first).then(answer).otherwise("answer"),
        outcome=pl.when(is_first).then(pl.lit(outcome)).otherwise("outcome"),
    ).drop("first").write_parquet(file, metadata={"hesperus.records": "2"})


async def text_of(tab: Page, selector: str) -> str:
    return str(await tab.evaluate(f"document.querySelector({selector!r})?.innerText ?? ''"))


COPIED = "navigator.clipboard.writeText = async text => { window.copied = text }"


def on_the_page(runs: dict[str, Path], downloads: Path) -> dict[str, tuple[str, Task]]:
    """Task to the page on which it is done, and how."""

    async def wrong_in_swahili(tab: Page) -> None:
        await tab.click("nav a", "Accuracy")
        await tab.click("td[data-value] > a[href$='model=pocket/l&wrong=sw']")
        assert "wrong=sw" in await tab.evaluate("location.hash")
        await tab.click(".items th[data-key=en] button[data-mark=right]")
        await tab.click(".items tbody td[data-code=sw]")
        shown = await text_of(tab, "dialog")
        assert "gold" in shown and "lost against en" in shown and "reply" in shown

    async def worst_translations(tab: Page) -> None:
        await tab.click("nav a", "Translation")
        rows = await tab.evaluate(
            "[...document.querySelector('#worst-translations').parentNode.querySelectorAll('table.grid')].at(-1).innerText"
        )
        assert "50.0" in rows
        texts = "document.querySelectorAll('#worst-translations ~ .scroll td[lang]').length"
        assert await tab.evaluate(texts) > 0, "a translation is in its own language and direction"

    async def main_table(tab: Page) -> None:
        await tab.click("nav a", "Consistency")
        await tab.click("button", "Save LaTeX")
        (file,) = await asyncio.to_thread(until, lambda: list(downloads.glob("*.tex")))
        assert "\\toprule" in file.read_text(encoding="utf-8")

    async def every_answer(tab: Page) -> None:
        await tab.click("nav a", "Items")
        await tab.click(".items tbody .item a")
        shown = await text_of(tab, "dialog .matrix")
        assert "pocket/s" in shown and "pocket/l" in shown

    async def instruction_or_input(tab: Page) -> None:
        await tab.click("nav a", "Why")
        assert "nstruction" in await text_of(tab, "#figure-causes")
        await tab.click("table.grid td[data-value] > a[href*='instruction%3D']")
        assert "instruction=" in (await tab.evaluate("decodeURIComponent(location.hash)"))

    async def cite(tab: Page) -> None:
        await tab.evaluate(COPIED)
        await tab.click("nav a", "Notes")
        await tab.click("button", "Copy citation")
        assert "hesperus" in await tab.evaluate("window.copied")
        await tab.click("footer button", "Copy")
        assert (await tab.evaluate("window.copied")).startswith("hesperus|")

    async def invalid(tab: Page) -> None:
        await tab.click("nav a", "Replies")
        await tab.click("h2#replies ~ * td[data-value] > a[href*='unanswered=sw']")
        await tab.click(".items tbody td.unanswered")
        assert "no answer: invalid" in await text_of(tab, "dialog")

    async def lost_by_language(tab: Page) -> None:
        await tab.click("nav a", "Replies")
        shown = await tab.evaluate("document.querySelector('h2#replies ~ .scroll table').innerText")
        assert "Invalid, %" in shown and "Swahili (sw)" in shown

    async def most_consistent(tab: Page) -> None:
        await tab.click("nav a", "Consistency")
        shown = await text_of(tab, "main")
        assert "hesperus compare RUN RUN consistency --model-a A --model-b B" in shown

    page = runs["multisense"].joinpath("report.html").as_uri()
    tasks = (
        wrong_in_swahili,
        worst_translations,
        main_table,
        every_answer,
        instruction_or_input,
        cite,
        invalid,
        lost_by_language,
        most_consistent,
    )
    return {one.__name__: (page, one) for one in tasks}


def in_the_explorer() -> dict[str, Task]:
    async def wrong_in_swahili(tab: Page) -> None:
        await tab.click("a[href*='lost=sw&'], a[href$='lost=sw']", "lost")
        await tab.click("td.cell.lost a")
        shown = await text_of(tab, "main")
        assert "lost against en" in shown and "gold" in shown

    async def worst_translations(tab: Page) -> None:
        await tab.click("nav a", "Translations")
        assert (
            len(await tab.evaluate("[...document.querySelectorAll('.scored')].map(s => s.innerText)")) == 10
        )

    async def hangs_on_three(tab: Page) -> None:
        await tab.click("nav a", "Changes")
        shown = await text_of(tab, "main")
        assert re.search(r"sw with \w+\s+pocket/l\s+12", shown) and "Without 3" in shown, shown[:900]
        await tab.click("table a[href*='/question']")
        assert "gold" in await text_of(tab, "main")

    async def item_by_item(tab: Page) -> None:
        await tab.click("nav a", "Changes")
        await tab.click("table a[href*='kind=gained']")
        await tab.click("table .cell.changed a")
        assert "Answers of every model" in await tab.evaluate("document.querySelector('.matrix').ariaLabel")

    async def every_answer(tab: Page) -> None:
        await tab.click("nav a", "Items")
        await tab.click(".item a")
        assert (
            await tab.evaluate(
                "new Set([...document.querySelectorAll('.matrix tr[data-model]')].map(r => r.dataset.model)).size"
            )
            == 2
        )

    async def invalid(tab: Page) -> None:
        await tab.click("main a", "no answer")
        await tab.click("td.cell.unanswered a")
        assert "no answer: invalid" in await text_of(tab, "main")

    async def instruction_or_input(tab: Page) -> None:
        await tab.click("nav a", "Items")
        await tab.click(".quick a", "instruction and input differ")
        await tab.click("tbody .item a")
        await tab.click("details.other summary", "instruction")
        assert "gold" in await text_of(tab, "details.other[open]")

    async def correct(tab: Page) -> None:
        await tab.click("a[href*='lost=sw&'], a[href$='lost=sw']", "lost")
        await tab.click("td.cell.lost a")
        await tab.click("article#sense-sw summary", "Correct")
        said = await text_of(tab, "article#sense-sw .correct")
        assert re.search(r"Right in sw: \d+ of 12 \([\d.]+ %\); if this reply is read as [A-D], \d+", said)

    tasks = (
        wrong_in_swahili,
        worst_translations,
        hangs_on_three,
        item_by_item,
        every_answer,
        invalid,
        instruction_or_input,
        correct,
    )
    return {one.__name__: one for one in tasks}


def test_each_task_takes_at_most_four_clicks(runs: dict[str, Path], tmp_path: Path) -> None:
    opened: list[tuple[str, Run]] = [
        (name, with_scores_of(read_run(runs[name]), runs[name])) for name in ("multisense", "after")
    ]
    failed: dict[str, str] = {}
    clicks: dict[str, int] = {}

    async def done(tab: Page, name: str, url: str, task: Task) -> None:
        await tab.open(url, width=1280)
        tab.clicks = 0
        tab.messages.clear()
        try:
            await task(tab)
        except (AssertionError, LookupError) as error:
            failed[name] = str(error).splitlines()[0] if str(error) else "not as wanted"
        clicks[name] = tab.clicks
        if tab.messages:
            failed[name] = str(tab.messages)

    async def look(entrance: str) -> None:
        async with chromium_page() as tab:
            await tab.download_to(tmp_path)
            for name, (url, task) in on_the_page(runs, tmp_path).items():
                await tab.open("about:blank", width=1280)
                await done(tab, f"page: {name}", url, task)
            for name, one in in_the_explorer().items():
                await done(tab, f"explorer: {name}", entrance, one)

    with served(OpenRuns.of(opened, [runs["multisense"], runs["after"]])) as site:
        asyncio.run(look(site.entrance))
    assert failed == {}
    assert {name: count for name, count in clicks.items() if not 1 <= count <= MOST} == {}
