"""The reply store: what it keeps, what it refuses, who may use it at once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from hesperus.asking import ReplyStore
from hesperus.asking.commits import Committer
from hesperus.asking.store import LOOKUP, Entry
from hesperus.asking.turns import turn
from hesperus.errors import StoreError
from hesperus.models import StoredReply
from hesperus.storage import write_ahead
from hesperus.types import Failure, Prompt, Reply, Request, Settings
from waiting import LIMIT, ends

WHO = {"model": "b"}


def entry(number: int, text: str = "r") -> Entry:
    return Entry(f"{number:032x}", Request("a/b", Prompt(f"q{number}")), Reply(f"{text}{number}"))


def test_replies_come_back_as_they_went_in(tmp_path):
    full = Entry(
        "k1",
        Request("a/b", Prompt("q\x00é👩‍🔬", "s"), Settings(None, None, 0.5, 3), ("A", "B"), 2),
        Reply("r\x00\n\u2028é👩‍🔬", "length", (-0.1, -1e-300), 3, 4, "b-1"),
    )
    begun = time.time()
    with ReplyStore(tmp_path / "deep" / "er" / "s.sqlite") as store:
        store.put([full, entry(2)], WHO)
        store.put([entry(3)], {"model": "c"})
        assert store.find(["k1", "nothing", entry(2).key]) == {"k1": full.reply, entry(2).key: Reply("r2")}
        assert len(store) == 3
    with ReplyStore(tmp_path / "deep" / "er" / "s.sqlite") as store:
        rows = list(store.stored())
    assert [row.request for row in rows] == [full.request, entry(2).request, entry(3).request]
    assert rows[0].reply == full.reply and rows[0].key == "k1" and rows[0].identity == WHO
    assert rows[2].identity == {"model": "c"} and begun <= rows[0].asked_at <= time.time()


def test_the_first_reply_to_a_question_stands():
    with ReplyStore(":memory:") as store:
        store.put([entry(1)], WHO)
        store.put([entry(1, "other")], WHO)
        assert store.find([entry(1).key]) == {entry(1).key: Reply("r1")}


def test_many_keys_are_found(tmp_path):
    count = 2 * LOOKUP + 7
    with ReplyStore(tmp_path / "s.sqlite") as store:
        store.put(map(entry, range(count)), WHO)
        assert len(store.find([f"{n:032x}" for n in range(count + 50)])) == count
        assert sum(1 for _ in store.stored()) == count
        assert store.export(tmp_path / "s.jsonl") == count
    lines = (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()
    assert StoredReply.from_json(json.loads(lines[-1])).reply == Reply(f"r{count - 1}")
    assert not list(tmp_path.glob("*.part"))


def test_exported_replies_can_be_read_by_people(tmp_path):
    with ReplyStore(tmp_path / "s.sqlite") as store:
        store.put([entry(1, "Ja – नमस्ते")], WHO)
        store.export(tmp_path / "s.jsonl")
    assert "Ja – नमस्ते" in (tmp_path / "s.jsonl").read_text(encoding="utf-8")


def test_files_of_others_are_refused_untouched(tmp_path):
    text, other, later = tmp_path / "notes.txt", tmp_path / "other.db", tmp_path / "later.sqlite"
    text.write_bytes(b"my notes, not a database, and long enough to be looked at" * 30)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    ReplyStore(later).close()
    with sqlite3.connect(later) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = {path: path.read_bytes() for path in (text, other, later)}
    with pytest.raises(StoreError, match=r"cannot use .*notes.txt as a reply store: file is not a database"):
        ReplyStore(text)
    with pytest.raises(StoreError, match="SQLite file of another program"):
        ReplyStore(other)
    with pytest.raises(StoreError, match="has schema version 99, this hesperus reads 1; update hesperus"):
        ReplyStore(later)
    assert before == {path: path.read_bytes() for path in before}


def test_places_that_cannot_be_written_are_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot make the folder"):
        ReplyStore(tmp_path / "file" / "s.sqlite")
    with pytest.raises(StoreError, match="unable to open database file"):
        ReplyStore(tmp_path)
    with ReplyStore(":memory:") as store, pytest.raises(StoreError, match="cannot write"):
        store.export(tmp_path / "no" / "such.jsonl")


def test_damaged_replies_are_named(tmp_path):
    store = ReplyStore(tmp_path / "s.sqlite")
    store.put([entry(1)], WHO)
    store._connection.execute("UPDATE replies SET reply = '{}'")
    store.put([entry(2)], WHO)
    found = store.find([entry(1).key, entry(2).key])
    damaged = found[entry(1).key]
    assert isinstance(damaged, Failure) and damaged.kind == "stored" and entry(1).key in damaged.message
    assert found[entry(2).key] == entry(2).reply
    with pytest.raises(StoreError, match="holds an unreadable reply"):
        list(store.stored())
    store.close()
    store.close()
    for use in (lambda: store.find(["k"]), lambda: store.put([entry(2)], WHO), lambda: len(store)):
        with pytest.raises(StoreError, match="reply store"):
            use()


def test_a_failed_commit_leaves_nothing(tmp_path):
    with ReplyStore(tmp_path / "s.sqlite") as store:
        store._connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON replies WHEN NEW.reply LIKE '%r3%' "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
        with pytest.raises(StoreError, match="cannot write to the reply store .*disk is full"):
            store.put([entry(2), entry(3)], WHO)
        assert len(store) == 0
        store.put([entry(2)], WHO)
        assert [row.identity for row in store.stored()] == [WHO]


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_full_disk_is_named_and_what_was_committed_stays(tmp_path):
    path = tmp_path / "s.sqlite"
    code = (
        "import resource, sys\n"
        "from hesperus.asking import ReplyStore\n"
        "from hesperus.asking.store import Entry\n"
        "from hesperus.types import Prompt, Reply, Request\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "with ReplyStore(sys.argv[1]) as store:\n"
        "    for n in range(10_000):\n"
        "        store.put([Entry(f'k{n}', Request('m', Prompt('?' * 500)), Reply('r'))], {})\n"
        "        print(n + 1, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    kept = int(done.stdout.split()[-1])
    assert kept > 10 and "cannot write to the reply store" in done.stderr and "disk" in done.stderr
    assert "full" in done.stderr.splitlines()[-1]
    with ReplyStore(path) as store:
        assert len(store) == kept
        store.put([entry(1)], WHO)


def test_others_read_while_one_writes(tmp_path):
    path = tmp_path / "s.sqlite"
    with ReplyStore(path) as writer, ReplyStore(path) as reader:
        writer.put([entry(1)], WHO)
        writer._connection.execute("BEGIN IMMEDIATE")
        writer._connection.execute("DELETE FROM replies")
        assert reader.find([entry(1).key]) == {entry(1).key: Reply("r1")}
        writer._connection.execute("ROLLBACK")


def test_many_open_one_new_store_at_once(tmp_path):
    code = (
        "import sys; from hesperus.asking import ReplyStore; from hesperus.asking.store import Entry; "
        "from hesperus.types import *; n = sys.argv[2]\n"
        "with ReplyStore(sys.argv[1]) as s: s.put([Entry(n, Request('a/b', Prompt(n)), Reply(n))], {'m': 'x'})"
    )
    path = str(tmp_path / "s.sqlite")
    running = [subprocess.Popen([sys.executable, "-c", code, path, str(n)]) for n in range(4)]
    assert [ends(process) for process in running] == [0] * 4
    with ReplyStore(path) as store:
        assert len(store) == 4


def test_a_turn_is_waited_for_and_leaves_no_trace(tmp_path):
    path, events, notes = tmp_path / "s.sqlite", [], []
    inside, leave = threading.Event(), threading.Event()

    def first():
        with turn(path, WHO, waiting=notes.append):
            inside.set()
            leave.wait(LIMIT)
            events.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(LIMIT)

    def waiting(text):
        notes.append(text)
        leave.set()

    with turn(path, {"model": "another"}, waiting=waiting):
        assert not notes
    with turn(path, WHO, waiting=waiting):
        events.append("second")
    thread.join()
    assert events == ["first", "second"]
    assert notes and "is asking the same model with" in notes[0] and "process " in notes[0]
    assert list(tmp_path.iterdir()) == []


def test_a_turn_can_be_given_up(tmp_path):
    class GivenUp(Exception):
        pass

    def give_up(text):
        raise GivenUp

    path = tmp_path / "s.sqlite"
    with turn(path, WHO, waiting=give_up), pytest.raises(GivenUp), turn(path, WHO, waiting=give_up):
        pass
    with turn(path, WHO, waiting=give_up):
        pass


def test_a_dead_process_holds_no_turn(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from hesperus.asking.turns import turn\n"
        "with turn(Path(sys.argv[1]), {'model': 'b'}, waiting=print): print('in', flush=True); time.sleep(600)"
    )
    path = tmp_path / "s.sqlite"
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "in\n"
    process.kill()
    process.wait()
    process.stdout.close()

    def fail(text):
        raise AssertionError(text)

    with turn(path, WHO, waiting=fail):
        pass


def test_a_turn_needs_a_folder_to_lock_in(tmp_path):
    with (
        pytest.raises(StoreError, match="cannot make the lock file"),
        turn(tmp_path / "no" / "s", WHO, waiting=print),
    ):
        pass


def test_the_last_request_in_flight_is_written_at_once_and_others_wait_for_company(tmp_path):
    async def run() -> list[bool]:
        with ReplyStore(tmp_path / "s.sqlite") as store:
            commits = Committer(store, WHO)
            alone = commits.add(entry(1), in_flight=1)
            early = [alone.done(), len(store) == 1]
            first = commits.add(entry(2), in_flight=2)
            waiting = first.done()
            second = commits.add(entry(3), in_flight=2)
            early += [not waiting, first.done(), second.done(), len(store) == 3]
            late = commits.add(entry(4), in_flight=9)
            early.append(not late.done())
            await asyncio.wait_for(late, LIMIT)
            early.append(len(store) == 4)
            commits.close()
            return early

    assert asyncio.run(run()) == [True] * 8


def test_a_reply_that_could_not_be_written_is_not_lost_on_closing(tmp_path):
    async def run() -> None:
        with ReplyStore(tmp_path / "s.sqlite") as store:
            store._connection.execute(
                "CREATE TRIGGER full BEFORE INSERT ON replies WHEN NEW.reply LIKE '%r3%' "
                "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
            committer = Committer(store, WHO)
            done = committer.add(entry(3), in_flight=1)
            with pytest.raises(StoreError, match="disk is full"):
                await done
            await committer.add(entry(4), in_flight=1)
            with pytest.raises(StoreError, match="disk is full"):
                committer.close()
            assert len(store) == 1

    asyncio.run(run())


def locked(path) -> sqlite3.Connection:
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    return holder


def test_a_file_that_another_process_is_making_is_waited_for(tmp_path):
    path = tmp_path / "busy.sqlite"
    holder = locked(path)
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    started = time.monotonic()
    threading.Timer(0.3, lambda: holder.execute("COMMIT")).start()
    write_ahead(connection)
    assert time.monotonic() - started >= 0.3
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    holder.close()


def test_waiting_ends_and_another_error_is_not_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "busy.sqlite"
    holder = locked(path)
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    monkeypatch.setattr("hesperus.storage.BUSY_SECONDS", 0.3)
    started = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        write_ahead(connection)
    assert time.monotonic() - started >= 0.3
    holder.execute("COMMIT")
    holder.close()
    connection.close()
    monkeypatch.setattr("hesperus.storage.BUSY_SECONDS", 10 * LIMIT)
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("this error is not waited for"))
    other = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        write_ahead(other)
    other.close()
