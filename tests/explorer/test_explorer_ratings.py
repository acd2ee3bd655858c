"""What raters said, next to the answers of a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.explorer_site import served
from explorer.runs import quiz_run
from hesperus.explorer.state import OpenRuns
from hesperus.records import write_run
from reports.headless_chromium import Page as Tab
from reports.headless_chromium import visit
from reports.page_faults import ACCESS

HEAD = "unit,rater,question,rating,state,comment,item,model,a,b"
LINES = (
    "u1,ann,fidelity,4,rated,most of it,q00,test/one,en,sw",
    "u1,<b>ben</b>,fidelity,,cannot judge,,q00,test/one,en,sw",
    "u2,cid,fidelity,1,rated,,q00,other/model,en,sw",
    "u3,dan,fidelity,2,rated,,q01,test/one,en,sw",
)


def asked(folder: Path, path: str) -> tuple[int, str]:
    run = quiz_run(("en", "sw"), items=3)
    write_run(run, folder / "run")
    with served(OpenRuns.of([("run", run)], [folder / "run"])) as site:
        answer = site.ask(path)
    return answer.status, answer.text


def test_ratings_of_a_run_folder_are_next_to_the_answers(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "ratings.csv").write_text("\n".join((HEAD, *LINES)), encoding="utf-8")
    (tmp_path / "run" / "checks.csv").write_text(
        "unit,rater,question,rating\nq00,eve,key,pass\n", encoding="utf-8"
    )
    status, page = asked(tmp_path, "/question?of_item=q00")
    assert status == 200
    for said in ("ann", "<b>4</b>", "most of it", "en · sw", "&lt;b&gt;ben", "cannot judge"):
        assert said in page, said
    body = page.partition("<body")[2]  # the head holds a font as base64, in which any three letters may stand
    assert "most of it" in body and not [said for said in ("<b>ben", "cid", "dan") if said in body]


def test_a_page_with_ratings_is_accessible(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "ratings.csv").write_text("\n".join((HEAD, *LINES)), encoding="utf-8")
    run = quiz_run(("en", "sw", "ar"), items=3)
    write_run(run, tmp_path / "run")

    with served(OpenRuns.of([("run", run)], [tmp_path / "run"])) as site:

        async def look(tab: Tab) -> None:
            await tab.open(site.entrance, width=1280)
            for scheme in ("light", "dark"):
                await tab.open(f"{site.url}/question?of_item=q00", width=1280, scheme=scheme)
                assert "most of it" in await tab.evaluate(
                    "document.querySelector('#ratings').parentNode.innerText"
                )
                assert await tab.evaluate(ACCESS) == []

        visit(look)


def test_a_unit_without_an_item_is_the_item(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "checks.csv").write_text(
        "unit,rater,question,rating\nq00,eve,key,pass\n", encoding="utf-8"
    )
    assert "eve" in asked(tmp_path, "/question?of_item=q00")[1]
    assert "Ratings" not in asked(tmp_path, "/question?of_item=q01")[1]


@pytest.mark.parametrize("text", ["unit,rater\nq00,eve\n", "unit,rater,rating\nq00,eve,1\n"])
def test_a_table_that_holds_no_ratings_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "ratings.csv").write_text(text, encoding="utf-8")
    status, page = asked(tmp_path, "/question?of_item=q00")
    assert status == 400 and "ratings.csv" in page and "missing columns" in page
