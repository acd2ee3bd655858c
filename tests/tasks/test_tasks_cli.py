"""`hesperus tasks`."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app as root
from hesperus.cli.task_list import GROUPS
from hesperus.cli.tasks import app
from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import packs
from hesperus.tasks import task, tasks
from hesperus.tasks.task_registry import family

runner = CliRunner()


def said(*arguments: str) -> str:
    result = runner.invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def in_terminal(arguments: list[str], width: int) -> str:
    """What a command writes to a terminal of some width."""
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
    assert rows["include"]["parallel"] is False and rows["include"]["group"] == "local"
    assert rows["blend-kr"]["benchmark"] == "blend" and rows["blend-kr"]["native"] == ["ko", "en"]
    assert len(rows) == len(tasks())
    assert said() == said("list")


@pytest.mark.parametrize("width", [80, 120])
def test_an_entry_of_the_list_is_one_line(width: int) -> None:
    lines = [line.rstrip() for line in in_terminal(["tasks"], width).splitlines()]
    table = lines[: lines.index("")]
    assert table[0].split()[:5] == ["languages", "native", "items", "share", "licence"]
    assert table[0].endswith("what it asks") == (width == 120)
    headings = [line for line in table[1:] if line in GROUPS.values()]
    assert headings == list(GROUPS.values())
    entries = [line.split()[0] for line in table[1:] if line not in headings]
    plain = [name for name in tasks() if family(name) == name]
    assert sorted(entries) == sorted([*plain, "blend-…", "multiloko-…", "multinrc-…", "polymath-…"])
    assert max(map(len, lines)) <= width
    belebele = next(line for line in table if line.startswith("belebele "))
    assert belebele.split()[1:5] == ["122", "68", "900", "yes"]
    assert ("reading of short passages" in belebele) == (width == 120)


def test_a_line_for_all_editions_says_what_all_of_them_ask() -> None:
    lines = {line.split()[0]: line for line in said().splitlines() if "-…" in line}
    assert "What people in … know, 250 questions" in lines["multiloko-…"]
    assert "the level … of PolyMath (…)" in lines["polymath-…"]


def test_an_empty_value_that_makes_a_row_an_item_is_called_empty() -> None:
    assert "items only where     background is empty\n" in said("m3exam")


def test_a_task_without_gold_says_so() -> None:
    for name in ("multi-if", "seeker-posts", "atlas-describe"):
        assert "gold that differs    there is no gold" in said(name)
    assert "there is no gold" not in said("atlas") + said("atlas-open") + said("xnli")


def test_every_language_of_a_pack_is_asked_in_its_own_words() -> None:
    lacking = {
        (name, tag)
        for name in tasks()
        for tag in task(name).languages
        if tag in packs() and getattr(task(name).find_instruction(tag), "language", None) != tag
    }
    assert not lacking
    assert not any(task(name).asks_in_english_only for name in tasks())


def test_the_name_of_a_task_shows_it() -> None:
    assert said("xcopa") == said("show", "xcopa")
    assert "prompt in et" in said("xcopa", "--language", "et")
    text = said("multiloko")
    assert "editions             multiloko-ar multiloko-bn" in text and "none for yue" in text
    with pytest.raises(UnknownNameError, match="did you mean 'xnli'"):
        said("xnly")


EXAMPLES = ("atlas", "atlas-open", "atlas-describe", "information-prompts", "seeker-posts")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_task_runs(name: str) -> None:
    command = said(name).rstrip().splitlines()[-1].split()
    assert command[:2] == ["hesperus", "run"] and command[3:5] == ["--task", name]
    words = [word.replace("openai/gpt-4o-mini", "pocket/l") for word in command[2:]]
    result = runner.invoke(root, ["plan", *words], catch_exceptions=False)
    assert result.exit_code == 0 and "requests to send" in result.output


def test_examples_fit_what_a_task_holds() -> None:
    def last(name: str) -> str:
        return said(name).rstrip().splitlines()[-1]

    assert "multisense --task kmmlu" in last("kmmlu") and "--source ko --target en" in last("kmmlu")
    assert "--source de --target en" in last("exams")
    assert "--source en --target de --data FOLDER" in last("bmlama")
    assert "similarity --task blend-gr" in last("blend-gr") and "--language en --language el" in last(
        "blend-gr"
    )
    assert last("flores").startswith("hesperus represent ")


def test_a_task_with_english_instructions_only_says_so(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(TASK, encoding="utf-8")
    (tmp_path / "en.jsonl").write_text(json.dumps({"id": 1, "text": "a", "gold": "no"}), encoding="utf-8")
    assert "instructions         en only; those in other languages are made by a model" in said(str(file))
    asked = [
        "plan",
        "multisense",
        "--task",
        str(file),
        "--data",
        str(tmp_path / "en.jsonl"),
        "--model",
        "pocket/m",
    ]
    result = runner.invoke(root, [*asked, "--source", "en", "--target", "de"], catch_exceptions=False)
    assert "mine has its instruction in English only; a model makes that in de" in result.output
    alone = runner.invoke(
        root, ["plan", "multisense", "--task", "atlas", "--model", "pocket/m", "--target", "de"]
    )
    assert alone.exit_code == 0 and "in English only" not in alone.output


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
