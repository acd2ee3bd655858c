"""Text that a spreadsheet would run is written as text, and read as it was."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.analysis.table import Table
from hesperus.audits.exclusions import read_exclusions
from hesperus.errors import DataError
from hesperus.records import read_records
from hesperus.records.exporters import write_table
from hesperus.reports.formats import format_table
from hesperus.spreadsheets import guarded, guarded_frame, unguarded, unguarded_frame
from hesperus.tables import read_table
from hesperus.tables import write_table as write_any

FORMULAS = [
    '=HYPERLINK("http://x.example","y")',
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "-",
    "--",
]
PLAIN = ["-2", "+3.5", "-1,000", "-.5", "-3 %", "1e-5", "-1e-5", "A", "", "it's = b", "'quoted'", "5-3", "…"]


def runs(text: str) -> bool:
    return text.startswith(("=", "+", "-", "@", "\t", "\r", " =")) and text not in PLAIN


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_text_and_comes_back(text: str) -> None:
    assert guarded(text) == f"'{text}" and unguarded(guarded(text)) == text
    assert unguarded(guarded(f"'{text}")) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_other_text_stay_as_they_are(text: str) -> None:
    assert guarded(text) == text == unguarded(text)


@settings(max_examples=500, derandomize=True, deadline=None)
@given(st.lists(st.text("=+-@'\t\r 12.,%eA"), min_size=1, max_size=8))
def test_any_text_comes_back_and_none_runs(texts: list[str]) -> None:
    assert [unguarded(guarded(text)) for text in texts] == texts
    frame = pl.DataFrame({"x": texts, "n": [1] * len(texts)})
    kept = guarded_frame(frame)
    assert kept["x"].to_list() == [guarded(text) for text in texts]
    assert unguarded_frame(kept).equals(frame)


def test_every_csv_that_is_written_is_guarded_and_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"item": FORMULAS, "=h": FORMULAS, "n": range(len(FORMULAS))})
    write_table(frame, tmp_path / "a.csv")
    write_any(frame, tmp_path / "b.tsv", "tsv")
    for name, separator in (("a.csv", ","), ("b.tsv", "\t")):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, delimiter=separator))
        assert len(rows) == len(FORMULAS) + 1 and not any(runs(cell) for row in rows for cell in row)
        found = read_table(tmp_path / name)
        assert found["item"].to_list() == FORMULAS == found["=h"].to_list()
    table = Table("m", ("item", "value"), tuple({"item": text, "value": -0.5} for text in FORMULAS), {})
    rows = list(csv.reader(io.StringIO(format_table(table, "csv"))))
    assert not any(runs(row[0]) for row in rows) and {row[1] for row in rows[1:]} == {"-0.5"}


def test_records_as_csv_keep_their_texts(tmp_path: Path) -> None:
    row = {"model": "a/b", "task": "t", "item": "=1", "instruction": "en", "input": "en", "repeat": 1,
           "outcome": "answered", "answer": "-2+3", "gold": "-7", "options": ["-2+3", "-7"], "reply": "@x"}  # fmt: skip
    write_table(pl.DataFrame([row]), tmp_path / "r.csv")
    found = read_records(tmp_path / "r.csv").row(0, named=True)
    assert {name: found[name] for name in row} == row


def test_exclusions_keep_their_items(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("item,reason\n'=1,'-broken\n-2,no\n")
    assert read_exclusions(tmp_path / "x.csv") == {"=1": "-broken", "-2": "no"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a"b,c\n1,2\n', [{'a"b': "1", "c": "2"}]),
        ('"say ""no""",c\n1,2\n', [{'say "no"': "1", "c": "2"}]),
        ('"two\nlines",c\r\n1\r\n3,4\r\n', [{"two\nlines": "1", "c": None}, {"two\nlines": "3", "c": "4"}]),
        ("a,a,\n1,2,3", [{"a": "1", "a_duplicated_0": "2", "": "3"}]),
        ("a,b\n", []),
        ("a,b\r\r\n1,2\r\r\n3,4\r\r\n", [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]),
        ("a,b\r\n1,2\r\n3,4\r", [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]),
    ],
)
def test_headings_are_read_as_they_are_written(tmp_path: Path, text: str, rows: list[dict[str, str]]) -> None:
    (tmp_path / "t.csv").write_text(text, newline="")
    assert read_table(tmp_path / "t.csv").to_dicts() == rows


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('a,b\n1,5" pipe\n2,6" pipe\n', "needs quotation marks around it"),
        # Rows that are joined at marks of which each other one is taken for the end of a text.
        (
            '"a","b","c","d"\r\n"m","01","A","one, two"\r\n'
            + '"""","1","",two"\r\n' * 4
            + '"""","1","","say ""no""\nthen"\r\n',
            "quotation marks",
        ),
        # As many rows are made of them as there should be.
        ('"a","b","c","d"\n' + '"\n","2","x",5"\n' * 4 + '"\n","2","x","y"\n', "quotation marks"),
        ("a,a,a_duplicated_0\n1,2,3\n", "two columns of the heading have the same name"),
        ('"a,b\n1,2\n', "unexpected end of data"),
    ],
)
def test_a_table_of_another_form_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError, match=why):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "b": "x"}, {"a": 2, "b": null}]',
        '{"made": "today", "rows": [{"a": 1, "b": "x"}, {"a": 2, "b": null}]}',
        '{"a": 1, "b": "x"}\n{"a": 2, "b": null}\n',
    ],
)
@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_json_is_a_table_too(text: str, ending: str, tmp_path: Path) -> None:
    content = text.encode()
    (tmp_path / f"t{ending}").write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    assert read_table(tmp_path / f"t{ending}").rows() == [(1, "x"), (2, None)]


def test_objects_by_their_name_have_it_in_a_column_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"q1": {"a": 1}, "q2": {"a": 2}}')
    assert read_table(tmp_path / "t.json").rows(named=True) == [
        {"(index)": "q1", "a": 1},
        {"(index)": "q2", "a": 2},
    ]


@pytest.mark.parametrize("text", ["{}", "[1, 2]", "[]", '"x"'])
def test_other_json_is_no_table(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(DataError, match="a table in JSON is an array of objects"):
        read_table(tmp_path / "t.json")
