"""A disk that is full at any point of a run: what failed is named, and the same command goes on once there is room."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import hesperus
from waiting import LIMIT

resource = pytest.importorskip("resource")

RUN = ("run", "similarity", "--task", "atlas", "--model", "pocket/m", "--language", "en", "--language", "de",
       "--scoring", "generate", "--resamples", "0", "--limit", "40", "--quiet")  # fmt: skip


def run(folder: Path, largest: int) -> subprocess.CompletedProcess[str]:
    """A run whose files must not become larger."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    return subprocess.run(
        [sys.executable, "-m", "hesperus", *RUN, "--out", str(folder / "run")],
        capture_output=True, text=True, timeout=LIMIT, preexec_fn=bound, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


def test_no_room_is_named_and_the_run_goes_on(tmp_path: Path) -> None:
    ends = []
    for largest in (0, 4096, 30_000):
        end = run(tmp_path, largest)
        assert end.returncode in (2, 3), end.stderr
        ends.append(end.stderr.strip().splitlines()[-1])
    assert all(line.startswith("error: ") and str(tmp_path) in line for line in ends), ends
    assert hesperus(*RUN, "--out", tmp_path / "run").returncode == 0
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "records.parquet", "items.parquet", "study.yaml", "signature.json",
    }  # fmt: skip
