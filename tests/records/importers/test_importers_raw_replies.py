"""Tables of raw replies, which nobody has read yet: hesperus's own parser reads them in the language of each row."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

import hesperus as hs
from command_line import hesperus
from hesperus.records import read_records

REPLIES = {
    "en": ("The answer is {}.", "I would choose option {}."),
    "de": ("Die Antwort ist {}.", "Ich wähle Option {}."),
    "sw": ("Jibu ni {}.", "Jibu sahihi ni {}"),
}


def table(folder: Path, rows: list[dict[str, object]]) -> Path:
    file = folder / "answers.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows({"model": "acme/x", "task": "quiz", **row} for row in rows)
    return file


def lettered(**more: object) -> list[dict[str, object]]:
    """Twelve items in three languages: what each reply says is the letter at the item's number."""
    return [
        {"model": "acme/x", "task": "quiz", "language": language, "item": item,
         "reply": words[item % 2].format("ABC"[item % 3]), **more}
        for item in range(12) for language, words in REPLIES.items()
    ]  # fmt: skip


def imported(file: Path, **settings: object) -> pl.DataFrame:
    run = hs.import_logs(file, file.parent / "run", **settings)
    return run.run.records.sort("item", "input")


@pytest.mark.parametrize(
    "more", [{"options": '["A", "B", "C"]'}, {"gold": "C"}], ids=["options", "gold letters"]
)
def test_letters_inside_sentences_are_answers(tmp_path: Path, more: dict[str, object]) -> None:
    records = imported(table(tmp_path, lettered(**more)))
    assert set(records["outcome"]) == {"answered"}
    assert all(row["answer"] == "ABC"[int(row["item"]) % 3] for row in records.iter_rows(named=True))


def test_numbers_and_words_are_read_as_gold_is(tmp_path: Path) -> None:
    said = {
        "de": ("Es sind also 1.250 Äpfel.", "Nein, das stimmt nicht."),
        "sw": ("Jibu ni 1250.", "Hapana."),
    }
    rows: list[dict[str, object]] = [
        {
            "model": "acme/x",
            "task": task,
            "language": language,
            "item": 1,
            "reply": replies[place],
            "gold": gold,
        }
        for language, replies in said.items()
        for place, (task, gold) in enumerate((("sums", "1250"), ("facts", "no")))
    ]
    records = imported(table(tmp_path, rows))
    assert records.filter(task="sums")["answer"].to_list() == ["1250", "1250"]
    assert records.filter(task="facts")["answer"].to_list() == ["no", "no"]


def test_a_reply_without_a_label_refuses_nothing_else(tmp_path: Path) -> None:
    rows = lettered(options='["A", "B", "C"]')
    rows[0]["reply"] = "I cannot help with that."
    rows[1]["reply"] = "(F)"
    rows[2]["reply"] = " "
    records = imported(table(tmp_path, rows))
    assert records["outcome"].value_counts().sort("outcome").rows() == [
        ("answered", 33), ("empty", 1), ("invalid", 1), ("refused", 1),
    ]  # fmt: skip


def test_what_the_table_says_of_a_reply_holds(tmp_path: Path) -> None:
    rows = [row | {"outcome": "truncated" if row["item"] == 3 else "answered"} for row in lettered(gold="C")]
    records = imported(table(tmp_path, rows))
    assert set(records.filter(item="3")["outcome"]) == {"truncated"}
    assert set(records.filter(item="4")["outcome"]) == {"answered"}


def test_replies_are_read_before_they_are_dropped(tmp_path: Path) -> None:
    records = imported(table(tmp_path, lettered(gold="C")), replies=False)
    assert set(records["outcome"]) == {"answered"}
    assert records["reply"].null_count() == len(records)


def test_the_command_says_who_read_the_replies_and_counts_answers(tmp_path: Path) -> None:
    file = table(tmp_path, [row | {"gold": "ABC"[int(str(row["item"])) % 3]} for row in lettered()])
    result = hesperus("import", file, "--out", tmp_path / "run")
    assert result.returncode == 0
    said = "quiz: replies read by hesperus's own parser, 36 of 36 answered; the labels are A to C"
    assert said in result.stderr
    assert "Answered 12" in result.stdout and "hesperus reread" not in result.stderr
    assert len(read_records(tmp_path / "run" / "records.parquet")) == 36


def test_the_name_of_a_file_is_the_task_also_where_it_could_be_a_language(tmp_path: Path) -> None:
    file = table(tmp_path, lettered(gold="C")).rename(tmp_path / "num.csv")  # also the tag of Niuafo'ou
    file.write_text(file.read_text(encoding="utf-8").replace("task", "about", 1), encoding="utf-8")
    assert set(imported(file)["task"]) == {"num"}
