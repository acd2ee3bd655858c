"""Answers corrected by hand in the explorer: what is saved, what changes, and who cannot do it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import polars as pl
import pytest

from explorer.explorer_site import Answer, Site, served
from explorer.runs import HOSTILE, quiz_run
from hesperus.answers import load_overrides
from hesperus.explorer.state import OpenRuns
from hesperus.records import Run, conform, read_run, write_run
from hesperus.studies.reread.rereading import reread

QUESTION = "/question?of_item=q00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_run(quiz_run(("en", "sw"), items=6), tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    with served(OpenRuns.of([("run", read_run(folder))], [folder])) as site:
        yield site


def form(page: str, anchor: str) -> dict[str, str]:
    """The hidden fields of the form at a sense."""
    part = page.split(f'id="{anchor}"')[1].partition("</form>")[0]
    return {name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', part)}  # fmt: skip


def post(site: Site, fields: Mapping[str, str], **headers: str) -> Answer:
    given = {"Content-Type": "application/x-www-form-urlencoded", "Origin": site.url, "Sec-Fetch-Site": "same-origin"}  # fmt: skip
    return site.ask("/correct", "POST", urlencode(fields), **{**given, **headers})


def test_a_correction_is_saved_counts_at_once_and_is_what_reread_takes(site: Site, folder: Path) -> None:
    before = site.ask("/").text
    sent = form(site.ask(f"{QUESTION}&wrong=sw").text, "sense-sw")
    gold = read_run(folder).records.filter(pl.col("item") == "q00")["gold"][0]
    answer = post(site, {**sent, "decision": f"outcome={'refused'}", "note": "It says that it will not."})
    assert answer.status == 303 and "of_item=q00" in answer.headers["location"]
    assert "wrong=sw" in answer.headers["location"] and answer.headers["location"].endswith("#sense-sw")
    page = site.ask(QUESTION).text
    assert "Read by hand" in page and "It says that it will not." in page and "refused" in page
    assert "1 answer corrected by hand" in site.ask("/").text and site.ask("/").text != before
    assert [row for row in site.ask("/items?unanswered=sw&text=q00").text.split("<h1>")[1][:1]] == ["1"]
    run = read_run(folder)
    overrides = load_overrides(folder / "overrides.csv")
    (one,) = overrides.by_key.values()
    assert one.key == ("test/one", "quiz", "q00", "sw", "sw", 1) and one.note == "It says that it will not."
    written, counts = reread(run.records, overrides=overrides, items=run.items)
    changed = written.filter((pl.col("item") == "q00") & (pl.col("input") == "sw"))
    assert (
        counts.overridden == 1
        and changed["outcome"].to_list() == ["refused"]
        and changed["answer"][0] is None
    )
    # Another takes its place; removing it leaves no file.
    post(site, {**sent, "decision": f"label={gold}", "note": "right"})
    assert [one.answer.label for one in load_overrides(folder / "overrides.csv").by_key.values()] == [gold]
    assert site.ask("/items?right=sw&text=q00").text.split("<h1>")[1].startswith("1 ")
    post(site, {**sent, "remove": "1"})
    assert not (folder / "overrides.csv").exists() and site.ask("/").text == before


def test_nobody_else_can_correct(site: Site, folder: Path) -> None:
    sent = {**form(site.ask(QUESTION).text, "sense-sw"), "decision": "label=A", "note": "x"}
    assert sent["token"] and sent["token"] not in site.cookie
    refused = [
        post(site, {**sent, "token": "guess"}),
        post(site, {**sent, "token": ""}),
        post(site, sent, Cookie="other=1"),
        post(site, sent, Origin="http://evil.example"),
        post(site, sent, Origin="null"),
        post(site, sent, **{"Sec-Fetch-Site": "cross-site"}),
        post(site, sent, **{"Sec-Fetch-Site": "same-site"}),
        post(site, sent, Host="evil.example"),
        site.ask("/correct", "POST", urlencode(sent)),  # a form of no page
        site.ask(f"/correct?{urlencode(sent)}"),
    ]
    assert {(one.status, one.text) for one in refused} == {(404, "Nothing here.\n")}
    assert post(site, {**sent, "note": "x" * 70_000}).status == 413
    assert not (folder / "overrides.csv").exists()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"note": " "}, "why the answer is read so"),
        ({"decision": "outcome=answered"}, "an outcome is one of"),
        ({"decision": "outcome=error"}, "an outcome is one of"),
        ({"decision": ""}, "an outcome is one of"),
        ({"place": "run=run&item=q00"}, "which answer is meant"),
        ({"place": "run=../../etc&model=m&task=t&item=q&instruction=en&input=en&repeat=1"}, "no such reply"),
    ],
)  # fmt: skip
def test_what_cannot_be_saved_is_said(fields: Mapping[str, str], said: str, site: Site, folder: Path) -> None:
    sent = {**form(site.ask(QUESTION).text, "sense-sw"), "decision": "label=A", "note": "x"}
    answer = post(site, {**sent, **fields})
    assert answer.status == 400 and said in answer.text and not (folder / "overrides.csv").exists()


def test_hostile_texts_stay_texts_and_a_changed_reply_is_not_corrected(tmp_path: Path) -> None:
    rows = [
        {"model": HOSTILE, "task": "t", "item": "=cmd()", "instruction": tag, "input": tag, "gold": "A", "answer": "A",
         "options": ["A", "B"], "reply": HOSTILE}
        for tag in ("en", "de")
    ]  # fmt: skip
    file = tmp_path / "records.parquet"
    run = Run(conform(pl.DataFrame(rows)))
    with served(OpenRuns.of([("run", run)], [file])) as site:
        sent = form(site.ask("/question").text, "sense-de")
        assert post(site, {**sent, "decision": "label=B", "note": f"=1+1 {HOSTILE}"}).status == 303
        page = site.ask("/question").text
        assert "<script>document" not in page and "\u202e" not in page and "Read by hand" in page
    kept = tmp_path / "records.overrides.csv"
    assert (
        load_overrides(kept).by_key[HOSTILE, "t", "=cmd()", "de", "de", 1].note == f"=1+1 {HOSTILE}".strip()
    )
    assert not [line for line in kept.read_text().splitlines() if line.startswith(("=", "+", "-", "@"))]
    other = Run(run.records.with_columns(reply=pl.lit("said anew")))
    with served(OpenRuns.of([("run", other)], [file])) as site:
        assert "not applied" in site.ask("/question").text
        assert site.ask("/items?wrong=de").text.split("<h1>")[1].startswith("0 ")


def test_a_run_on_no_disk_has_no_form_and_a_broken_file_is_said(folder: Path) -> None:
    with served(OpenRuns.of([("run", read_run(folder))])) as site:
        assert "/correct" not in site.ask(QUESTION).text
    (folder / "overrides.csv").write_text("no,overrides\n1,2\n")
    with served(OpenRuns.of([("run", read_run(folder))], [folder])) as site:
        answer = site.ask("/items")
        assert answer.status == 400 and "overrides.csv" in answer.text
