"""No number hangs on how many threads the library of tables takes: all other tests give it one, people what they have."""

from __future__ import annotations

import json
from multiprocessing import get_context
from pathlib import Path

import polars as pl
import pytest

import hesperus
from waiting import LIMIT

TABLES = {
    "multisense": ("summary", "consistency", "agreement", "directions", "decomposition"),
    "similarity": ("similarity", "means", "contrasts", "labels"),
    "tax": ("back_translation", "bounds"),
}


def write_tables(runs: dict[str, Path], folder: Path, threads: int) -> None:
    """Write some tables of each run, measured with so many threads."""
    assert pl.thread_pool_size() == threads
    for study, names in TABLES.items():
        for name in names:
            table = hesperus.measure(name, runs[study], resamples=50)
            told = json.dumps([*map(dict, table.rows)], ensure_ascii=False, indent=1)
            (folder / f"{study}.{name}.json").write_text(told, encoding="utf-8")


def test_tables_are_the_same_with_one_thread_and_with_four(
    demo_runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, four = tmp_path / "one", tmp_path / "four"
    one.mkdir()
    four.mkdir()
    monkeypatch.setenv("POLARS_MAX_THREADS", "4")
    process = get_context("spawn").Process(target=write_tables, args=(demo_runs, four, 4))
    process.start()
    write_tables(demo_runs, one, 1)  # as this process has it
    process.join(LIMIT)
    assert process.exitcode == 0
    written = [{path.name: path.read_text(encoding="utf-8") for path in at.iterdir()} for at in (one, four)]
    assert len(written[0]) == sum(map(len, TABLES.values()))
    assert written[0] == written[1]
