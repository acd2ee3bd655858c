"""`hesperus tasks`."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hesperus.cli.tasks import app
from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks import tasks

runner = CliRunner()


def said(*arguments: str) -> str:
    result = runner.invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def in_terminal(arguments: list[str], width: int) -> str:
    """What a command writes to a terminal of some width."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "dumb", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "hesperus", *arguments]
    with subprocess.Popen(command, stdout=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        written = b""
        # Linux ends the output of a terminal that nobody holds open with an error
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                written += part
        os.close(ours)
    assert process.returncode == 0
    return written.decode().replace("\r\n", "\n")


def test_the_list_names_every_task() -> None:
    document = json.loads(said("list", "--format", "json"))
    assert document["measure"] == "tasks"
    rows = {row["task"]: row for row in document["rows"]}
    assert len(rows["xnli"]["languages"]) == 15 and rows["xnli"]["items"] == 5010
    assert rows["xnli"]["share"] == "non-commercial" and rows["xnli"]["licence"] == "CC BY-NC 4.0"
    assert rows["include"]["parallel"] is False
    assert said() == said("list")


@pytest.mark.parametrize("width", [80, 120])
def test_an_entry_of_the_list_is_one_line(width: int) -> None:
    lines = [line.rstrip() for line in in_terminal(["tasks"], width).splitlines() if line.strip()]
    assert lines[0] == "tasks" and lines[1].split() == ["task", "languages", "items", "share", "licence"]
    assert [line.split()[0] for line in lines[3:]] == list(tasks())
    assert max(map(len, lines)) <= width


def test_a_task_is_shown_with_an_example_prompt() -> None:
    text = said("show", "paws-x", "--language", "zh")
    assert text.splitlines()[0] == "task paws-x" and "\ntask " not in text
    assert '句子 1: "[sentence1]"' in text
    assert "4cd8187c404bda33cb1f62b49b001115862acf37" in text
    assert "What was the cause of this?" in said("show", "xcopa")
    assert "A. " in said("show", "atlas", "--language", "sw")
    rows = json.loads(said("show", "boolq", "--format", "json"))["rows"]
    assert {"property": "licence", "value": "CC BY-SA 3.0"} in rows
    with pytest.raises(UnknownNameError, match="did you mean 'xnli'"):
        said("show", "xnly")


def test_a_task_is_shown_with_its_faults_and_what_is_not_verified() -> None:
    text = said("show", "mmlu-prox")
    assert "known fault          3299 in zh: option_8 is empty and option_9 is filled" in text
    assert "not verified         That answers and options agree" in text
    assert "items of a language  11,759" in text
    assert "unchanged only, so no translations" in said("show", "kmmlu")
    assert "items only where     error_type is 'ok'" in said("show", "mmlu-redux")
    assert "wording              entailment: am ar bg el" in said("show", "xnli")
    assert "ohmer2023: no language; `xnli@ohmer2023` asks it first" in said("show", "xnli@entailment")


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
