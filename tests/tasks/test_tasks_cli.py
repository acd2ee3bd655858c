"""`hesperus tasks`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hesperus.cli.tasks import app
from hesperus.errors import DataError, UnknownNameError

runner = CliRunner()


def said(*arguments: str) -> str:
    result = runner.invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_list_names_every_task() -> None:
    document = json.loads(said("list", "--format", "json"))
    assert document["measure"] == "tasks"
    rows = {row["task"]: row for row in document["rows"]}
    assert rows["xnli"]["languages"] == 15
    assert rows["include"]["parallel"] is False
    assert said() == said("list")


def test_a_task_is_shown_with_an_example_prompt() -> None:
    text = said("show", "paws-x", "--language", "zh")
    assert '句子 1: "[sentence1]"' in text
    assert "4cd8187c404bda33cb1f62b49b001115862acf37" in text
    assert "What was the cause of this?" in said("show", "xcopa")
    assert "A. " in said("show", "atlas", "--language", "sw")
    rows = json.loads(said("show", "boolq", "--format", "json"))["rows"]
    assert {"property": "licence", "value": "CC BY-SA 3.0 (Wikipedia passages)"} in rows
    with pytest.raises(UnknownNameError, match="did you mean 'xnli'"):
        said("show", "xnly")


TASK = """\
name: mine
description: Mine.
form: label
fields: [text]
labels: ["yes", "no"]
layout: "{text} {suffix}"
instructions:
  en: {suffix: Yes or no?}
columns: {fields: {text: text}, gold: gold}
key: {columns: [id]}
"""


def test_a_file_and_its_items_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(TASK, encoding="utf-8")
    assert "instructions in en" in said("check", str(file))
    for tag, ids in {"en": (1, 2), "de": (2, 3)}.items():
        lines = (json.dumps({"id": n, "text": "\x1b[2J a", "gold": "no"}) for n in ids)
        (tmp_path / f"{tag}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    arguments = (
        "check",
        str(file),
        "--data",
        str(tmp_path / "{language}.jsonl"),
        "--language",
        "en",
        "--language",
        "de",
    )
    document = json.loads(said(*arguments, "--format", "json"))
    assert document["signature"] == {"kept": 1, "missing": 2}
    assert [row["item"] for row in document["rows"]] == ["3", "1"] or len(document["rows"]) == 2
    assert "\x1b" not in said("show", str(file), "--data", str(tmp_path / "{language}.jsonl"))
    file.write_text(TASK.replace("{text} {suffix}", "{text} {suffix} {options}"), encoding="utf-8")
    with pytest.raises(DataError, match="the layout shows options and the item has none"):
        said("check", str(file))
