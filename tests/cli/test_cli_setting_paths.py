"""From a flag to the function that uses it a setting passes through few files, and is handed on as it was decided."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import polars as pl
import pytest

import hesperus as hs
from command_line import hesperus
from hesperus.studies.translation_tax.simulator import Planted, simulated_benchmark

HOME = Path(hs.__file__).parent
MOST = 8
"""Files that a reader has to open."""
DECIDED = {"answers": "analysis/settings.py", "audit": "analysis/tax/tax_settings.py"}
"""Where a setting is decided before it is handed on, of a measure of answers and of one of an audit."""

DRAWS = "measures/statistic.py"
"""Draws the rows of a measure one by one, and so stands between them and their table; it takes the bootstrap alone."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of a few items, and a planted audit."""
    place = tmp_path_factory.mktemp("runs")
    row = {"model": "m", "task": "t", "instruction": "en", "outcome": "answered", "repeat": 1, "answer": "A", "gold": "A"}  # fmt: skip
    rows = [{**row, "item": str(item), "input": code, "options": ["A", "B"], "topic": "x"}
            for item in range(8) for code in ("en", "de_from_en")]  # fmt: skip
    (place / "answers").mkdir()
    pl.DataFrame(rows).write_parquet(place / "answers" / "records.parquet")
    simulated_benchmark(Planted(items=40, native=20)).write(place / "audit")
    return place


def callers(frame: FrameType | None) -> Iterator[str]:
    """The files of hesperus through which a call came, from the function that reads the words of a command."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(HOME) and path != HOME / "cli" / "app.py":
            yield path.relative_to(HOME).as_posix()
        frame = frame.f_back


@pytest.mark.parametrize(
    ("run", "words", "user"),
    [
        ("answers", ["consistency", "--invalid", "agree"], "measures/consistency.py:consistency_statistic"),
        ("answers", ["consistency", "--seed", "7"], "measures/statistic.py:estimates"),
        ("answers", ["accuracy", "--by", "topic"], "analysis/views.py:views"),
        ("audit", ["back_translation", "--threshold", "30"], "analysis/tax/paired_records.py:_below_threshold"),
        ("audit", ["back_translation", "--min-valid", "0.8"], "analysis/tax/difference_rows.py:sensitive_models"),
    ],
)  # fmt: skip
def test_a_setting_comes_from_its_flag_to_its_number_through_few_files(
    run: str, words: list[str], user: str, runs: Path
) -> None:
    file, _, function = user.partition(":")
    found: list[set[str]] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == function and not found:
            path = {*callers(frame)}
            found.extend([path] if file in path else [])

    what, *flags = words
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        done = hesperus("measure", what, runs / run, *flags, "--resamples", 20)
    finally:
        sys.setprofile(before)
    assert done.returncode == 0, done.stderr
    path = {*found[0], DECIDED[run]} - ({DRAWS} if file != DRAWS else set())
    assert {"cli/flags.py", "cli/measure.py", file} <= path
    assert len(path) <= MOST, sorted(path)
