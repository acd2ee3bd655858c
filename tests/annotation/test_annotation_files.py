"""Ratings out and in: tables for measures, overrides for reading again, Label Studio, CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import polars as pl
import pytest

from hesperus.annotation import (
    Judgement,
    Mapped,
    RatingStore,
    Sheet,
    decisions_table,
    import_file,
    log_table,
    progress,
    ratings_table,
    read_scheme,
    units_from_frame,
    write_corrections,
    write_label_studio,
)
from hesperus.answers import load_overrides, reply_hash
from hesperus.errors import DataError, UsageError
from hesperus.records.exporters import write_table

MakeStore = Callable[..., RatingStore]


def rate(store: RatingStore, rater: str, unit: str, **values: str | None) -> None:
    """Judge questions of a unit; None is "cannot judge"."""
    said = [
        Judgement(
            store.sheet.by_id[unit],
            name,
            "rated" if value else "cannot_judge",
            value,
            f"{unit}-{name}-{value}-key",
        )
        for name, value in values.items()
    ]
    store.append(store.rater(rater), said)


@pytest.fixture
def rated(residue: Sheet, make_store: MakeStore) -> RatingStore:
    """Two raters; the second stopped half-way."""
    store = make_store(residue, "ann", "bob", adjudicators=("carol",))
    rate(store, "ann", "q1", cue="2", cultural="3", syntactic="1", comment="fine")
    rate(store, "ann", "q2", cue="4", cultural=None, syntactic="1")
    rate(store, "bob", "q1", cue="2", cultural="5")
    return store


def test_ratings_are_a_long_table_with_the_units_columns(rated: RatingStore) -> None:
    made = ratings_table(rated)
    assert (made.rated, made.cannot_judge, made.open) == (7, 1, 24 - 8)
    assert made.frame.columns == [
        "unit", "rater", "question", "rating", "state", "level", "order", "comment", "time", "stratum", "tt",
    ]  # fmt: skip
    assert made.frame.schema["rating"] == pl.Int64() and made.frame.schema["tt"] == pl.Float64()
    assert made.frame.filter(pl.col("question") == "cue").select("unit", "rater", "rating", "tt").rows() == [
        ("q1", "ann", 2, 0.5), ("q1", "bob", 2, 0.5), ("q2", "ann", 4, -0.25),
    ]  # fmt: skip
    assert set(made.frame.filter(pl.col("rater") == "ann", pl.col("unit") == "q1")["comment"]) == {"fine"}
    one = ratings_table(rated, question="cultural").frame
    assert one["state"].to_list() == ["rated", "rated", "cannot_judge"] and one["rating"].null_count() == 1
    wide = ratings_table(rated, shape="wide").frame
    assert wide.select("unit", "rater", "cue", "cultural", "syntactic").rows() == [
        ("q1", "ann", 2, 3, 1), ("q1", "bob", 2, 5, None), ("q2", "ann", 4, None, 1),
    ]  # fmt: skip
    assert ratings_table(rated, role="adjudicator").frame.is_empty()


def test_decisions_say_on_what_they_rest(rated: RatingStore) -> None:
    rate(rated, "carol", "q1", cultural="4", comment="the setting is local")
    made = {(row["unit"], row["question"]): row for row in decisions_table(rated).to_dicts()}
    assert len(made) == 12
    seen = {key: (row["decision"], row["basis"], row["raters"]) for key, row in made.items()}
    assert seen["q1", "cue"] == ("2", "agreed", 2)
    assert seen["q1", "cultural"] == ("4", "adjudicated", 2)
    assert seen["q1", "syntactic"] == ("1", "single", 1)
    assert seen["q2", "cultural"] == (None, "single", 1) and seen["q3", "cue"] == (None, "open", 0)
    assert made["q1", "cultural"]["reason"] == "the setting is local"
    assert made["q2", "cultural"]["reason"] == "cannot be judged"
    assert made["q3", "cue"]["reason"] == "nobody has rated it"


def test_a_rater_who_stopped_half_way_is_seen(rated: RatingStore) -> None:
    rows = {(row.rater, row.question): row for row in progress(rated)}
    assert [(rows["bob", q].rated, rows["bob", q].open) for q in ("cue", "cultural", "syntactic")] == [
        (1, 3), (1, 3), (0, 4),
    ]  # fmt: skip
    assert rows["ann", "cultural"].cannot_judge == 1 and rows["ann", "cue"].assigned == 4
    assert rows["bob", "syntactic"].begun and rows["bob", "syntactic"].last is not None
    assert (rows["carol", "cultural"].assigned, rows["carol", "cue"].assigned) == (1, 0), (
        "only where raters differ"
    )
    assert not rows["carol", "cue"].begun and rows["carol", "cue"].last is None


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_an_exported_table_is_imported_elsewhere_and_again(
    rated: RatingStore, residue: Sheet, make_store: MakeStore, tmp_path: Path, ending: str
) -> None:
    file = tmp_path / f"ratings.{ending}"
    write_table(ratings_table(rated).frame, file)
    other = make_store(residue, "ann")
    counts = import_file(other, file)
    assert counts.new == 9 and counts.added == ("bob",) and counts.empty == 0
    columns = ["unit", "rater", "question", "rating", "state", "comment"]
    assert ratings_table(other).frame.select(columns).equals(ratings_table(rated).frame.select(columns))
    assert import_file(other, file).new == 0 and import_file(rated, file).new == 0
    rate(other, "ann", "q1", cue="5")
    assert import_file(other, file).new == 0, "an old file does not bring old values back"
    assert other.current()["ann", residue.by_id["q1"], "cue"].judgement.value == "5"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q9,ann,cue,3", "line 2, item 'q9': there is no such unit"),
        ("q1,,cue,3", "line 2, field 'rater': is empty"),
        ("q1,ann,cue,7", "line 2: rater 'ann': field 'cue', item 'q1': '7' is not on the scale"),
        ("q1,ann,clue,3", "did you mean 'cue'"),
        ("q1,ann,cue,3.5", "'3.5' is not on the scale"),
    ],
)
def test_a_table_with_a_fault_is_refused_whole(
    residue: Sheet, make_store: MakeStore, tmp_path: Path, row: str, message: str
) -> None:
    store = make_store(residue)
    file = tmp_path / "ratings.csv"
    file.write_text(f"unit,rater,question,rating\n{row}\nq1,new,cue,2\n")
    with pytest.raises(DataError, match=message):
        import_file(store, file)
    assert list(store.log()) == [] and store.raters() == ()
    file.write_text("unit,rater,question,rating\nq1,a,cue,2\nq1,b,cue,4\nq1,a,cue,3\n")
    with pytest.raises(DataError, match="line 4, item 'q1': line 2 has another rating"):
        import_file(store, file)
    file.write_text("unit,rater,question,rating,state\nq1,a,cue,3,maybe\n")
    with pytest.raises(DataError, match="line 2, field 'state': unknown state: 'maybe'"):
        import_file(store, file)
    file.write_text("unit,rater,question,rating,state\nq1,a,cue,3,cannot_judge\n")
    with pytest.raises(DataError, match="says cannot_judge beside the rating '3'"):
        import_file(store, file)
    file.write_text("unit,rater,rating\nq1,a,3\n")
    with pytest.raises(DataError, match="no column 'question'"):
        import_file(store, file)
    file.write_text("unit,rater,question,rating\nq1,a,cue,\nq2,a,cue,3.0\n")
    counts = import_file(store, file)
    assert (counts.new, counts.empty) == (1, 1)
    file.write_text("unit,rater,question,rating\nq2, a ,cue, 3 \n")
    assert import_file(store, file).known == 1, "blanks around a name or a number mean nothing"


def test_a_remark_that_stands_beside_every_question_is_one_remark(
    residue: Sheet, make_store: MakeStore, tmp_path: Path
) -> None:
    file = tmp_path / "ratings.csv"
    rows = "".join(
        f"q1,ann,{name},3,odd,2026-01-0{at}\n" for at, name in enumerate(("cue", "cultural"), start=1)
    )
    file.write_text(f"unit,rater,question,rating,comment,time\n{rows}")
    store = make_store(residue)
    counts = import_file(store, file)
    assert (counts.new, counts.known) == (3, 1)
    assert [entry.judgement.value for entry in store.log()] == ["3", "odd", "3"]


def test_the_log_keeps_every_click_in_order(rated: RatingStore) -> None:
    rate(rated, "ann", "q1", cue="3")
    log = log_table(rated)
    assert log["number"].is_sorted() and log.height == 10
    assert log.filter(pl.col("unit") == "q1", pl.col("rater") == "ann", pl.col("question") == "cue")[
        "value"
    ].to_list() == ["2", "3"]


def replies_sheet() -> Sheet:
    """Three replies of one model, with carriage returns, quotes and a lone newline in them."""
    scheme = read_scheme("readings")
    key = {"model": "m", "task": "quiz", "instruction": "en", "input": "en", "repeat": 1}
    rows = [
        {**key, "item": f"i{at}", "unit": f"u{at}", "reply": reply, "labels": ["A", "B"], "answer": "A"}
        for at, reply in enumerate(['A,\r\n"or" B', "definitely B\n", "no idea"])
    ]
    return Sheet(scheme, units_from_frame(pl.DataFrame(rows), scheme, Mapped()))


def test_corrected_readings_are_overrides_of_the_very_replies(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(replies_sheet(), "ann", "bob", adjudicators=("carol",))
    rate(store, "ann", "u0", reading="B", comment="says so, at the end")
    rate(store, "bob", "u0", reading="A")
    rate(store, "carol", "u0", reading="invalid")
    rate(store, "ann", "u1", reading="B")
    rate(store, "bob", "u1", reading="B")
    rate(store, "ann", "u2", reading="refused")
    rate(store, "bob", "u2", reading=None)
    file = tmp_path / "reviewed.csv"
    made = write_corrections(store, file, reply_hash)
    assert (made.written, made.changed, made.open) == (2, 2, {"raters differ": 1})
    overrides = load_overrides(file)
    answers = {
        item: overrides.answer(("m", "quiz", item, "en", "en", 1), reply)
        for item, reply in (("i0", 'A,\r\n"or" B'), ("i1", "definitely B\n"), ("i2", "no idea"))
    }
    assert answers["i0"] is not None and (answers["i0"].outcome, answers["i0"].label) == ("invalid", None)
    assert answers["i1"] is not None and answers["i1"].label == "B" and answers["i2"] is None
    assert overrides.answer(("m", "quiz", "i1", "en", "en", 1), "changed") is None, (
        "tied to the reply that was read"
    )
    assert [row["note"] for row in csv.DictReader(file.read_text().splitlines())] == [
        "adjudicated",
        "2 raters agree",
    ]


def test_overrides_need_replies(rated: RatingStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="residue reads no replies"):
        write_corrections(rated, tmp_path / "o.csv", reply_hash)


def label_studio(
    tasks: list[dict[str, Any]], answers: dict[int, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """An export as Label Studio writes it."""
    return [
        {
            "id": at, "data": task["data"], "predictions": [],
            "annotations": [
                {
                    "id": 100 + 10 * at + place, "completed_by": one["by"], "was_cancelled": one.get("cancelled", False),
                    "updated_at": "2026-01-01T00:00:00Z",
                    "result": [
                        {"id": "x", "from_name": f"q_{name}", "to_name": "text", "type": "choices", "value": {"choices": [value]}}
                        for name, value in one["said"].items()
                    ] + [{"from_name": "comment", "to_name": "text", "type": "textarea", "value": {"text": ["a", "b"]}}],
                }
                for place, one in enumerate(answers.get(at, []))
            ],
        }
        for at, task in enumerate(tasks)
    ]  # fmt: skip


def test_label_studio_gets_tasks_and_gives_judgements(
    residue: Sheet, make_store: MakeStore, tmp_path: Path
) -> None:
    write_label_studio(residue, tmp_path / "ls")
    view = fromstring((tmp_path / "ls/config.xml").read_text())
    choices = {one.get("name"): [c.get("alias") for c in one] for one in view.iter("Choices")}
    assert choices["q_cue"] == ["1", "2", "3", "4", "5", "cannot_judge"] and len(choices) == 3
    assert {one.get("value") for one in view.iter("Text")} == {"$source", "$text"}
    tasks = json.loads((tmp_path / "ls/tasks.json").read_text())
    assert len(tasks) == 4 and "stratum" not in json.dumps(tasks)
    done = label_studio(
        tasks,
        {
            0: [
                {"by": 7, "said": {"cue": "4", "cultural": "cannot_judge"}},
                {"by": {"id": 8}, "said": {"cue": "1"}},
            ],
            1: [{"by": 7, "said": {"cue": "2"}, "cancelled": True}],
        },
    )
    file = tmp_path / "export.json"
    file.write_text(json.dumps(done))
    store = make_store(residue)
    counts = import_file(store, file)
    assert counts.added == ("label-studio/7", "label-studio/8") and counts.new == 5
    assert import_file(store, file).new == 0
    found = ratings_table(store).frame.select("unit", "rater", "question", "rating", "comment").rows()
    assert found == [
        ("q1", "label-studio/7", "cue", 4, "a\nb"),
        ("q1", "label-studio/7", "cultural", None, "a\nb"),
        ("q1", "label-studio/8", "cue", 1, "a\nb"),
    ]
    long = json.loads(json.dumps(done))
    long[0]["annotations"][0]["result"][-1]["value"]["text"] = ["x" * 5000]
    file.write_text(json.dumps(long))
    with pytest.raises(DataError, match="1 to 4,000 characters, this one 5,000"):
        import_file(store, file)
    done[0]["annotations"][0]["result"][0]["value"]["choices"] = ["6"]
    for document, message in (
        (done, "'6' is not on the scale"),
        ([{"data": {}}], "was not made by hesperus"),
        ([{"data": {**tasks[0]["data"], "hesperus_sheet": "x"}, "annotations": []}], "another sheet"),
        ([{"data": tasks[0]["data"]}], "not as JSON-MIN"),
    ):
        file.write_text(json.dumps(document))
        with pytest.raises(DataError, match=message):
            import_file(store, file)


def test_labels_of_each_unit_travel_to_label_studio(tmp_path: Path) -> None:
    write_label_studio(replies_sheet(), tmp_path / "ls")
    task = json.loads((tmp_path / "ls/tasks.json").read_text())[0]
    assert [one["alias"] for one in task["data"]["choices_reading"]][:3] == ["A", "B", "invalid"]
