"""The page in a real Chromium, by keyboard and by mouse: two raters, a server that dies, hostile texts, small screens."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rating_browser import Server, killable, press, pressed, saved, served, show

from hesperus.annotation import RatingStore, Sheet, Text, Unit, create_store, link, read_scheme
from reports.headless_chromium import Page, chromium_page, visit


class Site:
    """A store with links, and its server."""

    def __init__(
        self, sheet: Sheet, path: Path, raters: tuple[str, ...], adjudicators: tuple[str, ...] = ()
    ) -> None:
        create_store(path, sheet)
        self.path = path
        with RatingStore(path) as store:
            people = [*store.add_raters(raters)]
            people += store.add_raters(adjudicators, "adjudicator") if adjudicators else ()
            self.tokens = {rater.name: store.issue_token(rater) for rater in people}
        self.port = 0

    def url(self, name: str) -> str:
        return link(f"http://127.0.0.1:{self.port}", self.tokens[name])

    def log(self) -> list[tuple[str, str, str, str, str | None]]:
        with RatingStore(self.path) as store:
            ids = {code: unit.id for code, unit in store.sheet.by_code.items()}
            said = [(entry.rater.name, entry.judgement) for entry in store.log()]
        return [(name, ids[one.unit], one.question, one.state, one.value) for name, one in said]


@pytest.fixture
def site(residue: Sheet, tmp_path: Path) -> Iterator[Site]:
    made = Site(residue, tmp_path / "s.sqlite", ("ann", "bob"), ("carol",))
    with served(made.path) as made.port:
        yield made


def test_two_browsers_rate_at_once_while_the_server_is_killed_and_started_again(tmp_path: Path) -> None:
    scheme = read_scheme("fidelity")
    units = tuple(
        Unit(f"u{at:02}", (Text("source", f"source {at}"), Text("text", f"text {at}"))) for at in range(30)
    )
    site = Site(Sheet(scheme, units, 1), tmp_path / "s.sqlite", ("ann", "bob"))
    clicks: dict[str, list[tuple[str, str]]] = {"ann": [], "bob": []}
    shifts = {"ann": 0, "bob": 2}

    async def rate(page: Page, name: str, until_unit: int) -> None:
        while len(clicks[name]) < until_unit:
            unit = await page.evaluate("document.querySelector('.shown').textContent.split(' ')[1]")
            value = str(1 + (int(unit) + shifts[name]) % 5)
            await press(page, value, "n")
            clicks[name].append((f"u{int(unit):02}", value))

    async def run(server: Server) -> None:
        async with chromium_page() as one, chromium_page() as two:
            pages = {"ann": one, "bob": two}
            for name, page in pages.items():
                await show(page, site.url(name))
            for stop in (12, 24):
                await asyncio.gather(*(rate(page, name, stop - 4) for name, page in pages.items()))
                server.kill()  # in the middle of whatever is being saved
                await asyncio.gather(*(rate(page, name, stop) for name, page in pages.items()))
                for page in pages.values():
                    await page.until("document.querySelector('#saved').dataset.state === 'waiting'")
                if stop == 12:  # one rater closes the page while its answers have not been saved
                    await one.call("Page.navigate", url="about:blank")
                await asyncio.to_thread(server.start)
                if stop == 12:
                    await show(one, site.url("ann"))
            await asyncio.gather(*(rate(page, name, 30) for name, page in pages.items()))
            for page in pages.values():
                await saved(page)
                assert await page.evaluate("document.querySelector('#done').textContent") == "30 of 30 done"

    with killable(site.path) as server:
        site.port = server.port
        asyncio.run(run(server))
    log = site.log()
    for name, given in clicks.items():
        stored = [(unit, value) for rater, unit, _, _, value in log if rater == name]
        assert stored == given, "every click once, in the order in which it was made"
        assert len({unit for unit, _ in stored}) == 30


def test_everything_can_be_done_by_keyboard(site: Site) -> None:
    async def look(page: Page) -> None:
        await show(page, site.url("ann"))
        order = await page.evaluate("JSON.stringify(document.title)")
        assert order == '"Traces of the source language"'
        await press(page, "?")
        assert await page.evaluate("document.querySelector('#help').open")
        await press(page, "3", "Escape")
        assert await pressed(page) == [], "no key rates behind the help"
        await press(page, "2", "x", "5")
        assert await pressed(page) == ["2", "cannot_judge", "5"]
        await press(page, "u", "u")
        assert await pressed(page) == ["2"]
        await press(page, "4", "ArrowUp", "ArrowUp", "1")
        assert await pressed(page) == ["1", "4"]
        await press(page, "c")
        await page.call("Input.insertText", text="5x remark")
        await press(page, "Escape", "ArrowDown", "ArrowDown", "3", "Enter")
        assert await page.evaluate("document.querySelector('#item').textContent") == "Item 2 of 4"
        await press(page, "ArrowLeft")
        assert await pressed(page) == ["1", "4", "3"]
        assert await page.evaluate("document.querySelector('#remark').value") == "5x remark"
        # Tab and Space reach every button too, and what has the focus can be seen
        await press(page, "ArrowRight", "Tab", "Tab", " ")
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert await pressed(page) == ["2"] and outline == "3px"
        await saved(page)
        assert page.messages == []

    visit(look)
    with RatingStore(site.path) as store:
        said = sorted(
            (entry.judgement.question, entry.judgement.value) for entry in store.current("rater").values()
        )
        assert said == [
            ("comment", "5x remark"),
            ("cue", "1"),
            ("cue", "2"),
            ("cultural", "4"),
            ("syntactic", "3"),
        ]
    assert ("withdrawn", None) in [entry[3:] for entry in site.log()], "undo is in the log too"


def test_long_remarks_of_a_long_outage_and_half_a_character_are_saved(site: Site) -> None:
    """More than the server takes at once goes in parts, and what JSON cannot carry does not block the rest."""

    async def look(page: Page) -> None:
        await show(page, site.url("ann"))
        await page.evaluate(
            """(async () => {
                const data = await (await fetch("data.json")).json();
                for (let at = 0; at < 200; at++) {
                    const entry = {key: `outage-${at}`, unit: data.units[0].code, question: "comment", state: "rated",
                                   value: "語".repeat(3990) + at, client_time: 1};
                    localStorage.setItem(`hesperus:${data.place}:${String(at).padStart(15, "0")}-${entry.key}`, JSON.stringify(entry));
                }
            })()"""
        )
        await page.until("localStorage.length === 200")
        await show(page, site.url("ann"))
        await saved(page)
        await press(page, "ArrowRight", "c")
        await page.evaluate("document.querySelector('#remark').value = 'half \\ud83d of it'")
        await press(page, "Escape", "1")
        await saved(page)
        assert page.messages == []

    visit(look)
    values = [value for _, _, _, _, value in site.log()]
    assert [value[3990:] for value in values[:200] if value] == [str(at) for at in range(200)]
    assert values[200:] == ["half \ufffd of it", "1"]


def test_hostile_texts_are_text_and_every_language_has_its_direction(site: Site) -> None:
    async def look(page: Page) -> None:
        await show(page, site.url("bob"))
        seen = {}
        for _ in range(4):
            text = await page.evaluate(
                "(e => ({lang: e.lang, dir: getComputedStyle(e).direction, align: getComputedStyle(e).textAlign, "
                "bidi: getComputedStyle(e).unicodeBidi, text: e.textContent}))([...document.querySelectorAll('.shown')][1])"
            )
            seen[text["lang"]] = text
            await press(page, "1", "1", "1", "n")
        assert {lang: text["dir"] for lang, text in seen.items()} == {
            "ar": "rtl", "he": "rtl", "zh": "ltr", "ja": "ltr",
        }  # fmt: skip
        assert {text["align"] for text in seen.values()} == {"start"}
        assert "<script>document.title='owned'</script>" in seen["he"]["text"]
        assert "⟨U+202E⟩desrever" in seen["he"]["text"] and "{{ 7 * 7 }}" in seen["he"]["text"]
        assert await page.evaluate("document.title") == "Traces of the source language"
        assert await page.evaluate("document.images.length") == 0
        assert page.messages == [] and all(
            "127.0.0.1" in url or url.startswith("data:") for url in page.requests
        )

    visit(look)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_its_controls_have_names(site: Site, scheme: str) -> None:
    async def look(page: Page) -> None:
        await show(page, site.url("ann"), width=380, scheme=scheme)
        for _ in range(4):
            assert await page.evaluate("document.documentElement.scrollWidth") == 380
            small = await page.evaluate(
                "[...document.querySelectorAll('main button')].filter(b => b.getBoundingClientRect().height < 36).length"
            )
            assert small == 0, "buttons are large enough for a thumb"
            await press(page, "ArrowRight")
        await page.call("Accessibility.enable")
        tree = (await page.call("Accessibility.getFullAXTree"))["nodes"]
        controls = [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in tree
            if not node["ignored"]
            and node["role"]["value"] in ("button", "textbox", "progressbar", "group", "status")
        ]
        assert len(controls) > 20
        assert [role for role, name in controls if not name and role != "status"] == []
        assert await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is (scheme == "dark")
        ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")

    visit(look)


def test_more_answers_than_digits_have_letters_and_a_label_may_be_in_any_script(tmp_path: Path) -> None:
    scheme = read_scheme("readings")
    labels = ("نعم", "لا", "C", "D", "E", "F", "G")
    unit = Unit("u", (Text("reply", "", "ar"),), labels)
    site = Site(Sheet(scheme, (unit,)), tmp_path / "s.sqlite", ("ann",))

    async def look(page: Page) -> None:
        await show(page, site.url("ann"))
        keys = await page.evaluate(
            "[...document.querySelectorAll('.choices button')].map(b => b.ariaKeyShortcuts)"
        )
        assert "".join(keys) == "123456789abde"
        for key, value in (("2", "لا"), ("e", "blocked"), ("1", "نعم"), ("x", "cannot_judge")):
            await press(page, key)
            assert await pressed(page) == [value]
        await saved(page)

    with served(site.path) as site.port:
        visit(look)
    assert [entry[4] for entry in site.log()] == ["لا", "blocked", "نعم", None]


def test_an_adjudicator_sees_where_raters_differ_and_never_who(site: Site, residue: Sheet) -> None:
    from hesperus.annotation import Judgement, decisions

    with RatingStore(site.path) as store:
        for name, values in (("ann", "113"), ("bob", "153")):
            said = [
                Judgement(residue.by_id["q1"], question.name, "rated", value, f"{name}-{question.name}")
                for question, value in zip(residue.scheme.questions, values, strict=True)
            ]
            remark = Judgement(
                residue.by_id["q1"], "comment", "rated", f"remark {name[1:]}", f"{name}-remark"
            )
            store.append(store.rater(name), [*said, remark])

    async def look(page: Page) -> None:
        await show(page, site.url("carol"))
        assert await page.evaluate("document.querySelector('#done').textContent") == "0 of 1 done"
        titles = await page.evaluate("[...document.querySelectorAll('.question h3')].map(e => e.textContent)")
        assert titles == [residue.scheme.question("cultural").title]
        text = await page.evaluate("document.body.innerText")
        assert "Rater 1:" in text and "Rater 2:" in text and "remark nn" in text
        assert not {"ann", "bob"} & set(re.findall(r"\w+", text.lower()))
        await press(page, "4")
        await saved(page)
        assert await page.evaluate("!document.querySelector('#end').hidden")

    visit(look)
    with RatingStore(site.path) as store:
        made = {one.question: one for one in decisions(store) if one.unit == residue.by_id["q1"]}
        assert (made["cultural"].value, made["cultural"].basis) == ("4", "adjudicated")
        assert (made["cue"].value, made["cue"].basis, made["cue"].raters) == ("1", "agreed", 2)


def test_a_voided_link_says_so_and_its_answers_can_be_downloaded(site: Site) -> None:
    async def look(page: Page) -> None:
        await show(page, site.url("ann"))
        await press(page, "1")
        await saved(page)
        with RatingStore(site.path) as store:
            store.issue_token(store.rater("ann"))
        await press(page, "2")
        await page.until("document.querySelector('#saved').dataset.state === 'void'")
        assert "1 answer could not be saved" in await page.evaluate(
            "document.querySelector('#alert').textContent"
        )
        assert await page.evaluate("!document.querySelector('#file').hidden")

    visit(look)
    assert [entry[4] for entry in site.log()] == ["1"]


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_from_its_ground_in_both_schemes() -> None:
    """WCAG 2.2, contrast of at least 4.5 to 1."""
    from hesperus.annotation.server import asset

    blocks = re.findall(r":root \{(.*?)\}", asset("rate.css"), re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        colour = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        pairs = [(ink, ground) for ink in ("ink", "soft") for ground in ("ground", "panel", "mark")]
        pairs += [("good", "ground"), ("wait", "ground"), ("bad", "ground"), ("on-accent", "accent")]
        for ink, ground in pairs:
            high, low = sorted((_luminance(colour[ink]), _luminance(colour[ground])), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)
