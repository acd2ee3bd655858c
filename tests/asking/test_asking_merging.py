"""Stores taken into one: nothing lost, nothing replaced, what differs kept aside, strangers refused; and kills."""

from __future__ import annotations

import json
import signal
import sqlite3
import time

import pytest
from typer.testing import CliRunner

from hesperus.api import merge
from hesperus.asking import ReplyStore
from hesperus.asking.shards import Shard
from hesperus.asking.store import Entry
from hesperus.cli.app import app
from hesperus.errors import HesperusError, StoreError, UsageError
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.translation import Translated
from hesperus.types import Prompt, Reply, Request
from own_process import forked, tell
from waiting import ends

WHO = {"model": "b"}


def store_of(path, numbers, text="r", who=WHO, **more):
    with ReplyStore(path) as store:
        store.put(
            [
                Entry(f"{n:032x}", Request("a/b", Prompt(f"q{n}")), Reply(f"{text}{n}", **more))
                for n in numbers
            ],
            who,
        )
    return path


def texts(path):
    with ReplyStore(path) as store:
        return {row.request.prompt.user: (row.reply.text, row.identity) for row in store.stored()}


def merged(*words):
    done = CliRunner().invoke(app, ["merge", *map(str, words)])
    if isinstance(done.exception, HesperusError):
        return done.exception.exit_code, done.stdout, str(done.exception)
    return done.exit_code, done.stdout, done.stderr


def test_every_reply_is_taken_in_once_with_its_question_and_its_model(tmp_path):
    one = store_of(tmp_path / "a" / "replies.sqlite", range(700))
    two = store_of(tmp_path / "b" / "replies.sqlite", range(600, 1300), who={"model": "c"})
    into = tmp_path / "all.sqlite"
    before = one.read_bytes(), two.read_bytes()
    code, out, err = merged(one.parent, two, "--into", into)
    assert code == 0, (out, err)
    assert (
        f"{one}: 700 rows, 700 of them new\n{two}: 700 rows, 600 of them new\n" == out
        and "merged into" in err
    )
    found = texts(into)
    assert (
        len(found) == 1300 and found["q650"] == ("r650", WHO) and found["q1299"] == ("r1299", {"model": "c"})
    )
    assert (one.read_bytes(), two.read_bytes()) == before
    code, out, _ = merged(one, two, "--into", into)
    assert code == 0 and "0 of them new" in out and texts(into) == found


def test_the_store_is_named_as_the_shards_were(tmp_path, monkeypatch):
    for number in (1, 2):
        store_of(tmp_path / "runs" / "r.shards" / f"{number}-of-2" / "replies.sqlite", range(number, 5))
    monkeypatch.chdir(tmp_path)
    code, _, err = merged("runs/r.shards")
    assert code == 0 and "merged into runs/replies.sqlite " in err
    monkeypatch.chdir(tmp_path / "runs" / "r.shards")
    code, _, err = merged("1-of-2", "2-of-2")
    assert code == 0 and str(tmp_path / "runs" / "replies.sqlite") in err


def test_replies_in_conflict_are_kept_aside_and_named(tmp_path):
    one, two = (
        store_of(tmp_path / "1.sqlite", range(5)),
        store_of(tmp_path / "2.sqlite", range(3, 8), text="other "),
    )
    into = tmp_path / "all.sqlite"
    for _ in range(2):  # the second merge changes nothing
        code, out, _ = merged(one, two, "--into", into)
        assert code == 1 and "5 rows" in out and "2 in conflict with what was there" in out
        aside = tmp_path / "all.conflicts.jsonl"
        assert f"the others are in {aside}" in out
        rows = [json.loads(line) for line in aside.read_text(encoding="utf-8").splitlines()]
        assert [(row["kept"]["text"], row["other"]["text"], row["other_from"]) for row in rows] == [
            ("r3", "other 3", str(two)),
            ("r4", "other 4", str(two)),
        ]
    assert texts(into)["q4"][0] == "r4" and texts(into)["q7"][0] == "other 7"


def test_who_served_a_reply_is_no_conflict(tmp_path):
    one = store_of(tmp_path / "1.sqlite", [1], served_by="x", tokens_out=3)
    two = store_of(tmp_path / "2.sqlite", [1], served_by="y", tokens_out=None)
    assert merged(one, two, "--into", tmp_path / "all.sqlite")[0] == 0
    three = store_of(tmp_path / "3.sqlite", [1], finish="length")
    assert merged(three, "--into", tmp_path / "all.sqlite")[0] == 1


def test_strangers_and_other_versions_are_refused_before_anything_is_taken_in(tmp_path):
    good = store_of(tmp_path / "good.sqlite", range(3))
    later, other, torn = (tmp_path / name for name in ("later.sqlite", "other.sqlite", "torn.sqlite"))
    store_of(later, [1])
    with sqlite3.connect(later) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    torn.write_bytes(b"no database at all, but long enough to be looked at" * 40)
    for bad, why in (
        (later, "has schema version 9, this hesperus reads 1; update hesperus"),
        (other, "is a SQLite file of another program, no store of hesperus"),
        (torn, "file is not a database"),
        (tmp_path / "none.sqlite", "no such store or folder"),
        (tmp_path, "holds neither replies.sqlite nor translations.sqlite"),
    ):
        code, _, err = merged(good, bad, "--into", tmp_path / "all.sqlite")
        assert code in (2, 3) and why in err, err
        assert not (tmp_path / "all.sqlite").exists()
    code, _, err = merged(good, "--into", good)
    assert code == 2 and "is what is merged into" in err
    code, _, err = merged(good)
    assert code == 2 and "--into" in err


def test_damaged_rows_stay_where_they_are(tmp_path):
    one = store_of(tmp_path / "1.sqlite", range(3))
    with sqlite3.connect(one) as connection:
        connection.execute("UPDATE replies SET reply = '{\"text' WHERE rowid = 2")
    connection.close()
    code, out, _ = merged(one, "--into", tmp_path / "all.sqlite")
    assert code == 1 and "3 rows, 2 of them new, 1 that cannot be read and were left" in out
    assert set(texts(tmp_path / "all.sqlite")) == {"q0", "q2"}


def test_a_torn_page_takes_in_nothing_of_its_store(tmp_path):
    good, bad = store_of(tmp_path / "1.sqlite", range(3)), store_of(tmp_path / "2.sqlite", range(10, 4000))
    raw = bytearray(bad.read_bytes())
    raw[4096 * 20 : 4096 * 60] = b"\xff" * 4096 * 40
    bad.write_bytes(raw)
    code, _, err = merged(good, bad, "--into", tmp_path / "all.sqlite")
    assert code == 3 and "nothing of it was taken in" in err
    assert set(texts(tmp_path / "all.sqlite")) == {"q0", "q1", "q2"}


def test_translations_are_merged_too(tmp_path):
    for name, text in (("1-of-2", "eins"), ("2-of-2", "zwei")):
        (tmp_path / "run.shards" / name).mkdir(parents=True)
        with TranslationStore(tmp_path / "run.shards" / name / "translations.sqlite") as store:
            store.keep("same", Translated("immer", (), (), (), 0))
            store.keep("differs", Translated(text, (), (), (), 0))
            store.keep(name, Translated(name, (), (), (), 0))
    code, out, _ = merged(tmp_path / "run.shards")
    assert code == 1 and "1 in conflict" in out
    with TranslationStore(tmp_path / "translations.sqlite") as store:
        found = {key: made.text for key, made in store.find(["same", "differs", "1-of-2", "2-of-2"]).items()}
    assert found == {"same": "immer", "differs": "eins", "1-of-2": "1-of-2", "2-of-2": "2-of-2"}
    assert "zwei" in (tmp_path / "replies.conflicts.jsonl").read_text(encoding="utf-8")


def test_a_base_is_read_and_never_written(tmp_path):
    main = store_of(tmp_path / "main" / "replies.sqlite", range(3))
    main.chmod(0o444)
    before = main.read_bytes()
    with ReplyStore(tmp_path / "own.sqlite", base=main) as store:
        keys = [f"{n:032x}" for n in range(6)]
        assert set(store.find(keys)) == set(keys[:3])
        store.put([Entry(keys[4], Request("a/b", Prompt("q4")), Reply("r4"))], WHO)
        assert {key: reply.text for key, reply in store.find(keys).items()} == {
            keys[0]: "r0", keys[1]: "r1", keys[2]: "r2", keys[4]: "r4",
        }  # fmt: skip
        assert len(store) == 1
    assert main.read_bytes() == before
    with pytest.raises(StoreError, match="as a reply store"):
        ReplyStore(tmp_path / "own.sqlite", base=tmp_path / "none.sqlite")


def merge_told(stores, into):
    tell("begun")
    merge(stores, into=into)


def test_a_killed_merge_leaves_whole_stores_and_is_mended_by_the_next(tmp_path):
    stores = [store_of(tmp_path / f"{n}.sqlite", range(n * 4000, (n + 1) * 4000)) for n in range(4)]
    into, killed = tmp_path / "all.sqlite", 0
    for wait in (0.0, 0.01, 0.02, 0.04, 0.08):
        process = forked(merge_told, stores, into)
        assert process.stdout.readline() == "begun\n"
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        killed += ends(process) == -signal.SIGKILL
        if into.exists():
            with ReplyStore(into) as store:
                assert len(store) % 4000 == 0
    assert killed
    assert merged(*stores, "--into", into)[0] == 0
    with ReplyStore(into) as store:
        assert len(store) == 16_000


def test_items_are_dealt_evenly_and_those_on_one_text_together():
    texts = {
        f"item{n}": [f"passage {n // 4} " * 20, f"question {n}", "yes" if n % 50 == 0 else f"answer {n}"]
        for n in range(1000)
    }
    parts = [Shard(number, 7).items(texts) for number in range(1, 8)]
    assert frozenset().union(*parts) == frozenset(texts) and sum(map(len, parts)) == 1000
    assert {len(part) for part in parts} <= {142, 143}
    cut = sum(
        len({k for k, part in enumerate(parts) for n in range(p * 4, p * 4 + 4) if f"item{n}" in part}) > 1
        for p in range(250)
    )
    assert cut <= 6, "a passage is cut only where a shard ends"
    common = Shard(0, 7).items(texts)
    assert {f"item{n}" for n in range(0, 1000, 50)} <= common and len(common) <= 20 + 4 * cut
    for number in range(1, 8):
        mine = {text for item in parts[number - 1] - common for text in texts[item]}
        theirs = {text for item in set(texts) - parts[number - 1] for text in texts[item]}
        assert not mine & theirs


def test_a_budget_is_divided_among_all_and_never_passed():
    for limit in (0, 1, 7, 1000, 999_999):
        for count in (1, 3, 8):
            shares = [Shard(number, count).share(limit) for number in range(count + 1)]
            assert sum(shares) == limit and max(shares) - min(shares) <= 1


def test_a_shard_is_written_i_of_n():
    assert Shard.parse(" 2/4 ") == Shard(2, 4) and str(Shard(0, 4)) == "0/4"
    for wrong in ("", "4", "5/4", "0/0", "1/2/3", "-1/2", "1.5/2", "٣/٤"):
        with pytest.raises(UsageError, match="write I/N"):
            Shard.parse(wrong)
