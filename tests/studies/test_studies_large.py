"""Runs of more rows than are held in memory: records and items go by the disk, and are the same."""

from __future__ import annotations

import fcntl
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.studies.test_studies_shards import STUDIES, WHOLE, run

import hesperus as hs
from hesperus.analysis.measure_names import MEASURES
from hesperus.api.results import RunResult
from hesperus.api.studies import study_declaration, study_table
from hesperus.asking import engine
from hesperus.errors import DataError, UsageError
from hesperus.records import packed as records_packed
from hesperus.records import read_run, write_run, writing
from hesperus.records.files import parts_folder
from hesperus.records.packed import is_numbered, packed_records
from hesperus.records.parts import trusted_scan
from hesperus.studies.asked import keeping, stages
from hesperus.tasks import packed


def by_the_disk(patch: pytest.MonkeyPatch) -> None:
    """Bounds that the small runs of these tests exceed."""
    for room, name, value in (
        (engine, "COMPUTED_PART", 7), (stages, "_IN_MEMORY", 5), (keeping, "_FEW", 3), (keeping, "_ITEMS_AT_ONCE", 5),
        (writing, "_AT_ONCE", 11), (writing, "_FIRST", 5), (records_packed, "_IDS_AT_ONCE", 7), (packed, "_IN_MEMORY", 600), (packed, "_AT_ONCE", 4),
    ):  # fmt: skip
        patch.setattr(room, name, value)


def shown(result: RunResult, name: str) -> object:
    """The rows of a table, or why the run does not have it."""
    try:
        rows = study_table(result, name).rows
        here = str(result.folder)
        return [
            {
                key: value.replace(here, "RUN") if isinstance(value, str) else value
                for key, value in row.items()
            }
            for row in rows
        ]
    except UsageError as error:
        return str(error)


@pytest.mark.parametrize("kind", STUDIES)
def test_a_run_by_the_disk_is_the_one_in_memory(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_by_one: Callable[[str], RunResult]
) -> None:
    held = asked_by_one(kind)
    by_the_disk(monkeypatch)
    large = run(kind, tmp_path / "large")
    one, other = read_run(held.folder), read_run(tmp_path / "large")
    assert one.records.equals(other.records)
    assert one.items is not None and other.items is not None and one.items.equals(other.items)
    assert one.signature == other.signature
    assert large.records.equals(one.records), "replies are read from the folder"
    assert large.summary().rows == held.summary().rows and large.notes == held.notes
    assert held.kind is not None
    for name in study_declaration(held.kind).tables:
        assert shown(large, name) == shown(held, name), name
    for what in MEASURES:
        try:
            wanted = held.measure(what, resamples=50).rows
        except UsageError as error:
            with pytest.raises(UsageError, match=re.escape(str(error))):
                large.measure(what, resamples=50)
        else:
            assert large.measure(what, resamples=50).rows == wanted, what
    cells, before = (result.items().frame.to_dicts() for result in (large, held))
    assert [{**row, "run": ""} for row in cells] == [{**row, "run": ""} for row in before]
    assert not list(tmp_path.rglob("*.parts")) and not list(tmp_path.rglob("*.partial"))


def test_what_is_wrong_with_an_item_whose_id_is_on_disk_names_the_id(
    tmp_path: Path, asked_by_one: Callable[[str], RunResult]
) -> None:
    shutil.copytree(asked_by_one("similarity").folder, tmp_path / "run")
    whole = hs.open_run(tmp_path / "run")
    odd = whole.records["item"].max()
    here = (pl.col("item") == odd) & (pl.col("input") == whole.records["input"][0])
    rows = whole.records.with_columns(
        options=pl.when(here).then(pl.col("options").list.head(3)).otherwise("options"),
        outcome=pl.when(here).then(pl.lit("invalid")).otherwise("outcome"),
        answer=pl.when(~here).then("answer"),
        gold=pl.when(~here).then("gold"),
        probs=None,
    )
    write_run(replace(whole.run, records=rows), tmp_path / "run")
    scan = trusted_scan(tmp_path / "run")
    assert scan is not None
    packed = packed_records(scan, numbered=True)
    large = replace(whole, run=replace(whole.run, records=packed, scan=scan))
    assert is_numbered(packed)
    with pytest.raises(DataError, match=f"item '{odd}'"):
        large.summary()


@pytest.mark.parametrize("kind", ["multisense", "similarity"])
def test_merged_shards_by_the_disk_are_the_single_run(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_the_disk(monkeypatch)
    single, parts = tmp_path / "single" / "run", tmp_path / "parts" / "run"
    run(kind, single)
    for shard in ("0/2", "1/2", "2/2"):
        run(kind, parts, shard=shard)
    hs.merge(tmp_path / "parts" / "run.shards")
    run(kind, parts, budget={"requests": 0})
    for name in WHOLE:
        assert (parts / name).read_bytes() == (single / name).read_bytes(), name


def test_records_on_disk_are_held_to_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_the_disk(monkeypatch)
    run("similarity", tmp_path / "run")
    whole = pl.scan_parquet(tmp_path / "run" / "records.parquet")
    writing.write_records(whole.reverse(), tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "run" / "records.parquet").read_bytes()
    with pytest.raises(DataError, match="the same key"):
        writing.write_records(pl.concat([whole, whole.head(1)]), tmp_path / "doubled.parquet")
    assert not (tmp_path / "doubled.parquet").exists()


@pytest.mark.parametrize("rule", ["number", "own words", "whole text"])
def test_answers_without_options_on_disk_have_the_spelling_of_the_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    by_the_disk(monkeypatch)
    # Each part of eleven rows has a spelling that another part has more often; gold has a third.
    spelt = [["7", "7.0", "07"][(item // 11 + (item % 5 == 0)) % 3] for item in range(90)]
    rows = {
        "model": ["m/a", "m/b"] * 45, "task": "t", "item": [f"i{item:03}" for item in range(90)], "instruction": "en",
        "input": "en", "repeat": 1, "outcome": "answered", "answer": spelt,
        "gold": ["7.0" if item == 80 else f"{item + 10}" for item in range(90)], "reply": spelt, "rule": rule,
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides={"repeat": pl.Int32}).with_columns(
        options=pl.lit(None, pl.List(pl.String)), probs=pl.lit(None, pl.List(pl.Float64))
    )
    writing.write_records(frame, tmp_path / "held.parquet")
    writing.write_records(frame.lazy(), tmp_path / "disk.parquet")
    held, disk = (pl.read_parquet(tmp_path / f"{name}.parquet") for name in ("held", "disk"))
    assert held.equals(disk)
    assert (set(disk["answer"]) == {"7.0"}) is (rule != "whole text")


def test_parts_that_a_killed_process_left_are_removed(tmp_path: Path) -> None:
    for name in ("dead", "alive"):
        folder = tmp_path / f".run.{name}.parts"
        folder.mkdir()
        (folder / ".parts").touch()
        (folder / "000000.parquet").write_bytes(b"PAR1")
    with (tmp_path / ".run.alive.parts" / ".parts").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with parts_folder(tmp_path / "run") as mine:
            assert {path.name for path in tmp_path.iterdir()} == {".run.alive.parts", mine.name}
    assert [path.name for path in tmp_path.iterdir()] == [".run.alive.parts"]
