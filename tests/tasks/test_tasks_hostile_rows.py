"""Odd and hostile rows: whatever a file holds, items come out or an error that names the file and the row."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hesperus.errors import DataError, HesperusError
from hesperus.tasks import Task, load_items, task
from hesperus.tasks.readers import read_rows
from hesperus.tasks.text_lists import LONGEST_LIST, list_from_text

CHOICE = """\
name: quiz
description: Mine.
form: choice
fields: [question]
options: 5
layout: "{question} {options}"
source: {where: {kind: [a, ""]}}
columns:
  fields: {question: question}
  options: OPTIONS
  gold: gold
  groups: {subject: info.subject}
gold: {read: READ, unanswered: ["@"]}
key: {columns: [id]}
"""
WAYS = {
    "letter": ("letter", "{columns: [a, b, c, d, e], at_least: 3}"),
    "position0": ("position0", "{column: options, at_least: 2, lettered: true}"),
    "position1": ("position1", '{column: options, separator: "|"}'),
    "option": ("option", "{column: options, shuffled: true}"),
}
OPEN = """\
name: asked
description: Mine.
form: FORM
fields: [question]
layout: "{question}"
columns: {fields: {question: question}, gold: gold, aliases: options, groups: {subject: info.subject}}
gold: {read: FORM}
key: {columns: [id]}
"""

ODD_TEXTS = st.sampled_from(
    ["", " ", "A", "a", "B.", "(A) x", "1", "0", "-1", "9" * 400, "1e999999999", "NaN", "inf", "@", "[", "[]", "['a']",
     "['a', 'b']", '["a", "b", null]', "['a', [1]]", "[" * 5000, "x" * 20_000, "\x00", "\u202e", "{language}", "a|b|c",
     "A. x|B. y|C. z", "٣", "①", "<script>", "__import__('os')", "\\N{DASH}", "'", '"', "['\\ud800']", "['\\UFFFFFFFF']"]
)  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    ODD_TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=30)
        | st.dictionaries(st.sampled_from(["subject", "0", "a", "language"]), inner)
    ),
    max_leaves=8,
)
NAMES = ("id", "question", "gold", "options", "info", "kind", "a", "b", "c", "d", "e")
ROW = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, VALUES)).map(dict)
GOOD = {
    "id": "ok",
    "question": "Who?",
    "gold": "1",
    "options": ["x", "y", "z"],
    "info": {"subject": "law"},
    "kind": "a",
    **dict.fromkeys("abc", "x"),
}


def made(folder: Path, text: str, **change: str) -> Task:
    for name, value in change.items():
        text = text.replace(name, value)
    (folder / "quiz.yaml").write_text(text, encoding="utf-8")
    return task(str(folder / "quiz.yaml"))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    """A task for each way in which options and gold are written."""
    many = [
        made(tmp_path_factory.mktemp(name), CHOICE, OPTIONS=options, READ=read)
        for name, (read, options) in WAYS.items()
    ]
    return many + [made(tmp_path_factory.mktemp(form), OPEN, FORM=form) for form in ("text", "number")]


def read_or_named(found: Task, path: Path) -> None:
    """Items of the file, or an error of ours that names it; nothing else."""
    try:
        items = load_items(found, ["en"], source=path)
    except HesperusError as error:
        assert path.name in str(error)
        assert len(str(error)) < 2_000
        return
    for item in items["en"]:
        assert isinstance(item.id, str) and item.id
        assert all(isinstance(text, str) and text.strip() for text in item.fields.values())
        assert item.options is None or all(isinstance(text, str) and text.strip() for text in item.options)
        assert found.form != "choice" or item.gold is None or item.gold in "ABCDE"[: len(item.options or ())]
        assert all(isinstance(text, str) for text in item.groups.values())


@given(rows=st.lists(ROW, min_size=1, max_size=4), good=st.booleans())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(rows=[{**GOOD, "options": "[" * 50_000}], good=True)
@example(rows=[{**GOOD, "question": {"subject": "x"}}], good=True)
@example(rows=[{**GOOD, "gold": [["x"], None]}], good=False)
@example(rows=[{**GOOD, "id": None}], good=True)
@example(rows=[{**GOOD, "options": ["x"] * 40}], good=True)
def test_any_row_gives_items_or_an_error_with_its_file(
    asked: list[Task], rows: Sequence[dict[str, object]], good: bool
) -> None:
    many = [*rows, GOOD] if good else list(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_bytes(b"\n".join(orjson.dumps(row) for row in many))
        for found in asked:
            read_or_named(found, path)


@given(
    raw=st.binary(max_size=300),
    ending=st.sampled_from(["jsonl", "json", "csv", "tsv", "parquet", "arrow", "jsonl.gz"]),
)
@settings(max_examples=120, deadline=None)
@example(raw=b"[" * 100_000, ending="json")
@example(raw=b'{"a":' * 50_000, ending="jsonl")
@example(raw=b'id,question\n"', ending="csv")
@example(raw=b"null\n", ending="jsonl")
@example(raw=b"[null]", ending="json")
@example(raw=b"[]", ending="json")
@example(raw=b"\xef\xbb\xbf", ending="csv")
@example(raw=b"PAR1" * 20, ending="parquet")
def test_any_bytes_are_rows_or_an_error_with_their_file(raw: bytes, ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows.{ending}"
        path.write_bytes(raw)
        try:
            rows = read_rows(path)
        except HesperusError as error:
            assert path.name in str(error)
        else:
            assert all(len(values) == len(rows) for values in rows.columns.values())


LIST = st.lists(
    st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.integers()),
    max_size=8,
)


@given(elements=LIST)
def test_a_list_as_python_or_json_writes_it_comes_back(elements: list[object]) -> None:
    expected = [str(value) if isinstance(value, int) else value for value in elements]
    assert list_from_text(str(elements)) == expected
    assert list_from_text(json.dumps(elements)) == expected


@given(text=st.one_of(ODD_TEXTS, st.text("['\"],\\ abn0u1.-", max_size=30)))
def test_any_text_is_a_list_of_texts_or_no_list(text: str) -> None:
    try:
        elements = list_from_text(text)
    except ValueError as error:
        assert "list" in str(error)
    else:
        assert all(part is None or isinstance(part, str) for part in elements)


def test_numbers_and_escapes_of_a_list_stand_as_they_are() -> None:
    assert list_from_text("[0.10, 1e5, True, null]") == ["0.10", "1e5", "true", None]
    assert list_from_text(r"""['a\'b', "\ud83d\ude00\/", '\x41\N',]""") == ["a'b", "😀/", r"A\N"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a, b", "in square brackets"),
        ("['a' 'b']", "a comma or ] was expected at character 6"),
        ("['a', b]", "not understood from character 7"),
        ("['a'] + ['b']", "something stands behind its end"),
        ("['a'", "a comma or ]"),
        ("['a', ['b']]", "not understood from character 7"),
        ('["a", ["b"]]', "not understood from character 7"),
        ("[{'a': 1}]", "not understood"),
        ("[open('x')]", "not understood"),
        (r"['\ud800']", "stands for no character"),
        ("[" + "1," * LONGEST_LIST, "are the most"),
    ],
)
def test_what_is_no_list_is_said(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        list_from_text(text)


def frame(**values: object) -> pl.DataFrame:
    row = {**GOOD, "d": None, "e": None, "gold": "A"}
    return pl.DataFrame([row | {"id": "0"}, row | values], strict=False, infer_schema_length=None)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"question": ["x"]}, "line 2, field 'question': the cell holds a list, where one text or number belongs"),
        ({"question": {"x": 1}}, "line 2, field 'question': the cell holds a mapping"),
        ({"question": b"x"}, "line 2, field 'question': the cell holds bytes"),
        ({"question": "x" * 1_000_001}, "line 2, field 'question': the cell holds 1,000,001 characters"),
        ({"info": {"subject": ["law"]}}, "line 2, field 'info.subject': the cell holds a list"),
        ({"id": ["x"]}, "line 2, field 'id': the cell holds a list"),
        ({"id": None}, "line 2, field 'id': the id is empty"),
        ({"id": "0"}, "line 2, item '0': this id stands twice, here and at 1"),
        ({"kind": {"x": 1}}, "line 2, field 'kind': the cell holds a mapping"),
        ({"b": ["x"]}, "line 2, field 'b', item 'ok': the cell holds a list"),
        ({"b": None}, "line 2, field 'b', item 'ok': option 2 of 3 is empty and a later one is not"),
        ({"gold": ["A"]}, "line 2, field 'gold': the cell holds a list"),
        ({"gold": "Z" * 300}, "line 2, field 'gold': unknown gold: 'ZZZ"),
    ],
)  # fmt: skip
def test_a_bad_cell_is_named_by_row_and_field(
    asked: list[Task], tmp_path: Path, values: dict[str, object], words: str
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{**GOOD, "gold": "A", "id": "0"}, {**GOOD, "gold": "A", **values}]
    if isinstance(values.get("question"), bytes):
        path = path.with_suffix(".parquet")
        pl.DataFrame([{**row, "question": b"x"} for row in rows]).write_parquet(path)
        words = words.replace("line 2", "line 1")
    else:
        path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    # Columns d and e are there, for the last row
    if path.suffix == ".jsonl":
        path.write_bytes(path.read_bytes() + b"\n" + orjson.dumps({"d": "x", "e": "x", "kind": "none"}))
    else:
        pl.read_parquet(path).with_columns(
            d=pl.lit(None, pl.String), e=pl.lit(None, pl.String)
        ).write_parquet(path)
    with pytest.raises(DataError) as caught:
        load_items(asked[0], "en", source=path)
    assert words in str(caught.value) and path.name in str(caught.value)


def test_nothing_and_nan_are_the_same(asked: list[Task]) -> None:
    rows = {name: [value, value] for name, value in GOOD.items()} | {"d": [None] * 2, "e": [float("nan")] * 2}
    rows |= {"id": [1.0, 2.0], "gold": ["A", None], "kind": [None, "a"]}
    items = load_items(asked[0], "en", source=pl.DataFrame(rows, strict=False))["en"]
    assert [(item.id, item.gold, item.options) for item in items] == [
        ("1", "A", ("x", "x", "x")),
        ("2", None, ("x", "x", "x")),
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["A. one", "B. two", "C. three"], ("one", "two", "three")),
        (["(a) one", "(b) two", "(c) three"], ("one", "two", "three")),
        (["1) one", "2) two"], ("one", "two")),
        (["๑. หนึ่ง", "๒. สอง"], ("หนึ่ง", "สอง")),
        (["А) едно", "Б) две", "В) три"], ("едно", "две", "три")),
        (["أ. واحد", "ب. اثنان"], ("واحد", "اثنان")),
        (["A。一", "B。二"], ("一", "二")),
        (["A. one", "two"], ("A. one", "two")),
        (["B. one", "A. two"], ("B. one", "A. two")),
        (["1. 5", "2. 6", ""], ("5", "6")),
        (["3.14", "2.72"], ("3.14", "2.72")),
    ],
)
def test_letters_before_options_are_taken_off_where_all_have_their_own(
    asked: list[Task], tmp_path: Path, options: list[str], expected: tuple[str, ...]
) -> None:
    (tmp_path / "rows.jsonl").write_bytes(orjson.dumps({**GOOD, "gold": 0, "options": options}))
    items = load_items(asked[1], "en", source=tmp_path / "rows.jsonl")
    assert items["en"][0].options == expected


def test_the_language_is_cut_out_of_ids(tmp_path: Path) -> None:
    text = OPEN.replace("key: {columns: [id]}", 'key: {columns: [id], without: "-{language}"}')
    found = made(tmp_path, text, FORM="number")
    for tag in ("de", "en"):
        rows = [{**GOOD, "id": f"low-{tag}-{n}", "gold": n, "options": None} for n in range(3)]
        (tmp_path / f"{tag}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    pattern = str(tmp_path / "{language}.jsonl")
    assert load_items(found, ["de", "en"], source=pattern).ids == ("low-0", "low-1", "low-2")
    (tmp_path / "de.jsonl").write_bytes(orjson.dumps({**GOOD, "id": "low-fr-0"}))
    with pytest.raises(DataError, match=r"line 1, field 'id': the id 'low-fr-0' should hold '-de' once"):
        load_items(found, ["de", "en"], source=pattern)


def test_a_task_has_letters_for_its_options(asked: list[Task], tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(
        b"\n".join(orjson.dumps({**GOOD, "id": n, "gold": 0, "options": ["x"] * n}) for n in (5, 6))
    )
    items = load_items(asked[1], "en", source=tmp_path / "rows.jsonl")
    assert items.ids == ("5",) and items.dropped[0].detail == "6 options; the task has letters for 5"
    with pytest.raises(DataError, match="names 5 columns, and options says 4 at most"):
        made(tmp_path, CHOICE.replace("options: 5", "options: 4"), OPTIONS=WAYS["letter"][1], READ="letter")


def test_a_condition_that_no_row_meets_says_what_is_there(asked: list[Task], tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(orjson.dumps({**GOOD, "kind": "b", "d": None, "e": None}))
    with pytest.raises(DataError, match=r"field 'kind': no row has 'a' or '' there; it holds 'b' \(1\)"):
        load_items(asked[0], "en", source=tmp_path / "rows.jsonl")
