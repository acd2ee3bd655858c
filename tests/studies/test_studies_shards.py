"""A study that several processes ask: the merged run is the single one, byte for byte."""

from __future__ import annotations

import sqlite3

import pytest

import hesperus as hs
from hesperus.errors import BudgetReachedError, StoreError, UsageError

SHARDS = 2
STUDIES = {
    "multisense": {
        "task": "atlas", "models": ["pocket/s", "pocket/m"], "target": ["de"], "senses": ["en_via_de"], "sample": {"n": 6},
    },
    "similarity": {
        "task": "atlas", "models": ["pocket/s", "pocket/m"], "languages": ["en", "sw"], "scoring": "both", "sample": {"n": 12},
    },
    "translate_then_evaluate": {
        "task": "atlas-describe", "models": ["pocket/l"], "languages": ["sw"], "translator": "pocket/l",
        "prompts": "translated", "sample": {"n": 4},
    },
    "translation_tax": {
        "task": "atlas", "models": ["pocket/s", "pocket/m"], "target": "zh", "sample": {"n": 12},
        "naturalise": {"rewriter": "pocket/l", "sizes": {"disagreement": 2, "high": 2, "low": 2}},
    },
}  # fmt: skip
WHOLE = ("records.parquet", "items.parquet", "signature.json")


def run(kind, folder, **more):
    return hs.run(kind, out=folder, progress=False, **STUDIES[kind], **more)


def replies(path):
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT key, reply FROM replies ORDER BY key").fetchall()
    connection.close()
    return found


@pytest.mark.parametrize("kind", STUDIES)
def test_the_merged_run_is_the_single_one(kind, tmp_path, asked_by_one):
    single, parts = asked_by_one(kind).folder, tmp_path / "parts" / "run"
    for number in range(SHARDS + 1):
        part = run(kind, parts, shard=f"{number}/{SHARDS}")
        assert part.shard is not None and part.shard.note.is_finished and not part.faults
        assert part.records.is_empty() and not parts.exists()
    asked = [
        len(replies(tmp_path / "parts" / "run.shards" / f"{n}-of-{SHARDS}" / "replies.sqlite"))
        for n in range(1, SHARDS + 1)
    ]
    assert min(asked) > 0, "every shard has questions of its own"
    result = hs.merge(tmp_path / "parts" / "run.shards")
    assert result.is_whole and result.missing == () and result.conflicts is None
    assert sum(one.new for one in result.merged) == sum(one.rows for one in result.merged), (
        "nothing was asked twice"
    )
    merged = replies(result.store)
    assert set(merged) <= set(replies(single.parent / "replies.sqlite"))
    # Of an audit the items of E4 are chosen among all items, so the last run asks these few.
    last = {} if kind == "translation_tax" else {"budget": {"requests": 0}}
    run(kind, parts, **last)
    for name in WHOLE:
        assert (parts / name).read_bytes() == (single / name).read_bytes(), name
    if kind != "translation_tax":
        assert merged == replies(single.parent / "replies.sqlite")


def test_a_shard_waits_for_what_all_have_in_common(tmp_path):
    with pytest.raises(
        UsageError, match=r"shard 2/3 needs what all shards have in common.*--shard 0/3 first"
    ):
        run("multisense", tmp_path / "run", shard="2/3")
    # Nothing is made in a study of the benchmark's own versions, so nothing is waited for.
    assert run("similarity", tmp_path / "run", shard="2/3").shard.note.is_finished


def test_a_killed_shard_goes_on_and_a_missing_one_is_named(tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(BudgetReachedError):
        run("similarity", folder, shard="1/3", budget={"requests": 40})  # a quarter of it, for each of 0 to 3
    own = tmp_path / "run.shards" / "1-of-3" / "replies.sqlite"
    assert len(replies(own)) == 10
    run("similarity", folder, shard="3/3")
    early = hs.merge(tmp_path / "run.shards")
    assert not early.is_whole and early.missing == (2,)
    lines = "\n".join(early.notes())
    assert "shard 1/3 is not finished" in lines and "shard 2/3 is missing" in lines
    run("similarity", folder, shard="1/3")
    run("similarity", folder, shard="2/3")
    late = hs.merge(tmp_path / "run.shards")
    assert late.is_whole
    run("similarity", folder, budget={"requests": 0})
    again = hs.merge(tmp_path / "run.shards")
    assert again.is_whole and sum(one.new for one in again.merged) == 0


def test_a_missing_shard_is_asked_by_the_last_run(tmp_path, asked_by_one):
    single, parts = asked_by_one("similarity").folder, tmp_path / "parts" / "run"
    run("similarity", parts, shard="2/3")
    assert not hs.merge(tmp_path / "parts" / "run.shards").is_whole
    run("similarity", parts)
    for name in WHOLE:
        assert (parts / name).read_bytes() == (single / name).read_bytes(), name


def test_shards_that_do_not_belong_are_refused(tmp_path):
    folder = tmp_path / "run"
    run("similarity", folder, shard="1/3")
    changed = {**STUDIES["similarity"], "languages": ["en", "de"]}
    with pytest.raises(StoreError, match="shard 1/3 of another study, or of this one declared otherwise"):
        hs.run("similarity", out=folder, progress=False, shard="1/3", **changed)
    hs.run("similarity", out=tmp_path / "other", progress=False, shard="2/3", **changed)
    places = [tmp_path / "run.shards", tmp_path / "other.shards"]
    with pytest.raises(
        UsageError, match=r"is shard 2/3 of other, .* is shard 1/3 of run: another study.*Nothing was merged"
    ):
        hs.merge(places, into=tmp_path / "all.sqlite")
    run("similarity", tmp_path / "four", shard="4/4")
    with pytest.raises(UsageError, match="split differently"):
        hs.merge([tmp_path / "run.shards", tmp_path / "four.shards"], into=tmp_path / "all.sqlite")
    assert not (tmp_path / "all.sqlite").exists()


def test_what_cannot_be_split_is_said(tmp_path):
    with pytest.raises(UsageError, match="12 items cannot be dealt to 13 shards; ask for at most 12"):
        run("similarity", tmp_path / "run", shard="1/13")
    for wrong in ("5/4", "1/0", "1", "a/b", "-1/4"):
        with pytest.raises(UsageError, match="write I/N, such as 2/4"):
            run("similarity", tmp_path / "run", shard=wrong)
    run("similarity", tmp_path / "records")
    with pytest.raises(UsageError, match="compares records and asks nothing"):
        hs.run("similarity", records=[str(tmp_path / "records")], shard="1/2", progress=False)
