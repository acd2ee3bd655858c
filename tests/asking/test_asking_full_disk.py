"""A disk that is full at any point of a run: what failed is named, and the same command goes on once there is room."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from command_line import hesperus
from hesperus.cli import main
from own_process import forked
from waiting import last_words

resource = pytest.importorskip("resource")

RUN = ("run", "similarity", "--task", "atlas", "--model", "pocket/m", "--language", "en", "--language", "de",
       "--scoring", "generate", "--resamples", "0", "--limit", "40", "--quiet")  # fmt: skip


def run(folder: Path, largest: int) -> None:
    """A run whose files must not become larger."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    sys.argv = ["hesperus", *RUN, "--out", str(folder / "run")]
    main()


def test_no_room_is_named_and_the_run_goes_on(tmp_path: Path) -> None:
    ends = []
    for largest in (0, 4096, 30_000):
        end = forked(run, tmp_path, largest)
        said = last_words(end)
        assert end.returncode in (2, 3), said
        ends.append(said.strip().splitlines()[-1])
    assert all(line.startswith("error: ") and str(tmp_path) in line for line in ends), ends
    assert hesperus(*RUN, "--out", tmp_path / "run").returncode == 0
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "records.parquet", "items.parquet", "study.yaml", "signature.json",
    }  # fmt: skip
