"""What was asked, as logs and tables hold it: the items table of an imported run, and where it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import hesperus as hs
from hesperus.analysis.item_matrix import item_matrix
from hesperus.analysis.item_texts import of_task, row_in, texts_of
from hesperus.item_views.question_view import question_view
from hesperus.records.importers import ImportSettings, import_logs

FIXTURES = Path(__file__).parent / "logs"


def table(folder: Path, rows: list[dict[str, object]], name: str = "answers.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def rows(**more: object) -> list[dict[str, object]]:
    questions = {"en": "Which is largest?", "sw": "Ipi ni kubwa zaidi?"}
    return [
        {"model": model, "task": task, "language": language, "item": "1", "answer": "A", "gold": "A",
         "question": f"{question} ({task})", **more}
        for model in ("acme/x", "acme/y") for task in ("seas", "hills") for language, question in questions.items()
    ]  # fmt: skip


def test_questions_of_a_table_are_items_of_the_run_by_task_and_language(tmp_path: Path) -> None:
    run = hs.import_logs(table(tmp_path, rows(**{"choices": ["Pacific", "Arctic"]})), tmp_path / "run").run
    items = run.items
    assert items is not None
    assert items.select("task", "language").rows() == [
        ("hills", "en"), ("hills", "sw"), ("seas", "en"), ("seas", "sw"),
    ]  # fmt: skip
    assert items["options"].to_list() == [["Pacific", "Arctic"]] * 4
    held = row_in(of_task(items, "seas"), "1", "sw", "acme/y")
    assert held is not None
    fields, options = texts_of(held, "sw")
    assert [(name, text.text) for name, text in fields] == [("question", "Ipi ni kubwa zaidi? (seas)")]
    assert [option.text for option in options] == ["Pacific", "Arctic"]


def test_texts_are_kept_only_where_they_are_wanted_and_known(tmp_path: Path) -> None:
    file = table(tmp_path, rows())
    assert import_logs(file, ImportSettings(texts=False)).items is None
    silent = [{name: value for name, value in row.items() if name != "question"} for row in rows()]
    assert import_logs(table(tmp_path, silent, "silent.jsonl")).items is None
    again = import_logs(file)
    assert again.items is not None and not [
        name for name in again.records.columns if name.startswith("asked:")
    ]


def test_a_question_of_a_wide_table_is_not_said_to_be_in_every_language(tmp_path: Path) -> None:
    wide = [
        {"item": str(n), "question": "Which is largest?", "en": "A", "sw": "B", "gold": "A"} for n in range(4)
    ]
    settings = ImportSettings(wide="answer", model="acme/x")
    assert import_logs(table(tmp_path, wide), settings).items is None


@pytest.mark.parametrize("tool", ["inspect", "lm_eval"])
def test_logs_tell_what_was_asked(tool: str) -> None:
    imported = import_logs(FIXTURES / tool)
    items = imported.items
    assert items is not None
    fields = [name for name in items.columns if name.startswith("field:")]
    assert fields and items.select(pl.any_horizontal(pl.col(fields).is_not_null())).to_series().all()
    asked = imported.records.select("task", "item", language="input").unique()
    assert items.join(asked, on=["task", "item", "language"], how="anti").is_empty()


def test_pages_and_the_explorer_have_the_question(tmp_path: Path) -> None:
    given = [row | {"answer": "B"} if row["language"] == "sw" else row for row in rows()]
    run = hs.import_logs(table(tmp_path, given), tmp_path / "run").run
    matrix = item_matrix({"run": run})
    row = matrix.rows.filter(task="seas").row(0, named=True)
    shown = {sense.code: dict(sense.fields)["question"].text for sense in question_view(matrix, row).senses}
    assert shown == {"en": "Which is largest? (seas)", "sw": "Ipi ni kubwa zaidi? (seas)"}
    assert "No texts of the questions" not in hs.report(tmp_path / "run").read_text(encoding="utf-8")
