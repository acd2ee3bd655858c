"""What becomes of requests where a share of all tries is broken in every way, and how much of the rate is left.

The server of `fault_server.py` runs in a process of its own; the same requests are asked with no faults first, for the
rate. Lost: neither a reply nor a named failure. Mixed up: a reply to another request. Again: a question to which a usable
reply was given twice. With `--by-command` a study asks them, whose time-out is that of every user; the rate is then compared
with that of as many requests in flight as are allowed, all the time.

    python benchmarks/faults.py [--requests 20000] [--share 0.3] [--concurrency 64] [--floor 0.7] [--by-command]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from command_usage import usage_of
from fault_server import said_of
from result_rows import keep
from scale import command_of

from hesperus.asking import Policy, ReplyStore, ask
from hesperus.models import ModelOptions, model
from hesperus.types import Failure, Prompt, Reply, Request

HERE = Path(__file__).parent
RATE_FLOOR = 0.7


@dataclass
class Server:
    """A server that runs: its address, and what it did once it has ended."""

    url: str
    told: dict[str, object]


@dataclass
class Outcome:
    """What became of the requests, and the share of the places in flight that were taken."""

    seconds: float
    failed: Counter[str]
    lost: int
    mixed_up: int
    again: int
    tries: int
    taken: float


@contextmanager
def running(share: float, seconds: float) -> Iterator[Server]:
    """A fault server in a process of its own."""
    command = [
        sys.executable,
        str(HERE / "fault_server.py"),
        "--share",
        str(share),
        "--seconds",
        str(seconds),
    ]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    server = Server(process.stdout.readline().strip(), {})
    try:
        yield server
    finally:
        process.stdin.close()
        server.told = json.loads(process.stdout.readline() or "{}")
        process.wait()
        process.stdout.close()


def asked(count: int, share: float, given: argparse.Namespace) -> Outcome:
    """Ask that many questions."""
    requests = [Request("http/m", Prompt(f"question {n}")) for n in range(count)]
    with tempfile.TemporaryDirectory() as folder, ReplyStore(Path(folder) / "s.sqlite") as store:
        with running(share, given.seconds) as server:
            policy = Policy(concurrency=given.concurrency, timeout=given.timeout)
            started = time.monotonic()
            made = model("http/m", ModelOptions(base_url=server.url))
            replies = ask(made, requests, store=store, policy=policy)
            took = time.monotonic() - started
        texts = {row.request.prompt.user: row.reply.text for row in store.stored()}
    right = [
        isinstance(reply, Reply)
        and reply.text == f"you said: {request.prompt.user}" == texts[request.prompt.user]
        for request, reply in zip(requests, replies, strict=True)
    ]
    failed = Counter(reply.kind for reply in replies if isinstance(reply, Failure))
    return Outcome(
        took,
        failed,
        lost=count - len(replies) + sum(reply is None for reply in replies),
        mixed_up=count - sum(right) - failed.total(),
        again=int(str(server.told["again"])),
        tries=int(str(server.told["requests"])),
        taken=float(str(server.told["held"])) / took / given.concurrency,
    )


def by_command(given: argparse.Namespace) -> Outcome:
    """Have the command ask them in a study, to the end."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "study"
        with running(given.share, given.seconds) as server:
            used = usage_of(command_of(server.url, home, given.requests, given.concurrency))
        took = used.seconds
        if used.code not in (0, 3):  # 3: some questions have no reply, and are named
            raise SystemExit(f"hesperus run ended with {used.code}")
        records = pl.read_parquet(home / "run" / "records.parquet", columns=["outcome", "note", "reply"])
        with ReplyStore(home / "replies.sqlite") as store:
            rows = [
                (row.asked_at, row.reply.text == said_of(row.request.prompt.user)) for row in store.stored()
            ]
        kept, wrong = len(rows), sum(not is_right for _, is_right in rows)
        (first, _), (last, _) = rows[kept // 10], rows[8 * kept // 10]
        settled = (8 * kept // 10 - kept // 10) / (last - first)
    failed = records.filter(outcome="error")
    return Outcome(
        took,
        Counter(note.partition(":")[0] for note in failed["note"]),
        lost=given.requests - kept - len(failed),
        mixed_up=wrong + len(records) - len(failed) - records["reply"].n_unique() + int(len(failed) > 0),
        again=int(str(server.told["again"])),
        tries=int(str(server.told["requests"])),
        taken=settled * float(str(server.told["held"])) / kept / given.concurrency,
    )


def main() -> int:
    """Measure, print, and hold the figures to their bounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument(
        "--timeout", type=float, default=2.0, help="seconds after which a try without a reply is given up"
    )
    parser.add_argument(
        "--floor", type=float, default=RATE_FLOOR, help="least share of the rate that must be left"
    )
    parser.add_argument("--by-command", action="store_true", help="as a study, by the command")
    given = parser.parse_args()
    if given.by_command:
        found = by_command(given)
        told(given, found)
        print(f"{found.taken:.0%} of {given.concurrency} places in flight were taken once it had settled")
        is_sound = found.lost == found.mixed_up == found.again == 0 and found.taken >= given.floor
        return 0 if is_sound else 1
    sound = asked(max(500, given.requests // 5), 0.0, given)
    full = max(500, given.requests // 5) / sound.seconds
    found = asked(given.requests, given.share, given)
    tried = found.tries / found.seconds
    print(
        f"no faults: {full:,.0f} tries/s; {given.share:.0%} faults: {tried:,.0f} tries/s, {tried / full:.2f} of it"
    )
    told(given, found)
    keep("rate with faults", tried, "tries/s", peer="the same without faults", ratio=tried / full)
    for name, count in (("lost", found.lost), ("mixed up", found.mixed_up), ("asked again", found.again)):
        keep(name, count, "replies")
    is_sound = found.lost == found.mixed_up == found.again == 0 and tried >= given.floor * full
    return 0 if is_sound else 1


def told(given: argparse.Namespace, found: Outcome) -> None:
    """Print what became of the requests."""
    print(
        f"{given.requests:,} requests in {found.seconds:.1f} s, {found.tries:,} tries, {found.tries / found.seconds:,.0f}/s"
    )
    print(f"lost {found.lost}, mixed up {found.mixed_up}, a usable reply given again {found.again}")
    print(f"named failures {found.failed.total()}: {dict(found.failed)}")


if __name__ == "__main__":
    sys.exit(main())
