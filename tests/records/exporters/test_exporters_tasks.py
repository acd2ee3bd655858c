"""The files of the two tools, by their schema; the tools themselves are asked where they are installed."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hesperus.errors import DataError, UsageError
from hesperus.records.exporters import AskedItem, aligned, write_inspect_task, write_lm_eval_task

INSPECT = os.environ.get("HESPERUS_INSPECT_PYTHON")
LM_EVAL = os.environ.get("HESPERUS_LM_EVAL_PYTHON")
"""Interpreters of environments that have the tools, which are too heavy to test with always."""


def _items(*, free: bool = False) -> list[AskedItem]:
    found = []
    for language in ("en", "zh-Hant"):
        for number in range(3):
            choices = () if free else (f"{language} x {number}", f"{language} {{{{y}}}} {number}")
            labels = () if free else ("A", "B")
            gold = f"text {number}" if free else "AB"[number % 2]
            found.append(
                AskedItem(
                    f"q/{number}", language, f"Ask {number}?\nNow", choices, labels, gold, {"subject": "s"}
                )
            )
    return found


def test_lm_eval_tasks(tmp_path: Path) -> None:
    names = write_lm_eval_task(_items(), tmp_path, "My quiz")
    assert names == ("my_quiz_en", "my_quiz_zh_Hant")
    group = yaml.safe_load((tmp_path / "my_quiz.yaml").read_text(encoding="utf-8"))
    assert group == {"group": "my_quiz", "task": list(names), "metadata": {"version": 1.0}}
    for name in names:
        config = yaml.safe_load((tmp_path / f"{name}.yaml").read_text(encoding="utf-8"))
        assert config["task"] == name and config["output_type"] == "multiple_choice"
        assert config["metadata"] == {"version": 1.0, "hesperus_task": "My quiz"}
        data = Path(config["dataset_kwargs"]["data_files"]["test"])
        rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
        assert [row["item"] for row in rows] == ["q/0", "q/1", "q/2"] and [row["gold"] for row in rows] == [
            0,
            1,
            0,
        ]
        assert {"prompt", "choices", "language", "labels", "answer", "subject"} <= rows[0].keys()
    free = write_lm_eval_task(_items(free=True), tmp_path / "free", "open")
    config = yaml.safe_load((tmp_path / "free" / f"{free[0]}.yaml").read_text(encoding="utf-8"))
    assert config["output_type"] == "generate_until" and config["doc_to_target"] == "{{answer}}"


def test_inspect_task(tmp_path: Path) -> None:
    for free, solver in ((False, "multiple_choice"), (True, "generate")):
        file = write_inspect_task(_items(free=free), tmp_path, f"quiz {free}")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        text = file.read_text(encoding="utf-8")
        assert functions == ["samples", file.stem] and solver in text
        assert f"metadata={{'hesperus_task': 'quiz {free}'}}" in text
        assert len(file.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()) == 6


def test_items_have_to_be_aligned(tmp_path: Path) -> None:
    items = _items()
    with pytest.raises(UsageError, match="no items to export"):
        aligned([])
    with pytest.raises(DataError, match="item 'q/2': is not in both 'en' and 'zh-Hant'"):
        aligned(items[:-1])
    with pytest.raises(DataError, match="occurs twice in 'en'"):
        aligned([*items, items[0]])
    with pytest.raises(DataError, match="2 choices for 1 labels"):
        aligned([AskedItem("1", "en", "q", ("a", "b"), ("A",))])
    with pytest.raises(DataError, match=r"labels \('B', 'A'\) in 'de', \('A', 'B'\) in 'en'"):
        aligned(
            [
                AskedItem("1", "en", "q", ("a", "b"), ("A", "B")),
                AskedItem("1", "de", "q", ("a", "b"), ("B", "A")),
            ]
        )
    with pytest.raises(DataError, match="needs a right choice among at most 26"):
        write_inspect_task([AskedItem("1", "en", "q", ("a", "b"), ("A", "B"))], tmp_path, "quiz")
    with pytest.raises(UsageError, match="gives no name for a task"):
        write_lm_eval_task(items, tmp_path, "1 2")


def _run(python: str, code: str, folder: Path) -> str:
    done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_inspect_loads_the_task(tmp_path: Path) -> None:
    file = write_inspect_task(_items(), tmp_path, "quiz")
    code = (
        f"import json, {file.stem} as made\n"
        f"samples = list(made.{file.stem}('zh-Hant').dataset)\n"
        "print(json.dumps([[s.id, s.target, s.choices, s.metadata['language']] for s in samples]))"
    )
    found = json.loads(_run(INSPECT or sys.executable, code, tmp_path))
    assert found[1] == ["q/1", "B", ["zh-Hant x 1", "zh-Hant {{y}} 1"], "zh-Hant"] and len(found) == 3


@pytest.mark.skipif(LM_EVAL is None, reason="set HESPERUS_LM_EVAL_PYTHON to an interpreter that has lm_eval")
def test_lm_eval_loads_the_tasks(tmp_path: Path) -> None:
    assert LM_EVAL is not None
    write_lm_eval_task(_items(), tmp_path, "quiz")
    code = (
        "import json\n"
        "from lm_eval.tasks import TaskManager, get_task_dict\n"
        f"found = get_task_dict(['quiz_zh_Hant'], TaskManager(include_path={str(tmp_path)!r}, include_defaults=False))\n"
        "task = found['quiz_zh_Hant']\n"
        "doc = list(task.test_docs())[1]\n"
        "print(json.dumps([task.doc_to_text(doc), task.doc_to_choice(doc), task.doc_to_target(doc)]))"
    )
    assert json.loads(_run(LM_EVAL, code, tmp_path)) == ["Ask 1?\nNow", ["zh-Hant x 1", "zh-Hant {{y}} 1"], 1]
