"""What a command does when the world around it fails: pipes, full disks, closed streams, narrow alphabets, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from command_line import hesperus
from hesperus.records import conform, write_records
from own_process import started
from waiting import ends, last_words, until

COMMAND = (sys.executable, "-m", "hesperus")
ASKING = ("run", "multisense", "--task", "atlas", "--model", "pocket/s", "--target", "de")
SHOW = (*COMMAND, "tasks", "show", "atlas")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"model": f"m/{number}", "task": "t", "item": item, "instruction": sense, "input": sense, "answer": "yes", "gold": "yes"}
        for number in range(20) for item in "ab" for sense in ("en", "de")
    ]  # fmt: skip
    write_records(conform(pl.DataFrame(rows)), tmp_path / "answers.parquet")
    return tmp_path


def test_a_reader_that_goes_away_is_no_failed_check(folder: Path) -> None:
    planning = (
        *COMMAND,
        "plan",
        "multisense",
        "--task",
        "atlas",
        "--model",
        "pocket/s",
        "--target",
        "de",
        "--requests",
    )
    with subprocess.Popen(planning, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert ends(process) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_standard_output_is_one_line(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(SHOW, cwd=folder, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"error: standard output: No space left on device\n"


def test_a_closed_standard_output_is_no_fault(folder: Path) -> None:
    line = f"exec {' '.join(SHOW)} >&-"
    done = subprocess.run(["/bin/sh", "-c", line], cwd=folder, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0
    assert all(line.startswith(b"note: ") for line in done.stderr.splitlines())


def test_what_a_terminal_cannot_show_is_written_as_its_code(folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, "tasks"], cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode == 0 and b"\\u2013" in done.stdout


@pytest.mark.parametrize("after", [0.0, 0.02])
def test_an_interrupt_says_how_to_go_on(folder: Path, after: float) -> None:
    process = started(*ASKING, "--quiet", cwd=folder)
    until((folder / "runs" / "replies.sqlite").exists, running=process)
    time.sleep(after)  # asking begins within these hundredths of a second
    process.send_signal(signal.SIGINT)
    said = last_words(process)
    assert process.returncode == 130
    assert said == "stopped; every reply that came in is kept, run the same command again to go on\n"


def test_an_unknown_format_is_refused_before_anything_is_asked(folder: Path) -> None:
    done = hesperus(*ASKING, "--format", "jsn", cwd=folder)
    assert (done.returncode, done.stderr) == (2, "error: unknown format: 'jsn'; did you mean 'json'?\n")
    assert not (folder / "runs").exists()


def test_formats_are_completed(folder: Path) -> None:
    environment = {
        **os.environ,
        "_HESPERUS_COMPLETE": "complete_bash",
        "COMP_WORDS": "hesperus measure accuracy x --format m",
        "COMP_CWORD": "5",
    }
    code = "import sys; sys.argv[0] = 'hesperus'; from hesperus.cli.app import app; app(prog_name='hesperus')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["markdown"]


def test_translation_scores_that_are_not_there_are_asked_for(folder: Path) -> None:
    done = hesperus("measure", "translation", "answers.parquet", cwd=folder)
    assert (
        done.returncode == 2 and "`hesperus score RUN` writes them, --scores FILE names them" in done.stderr
    )
