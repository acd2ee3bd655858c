"""The short form of `python -m benchmarks fuzz`, and that the search finds what it is there to find."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.fuzzing import trying
from benchmarks.fuzzing.processes import search
from benchmarks.fuzzing.targets import TARGETS
from benchmarks.fuzzing.trying import Changed, Target, attempt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hesperus.errors import DataError
from waiting import LIMIT

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_hostile_inputs_are_read_or_refused(name: str, tmp_path: Path) -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]

    @settings(derandomize=True, database=None, max_examples=40, deadline=None, suppress_health_check=quiet)
    @given(rng=st.randoms(use_true_random=False))
    def tried(rng: random.Random) -> None:
        attempt(TARGETS[name], rng, tmp_path)

    tried()


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_target_reads_some_of_its_inputs(name: str, tmp_path: Path) -> None:
    """A target that refuses whatever it is given tries nothing."""
    assert any(attempt(TARGETS[name], random.Random(seed), tmp_path) == "" for seed in range(200))


def _raises(rng: random.Random, folder: Path) -> None:
    if rng.random() < 0.5:
        raise DataError("refused")
    raise KeyError("a defect")


def _misreads(rng: random.Random, folder: Path) -> None:
    raise Changed("label: A became B")


def _hangs(rng: random.Random, folder: Path) -> None:
    try:
        while True:
            pass
    except Exception:  # what reads a hostile file may catch all
        return


def _fills(rng: random.Random, folder: Path) -> None:
    bytearray(b"x") * (400 << 20)


def _dies(rng: random.Random, folder: Path) -> None:
    time.sleep(0.05)
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize(
    ("target", "what"),
    [
        (_raises, "KeyError: 'a defect'"),
        (_misreads, "Changed: label: A became B"),
        (_hangs, "TooSlow: more than 0.2 s of the processor"),
        (_fills, "MemoryError: "),
        (_dies, "Ended: exit code -9"),
    ],
)
def test_the_search_finds_each_kind_of_fault(
    target: Target, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if target is _hangs:
        monkeypatch.setattr(trying, "CPU_SECONDS", 0.2)
    found = search("planted", target, seconds=0.4)
    (fault,) = found.faults.values()
    assert fault.what.startswith(what) and bool(found.refused) == (target is _raises)
    assert target in (_hangs, _fills) or fault.count > 1, "the search goes on behind a process that died"


def test_a_number_is_the_same_input_everywhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "fuzz", "--target", "tables", "--input", "3"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    refused = attempt(TARGETS["tables"], trying.numbered("tables", 3), tmp_path)
    here = [f"{path.name}: {path.read_bytes()[:2000]!r}" for path in sorted(tmp_path.rglob("*.*"))]
    assert said.splitlines()[1:] == [*here, f"refused: {refused}" if refused else "read"]
    assert "table" in said


def test_the_command_counts_what_it_tried() -> None:
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "fuzz",
        "--target",
        "yaml",
        "--seconds",
        "0.3",
        "--workers",
        "2",
    ]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    name, inputs, _, read, refused, *_ = ended.stdout.splitlines()[-1].replace(",", "").split()
    assert name == "yaml" and int(inputs) == int(read) + int(refused) > 0
