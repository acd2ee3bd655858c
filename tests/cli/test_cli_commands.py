"""The command as a person types it: its output, its exit codes."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest
from bilingual import answer, write_task

from command_line import hesperus
from hesperus.records import read_run
from loopback_endpoint import Action, Send, serving

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_ends_with_a_report(tmp_path: Path) -> None:
    done = hesperus("demo", "--model", "pocket/s", "--target", "de", "--limit", "6", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("consistency") and "T, %" in done.stdout
    for shown in ("means", "Precision, %", "translation tax"):
        assert shown in done.stdout
    assert "Report: demo/report.html" in done.stderr
    assert (tmp_path / "demo" / "report.html").stat().st_size > 20_000
    checklist = hesperus("tax", "checklist", "demo/tax", "--format", "json", cwd=tmp_path)
    done_items = {
        row["item"] for row in json.loads(checklist.stdout)["checklist"]["rows"] if row["status"] == "done"
    }
    assert done_items >= {
        "audit of ids, options and gold on every side",
        "E1 back-translation, clustered over items",
    }
    assert "E4 naturalisation, same items" in done_items
    run = read_run(tmp_path / "demo")
    assert len(run.records) == 6 * (2 + 3 + 1)
    again = hesperus("demo", "--model", "pocket/s", "--target", "de", "--limit", "6", cwd=tmp_path)
    assert again.stdout == done.stdout
    assert "from the store" in again.stderr


def test_what_comes_next_runs_as_it_is_printed(tmp_path: Path) -> None:
    """Also where the path of the run holds blanks and letters beyond ASCII."""
    asked = ("--model", "pocket/s", "--limit", "3")
    run, bundle, sheet = "läufe neu/mein run", "läufe neu/bün del.zip", "läufe neu/war um.sqlite"
    studies = {
        run: ("multisense", "--task", "atlas", "--source", "en", "--target", "de"),
        f"{run} 2": ("translation_tax", "--task", "atlas", "--target", "de"),
        f"{run} 3": ("similarity", "--task", "atlas", "--language", "en", "--language", "de"),
    }
    said = [
        hesperus("run", *words, *asked, "--out", out, cwd=tmp_path).stderr for out, words in studies.items()
    ]
    said += [
        hesperus("measure", run, cwd=tmp_path).stderr,
        hesperus("bundle", run, "--out", bundle, cwd=tmp_path).stderr,
        hesperus("annotate", "create", "inconsistency", run, "--a", "en", "--b", "de_from_en", "--out", sheet, cwd=tmp_path).stderr,
    ]  # fmt: skip
    told = re.findall(r"(?:next|with): (hesperus .+)", "\n".join(said))
    commands = [command for line in told for command in line.split("; ")]
    assert len(commands) == 8
    for command in commands:
        done = hesperus(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)


def test_the_whole_way_over_http(tmp_path: Path) -> None:
    task = write_task(tmp_path)
    with serving(answer) as endpoint:
        asked = hesperus(
            "run", "multisense", "--task", "tides.yaml", "--data", "tides.jsonl", "--model", "http/tide",
            "--base-url", endpoint.url, "--target", "de", "--out", "runs/tides", "--format", "json", cwd=tmp_path,
        )  # fmt: skip
        assert task.is_file() and asked.returncode == 0, asked.stderr
        assert json.loads(asked.stdout)["measure"] == "consistency"
        assert "making senses: 51/51" in asked.stderr
        count = len(endpoint.asked)
        measured = hesperus(
            "measure", "consistency", "runs/tides", "--a", "instruction=en,input=en",
            "--b", "instruction=de_from_en,input=de_from_en", "--invalid", "agree", "--format", "json", cwd=tmp_path,
        )  # fmt: skip
        row = json.loads(measured.stdout)["rows"][0]
        assert row["n"] == 24 and 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert (
            hesperus(
                "check", "runs/tides", "--require", "consistency[de_from_en] >= 0", cwd=tmp_path
            ).returncode
            == 0
        )
        failed = hesperus("check", "runs/tides", "--require", "validity >= 1.5", cwd=tmp_path)
        assert failed.returncode in (1, 2)
        read = hesperus("reread", "runs/tides", "--task", "tides.yaml", "--out", "runs/again", cwd=tmp_path)
        assert read.returncode == 0, read.stderr
        assert hesperus("compare", "runs/tides", "runs/again", cwd=tmp_path).returncode == 0
        assert hesperus("report", "runs/tides", "--out", "tides.html", cwd=tmp_path).returncode == 0
        assert len(endpoint.asked) == count, "only `run` asks"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "multisens", "--task", "atlas", "--model", "pocket/s"], ["unknown study", "multisense"]),
        (["run", "multisense", "--model", "pocket/s", "--target", "de"], ["--task"]),
        (["run", "multisense", "--task", "atlas", "--target", "de"], ["--model"]),
        (["run", "multisense", "--task", "atlsa", "--model", "pocket/s", "--target", "de"], ["unknown task", "atlas"]),
        (["run", "multisense", "--task", "atlas", "--model", "pocket/xl", "--target", "de"], ["pocket"]),
        (["run", "multisense", "--task", "atlas", "--model", "pocket/s", "--target", "zz-zz-zz"], ["language"]),
        (["run", "multisense", "--task", "atlas", "--model", "openai/gpt-4o-mini", "--target", "de"], ["OPENAI_API_KEY"]),
        (["run", "none.yaml", "--task", "atlas", "--model", "pocket/s"], ["none.yaml: no such study file"]),
        (["measure", "consistency", "nothere"], ["nothere"]),
        (["measure", "consistencies", "nothere"], ["consistency"]),
        (["report", "nothere"], ["nothere"]),
        (["tasks", "show", "pawsx"], ["paws-x"]),
        (["languages", "show", "klingonese"], ["language"]),
    ],
)  # fmt: skip
def test_bad_use_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    done = hesperus(*arguments, cwd=tmp_path)
    assert done.returncode == 2, (done.stdout, done.stderr)
    for word in words:
        assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").rglob("records.parquet"))


def test_a_typo_in_a_study_file_names_the_right_key(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("task: atlas\nmodel: pocket/s\ntarget: de\n", encoding="utf-8")
    done = hesperus("run", "study.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "study.yaml" in done.stderr and "'models'" in done.stderr


def test_a_refused_key_is_never_shown(tmp_path: Path) -> None:
    def refuse(body: dict[str, object], count: int) -> Action:
        return Send({"error": {"message": "Incorrect API key provided: sk-secret-123"}}, status=401)

    with serving(refuse) as endpoint:
        done = hesperus(
            "run", "multisense", "--task", "atlas", "--model", "openai/gpt-4o-mini", "--base-url", endpoint.url,
            "--target", "de", "--limit", "5", "--out", "runs/x", cwd=tmp_path,
            environment={"OPENAI_API_KEY": "sk-secret-123"},
        )  # fmt: skip
    assert done.returncode == 3
    assert "OPENAI_API_KEY" in done.stderr
    everything = (
        done.stdout
        + done.stderr
        + "".join(
            path.read_bytes().decode("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()
        )
    )
    assert "sk-secret-123" not in everything


def test_hostile_text_does_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(
        'task: atlas\nmodels: pocket/s\n"\\e[31mtargt": de\n', encoding="utf-8"
    )
    done = hesperus("run", "bad.yaml", cwd=tmp_path)
    assert done.returncode == 2 and "\x1b" not in done.stderr


def test_the_page_of_commands_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["docs/build.py", "--check"])
    main = runpy.run_path(str(ROOT / "docs" / "build.py"))["main"]
    assert main() == 0, "docs/cli.md is not what --help says: make docs"
