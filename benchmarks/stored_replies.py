"""What the reply store takes: requests keyed, replies written in groups, looked up in random order, and memory that stays flat.

python benchmarks/stored_replies.py [--replies 1000000] [--group 64] [--at-once 16384]
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from result_rows import keep

from hesperus.asking import ReplyStore
from hesperus.asking.keys import key_maker
from hesperus.asking.store import Entry
from hesperus.types import Prompt, Reply, Request

IDENTITY = {"protocol": "openai-chat", "base_url": "http://127.0.0.1:9/v1", "model": "bench"}
CEILING = 60.0
"""Seconds of the processor for a million replies keyed, written and looked up."""


def request(number: int) -> Request:
    """One question of usual length."""
    return Request(
        "http/bench", Prompt(f"{number} people took part in a study of four years. {'How many? ' * 20}")
    )


def written(store: ReplyStore, count: int, group: int) -> None:
    """Write replies as a run does, which knows its keys."""
    key_of = key_maker(IDENTITY)
    reply = Reply("B", "stop", None, 120, 1, "bench-1")
    for start in range(0, count, group):
        asked = [request(number) for number in range(start, min(start + group, count))]
        store.put([Entry(key_of(one), one, reply) for one in asked], IDENTITY)


def found(store: ReplyStore, count: int, at_once: int) -> int:
    """Look all up in random order, some at a time; how many there are."""
    key_of, numbers = key_maker(IDENTITY), random.Random(0).sample(range(count), count)
    parts: Iterator[list[int]] = (numbers[start : start + at_once] for start in range(0, count, at_once))
    return sum(len(store.find([key_of(request(number)) for number in part])) for part in parts)


def taken(name: str, work: Callable[[], object], count: int) -> float:
    """Seconds of the processor that some work takes; printed by the reply, with the peak of memory so far."""
    began, clock = time.process_time(), time.perf_counter()
    work()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    keep(f"{name}, {count:,} replies", 1e6 * seconds / count, "µs CPU a reply")
    print(
        f"{name}: {1e6 * seconds / count:.1f} µs CPU a reply, {time.perf_counter() - clock:.1f} s, peak {peak:.0f} MB",
        flush=True,
    )
    return seconds


def main() -> int:
    """Measure, print, and hold the figure to its bound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replies", type=int, default=1_000_000)
    parser.add_argument("--group", type=int, default=64, help="replies that share a commit")
    parser.add_argument("--at-once", type=int, default=16_384, help="replies that are looked up at a time")
    given = parser.parse_args()
    count = given.replies
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.sqlite"
        with ReplyStore(path) as store:
            seconds = taken("keyed and written", lambda: written(store, count, given.group), count)
        with ReplyStore(path) as store:
            there: list[int] = []
            seconds += taken(
                "keyed and looked up", lambda: there.append(found(store, count, given.at_once)), count
            )
            if there != [count]:
                raise SystemExit("replies are missing")
        print(f"{path.stat().st_size / count:.0f} bytes a reply")
    return int(seconds > CEILING * count / 1e6)


if __name__ == "__main__":
    sys.exit(main())
