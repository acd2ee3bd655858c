"""Shards by the command, each a process of its own, killed and gone on with."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections import Counter

import hesperus as hs
from hesperus.asking import ReplyStore
from loopback_endpoint import Say, serving, user_text

KILLS, CONCURRENCY = 2, 4


def command(endpoint, folder, *words):
    """The command in a process of its own."""
    flags = ["run", "multisense", "--task", "atlas", "--model", "http/m", "--base-url", endpoint.url, "--target", "de",
             "--limit", "15", "--concurrency", str(CONCURRENCY), "--out", str(folder), "--quiet", *words]  # fmt: skip
    return subprocess.Popen([sys.executable, "-m", "hesperus", *flags], stderr=subprocess.PIPE, text=True)


def end_of(process):
    """Exit code and standard error of a process that ends by itself."""
    said = process.communicate(timeout=120)[1]
    return process.returncode, said


def test_shards_that_are_killed_ask_nothing_twice_at_an_endpoint_that_never_says_the_same(tmp_path, until):
    folder, numbers = tmp_path / "run", itertools.count()

    def behave(body, _):
        text, number = user_text(body), next(numbers)
        made = f"Wort {number}" if len(text) < 75 else f"Dies hier ist auf Deutsch die Frage {number}?"
        if "answer with" in text and not text.startswith("Answer"):
            made = f'Antworte bitte mit "A", "B", "C" oder "D" ({number}).'
        return Say(made, seconds=0.01)

    with serving(behave) as endpoint:
        code, said = end_of(command(endpoint, folder, "--shard", "0/2"))
        assert code == 0, said
        for _ in range(KILLS):
            seen = len(endpoint.bodies)
            process = command(endpoint, folder, "--shard", "1/2")
            until(lambda seen=seen: len(endpoint.bodies) >= seen + 6)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        both = [command(endpoint, folder, "--shard", f"{number}/2") for number in (1, 2)]
        assert [code for code, _ in map(end_of, both)] == [0, 0]
        asked = Counter(endpoint.asked)
        assert hs.merge(tmp_path / "run.shards").is_whole
        code, said = end_of(command(endpoint, folder, "--max-requests", "0"))
        assert code == 0, said
        assert Counter(endpoint.asked) == asked, "the last run asks nothing"
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        kept = Counter(row.request.prompt.user for row in store.stored())
    assert kept <= asked and sum((asked - kept).values()) <= KILLS * CONCURRENCY
