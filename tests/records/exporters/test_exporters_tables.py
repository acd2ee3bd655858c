from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest
import yaml

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import read_records, records_frame
from hesperus.records.exporters import DatasetCard, answers_table, write_dataset, write_table
from hesperus.types import Record


def _records() -> pl.DataFrame:
    rows = []
    for model in ("a/x", "b/y"):
        for language in ("en", "sw"):
            for item, gold, answer in (("1", "A", "A"), ("2", "B", "A"), ("3", None, None)):
                rows.append(
                    Record(
                        model, "quiz", item, language, language, 1,
                        outcome="answered" if answer else "invalid", answer=answer, gold=gold,
                        options=("A", "B"), probs=(0.75, 0.25) if answer else None, reply="=SUM(1)\n«A»",
                    )
                )  # fmt: skip
    return records_frame(rows)


def test_a_long_table_says_who_was_right_and_how_sure() -> None:
    table = answers_table(_records())
    assert table.columns[:10] == [
        "model", "task", "item", "instruction", "input", "repeat", "outcome", "answer", "gold", "correct",
    ]  # fmt: skip
    one = table.filter(model="a/x", input="sw")
    assert one["correct"].to_list() == [True, False, None]
    assert one["p_A"].to_list() == [0.75, 0.75, None] and one["p_B"].to_list() == [0.25, 0.25, None]


def test_probabilities_follow_the_options_of_each_row() -> None:
    rows = [
        Record("m", "t", "1", "en", "en", 1, "answered", "yes", "no", ("yes", "no"), (0.9, 0.1)),
        Record("m", "t", "2", "en", "en", 1, "answered", "yes", "no", ("no", "yes"), (0.2, 0.8)),
        Record("m", "t", "3", "en", "en", 1, "answered", "maybe", "maybe", ("maybe",), (1.0,)),
    ]
    table = answers_table(records_frame(rows))
    assert table["p_yes"].to_list() == [0.9, 0.8, None] and table["p_no"].to_list() == [0.1, 0.2, None]


def test_a_wide_table_has_a_column_per_cell() -> None:
    table = answers_table(_records(), shape="wide")
    assert table.columns == ["task", "item", "gold", "a/x|en|en", "a/x|sw|sw", "b/y|en|en", "b/y|sw|sw"]
    assert table.row(1) == ("quiz", "2", "B", "A", "A", "A", "A")
    assert answers_table(_records(), shape="wide", value="correct")["b/y|sw|sw"].to_list() == [
        True,
        False,
        None,
    ]
    again = pl.concat([_records(), _records().with_columns(repeat=pl.lit(2, dtype=pl.Int32))])
    assert "a/x|en|en|2" in answers_table(again, shape="wide").columns
    other = _records().with_columns(gold=pl.when(input="sw").then(pl.lit("C")).otherwise("gold"))
    assert answers_table(other, shape="wide")["gold"].to_list() == [None, None, "C"]


def test_wrong_shapes() -> None:
    with pytest.raises(UnknownNameError, match="unknown shape of a table: 'tall'"):
        answers_table(_records(), shape="tall")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown value of a table: 'gold'"):
        answers_table(_records(), shape="wide", value="gold")
    with pytest.raises(DataError, match="two records of cell"):
        answers_table(pl.concat([_records(), _records()]), shape="wide")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_long_table_is_read_back_as_records(tmp_path: Path, ending: str) -> None:
    write_table(answers_table(_records()), tmp_path / f"t.{ending}")
    back = read_records(tmp_path / f"t.{ending}")
    assert back.select(_records().columns).equals(_records().sort("model", "task", "item", "instruction"))


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a table is written as .csv"):
        write_table(_records(), tmp_path / "t.xlsx")


def test_what_is_nested_is_json_in_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [{"x": 1, "y": [date(2020, 1, 2)]}, None], "b": [["é", None], []]})
    write_table(frame, tmp_path / "t.csv")
    (first, second) = pl.read_csv(tmp_path / "t.csv", infer_schema=False).to_dicts()
    assert first == {"a": '{"x": 1, "y": ["2020-01-02"]}', "b": '["é", null]'}
    assert second == {"a": None, "b": "[]"}


@pytest.mark.parametrize(
    ("held", "ending"),
    [(b"\x00", "csv"), ([b"\x00"], "jsonl"), (object(), "parquet"), (object(), "csv")],
)
def test_a_column_that_a_format_cannot_hold_is_named(held: object, ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"fine": [1], "odd": [held]})
    with pytest.raises(UsageError, match=rf"t\.{ending}: the column 'odd' holds .*, which {ending} cannot"):
        write_table(frame, tmp_path / f"t.{ending}")
    assert not list(tmp_path.iterdir())


def test_an_error_names_the_target_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OSError, match="directory") as caught:
        write_table(_records(), tmp_path / "t.csv")
    assert caught.value.filename == str(tmp_path / "t.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_data_set_folder(tmp_path: Path) -> None:
    other = _records().with_columns(task=pl.lit("../odd | <b>"), subject=pl.lit("x"))
    records = pl.concat([_records(), other], how="diagonal")
    write_dataset(records, tmp_path / "ds", DatasetCard("Two\ntasks", "cc-by-4.0", "What it is."))
    text = (tmp_path / "ds" / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---")[1])
    assert head["language"] == ["en", "sw"] and head["license"] == "cc-by-4.0"
    assert head["size_categories"] == ["n<1K"] and head["pretty_name"] == "Two\ntasks"
    assert "# Two tasks" in text and "What it is." in text
    found = {}
    for config in head["configs"]:
        path = (tmp_path / "ds" / config["data_files"][0]["path"]).resolve()
        assert path.is_relative_to(tmp_path / "ds" / "data")
        found[config["config_name"]] = read_records(path)
    assert {name: len(frame) for name, frame in found.items()} == {"odd-b": 12, "quiz": 12}
    assert "<b>" not in text and "| ../odd \\| &lt;b> |" in text
    assert sorted(path.name for path in (tmp_path / "ds" / "data").iterdir()) == [
        "odd-b.parquet",
        "quiz.parquet",
    ]


def test_tasks_whose_names_fall_together_keep_apart(tmp_path: Path) -> None:
    other = _records().with_columns(task=pl.lit("quiz/"))
    write_dataset(pl.concat([_records(), other]), tmp_path / "ds")
    assert sorted(path.name for path in (tmp_path / "ds" / "data").iterdir()) == [
        "quiz-2.parquet",
        "quiz.parquet",
    ]


def test_a_data_set_needs_records_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no records to export"):
        write_dataset(_records().clear(), tmp_path / "ds")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="is a file, a data set needs a folder"):
        write_dataset(_records(), tmp_path / "file")
