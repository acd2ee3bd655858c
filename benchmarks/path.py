"""Rate and CPU of a run through hesperus, beside a bare client in the same run.

The whole path: render the prompt, key the request, look it up, ask it, commit the reply, read the answer, write the
records. `asking` is the part of it from the request to the committed reply. The bare client: the same number of prompts
through one aiohttp session on uvloop, each reply decoded. Rounds alternate, and each figure is the median over rounds,
so that other work on the machine falls on all. The whole path is measured for four kinds of replies: one that is read at once, the
same each time, as models answer closed questions mostly; one that is read at once, each in words of its own; one without an answer,
each in words of its own; and one of 600 words that ends with the answer.

    python benchmarks/path.py [--requests 4000] [--rounds 5] [--concurrency 64]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import orjson
import uvloop
from loopback_server import serving
from result_rows import keep

from hesperus.answers import read, reader_for
from hesperus.asking import Policy, ReplyStore, ask
from hesperus.cli.app import OBJECTS_BETWEEN_COLLECTIONS
from hesperus.models import ModelOptions, model
from hesperus.records import records_frame, write_records
from hesperus.senses import render
from hesperus.tasks import task
from hesperus.types import Item, Prompt, Record, Reply, Request

MODEL = "http/bench"
PAWS = task("paws-x")
INSTRUCTION = PAWS.instruction("en")
READER = reader_for(PAWS.form, "en", answers=INSTRUCTION.answers)
FIRST = (
    "{} people took part in the study, which was led by a team from three universities and lasted four years."
)
SECOND = "Three universities led a study of four years, in which {} people took part."
OWN_WORDS = "For these {} people the sentences mean the same: yes."
UNREAD = (
    "That is hard to tell, since {} of these people may have moved away before the study came to its end."
)
LONG = f"{'Let us look at both sentences, one after the other, and at each of their words. ' * 40}The answer is yes."
RATE_FLOOR, CPU_FLOOR = 1 / 3, 0.15


def item(number: int) -> Item:
    """One pair of sentences of usual length."""
    one, two = (PAWS.fields[0], PAWS.fields[1])
    return Item(str(number), "en", {one: FIRST.format(number), two: SECOND.format(number)}, gold="same")


def prompt(number: int) -> str:
    """What is sent for it."""
    return render(PAWS.layout, INSTRUCTION, item(number))


def bare(url: str, prompts: Sequence[str], concurrency: int) -> None:
    """The least that a client must do."""

    async def main() -> None:
        left = iter(prompts)

        async def work(session: aiohttp.ClientSession) -> None:
            for text in left:
                body = {
                    "model": "bench",
                    "messages": [{"role": "user", "content": text}],
                    "temperature": 0.25,
                    "max_tokens": 256,
                }
                async with session.post(f"{url}/chat/completions", data=orjson.dumps(body)) as response:
                    orjson.loads(await response.read())["choices"][0]["message"]["content"]

        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:
            await asyncio.gather(*(work(session) for _ in range(concurrency)))

    uvloop.run(main())


def asking(url: str, prompts: Sequence[str], concurrency: int) -> None:
    """From the request to the committed reply, with a fresh store."""
    with tempfile.TemporaryDirectory() as folder:
        replies_to(prompts, url, concurrency, Path(folder))


def whole(url: str, prompts: Sequence[str], concurrency: int) -> None:
    """The whole path, with a fresh store."""
    with tempfile.TemporaryDirectory() as folder:
        items = [item(number) for number in range(len(prompts))]
        texts = [render(PAWS.layout, INSTRUCTION, one) for one in items]
        replies = replies_to(texts, url, concurrency, Path(folder))
        records = []
        for one, reply in zip(items, replies, strict=True):
            answer = read(READER, reply)
            records.append(
                Record(
                    MODEL, PAWS.name, one.id, "en", "en", 1, answer.outcome, answer.label, one.gold, None, None,
                    reply.text,
                )
            )  # fmt: skip
        write_records(records_frame(records), Path(folder) / "records.parquet")


def replies_to(texts: Sequence[str], url: str, concurrency: int, folder: Path) -> list[Reply]:
    """Ask, and accept nothing but replies."""
    bench = model(MODEL, ModelOptions(base_url=url))
    requests = [Request(bench.name, Prompt(text)) for text in texts]
    with ReplyStore(folder / "replies.sqlite") as store:
        replies = ask(bench, requests, store=store, policy=Policy(concurrency=concurrency))
    good = [reply for reply in replies if isinstance(reply, Reply)]
    if len(good) < len(replies):
        raise SystemExit(f"{len(replies) - len(good)} requests failed")
    return good


def measure(run: object, *arguments: object) -> tuple[float, float]:
    """Seconds of wall clock and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    run(*arguments)  # type: ignore[operator]
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=64)
    chosen = parser.parse_args()
    count = chosen.requests
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)  # as the command does
    prompts = [prompt(number) for number in range(count)]
    with (
        serving() as url, serving(says=OWN_WORDS) as own, serving(says=UNREAD) as unread, serving(says=LONG) as long,
    ):  # fmt: skip
        runs = {"bare": (bare, url), "asking": (asking, url), "whole": (whole, url)}
        runs |= {"own words": (whole, own), "invalid": (whole, unread), "long": (whole, long)}
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        for run, address in runs.values():  # warm-up: imports, connections, page cache
            run(address, prompts[:200], chosen.concurrency)
        for _ in range(chosen.rounds):
            for name, (run, address) in runs.items():
                figures[name].append(measure(run, address, prompts, chosen.concurrency))
    rows = {
        name: {
            "requests_per_second": round(count / statistics.median(wall for wall, _ in taken), 1),
            "cpu_ms_per_request": round(1000 * statistics.median(cpu for _, cpu in taken) / count, 4),
        }
        for name, taken in figures.items()
    }
    ratio = statistics.median(b / h for (b, _), (h, _) in zip(figures["bare"], figures["whole"], strict=True))
    ok = ratio >= RATE_FLOOR and rows["whole"]["cpu_ms_per_request"] <= CPU_FLOOR
    report = {
        "benchmark": "path",
        "requests": count,
        "rounds": chosen.rounds,
        "concurrency": chosen.concurrency,
        **rows,
        "rate_ratio": round(ratio, 3),
        "cpu_ratio": {
            name: round(rows[name]["cpu_ms_per_request"] / rows["bare"]["cpu_ms_per_request"], 2)
            for name in list(rows)[1:]
        },
        "floor": {"rate_ratio": round(RATE_FLOOR, 3), "cpu_ms_per_request": CPU_FLOOR},
        "reached": ok,
    }
    for name in list(rows)[1:]:
        keep(
            f"{name} path", rows[name]["cpu_ms_per_request"], "ms CPU a request", peer="aiohttp, bare",
            ratio=rows[name]["cpu_ms_per_request"] / rows["bare"]["cpu_ms_per_request"],
        )  # fmt: skip
    print(json.dumps(report, indent=2))
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
