"""The explorer over real HTTP: nothing without its token, no other site can read or drive it, replies are text."""

from __future__ import annotations

import csv
import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import polars as pl
import pytest

from explorer.explorer_site import TOKEN, Site, explored
from explorer.runs import FORMULA, HOSTILE, LONG, hostile_run, many_languages, quiz_run
from hesperus.analysis.item_filter import ItemFilter
from hesperus.errors import UsageError
from hesperus.explorer.addresses import PACKED, View
from hesperus.explorer.server import listening_at
from hesperus.explorer.state import with_scores_of
from hesperus.records import KEY, Run, conform

PATHS = ("/", "/items", "/question?of_item=q00", "/items.csv", "/items.json", "/items?wrong=sw&page=2")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with explored(quiz=quiz_run(), hostile=hostile_run()) as site:
        yield site


def test_nothing_is_given_without_the_token(site: Site) -> None:
    expected = site.ask("/nothing", Cookie="")
    assert (expected.status, expected.body) == (404, b"Nothing here.\n")
    name = site.cookie.partition("=")[0]
    for cookie in ("", f"{name}=", f"{name}={TOKEN}", f"{name}=é", "other=" + site.cookie.partition("=")[2]):
        for path in PATHS:
            answer = site.ask(path, Cookie=cookie.encode().decode("latin-1"))
            assert (answer.status, answer.body) == (404, expected.body), (cookie, path)
    for path in (f"/open/{TOKEN[:-1]}", f"/open/{TOKEN}x", "/open/", f"/open/{TOKEN}/", f"/?token={TOKEN}"):
        answer = site.ask(path, Cookie="")
        assert answer.status == 404 and "set-cookie" not in answer.headers


def test_the_token_sets_a_cookie_that_no_other_site_and_no_script_gets(site: Site) -> None:
    answer = site.ask(f"/open/{TOKEN}", Cookie="")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and str(site.port) in cookie.partition("=")[0]
    assert TOKEN not in cookie and TOKEN not in answer.text
    assert all(TOKEN not in site.ask(path).text for path in PATHS)


def test_another_site_can_neither_read_nor_drive_it(site: Site) -> None:
    own = f"http://127.0.0.1:{site.port}"
    for headers in (
        {"Host": "evil.example"}, {"Host": f"evil.example:{site.port}"}, {"Origin": "https://evil.example"},
        {"Origin": "null"}, {"Origin": f"http://127.0.0.1:{site.port + 1}"}, {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ):  # fmt: skip
        for path in PATHS:
            assert site.ask(path, **headers).status == 404, headers
    for headers in ({}, {"Origin": own}, {"Sec_Fetch_Site": "none"}, {"Sec_Fetch_Site": "same-origin"}):
        assert site.ask("/items", **headers).status == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        assert site.ask("/items", method).status == 404, "nothing can be changed"


def test_every_answer_carries_the_headers_that_protect_it(site: Site) -> None:
    for path in (*PATHS, "/nothing", f"/open/{TOKEN}"):
        headers = site.ask(path).headers
        policy = headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        )
        assert headers["referrer-policy"] == "no-referrer" and headers["cache-control"] == "no-store"
        assert (
            headers["cross-origin-resource-policy"] == "same-origin"
            and "access-control-allow-origin" not in headers
        )
        assert headers["x-content-type-options"] == "nosniff" and "server" not in headers


def test_hostile_texts_are_text_everywhere(site: Site) -> None:
    pages = [site.ask(path).text for path in (
        "/", "/items", "/items?text=script", "/question?of_item=hostile&of_run=hostile", "/items?reference=en",
        "/question?of_item=%3Cscript%3Ealert(1)%3C/script%3E", "/items?wrong=%3Cb%3E&text=%22%3E%3Cimg%20src=x%3E",
        "/items?model=%00%1b[31m%E2%80%AE", "/items?text={{7*7}}%22onfocus=alert(1)%20",
    )]  # fmt: skip
    for page in pages:
        assert page.count("<script>") == 1 and "<img" not in page and "<b>bold" not in page
        assert "\x1b" not in page and "\u202e" not in page and "\x00" not in page
    assert 'value="{{7*7}}&#34;onfocus=alert(1)"' in pages[8]
    question = pages[3]
    assert "&lt;script&gt;" in question and "{{ 7 * 7 }}" in question and "⟨U+202E⟩" in question
    assert "characters)" in question and len(question) < 400_000, "a line of a megabyte is cut, and says so"


def test_what_cannot_be_shown_says_why(site: Site) -> None:
    for path, said in (
        ("/items?wrong=xx", "unknown sense: &#39;xx&#39;"),
        ("/items?page=0", "page is a whole number"),
        ("/items?page=%D9%A3", "page is a whole number"),
        ("/items?differs=en", "differs takes two senses"),
        ("/items?at_least=2", "between 0 and 1"),
        ("/items?at_least=nan", "between 0 and 1"),
        ("/items?sort=nonsense", "unknown sense"),
        ("/items?group.x=y", "unknown group of items"),
        ("/items.csv?anywhere=x", "unknown mark or outcome"),
        ("/question?of_item=nowhere", "unknown item"),
        ("/items?reference=xx", "unknown sense"),
    ):
        answer = site.ask(path)
        assert answer.status == 400 and said in answer.text, path
    assert site.ask("/items?page=99999").status == 200, "beyond the last page stands the last"
    assert site.ask("/question").status == 200, "no question named: the most telling"


def test_a_form_leads_to_the_address_that_a_link_would_have(site: Site) -> None:
    hostile = "<i>task</i>\x1b\u202e"
    sent = "/items?" + urlencode(
        [("pick", urlencode([("wrong", "sw"), ("sort", "item")])), ("text", "q1"), ("mark", "right"), ("pick", "sense=en"),
         ("pick", urlencode([("task", hostile)])), ("at_least", "")]
    )  # fmt: skip
    answer = site.ask(sent)
    view = View.parse(parse_qsl(urlsplit(answer.headers["location"]).query))
    assert answer.status == 303 and PACKED not in answer.headers["location"]
    assert view == View(ItemFilter(right=("en",), wrong=("sw",), task=(hostile,), text="q1"), sort="item")
    assert View.parse(view.query()) == view


def test_downloads_hold_the_filtered_rows(site: Site) -> None:
    query = "run=quiz&right=en&wrong=sw"
    page = site.ask(f"/items?{query}").text
    answer = site.ask(f"/items.csv?{query}")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert (
        rows
        and {row["sw: mark"] for row in rows} == {"wrong"}
        and {row["en: mark"] for row in rows} == {"right"}
    )
    assert f"<h1>{len(rows):,} " in page and "attachment" in answer.headers["content-disposition"]
    document = json.loads(site.ask(f"/items.json?{query}").body)
    assert len(document["rows"]) == len(rows) and ["wrong", "sw"] in document["filter"]
    assert [row["item"] for row in document["rows"]] == [row["item"] for row in rows], (
        "in the order of the page"
    )


def test_no_cell_of_the_csv_is_a_formula(site: Site) -> None:
    frame = pl.read_csv(site.ask("/items.csv?run=hostile").body, infer_schema=False, has_header=False)
    rows = frame.fill_null("").rows()
    cells = [cell for row in rows for cell in row]
    assert "'" + FORMULA in cells and not [cell for cell in cells if cell.startswith(("=", "@", "+"))]
    assert any(len(cell) == len(LONG) for cell in cells), "downloads are whole"
    found = json.loads(site.ask("/items.json?run=hostile").body)["rows"]
    assert HOSTILE in {row[tag]["reply"] for row in found for tag in ("en", "ar") if row.get(tag)}


def test_runs_without_much_say_what_is_missing() -> None:
    plain = quiz_run()
    no_gold = Run(plain.records.with_columns(gold=pl.lit(None, pl.String)), plain.items)
    nothing = Run(
        plain.records.with_columns(outcome=pl.lit("error"), answer=pl.lit(None, pl.String)), plain.items
    )
    one = Run(plain.records.filter(pl.col("input") == "en"))
    assert plain.items is not None
    holes = Run(plain.records, plain.items.filter(pl.col("item") != "q00"))
    for name, run, said in (
        ("empty", Run(plain.records.clear()), {"/": "Nothing was asked", "/items": "Nothing was asked", "/question": "hesperus import"}),
        ("no_gold", no_gold, {"/": "same", "/items": "changed", "/question?of_item=q00": "no gold label"}),
        ("nothing", nothing, {"/": "no reply", "/items": "no reply", "/question?of_item=q00": "no reply"}),
        ("one", one, {"/": "No texts of the questions", "/items": "of 40 rows", "/question?of_item=q00": "are not in this run"}),
        ("holes", holes, {"/question?of_item=q00": "missing from the items", "/question?of_item=q01": "Question q01 in en?"}),
    ):  # fmt: skip
        with explored(**{name: run}) as site:
            for path in ("/", "/items", "/items.csv", "/items.json", "/question"):
                assert site.ask(path).status in (200, 400), (name, path)
            for path, text in said.items():
                assert text in site.ask(path).text, (name, path)


def test_free_texts_stand_beside_the_translations_that_were_evaluated(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "task": "t", "item": "q", "instruction": tag, "input": tag, "answer": text, "reply": text, "rule": "whole text"}
        for tag, text in {"en": "Angola lies in Africa.", "de": "Angola liegt in Asien."}.items()
    ]  # fmt: skip
    records = conform(pl.DataFrame(rows))
    study = {"study": "translate_then_evaluate", "evaluate": ["information"], "reference": "en"}
    folder = tmp_path / "evaluations" / "information"
    folder.mkdir(parents=True)
    pairs = records.filter(pl.col("input") == "de").select(
        *KEY, candidate_text=pl.lit("Angola lies in Asia.")
    )
    pairs.write_parquet(folder / "pairs.parquet")
    run = with_scores_of(Run(records, None, study), tmp_path)
    with explored(open=run) as site:
        page = site.ask("/question?of_item=q").text
        assert "translated for its evaluation" in page and "Angola lies in Asia." in page
        compared = site.ask("/question?of_item=q&a=en&b=de").text.partition('class="compared"')[2]
        assert "<mark>Africa</mark>" in compared and "<mark>Asia</mark>" in compared and "liegt" in compared
        assert (
            "answered" in site.ask("/").text
            and "cell wrong" not in site.ask("/items").text.partition("<table")[2]
        )


def test_two_hundred_languages() -> None:
    with explored(languages=many_languages(200)) as site:
        page = site.ask("/items").text
        assert page.count('<th scope="col" class="sense') == 200
        question = site.ask("/question?of_item=q0").text
        assert question.count('<article class="sense"') == 200


def test_codes_of_other_tools_are_senses_like_any_other() -> None:
    codes = ("item", "a b", "it's, odd=1", "model")
    records = conform(pl.DataFrame(
        [{"model": "m", "task": "t", "item": f"q{n}", "instruction": code, "input": code, "answer": "AB"[n % 2], "gold": "A"}
         for n in range(3) for code in codes]
    ))  # fmt: skip
    with explored(odd=Run(records)) as site:
        for path in (
            "/",
            "/items",
            "/question?of_item=q1",
            "/items.json",
            "/items.csv",
            "/items?wrong=it%27s,%20odd%3D1",
        ):
            assert site.ask(path).status == 200, path
        assert (
            "2</span>" not in site.ask("/items?wrong=item").text
            and "<h1>1 " in site.ask("/items?wrong=item").text
        )


def test_the_link_of_a_page_to_a_part_of_a_prompt_leads_to_it() -> None:
    senses = (("en", "en"), ("sw_from_en", "sw_from_en"), ("sw_from_en", "en"), ("en", "sw_from_en"))
    records = conform(pl.DataFrame(
        [{"model": "m", "task": "t", "item": "q", "instruction": a, "input": b, "answer": "A" if a == "en" else "B", "gold": "A"}
         for a, b in senses]
    ))  # fmt: skip
    with explored(run=Run(records)) as site:
        query = "model=m&changed=instruction%3Dsw_from_en,input%3Den"
        page = site.ask(f"/items?{query}")
        assert page.status == 200 and "<h1>1 " in page.text and "sw_from_en | en" in page.text
        assert f"/items?{query.partition('&')[0]}" in site.ask(f"/open/{TOKEN}?{query}").text


def test_a_second_explorer_takes_another_port_unless_one_was_given() -> None:
    with socket.create_server(("127.0.0.1", 0)) as first:
        taken = first.getsockname()[1]
        with listening_at(None, taken) as second:
            assert second.getsockname()[1] != taken
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{taken}"):
            listening_at(taken)
