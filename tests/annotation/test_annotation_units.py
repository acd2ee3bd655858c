"""From tables and runs to what raters see: nothing more than the scheme shows, every fault named."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hesperus.annotation import (
    Draw,
    Mapped,
    Sheet,
    Source,
    changed_frame,
    read_frame,
    read_scheme,
    readings_frame,
    schemes,
    sheet_from,
    sides_frame,
    snippets_frame,
    units_from_frame,
)
from hesperus.annotation.unit_tables import drawn
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import SCHEMA, Run, write_records, write_run

OWN = """
name: tone
title: Tone
instructions: |
  Judge the tone.

  Leave a remark where unsure.
shows: [{name: text, title: Text}]
questions:
  - name: polite
    title: Is it polite?
    choices: [{value: 'yes'}, {value: 'no'}]
"""


def run() -> Run:
    """One model, two items, German made from English; the answer to the second changed."""
    base = {
        "model": "pocket/m",
        "task": "capitals",
        "repeat": 1,
        "options": ["A", "B"],
        "gold": "A",
        "probs": None,
    }
    answers = {("q1", "en"): "A", ("q1", "de_from_en"): "A", ("q2", "en"): "A", ("q2", "de_from_en"): None}
    records = [
        {
            **base, "item": item, "instruction": sense, "input": sense, "answer": answer,
            "outcome": "answered" if answer else "invalid", "reply": answer or "A or B?",
        }
        for (item, sense), answer in answers.items()
    ]  # fmt: skip
    texts = {
        "en": ("Capital of {}?", ["Paris", "Rome"]),
        "de_from_en": ("Hauptstadt von {}?", ["Paris", "Rom"]),
    }
    items = [
        {
            "item": item, "language": sense[:2], "gold": "A", "options": options, "field:question": text.format(item),
            "group:subject": "geo", "input": sense, "model": None if sense == "en" else "pocket/m",
        }
        for sense, (text, options) in texts.items() for item in ("q1", "q2")
    ]  # fmt: skip
    return Run(
        pl.DataFrame(records, schema=SCHEMA),
        pl.DataFrame(items),
        {"study": "multisense"},
        {"hesperus": "0.1.0"},
    )


def test_the_shipped_schemes_hold_what_the_designs_ask_for() -> None:
    assert schemes() == ("fidelity", "inconsistency", "qc", "qc_graded", "readings", "residue")
    found = {name: read_scheme(name) for name in schemes()}
    assert all(name == scheme.name for name, scheme in found.items())
    six = ["semantic", "difficulty", "key", "order", "cue_removal", "excess"]
    assert [question.name for question in found["qc"].questions] == six
    assert all(question.values(()) == ("pass", "fail") for question in found["qc"].questions)
    for question in (*found["residue"].questions, *found["fidelity"].questions):
        assert question.level == "ordinal" and question.values(()) == ("1", "2", "3", "4", "5")
        assert all(choice.anchor for choice in question.choices)
    assert [name for name, scheme in found.items() if not scheme.blind] == ["inconsistency", "readings"]


def test_an_own_scheme_is_read_and_its_faults_are_named(tmp_path: Path) -> None:
    file = tmp_path / "tone.yaml"
    file.write_text(OWN)
    assert read_scheme(file).question("polite").values(()) == ("yes", "no")
    for old, new, message in (
        ("'yes'", "true", "put it in quotes"),
        ("title: Tone", "titel: Tone", "unknown key of .*'titel'; did you mean 'title'"),
        ("value: 'no'", "vlaue: 'no'", r"line 12: .*; did you mean 'questions.0.choices.1.value'\\?"),
        ("name: polite", "name: comment", "the name of the rater's remark"),
        ("value: 'no'", "value: 'yes'", "two choices have one value"),
        ("title: Text}", "title: Text, required: false}", "at least one of the shown texts"),
        (", {value: 'no'}", "", "a question needs two choices"),
        ("name: tone", "name: [", "no YAML"),
    ):
        assert old in OWN
        file.write_text(OWN.replace(old, new))
        with pytest.raises((DataError, UnknownNameError), match=message):
            read_scheme(file)
    with pytest.raises(UnknownNameError, match="did you mean 'residue'"):
        read_scheme("residu")
    with pytest.raises(UsageError, match="cannot read the scheme"):
        read_scheme(tmp_path / "none.yaml")


def test_a_table_becomes_units_with_its_columns_kept(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text("subject,row,en,zh,score\nlaw,007,Text,文本,0.5\nlaw,008,Other,其他,\n")
    mapped = Mapped(
        {"unit": ["subject", "row"], "source": ["en"], "text": ["zh"]}, {"text": "zho_Hans", "source": "eng"}
    )
    units = units_from_frame(read_frame(table), read_scheme("residue"), mapped)
    assert [unit.id for unit in units] == ["law|007", "law|008"]
    assert [(text.name, text.text, text.language) for text in units[0].texts] == [
        ("source", "Text", "en"), ("text", "文本", "zh"),
    ]  # fmt: skip
    assert units[0].columns == {"subject": "law", "row": "007", "score": "0.5"}


@pytest.mark.parametrize(
    ("rows", "mapped", "message"),
    [
        ([{"unit": "1", "txt": "x"}], Mapped(), "no column for text; map them: text=COLUMN"),
        ([{"text": "x"}], Mapped(), "no column for unit"),
        ([{"unit": "1", "text": " "}], Mapped(), "line 1, field 'text': nothing to show"),
        ([{"unit": "1", "text": "x"}] * 2, Mapped(), "line 2, item '1': the same id as line 1"),
        ([{"unit": None, "text": "x"}], Mapped(), "the id of the unit is empty"),
        ([{"unit": "1", "text": "x"}], Mapped({"txt": ["text"]}), "did you mean 'text'"),
        ([{"unit": "1", "text": "x"}], Mapped({"text": ["txt"]}), "did you mean 'text'"),
        ([{"unit": "1", "text": "x"}], Mapped(languages={"text": "xx-nowhere"}), "unknown language"),
        ([{"unit": "1", "reply": "x"}], Mapped({"text": ["reply"]}), "blind to what models answered"),
    ],
)  # fmt: skip
def test_faults_of_a_table_are_named(rows: list[dict[str, str]], mapped: Mapped, message: str) -> None:
    with pytest.raises((DataError, UnknownNameError, UsageError)) as caught:
        units_from_frame(pl.DataFrame(rows), read_scheme("residue"), mapped)
    assert message in str(caught.value)


def test_a_stratified_draw_is_seeded_and_tells_what_was_short() -> None:
    frame = pl.DataFrame(
        {"unit": [str(at) for at in range(40)], "text": ["x"] * 40, "stratum": ["a"] * 38 + ["b"] * 2}
    )
    units = units_from_frame(frame, read_scheme("residue"))
    taken, notes = drawn(units, Draw(5, "stratum"))
    assert [unit.columns["stratum"] for unit in taken] == ["a"] * 5 + ["b"] * 2
    assert notes == ("stratum stratum=b: 5 units were asked for, there are 2; all are taken",)
    assert drawn(units[::-1], Draw(5, "stratum"))[0][::-1] == taken, "the order of the data does not matter"
    assert drawn(units, Draw(5, "stratum", seed=1))[0] != taken
    with pytest.raises(UnknownNameError, match="did you mean 'stratum'"):
        drawn(units, Draw(5, "strata"))
    with pytest.raises(UsageError, match="strata need a number"):
        Draw(by="stratum")


def test_snippets_have_one_to_four_sentences_and_lose_none() -> None:
    sentences = [f"S{at}." for at in range(11)]
    frame = pl.DataFrame(
        {"item": ["x"], "source": [sentences], "text": [[s.lower() if s != "S3." else "" for s in sentences]]}
    )
    cut = snippets_frame(frame, unit="item")
    assert " ".join(cut["source"]) == " ".join(sentences)
    assert " ".join(cut["text"]).split() == [s.lower() for s in sentences if s != "S3."]
    assert cut["sentences"].sum() == 11 and cut["sentences"].is_between(1, 4).all()
    assert cut["unit"].to_list() == [f"x#{at + 1}" for at in range(cut.height)]
    assert snippets_frame(frame, unit="item", seed=9)["sentences"].to_list() != cut["sentences"].to_list()
    with pytest.raises(DataError, match="11 sentences in 'source', 1 in 'text'"):
        snippets_frame(frame.with_columns(text=pl.Series([["one"]])), unit="item")
    with pytest.raises(DataError, match="expected a list of sentences"):
        snippets_frame(frame.with_columns(text=pl.lit("plain")), unit="item")


def test_a_run_gives_sides_replies_and_changes(tmp_path: Path) -> None:
    sides = sides_frame(run(), "en", "de_from_en")
    assert sides["unit"].to_list() == ["q1|pocket/m", "q2|pocket/m"]
    assert sides["text"][0] == "Hauptstadt von q1?\n\nA. Paris\nB. Rom" and sides["key"][0] == "A. Paris"
    changed = changed_frame(run(), "en", "de_from_en")
    assert changed["unit"].to_list() == ["pocket/m|capitals|q2"] and changed["outcome_b"][0] == "invalid"
    replies = readings_frame(run(), outcomes=["invalid"])
    assert replies.select("item", "reply", "question.language").rows() == [("q2", "A or B?", "de")]
    assert replies["labels"].to_list() == [["A", "B"]]
    with pytest.raises(UnknownNameError, match="sense of the items"):
        sides_frame(run(), "en", "fr")
    write_run(run(), tmp_path / "run")
    for scheme, source in (
        ("residue", Source(tmp_path / "run", a="en", b="de_from_en")),
        ("inconsistency", Source(tmp_path / "run", a="en", b="de_from_en", changed=True)),
        ("readings", Source(tmp_path / "run")),
    ):
        sheet, _ = sheet_from(source, read_scheme(scheme))
        assert all(text.language in ("en", "de") for unit in sheet.units for text in unit.texts)
    write_records(run().records, tmp_path / "records.parquet")
    sheet, _ = sheet_from(Source(tmp_path / "records.parquet", outcomes=["invalid"]), read_scheme("readings"))
    assert [unit.labels for unit in sheet.units] == [("A", "B")]
    with pytest.raises(UsageError, match="two senses"):
        sheet_from(Source(tmp_path / "run"), read_scheme("qc"))
    with pytest.raises(UsageError, match="no run folder"):
        sheet_from(Source(tmp_path / "records.parquet", a="en", b="de"), read_scheme("qc"))


def test_snippets_of_a_table_are_a_sheet(tmp_path: Path) -> None:
    table = tmp_path / "answers.jsonl"
    rows = [{"id": f"a{at}", "sw": ["Moja.", "Mbili."], "en": ["One.", "Two."]} for at in range(6)]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = Source(table, snippets=True)
    mapped = Mapped({"source": ["sw"], "text": ["en"]}, {"source": "sw", "text": "en"})
    sheet, notes = sheet_from(source, read_scheme("fidelity"), mapped=mapped, draw=Draw(4))
    assert len(sheet.units) == 4 and "drawn with seed 42" in notes[0]
    assert sheet.units[0].texts[0].language == "sw"


def test_snippets_of_an_evaluations_sentences_are_a_sheet(tmp_path: Path) -> None:
    """A row for each sentence, as `hesperus evaluate --out` leaves them: gathered by text, in their order."""
    rows = [
        {"model": "m", "task": "t", "item": item, "input": tag, "language": tag, "side_by_side": side,
         "sentence": at, "source": f"{tag}{at}", "translation": None if at == 1 else f"{side}{at}", "rung": "first"}
        for item in ("q1", "q2") for tag in ("es", "ar") for side in ("score", "ceiling") for at in (2, 0, 1)
    ]  # fmt: skip
    table = tmp_path / "sentences.parquet"
    pl.DataFrame(rows).write_parquet(table)
    mapped = Mapped(languages={"text": "en"})
    sheet, _ = sheet_from(Source(table, snippets=True), read_scheme("fidelity"), mapped=mapped)
    said = {"source": "", "text": ""}
    for unit in sheet.units:
        if unit.id.startswith("q2|ar|ceiling|ar#"):
            assert [text.language for text in unit.texts] == ["ar", "en"] and unit.columns["model"] == "m"
            said |= {text.name: f"{said[text.name]} {text.text}" for text in unit.texts if text.text != "—"}
    assert said == {"source": " ar0 ar1 ar2", "text": " ceiling0 ceiling2"}
    assert len({unit.id.partition("#")[0] for unit in sheet.units}) == 8
    pl.DataFrame([*rows, rows[0]]).write_parquet(table)
    with pytest.raises(DataError, match="item 'q1': sentence 2 occurs twice"):
        sheet_from(Source(table, snippets=True), read_scheme("fidelity"), mapped=mapped)


def test_labels_that_clash_with_fixed_choices_are_refused() -> None:
    scheme = read_scheme("readings")
    frame = pl.DataFrame({"unit": ["1"], "reply": ["hm"], "labels": ["yes,refused"]})
    with pytest.raises(DataError, match="also a fixed choice"):
        Sheet(scheme, units_from_frame(frame, scheme))
    no_labels = units_from_frame(frame.with_columns(labels=pl.lit("[]")), scheme)
    assert Sheet(scheme, no_labels).scheme.questions[0].values(()) == tuple(
        choice.value for choice in scheme.questions[0].choices
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"item,text\n1,a\n2,caf\xe9\n", "a.csv, line 3: is not UTF-8"),
        ("a.jsonl", b'{"item": "1"}\n{"item": "\xe9"}\n', "a.jsonl, line 2: is not UTF-8"),
        ("a.csv", b'item,text\n1,"a\nb"\n2,a,b\n', "a.csv, line 4: cannot be read as CSV: 3 fields where the heading has 2"),
        ("a.tsv", b"item\ttext\n1\ta\tb\n", "a.tsv, line 2: cannot be read as TSV: 3 fields"),
        ("a.csv", b"", "a.csv: is empty"),
        ("a.jsonl", b"{", "a.jsonl, line 1: cannot be read as JSONL: no JSON"),
        ("a.parquet", b"PAR1", "a.parquet: cannot be read"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_read_says_where(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_frame(tmp_path / name)
    (tmp_path / name).write_bytes(b"\xef\xbb\xbfitem,text\n1,a\n")
    assert name != "a.csv" or read_frame(tmp_path / name).columns == ["item", "text"]
