"""What raters remark, from the page to the tables, and what the drawing of units notes: by the commands, over real HTTP."""

from __future__ import annotations

import csv
import http.client
import json
from pathlib import Path
from urllib.parse import urlsplit

from rating_browser import served
from typer.testing import CliRunner, Result

from hesperus.cli.app import app
from waiting import LIMIT

REMARK = "says “no”, then <b>yes</b>, =1+1"


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def items(folder: Path) -> Path:
    table = folder / "items.csv"
    table.write_text(
        "item,en,zh,stratum\nq1,One,一,high\nq2,Two,二,low\nq3,Three,三,low\nq4,Four,四,low\n",
        encoding="utf-8",
    )
    return table


def create(folder: Path, *more: object) -> tuple[Path, Result]:
    out = folder / "rate.sqlite"
    mapped = ("--map", "source=en", "--map", "text=zh", "--language", "text=zh")
    return out, run("annotate", "create", "residue", items(folder), *mapped, "--out", out, *more)


def submit(port: int, link: str, judgements: list[dict[str, object]]) -> dict[str, object]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    body = json.dumps({"judgements": judgements}).encode()
    connection.request(
        "POST", f"{urlsplit(link).path}judgements", body, {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    )  # fmt: skip
    found: dict[str, object] = json.loads(connection.getresponse().read())
    connection.close()
    return found


def answers(port: int, link: str, ratings: dict[str, str], remark: str | None) -> None:
    """Rate every unit that the page shows, by the text that it shows, and remark on the first."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.request("GET", f"{urlsplit(link).path}data.json")
    shown = json.loads(connection.getresponse().read())["units"]
    connection.close()
    said: list[dict[str, object]] = []
    for unit in shown:
        rating = next(
            value for text, value in ratings.items() if text in json.dumps(unit, ensure_ascii=False)
        )
        for question in ("cue", "cultural", "syntactic"):
            said.append(
                {"key": f"{question}-{unit['code']}", "unit": unit["code"], "question": question, "state": "rated",
                 "value": rating}
            )  # fmt: skip
    first = next(unit for unit in shown if "一" in json.dumps(unit, ensure_ascii=False))
    if remark is not None:
        said.append(
            {"key": "remark-of-first", "unit": first["code"], "question": "comment", "state": "rated", "value": remark}
        )  # fmt: skip
    assert submit(port, link, said)["refused"] == []


def test_a_remark_goes_from_the_page_to_every_table_and_back(tmp_path: Path) -> None:
    store, _ = create(tmp_path)
    rows = json.loads(
        run("annotate", "links", store, "--rater", "ann", "--rater", "bo", "--format", "json").stdout
    )["rows"]
    links = {row["rater"]: row["link"] for row in rows}
    with served(store) as port:
        answers(port, links["ann"], {"一": "5", "二": "1", "三": "2", "四": "3"}, REMARK)
        answers(port, links["bo"], {"一": "4", "二": "1", "三": "2", "四": "3"}, None)
    ratings = tmp_path / "ratings.csv"
    run("annotate", "export", store, "--out", ratings)
    with ratings.open(encoding="utf-8", newline="") as file:
        held = list(csv.DictReader(file))
    remarked = {row["comment"].lstrip("'") for row in held if row["rater"] == "ann" and row["unit"] == "q1"}
    assert remarked == {REMARK}
    assert {row["comment"] for row in held if (row["rater"], row["unit"]) != ("ann", "q1")} == {""}
    found = json.loads(run("measure", "raters", ratings, "--format", "json", "--resamples", 50).stdout)[
        "rows"
    ]
    alpha = {row["question"]: row["value"] for row in found if row["statistic"] == "krippendorff_alpha"}
    assert alpha.keys() == {"cue", "cultural", "syntactic"} and all(
        0.9 < float(value) < 1 for value in alpha.values()
    )

    again = tmp_path / "again.sqlite"
    store.rename(tmp_path / "first.sqlite")
    create(tmp_path)[0].rename(again)
    run("annotate", "import", again, ratings)
    copied = tmp_path / "copied.csv"
    run("annotate", "export", again, "--out", copied)
    with copied.open(encoding="utf-8", newline="") as file:
        back = {
            (row["unit"], row["rater"], row["question"]): (row["rating"], row["comment"])
            for row in csv.DictReader(file)
        }
    assert back == {
        (row["unit"], row["rater"], row["question"]): (row["rating"], row["comment"]) for row in held
    }


def test_drawing_notes_what_was_drawn_and_which_stratum_has_too_few(tmp_path: Path) -> None:
    store, done = create(tmp_path, "--n", 2, "--by", "stratum", "--seed", 7)
    assert "note: 3 of 4 units drawn with seed 7" in done.stderr
    assert "note: stratum stratum=high: 2 units were asked for, there are 1; all are taken" in done.stderr
    assert f"{store}: units: 3, questions about each: 3" in done.stderr
