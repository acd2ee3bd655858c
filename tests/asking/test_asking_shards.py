"""Shards by the command, each a process of its own, killed and gone on with."""

from __future__ import annotations

import itertools
import signal
from collections import Counter

import pytest

import hesperus as hs
from command_line import hesperus
from hesperus.asking import ReplyStore
from hesperus.asking.shards import Shard, ShardNote, ShardResult
from hesperus.errors import UsageError
from loopback_endpoint import Say, serving, user_text
from own_process import started
from waiting import last_words, until

KILLS, CONCURRENCY = 1, 4


def words_of(endpoint, folder, *words):
    """The words of the command."""
    return ["run", "multisense", "--task", "atlas", "--model", "http/m", "--base-url", endpoint.url, "--target", "de",
            "--limit", "15", "--concurrency", str(CONCURRENCY), "--out", str(folder), "--quiet", *words]  # fmt: skip


def end_of(process):
    """Exit code and standard error of a process that ends by itself."""
    said = last_words(process)
    return process.returncode, said


def test_shards_that_are_killed_ask_nothing_twice_at_an_endpoint_that_never_says_the_same(tmp_path):
    folder, numbers = tmp_path / "run", itertools.count()

    def behave(body, _):
        text, number = user_text(body), next(numbers)
        made = f"Wort {number}" if len(text) < 75 else f"Dies hier ist auf Deutsch die Frage {number}?"
        if "answer with" in text and not text.startswith("Answer"):
            made = f'Antworte bitte mit "A", "B", "C" oder "D" ({number}).'
        return Say(made, seconds=0.01)

    with serving(behave) as endpoint:
        done = hesperus(*words_of(endpoint, folder, "--shard", "0/2"))
        assert done.returncode == 0, done.stderr
        for _ in range(KILLS):
            seen = len(endpoint.bodies)
            process = started(*words_of(endpoint, folder, "--shard", "1/2"))
            until(lambda seen=seen: len(endpoint.bodies) >= seen + 18, running=process)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        both = [started(*words_of(endpoint, folder, "--shard", f"{number}/2")) for number in (1, 2)]
        assert [code for code, _ in map(end_of, both)] == [0, 0]
        asked = Counter(endpoint.asked)
        assert hs.merge(tmp_path / "run.shards").is_whole
        done = hesperus(*words_of(endpoint, folder, "--max-requests", "0"))
        assert done.returncode == 0, done.stderr
        assert Counter(endpoint.asked) == asked, "the last run asks nothing"
    with ReplyStore(tmp_path / "replies.sqlite") as store:
        kept = Counter(row.request.prompt.user for row in store.stored())
    assert kept <= asked and sum((asked - kept).values()) <= KILLS * CONCURRENCY


def test_shards_are_numbered_from_the_common_one():
    common, last = Shard.parse("0/4"), Shard.parse(" 4/4 ")
    assert common.is_common and not last.is_common and (str(common), str(last)) == ("0/4", "4/4")
    for text in ("5/4", "0/0", "-1/4", "1", "1/", "one/4"):
        with pytest.raises(UsageError, match="write I/N"):
            Shard.parse(text)


def test_items_are_dealt_alike_by_every_version():
    texts = {f"i{n}": [f"text {n}"] for n in range(12)}
    dealt = [Shard(number, 3).items(texts) for number in (1, 2, 3)]
    assert dealt == [{"i2", "i3", "i6", "i10"}, {"i0", "i7", "i9", "i11"}, {"i1", "i4", "i5", "i8"}]


def test_what_a_shard_leaves_says_what_comes_next(tmp_path):
    def told(number, **more):
        note = ShardNote("s", "run", Shard(number, 2), **more)
        assert ShardNote.from_json(note.to_json()) == note
        return str(ShardResult(note, tmp_path / "one.sqlite", tmp_path / "run.shards"))

    assert "next: --shard 1/2 to 2/2" in told(0, is_finished=True)
    assert "3 requests got no reply; run it again" in told(0, is_finished=False, failed=3)
    assert "hesperus merge" in told(2, is_finished=True)
