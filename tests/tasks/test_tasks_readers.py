"""Readers: each format, and each way in which a file can be broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from hesperus import tables
from hesperus.errors import DataError, HesperusError, UsageError
from hesperus.tasks.readers import read_rows
from hesperus.tasks.rows import Rows, text_of
from hesperus.tasks.task_parts import Source

RECORDS = [{"id": "007", "text": 'He said "no",\nand left.', "n": 1}, {"id": "1", "text": "是", "n": None}]


def write_all(folder: Path) -> list[Path]:
    frame = pl.DataFrame(RECORDS)
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in RECORDS)
    frame.write_parquet(folder / "a.parquet")
    frame.write_ipc_stream(folder / "a.arrow")
    frame.write_csv(folder / "a.csv")
    (folder / "a.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    (folder / "a.json").write_text(json.dumps(RECORDS), encoding="utf-8")
    (folder / "b.json").write_text(lines, encoding="utf-8")
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "a.csv.gz").write_bytes(gzip.compress((folder / "a.csv").read_bytes()))
    return sorted(folder.iterdir())


def test_every_format_gives_the_same_rows(tmp_path: Path) -> None:
    paths = write_all(tmp_path)
    assert len(paths) == 8
    for path in paths:
        rows = read_rows(path)
        assert list(rows.columns) == ["id", "text", "n"]
        assert rows.columns["id"] == ["007", "1"]
        assert rows.columns["text"] == [RECORDS[0]["text"], "是"]
        assert [text_of(value) for value in rows.columns["n"]] == ["1", None]


def test_tsv_takes_quotes_as_they_are_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b'\xef\xbb\xbfid\ttext\r\n1\t"Sister" is his "first" song .\r\n2\tNS\r\n')
    rows = read_rows(path)
    assert rows.columns == {"id": ["1", "2"], "text": ['"Sister" is his "first" song .', "NS"]}
    assert [rows.line(0), rows.line(1)] == [2, 3]
    path.write_bytes(b'id\ttext\n1\t"a\tb"\n')
    assert read_rows(path, Source(quoted=True)).columns["text"] == ["a\tb"]


def test_a_csv_may_have_semicolons_as_spreadsheets_write_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;text\n1;a, b\n2;c\n", encoding="utf-8")
    assert read_rows(path).columns == {"id": ["1", "2"], "text": ["a, b", "c"]}


def test_a_row_with_more_fields_than_the_heading_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,a\n2,b, c\n", encoding="utf-8")
    with pytest.raises(
        DataError, match="line 3: no readable CSV file: 3 fields where the heading has 2; a separator"
    ):
        read_rows(path)


def test_a_file_without_a_header_gets_one(tmp_path: Path) -> None:
    path = tmp_path / "mgsm_de.tsv"
    path.write_text("Wie viele?\t18\nWann?\t5\n", encoding="utf-8")
    rows = read_rows(path, Source(header=("question", "answer")))
    assert rows.columns == {"question": ["Wie viele?", "Wann?"], "answer": ["18", "5"]}
    assert rows.line(1) == 2
    with pytest.raises(DataError, match="2 columns, 3 expected"):
        read_rows(path, Source(header=("a", "b", "c")))


@pytest.mark.parametrize(
    "raw", [b"question,answer\nHow many?,18\n", b"\xef\xbb\xbfquestion,answer\r\nHow many?,18\r\n"]
)
def test_a_header_that_a_copy_was_given_is_no_row(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "mgsm_en.csv"
    path.write_bytes(raw)
    rows = read_rows(path, Source(header=("question", "answer")))
    assert rows.columns == {"question": ["How many?"], "answer": ["18"]} and rows.line(0) == 2
    path.write_bytes(raw.splitlines(keepends=True)[0])
    with pytest.raises(DataError, match="the file holds no rows"):
        read_rows(path, Source(header=("question", "answer")))


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": \n', DataError, "line 2: no JSON"),
        ("a.jsonl", b'{"a": 1}\n\n[1]\n', DataError, "line 3: each line must hold one object"),
        ("a.jsonl", b'{"a": "\xff"}\n', DataError, "line 1: no JSON"),
        ("a.jsonl", b"\n\n", DataError, "holds no rows"),
        ("a.json", b"[1, 2]", DataError, "element 1 of the array"),
        ("a.json", b"[{]", DataError, "no JSON"),
        ("a.jsonl.gz", b"no gzip", DataError, "no whole gzip file"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 999, mtime=0)[:-9], DataError, "no whole gzip file"),
        ("a.csv", b"a,b\n1,2\n1,2,3\n", DataError, "no readable CSV"),
        ("a.csv", b"a,b\n", DataError, "holds no rows"),
        ("a.csv", b"", DataError, "no readable CSV"),
        ("a.csv", b"a,b\n1,\xff\n", DataError, "line 2: is not UTF-8"),
        ("a.parquet", b"PAR1", DataError, "no readable Parquet"),
        ("a.arrow", b"ARROW", DataError, "no readable Arrow"),
        ("a.xlsx", b"", UsageError, "this ending is none of those"),
        ("a", b"", UsageError, "this ending is none of those"),
    ],
)
def test_a_broken_file_is_named_with_its_line(
    tmp_path: Path, name: str, content: bytes, error: type[HesperusError], words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        read_rows(path)
    assert words in str(caught.value)
    assert name in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}')
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes()))
    for name in ("a.jsonl", "a.jsonl.gz"):
        assert list(read_rows(tmp_path / name).columns["a"]) == [1, 2]


@pytest.mark.parametrize("lines", [b'{"a": 1}\n' * 200, b'{"a": "' + b"x" * 1000 + b'"}'])
def test_a_packed_file_that_claims_far_too_much_is_not_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: bytes
) -> None:
    monkeypatch.setattr(tables, "_RATIO", 0)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(lines))
    monkeypatch.setattr(tables, "_MOST_UNPACKED", len(lines))
    assert len(read_rows(path)) == lines.count(b"{")
    monkeypatch.setattr(tables, "_MOST_UNPACKED", len(lines) - 1)
    with pytest.raises(DataError, match=rf"a\.jsonl\.gz: unpacks to more than {len(lines) - 1:,} bytes"):
        read_rows(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such data file"):
        read_rows(tmp_path / "none.jsonl")


NESTED = Rows(
    "file",
    {
        "id": [1, 2],
        "q": [{"de": ["a", "b"], "en": ["c"]}, {"en": ["d", "e", "f"]}],
        "premise_de": ["x", "y"],
        "a.b": ["plain", "dot"],
        "choices": [[{"text": "r", "label": "A"}, {"text": "s"}], []],
    },
)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (("q.{language}.0",), ["a", None]),
        (("q.{language}.1:",), [["b"], None]),
        (("premise_{language}",), ["x", "y"]),
        (("none", "premise_{language}"), ["x", "y"]),
        (("a.b",), ["plain", "dot"]),
        (("choices.text",), [["r", "s"], None]),
        (("choices.label",), [["A", None], None]),
    ],
)
def test_columns_step_into_nested_values(column: tuple[str, ...], expected: list[object]) -> None:
    assert list(NESTED.find(column, "de").values) == expected


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (("premis_de",), "no column 'premis_de'; did you mean 'premise_de'?; the columns are 'id', 'q'"),
        (("zzz",), "no column 'zzz'; the columns are"),
        (("q.{language}.0",), "no row has 'q.fr.0'; 'q' holds 'de', 'en'"),
        (
            ("choices.txet",),
            "no row has 'choices.txet'; did you mean 'text'?; 'choices' holds 'text', 'label'",
        ),
        (("Premise_DE",), "no column 'Premise_DE'; did you mean 'premise_de'?"),
        (("choice.text",), "no column 'choice.text'; did you mean 'choices'?"),
    ],
)
def test_a_missing_column_is_named_with_those_there(column: tuple[str, ...], words: str) -> None:
    with pytest.raises(DataError) as caught:
        NESTED.find(column, "fr", key="columns.gold")
    assert str(caught.value).startswith("file, field 'columns.gold': ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1"), (1.0, "1"), (1.5, "1.5"), (True, "true"), (None, None), ("a", "a")]
)
def test_values_become_text(value: object, text: str | None) -> None:
    assert text_of(value) == text


def test_a_row_of_a_csv_file_knows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,one\n2,"two\nlines"\n3,three\n', encoding="utf-8")
    rows = read_rows(path)
    assert [rows.line(row) for row in range(3)] == [2, 3, 5]
    assert [rows.only([2]).line(0), rows.only([2]).columns["id"]] == [5, ["3"]]
    path.write_bytes(b"id,text\r\n1,one\r\n2,two")
    assert [read_rows(path).line(row) for row in range(2)] == [2, 3]


def test_a_quotation_mark_without_partner_is_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,a "quote\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"no readable CSV file: .*; a quotation mark has no partner"):
        read_rows(path)
