"""Processes that are killed, interrupted, or run side by side, against a real server and a real store."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from hesperus.asking import Policy, Progress, ReplyStore, ask
from hesperus.asking.turns import turn
from hesperus.errors import StoreError
from hesperus.models import ModelOptions, model
from hesperus.types import Prompt, Request
from loopback_endpoint import Endpoint, Say, echo, serving, user_text
from own_process import Started, forked, tell
from waiting import last_words, until

CONCURRENCY = 8
KILLS = 3


def asking(url: str, store: Path, out: Path, count: int) -> None:
    """Ask an endpoint, and write what it said; each note goes to standard output."""
    asked = model("http/m", ModelOptions(base_url=url))
    requests = [Request(asked.name, Prompt(f"q{n}")) for n in range(count)]

    def told(state: Progress) -> None:
        if state.note:
            tell(state.note)

    with ReplyStore(store) as opened:
        replies = ask(asked, requests, store=opened, policy=Policy(concurrency=CONCURRENCY), progress=told)
    rows = [[reply.text, reply.finish, reply.tokens_in] for reply in replies]
    out.write_text(json.dumps(rows), encoding="utf-8")


def child(endpoint: Endpoint, store: Path, out: Path, count: int) -> Started:
    return forked(asking, endpoint.url, store, out, count)


def is_stopping(process: Started) -> bool:
    """Waits for its next note; whether it is that the process stops."""
    return process.stdout.readline().startswith("stopping")


def stored_prompts(path: Path) -> set[str]:
    with ReplyStore(path) as store:
        return {row.request.prompt.user for row in store.stored()}


def test_a_run_killed_three_times_is_the_run_that_was_not(tmp_path):
    count, rng = 300, random.Random(42)

    def slow_echo(body, number):
        return Say("you said: " + user_text(body), seconds=rng.uniform(0.002, 0.02))

    with serving(slow_echo) as endpoint:
        undisturbed = tmp_path / "undisturbed.json"
        assert last_words(child(endpoint, tmp_path / "u.sqlite", undisturbed, count)) == ""
        assert Counter(endpoint.asked) == {f"q{n}": 1 for n in range(count)}

        endpoint.bodies.clear()
        store, out = tmp_path / "k.sqlite", tmp_path / "killed.json"
        for _ in range(KILLS):
            seen = len(endpoint.bodies)
            process = child(endpoint, store, out, count)
            more = rng.randint(1, count // (KILLS + 2))
            until(lambda more=more, seen=seen: len(endpoint.bodies) >= seen + more, running=process)
            time.sleep(rng.uniform(0, 0.02))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            before, kept = Counter(endpoint.asked), stored_prompts(store)
            assert len(before) - len(kept) <= CONCURRENCY  # lost: at most what was in flight
            final = {prompt: before[prompt] for prompt in kept}
        assert last_words(child(endpoint, store, out, count)) == ""
        asked = Counter(endpoint.asked)

    assert out.read_bytes() == undisturbed.read_bytes()
    assert set(asked) == {f"q{n}" for n in range(count)}
    assert all(asked[prompt] == times for prompt, times in final.items())  # what is kept is not asked again
    assert sum(asked.values()) - count <= KILLS * CONCURRENCY
    assert sum(asked.values()) > count or KILLS == 0


def test_two_processes_with_one_store_ask_everything_once(tmp_path):
    count, outs = 120, [tmp_path / "a.json", tmp_path / "b.json"]
    with serving(lambda body, _: Say(user_text(body), seconds=0.01)) as endpoint:
        running = [child(endpoint, tmp_path / "s.sqlite", out, count) for out in outs]
        said = [last_words(process) for process in running]
        assert all(not text or text.startswith("waiting for ") for text in said), said
        assert Counter(endpoint.asked) == {f"q{n}": 1 for n in range(count)}
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert [path.name for path in tmp_path.glob("*.lock")] == []


def test_an_interrupt_keeps_what_is_in_flight(tmp_path):
    has_stopped = threading.Event()
    with serving(lambda body, _: Say(user_text(body), after=has_stopped)) as endpoint:
        process = child(endpoint, tmp_path / "s.sqlite", tmp_path / "o.json", 500)
        until(lambda: len(endpoint.bodies) == CONCURRENCY, running=process)
        process.send_signal(signal.SIGINT)
        assert is_stopping(process)
        has_stopped.set()
        assert "KeyboardInterrupt" in last_words(process)
        assert stored_prompts(tmp_path / "s.sqlite") == set(endpoint.asked)
        assert len(endpoint.bodies) == CONCURRENCY
    assert not (tmp_path / "o.json").exists()


def test_a_second_interrupt_ends_it_at_once_and_keeps_what_has_come(tmp_path):
    def behave(body, number):
        return echo(body, number) if number <= 3 else Say("never", after=threading.Event())

    store = tmp_path / "s.sqlite"
    with serving(behave) as endpoint:
        process = child(endpoint, store, tmp_path / "o.json", 500)
        until(lambda: store.exists() and len(stored_prompts(store)) == 3, running=process)
        process.send_signal(signal.SIGINT)
        assert is_stopping(process)
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in last_words(process)
        assert stored_prompts(store) == set(endpoint.asked[:3])


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_the_same_results_come_out_in_any_order_of_replies(tmp_path, seconds):
    rng = random.Random(7)
    with serving(lambda body, _: Say(user_text(body), seconds=rng.uniform(0, seconds))) as endpoint:
        assert last_words(child(endpoint, tmp_path / "s.sqlite", tmp_path / "o.json", 100)) == ""
    replies = json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))
    assert [text for text, *_ in replies] == [f"q{n}" for n in range(100)]


def test_a_file_system_without_locks_is_a_clear_error(tmp_path, monkeypatch):
    def no_locks(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", no_locks)
    with (
        pytest.raises(StoreError, match=r"cannot lock .*No locks available.*--store"),
        turn(tmp_path / "s.sqlite", {}, waiting=lambda _: None),
    ):
        pass
