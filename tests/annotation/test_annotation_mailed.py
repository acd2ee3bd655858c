"""The page as a file: rated without a server or a network, its result imported, once and again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rating_browser import press, pressed, show

from hesperus.annotation import RatingStore, Sheet, import_file, write_mailed
from hesperus.errors import DataError
from reports.headless_chromium import Page, visit
from waiting import until

MakeStore = Callable[..., RatingStore]


async def downloaded(page: Page, folder: Path) -> Path:
    """Click on the download and wait for the file."""
    for old in folder.glob("*"):
        old.unlink()
    await page.evaluate("document.querySelector('#download').click()")
    return await asyncio.to_thread(
        until, lambda: next((one for one in folder.glob("*.json") if one.stat().st_size), None)
    )


def test_a_mailed_page_is_rated_and_its_result_imported(
    residue: Sheet, make_store: MakeStore, tmp_path: Path
) -> None:
    store = make_store(residue, "Ann ب", "bob")
    file = write_mailed(store, store.rater("Ann ب"), tmp_path / "page.html")
    folder = tmp_path / "downloads"
    folder.mkdir()
    results: list[Path] = []

    async def look(page: Page) -> None:
        await page.download_to(folder)
        await show(page, file.as_uri(), width=380)
        assert page.messages == [] and page.requests == [file.as_uri()], (
            "nothing runs or loads but the file itself"
        )
        for _ in range(4):
            await press(page, "2", "4", "x", "n")
        await press(page, "c")
        await page.call("Input.insertText", text="</script><script>alert(1)</script> ملاحظة")
        await press(page, "Escape")
        assert await page.evaluate("document.title") == "Traces of the source language"
        assert "not yet downloaded" in await page.evaluate("document.querySelector('#saved').textContent")
        first = await downloaded(page, folder)
        assert first.name == "ratings-Ann_ب.json"
        results.append(first.rename(tmp_path / "first.json"))
        await page.until("document.querySelector('#saved').textContent.startsWith('Downloaded')")
        # opened again, it goes on where it was left
        await show(page, file.as_uri())
        assert await page.evaluate("document.querySelector('#done').textContent") == "4 of 4 done"
        await press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "5")
        results.append((await downloaded(page, folder)).rename(tmp_path / "second.json"))
        # in a browser that has lost everything, the result file brings it back
        await page.evaluate("localStorage.clear()")
        await show(page, file.as_uri())
        assert await pressed(page) == []
        await _upload(page, tmp_path / "second.json")
        await page.until("document.querySelector('#done').textContent === '4 of 4 done'")
        await _upload(page, file)
        await page.until("!document.querySelector('#alert').hidden")

    visit(look)
    counts = [import_file(store, path) for path in (results[0], results[1], results[1], results[0])]
    assert [(one.new, one.known) for one in counts] == [(13, 0), (1, 13), (0, 14), (0, 13)]
    current = {
        key[2:]: entry.judgement
        for key, entry in store.current().items()
        if key[1] == store.assigned(store.rater("Ann ب"))[0]
    }
    assert current["cue",].value == "5" and current["syntactic",].state == "cannot_judge"
    remarks = [
        entry.judgement.value for entry in store.current().values() if entry.judgement.question == "comment"
    ]
    assert remarks == ["</script><script>alert(1)</script> ملاحظة"]


async def _upload(page: Page, file: Path) -> None:
    document: dict[str, Any] = await page.call("DOM.getDocument")
    found = await page.call("DOM.querySelector", nodeId=document["root"]["nodeId"], selector="#continue")
    await page.call("DOM.setFileInputFiles", files=[str(file)], nodeId=found["nodeId"])


def test_without_storage_the_page_says_that_it_keeps_nothing(
    residue: Sheet, make_store: MakeStore, tmp_path: Path
) -> None:
    store = make_store(residue, "ann")
    file = write_mailed(store, store.rater("ann"), tmp_path / "page.html")

    async def look(page: Page) -> None:
        await page.call(
            "Page.addScriptToEvaluateOnNewDocument",
            source="Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } });",
        )
        await show(page, file.as_uri())
        await press(page, "3")
        assert await pressed(page) == ["3"]
        said = await page.evaluate("document.querySelector('#saved').textContent")
        assert said == "1 change only in this window: download before you close it"

    visit(look)


def test_the_file_tells_nothing_but_what_its_rater_may_see(
    residue: Sheet, make_store: MakeStore, tmp_path: Path
) -> None:
    store = make_store(residue, "ann", "bob")
    token = store.issue_token(store.rater("ann"))
    text = write_mailed(store, store.rater("ann"), tmp_path / "page.html").read_text(encoding="utf-8")
    assert token not in text and "stratum" not in text and '"bob"' not in text
    assert text.count("<script") == 2 and "script-src 'sha256-" in text
    data = text.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data and "&" not in data and json.loads(data)["rater"] == "ann"


def test_results_that_do_not_belong_are_refused_whole(
    residue: Sheet, make_store: MakeStore, tmp_path: Path
) -> None:
    store = make_store(residue, "ann")
    code = residue.by_id["q1"]
    good = {
        "key": "k" * 8,
        "unit": code,
        "question": "cue",
        "state": "rated",
        "value": "3",
        "client_time": 1.5,
    }
    result: dict[str, Any] = {
        "format": "hesperus.ratings", "version": 1, "sheet": residue.fingerprint, "rater": "ann", "judgements": [good],
    }  # fmt: skip
    file = tmp_path / "result.json"
    for change, message in (
        ({"sheet": "0" * 32}, "another sheet"),
        ({"rater": "anne"}, "unknown rater: 'anne'; did you mean 'ann'"),
        ({"version": 2}, "version 2 of a result file"),
        ({"judgements": None}, "a list of judgements"),
        (
            {"judgements": [good, {**good, "key": "l" * 8, "value": "9"}]},
            "judgement 2: .*'9' is not on the scale",
        ),
        ({"judgements": [good, {**good, "value": 3}]}, "judgement 2: field 'value': expected text"),
        ({"judgements": [good, {**good, "value": "4"}]}, "its key was used for another judgement"),
        ({"format": "other"}, "neither the result of a mailed page"),
    ):
        file.write_text(json.dumps({**result, **change}))
        with pytest.raises(DataError, match=message):
            import_file(store, file)
        assert list(store.log()) == []
    for text in ("", "{", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")):
        file.write_text(text)
        with pytest.raises(DataError, match="no JSON"):
            import_file(store, file)
    file.write_text(json.dumps(result))
    assert import_file(store, file).new == 1 and import_file(store, file).known == 1
