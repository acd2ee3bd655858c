"""Reading and writing the records table: what is filled in, what is refused, and that nothing is lost."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import DataError, UsageError
from hesperus.records import KEY, SCHEMA, conform, read_records, records_frame, write_records, writing
from hesperus.types import OUTCOMES, Record

ROW = {
    "model": "pocket/m",
    "task": "atlas",
    "item": "river-1",
    "instruction": "en",
    "input": "de_from_en",
    "repeat": 1,
    "outcome": "answered",
    "answer": "A",
    "gold": "B",
    "options": ["A", "B"],
    "probs": [0.75, 0.25],
    "reply": "It is A.",
}


def _frame(*changes: dict[str, object], drop: tuple[str, ...] = ()) -> pl.DataFrame:
    rows = [{**ROW, "item": f"river-{n}", **change} for n, change in enumerate(changes or ({},), start=1)]
    frame = pl.DataFrame(rows, schema_overrides={}, infer_schema_length=None, strict=False)
    return frame.drop(drop)


def test_the_least_that_a_tool_must_write_is_enough() -> None:
    frame = _frame(
        {}, {"answer": None}, {"answer": ""}, drop=("repeat", "outcome", "gold", "options", "probs", "reply")
    )
    found = conform(frame)
    assert found.schema == pl.Schema(SCHEMA)
    assert found["outcome"].to_list() == ["answered", "empty", "empty"]
    assert found["answer"].to_list() == ["A", None, None]
    assert found["repeat"].to_list() == [1, 1, 1]
    assert found["gold"].null_count() == 3
    said = conform(_frame({"answer": None}, {"answer": None, "reply": " "}, drop=("outcome",)))
    assert said["outcome"].to_list() == ["invalid", "empty"]


def test_whole_numbers_become_text_and_unknown_columns_stay() -> None:
    frame = _frame({"item": 7, "answer": 3, "gold": 4, "repeat": "2", "options": None, "probs": None})
    frame = frame.with_columns(pl.lit(0.5).alias("seconds"), pl.lit("history").alias("subject"))
    found = conform(frame.select(reversed(frame.columns)))
    assert found.columns == [*SCHEMA, "subject", "seconds"]
    assert found.row(0, named=True)["item"] == "7"
    assert (found["answer"][0], found["gold"][0], found["repeat"][0]) == ("3", "4", 2)
    category = conform(_frame().with_columns(pl.col("model").cast(pl.Categorical)))
    assert category["model"].dtype == pl.String


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"repeat": "first"}, r"line 2, field 'repeat': expected a whole number of 1 or more, found 'first'"),
        ({"repeat": 0}, r"line 2, field 'repeat': expected a whole number of 1 or more, found 0"),
        ({"repeat": 1.5}, r"line 2, field 'repeat': expected a whole number of 1 or more, found 1.5"),
        ({"repeat": None}, r"line 2, field 'repeat': expected a whole number of 1 or more, found None"),
        ({"item": None}, r"line 2, field 'item': is empty; every row needs it"),
        ({"model": ""}, r"line 2, field 'model', item 'river-2': is empty"),
        ({"outcome": "fine"}, r"line 2, field 'outcome', item 'river-2': unknown outcome 'fine'; known: answered, "),
        ({"answer": None}, r"field 'answer', item 'river-2': is null where the outcome is 'answered'"),
        ({"outcome": "refused"}, r"field 'answer', item 'river-2': is 'A', but only an answered row has an answer"),
        ({"options": None}, r"field 'probs', item 'river-2': stand over options, and this row has none"),
        ({"probs": [1.0]}, r"field 'probs', item 'river-2': .* are not one per option"),
        ({"probs": [1.5, -0.5]}, r"field 'probs', item 'river-2': .* do not all lie in \[0, 1\]"),
        ({"probs": [1.005, 0.0]}, r"field 'probs', item 'river-2': .* do not all lie in \[0, 1\]"),
        ({"probs": [0.5, None]}, r"field 'probs', item 'river-2': .* hold a null"),
        ({"probs": [0.5, 0.2]}, r"field 'probs', item 'river-2': .* do not sum to 1"),
        ({"probs": [float("nan"), 0.2]}, r"field 'probs', item 'river-2': .* do not all lie in \[0, 1\]"),
    ],
)  # fmt: skip
def test_a_broken_row_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        conform(_frame({}, change))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("item", [1.5], r"line 1, field 'item': expected text, found Float64: 1.5"),
        ("answer", [["A"]], r"field 'answer': expected text, found List"),
        ("repeat", [[1]], r"field 'repeat': expected a whole number, found List"),
        ("model", [1.0], r"line 1, field 'model': expected text, found Float64: 1.0"),
        ("repeat", ["first"], r"line 1, field 'repeat': expected a whole number of 1 or more, found 'first'"),
        ("options", [[0.5, 1.5]], r"line 1, field 'options': expected a list of text, found List\(Float64\)"),
        ("options", [3], r"field 'options': expected a list of text, found Int64: 3"),
        ("probs", [["a"]], r"field 'probs': expected a list of numbers, found List\(String\): \['a'\]"),
        ("probs", [{"A": 1.0}], r"field 'probs': expected a list of numbers, found Struct"),
        (
            "options",
            ["A, B"],
            r"""field 'options': expected a JSON list such as \["A", "B"\], or A\|B; found 'A, B'""",
        ),
        ("probs", ["half"], r"field 'probs': expected a JSON list such as \[0.7, 0.3\]; found 'half'"),
    ],
)
def test_a_column_of_the_wrong_type_is_refused(column: str, values: list[object], message: str) -> None:
    frame = _frame().drop(column).with_columns(pl.Series(column, values))
    with pytest.raises(DataError, match=message):
        conform(frame)


def test_the_first_cell_with_something_in_it_is_shown() -> None:
    frame = _frame({}, {}).with_columns(pl.Series("item", [None, 1.5]))
    with pytest.raises(DataError, match=r"line 2, field 'item': expected text, found Float64: 1.5"):
        conform(frame)
    # Of whole numbers each is shown with the row that has it, the first of those that are wrong.
    with pytest.raises(DataError, match=r"line 1, field 'repeat': .*, found -2"):
        conform(_frame({"repeat": -2}, {}, {"repeat": -3}))


@pytest.mark.parametrize(
    ("options", "probs"),
    [
        (pl.Series([["A", "B"]], dtype=pl.List(pl.Categorical)), pl.Series([[1, 0]])),
        (pl.Series([["A", "B"]], dtype=pl.List(pl.Enum(["A", "B"]))), pl.Series([[1.0, 0.0]], dtype=pl.List(pl.Float32))),
        (pl.Series([["A", "B"]], dtype=pl.Array(pl.String, 2)), pl.Series([[1.0, 0.0]], dtype=pl.Array(pl.Float64, 2))),
    ],
)  # fmt: skip
def test_lists_of_any_tool_are_lists_of_text_and_of_numbers(options: pl.Series, probs: pl.Series) -> None:
    found = conform(_frame().with_columns(options=options, probs=probs))
    assert found["options"].to_list() == [["A", "B"]] and found["probs"].to_list() == [[1.0, 0.0]]


def test_whole_numbers_are_names_of_options_and_empty_lists_are_lists() -> None:
    numbers = _frame({"answer": "1", "gold": "2", "options": [1, 2]})
    assert conform(numbers)["options"].to_list() == [["1", "2"]]
    empty = _frame({"answer": None, "gold": None}).with_columns(
        options=pl.Series([[]]), probs=pl.Series([None])
    )
    with pytest.raises(DataError, match="is null where the outcome is 'answered'"):
        conform(empty)


def test_missing_columns_are_all_named() -> None:
    with pytest.raises(
        DataError, match="no column 'task' and no column 'answer'; a records table needs model, task"
    ):
        conform(_frame(drop=("task", "answer")))


def test_two_rows_with_one_key_are_refused_naming_the_first() -> None:
    frame = _frame({}, {}, {"item": "river-1", "answer": "B"}, {"item": "river-1"})
    message = (
        r"line 3, field 'item', item 'river-1': the same key \(model=pocket/m, task=atlas, instruction=en, "
        r"input=de_from_en, repeat=1\) as line 1"
    )
    with pytest.raises(DataError, match=message):
        conform(frame)
    assert conform(frame.with_columns(pl.Series("repeat", [1, 1, 2, 3]))).height == 4


def test_csv_and_json_lines_read_as_parquet_does(tmp_path: Path) -> None:
    frame = conform(
        _frame({}, {"outcome": "refused", "answer": None, "probs": None}).with_columns(tokens=pl.lit(5))
    )
    frame = frame.with_columns(reply_language=pl.lit("en"))
    write_records(frame, tmp_path / "r.parquet")
    as_text = frame.with_columns(
        pl.Series("options", [json.dumps(v) for v in frame["options"].to_list()]),
        pl.Series("probs", [None if v is None else json.dumps(v.to_list()) for v in frame["probs"]]),
    )
    as_text.write_csv(tmp_path / "r.csv")
    as_text.write_csv(tmp_path / "r.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "r.jsonl")
    for name in ("r.parquet", "r.csv", "r.tsv", "r.jsonl"):
        found = read_records(tmp_path / name)
        assert found.drop("tokens").equals(frame.drop("tokens")), name
        assert found["tokens"].to_list() == [5, 5]
    narrow = read_records(str(tmp_path / "r.parquet"), columns=["tokens"])
    assert narrow["tokens"].to_list() == [5, 5] and narrow["reply"].null_count() == 2
    # Where no column has the language of the replies, they have to tell it.
    frame.drop("reply_language").write_parquet(tmp_path / "plain.parquet")
    assert read_records(tmp_path / "plain.parquet", columns=[])["reply"].null_count() == 0
    assert "tokens" not in read_records(tmp_path / "r.csv", columns=[]).columns


def test_numbers_that_are_names_stay_as_written_in_csv(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "model,task,item,instruction,input,answer\nm,t,007,en,en,1.0\n", encoding="utf-8"
    )
    found = read_records(tmp_path / "r.csv").row(0, named=True)
    assert (found["item"], found["answer"]) == ("007", "1.0")


def test_the_line_of_a_csv_counts_its_header(tmp_path: Path) -> None:
    text = "model,task,item,instruction,input,repeat,answer\nm,t,1,en,en,1,A\nm,t,2,en,en,x,A\n"
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"r\.csv, line 3, field 'repeat'"):
        read_records(tmp_path / "r.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.parquet", b"PAR1 not quite", r"cannot be read as PARQUET"),
        ("r.jsonl", b'{"model": "m"}\n{"model": \n', r"r\.jsonl, line 2: cannot be read as JSONL: no JSON"),
        (
            "r.jsonl",
            b'{"model": "m"}\n[1]\n',
            r"r\.jsonl, line 2: cannot be read as JSONL: expected an object, found list",
        ),
        ("r.csv", b"model,task\n\xff\xfe,\x80\n", r"r\.csv, line 2: is not UTF-8; save it as UTF-8"),
        ("r.csv", "model,task\nm,t\n".encode("utf-16"), r"r\.csv, line 1: is not UTF-8"),
        ("r.jsonl", b'{"model": "m\xe9"}\n', r"r\.jsonl, line 1: is not UTF-8"),
        ("r.jsonl", b"", r"r\.jsonl: is empty"),
        ("r.csv", b"", r"r\.csv: is empty"),
    ],
)
def test_broken_files_are_told_apart(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_records(tmp_path / name)


def test_what_is_no_records_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        read_records(tmp_path / "absent.parquet")
    with pytest.raises(UsageError, match=r"not a run folder, it has no records\.parquet"):
        read_records(tmp_path)
    (tmp_path / "r.xlsx").write_bytes(b"")
    with pytest.raises(UsageError, match=r"r\.xlsx: not a records file; expected a run folder or \.csv"):
        read_records(tmp_path / "r.xlsx")
    with pytest.raises(UsageError, match=r"let the name end in \.parquet"):
        write_records(_frame(), tmp_path / "r.csv")


def test_a_file_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    _frame().write_parquet(tmp_path / "r.parquet", metadata={"hesperus.records": "3"})
    with pytest.raises(DataError, match="version '3' of the records table, this hesperus reads up to 2"):
        read_records(tmp_path / "r.parquet")
    held = (tmp_path / "r.parquet").read_bytes()
    with pytest.raises(DataError, match="version '3' of the records table"):
        write_records(_frame(), tmp_path / "r.parquet")
    assert (tmp_path / "r.parquet").read_bytes() == held
    (tmp_path / "broken.parquet").write_bytes(b"nothing to lose")
    write_records(_frame(), tmp_path / "broken.parquet")
    assert len(read_records(tmp_path / "broken.parquet")) == len(_frame())


def test_the_same_rows_in_any_order_give_the_same_bytes(tmp_path: Path) -> None:
    frame = _frame(*({"item": f"i{n}", "instruction": code} for n in range(300) for code in ("en", "de")))
    for seed, name in enumerate(("a.parquet", "b.parquet")):
        write_records(frame.sample(fraction=1.0, shuffle=True, seed=seed), tmp_path / name)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert pl.read_parquet_metadata(tmp_path / "a.parquet")["hesperus.records"] == "2"
    found = read_records(tmp_path / "a.parquet")
    assert found.equals(found.sort(KEY))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.parquet", "b.parquet"]
    assert stat.S_IMODE((tmp_path / "a.parquet").stat().st_mode) & stat.S_IRUSR


def test_rows_with_long_texts_are_packed_in_smaller_groups_by_the_disk_and_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = pl.DataFrame(
        {"text": ["ü" * 200] * 300, "other": ["x", None, ""] * 100, "number": [1, 2, 3] * 100}
    )
    assert writing._group_size(short.lazy()) == writing._group_size(short.select("number").lazy()) == 1 << 15
    assert writing._group_size(short.clear().lazy()) == 1 << 15
    long = short.with_columns(pl.col("text").repeat_by(10).list.join(""))  # 4,000 bytes a row
    assert writing._group_size(long.lazy()) == 1 << 12
    monkeypatch.setattr(writing, "_GROUP_BYTES", 1)
    assert writing._group_size(short.lazy()) == 1 << 10
    monkeypatch.setattr(writing, "_LEAST_GROUP", 16)
    frame = conform(_frame(*({"item": f"i{n}", "reply": "long " * n} for n in range(200))))
    write_records(frame, tmp_path / "held.parquet")
    write_records(frame.sample(fraction=1.0, shuffle=True, seed=1).lazy(), tmp_path / "disk.parquet")
    assert (tmp_path / "held.parquet").read_bytes() == (tmp_path / "disk.parquet").read_bytes()
    monkeypatch.setattr(writing, "_GROUP_BYTES", 1 << 24)
    write_records(frame, tmp_path / "one.parquet")
    assert (tmp_path / "held.parquet").stat().st_size > (tmp_path / "one.parquet").stat().st_size


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    write_records(_frame(), tmp_path / "r.parquet")
    before = (tmp_path / "r.parquet").read_bytes()
    with pytest.raises(DataError):
        write_records(_frame({}, {"item": "river-1"}), tmp_path / "r.parquet")
    assert (tmp_path / "r.parquet").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.lists(st.builds(
    Record, model=texts, task=texts, item=texts, instruction=texts, input=texts, repeat=st.integers(1, 9),
    outcome=st.sampled_from([o for o in OUTCOMES if o != "answered"]), gold=st.none() | texts, reply=st.none() | st.text(st.characters(exclude_categories=["Cs"])),
), max_size=8, unique_by=lambda r: (r.model, r.task, r.item, r.instruction, r.input, r.repeat)))  # fmt: skip
def test_any_text_survives_a_round_trip(records: list[Record]) -> None:
    import tempfile

    frame = records_frame(records)
    with tempfile.TemporaryDirectory() as folder:
        write_records(frame, Path(folder) / "r.parquet")
        assert read_records(Path(folder) / "r.parquet").equals(frame.sort(KEY))


def test_record_values_become_rows() -> None:
    record = Record("m", "t", "1", "en", "en", 1, "answered", "A", "A", ("A", "B"), (0.5, 0.5), "A.")
    found = records_frame([record]).row(0, named=True)
    assert found["options"] == ["A", "B"] and found["probs"] == [0.5, 0.5]
    with pytest.raises(DataError, match="the same key"):
        records_frame([record, record])


@pytest.mark.parametrize("text", ['["A"]\n["B"]', '["A", null]', '{"A": 1}', '["A", true]', "[[]]", '"A"'])
def test_a_cell_that_is_no_json_list_is_named_with_its_row(text: str) -> None:
    frame = _frame({}, {}).with_columns(pl.Series("options", ['["A", "B"]', text]), probs=pl.lit(None))
    with pytest.raises(DataError, match="line 2, field .options.: expected a JSON list"):
        conform(frame)


def test_an_option_without_a_text_is_refused() -> None:
    with pytest.raises(DataError, match="hold a null; every option has a text"):
        conform(_frame({"options": ["A", None], "probs": None}))


def test_repeats_go_up_to_what_the_column_holds() -> None:
    assert conform(_frame({"repeat": 2**31 - 1}))["repeat"].to_list() == [2**31 - 1]
    with pytest.raises(DataError, match="repeat"):
        conform(_frame({"repeat": 2**31}))
