"""The explorer over a million records: how long it takes to open, and each kind of page over real HTTP.

Wanted: open within 2 s, any filter within 200 ms, on a machine that does nothing else; each figure is the best of its
rounds, since other work on the machine falls on all alike.

    python benchmarks/explorer.py --items 10000 --models 5 --rounds 5
"""

from __future__ import annotations

import argparse
import http.client
import socket
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import polars as pl
import uvicorn
from result_rows import keep

from hesperus.explorer.server import create_app
from hesperus.explorer.state import OpenRuns
from hesperus.records import Run, conform, read_records, write_records
from hesperus.serving import Address

TAGS = [
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "sv",
    "da",
    "fi",
    "pl",
    "cs",
    "ru",
    "uk",
    "ar",
    "he",
    "hi",
    "th",
    "zh",
    "sw",
]
PATHS = (
    "/", "/items", "/items?right=en&wrong=sw", "/items?lost=sw&group.subject=s3", "/items?anywhere=invalid",
    "/items?differs=de+vs+th", "/items?wrong=sw&at_least=0.9", "/items?text=000123", "/items?sort=-sw", "/items?page=500",
    "/question?of_item=subject/000123",
)  # fmt: skip
QUESTIONS = {
    "ar": "ما هي عاصمة الدولة رقم {}؟",
    "th": "เมืองหลวงของประเทศที่ {} คืออะไร",
    "zh": "第{}个国家的首都是哪里？",
}
"""Texts that are searched for: a question in three scripts without spaces or case, in English in all other languages."""


def simulated(items: int, models: int) -> pl.DataFrame:
    """Choice questions in twenty languages, answered at random, with probabilities."""
    rng = np.random.default_rng(0)
    questions = pl.DataFrame({"number": np.arange(items), "gold": rng.choice(list("ABCD"), items)})
    rows = (
        pl.DataFrame({"model": [f"model/{number}" for number in range(models)]})
        .join(questions, how="cross")
        .join(pl.DataFrame({"input": TAGS}), how="cross")
    )
    return conform(
        rows.select(
            "model", "gold", "input", task=pl.lit("t"), instruction="input",
            item=pl.format("subject/{}", pl.col("number").cast(pl.String).str.zfill(6)),
            subject=pl.format("s{}", pl.col("number") % 57), options=pl.lit(list("ABCD")),
            answer=pl.Series(rng.choice(list("ABCD"), rows.height)), reply=pl.format("The answer to {} is", "number"),
            probs=pl.Series(rng.dirichlet([1] * 4, rows.height).tolist()),
        )
    )  # fmt: skip


def texts(items: int) -> pl.DataFrame:
    """The questions in all languages."""
    numbers = pl.DataFrame({"number": np.arange(items)})
    rows = [
        numbers.select(
            item=pl.format("subject/{}", pl.col("number").cast(pl.String).str.zfill(6)), language=pl.lit(tag), input=pl.lit(tag),
            gold=pl.lit("A"), options=pl.lit(["one", "two", "three", "four"]),
            **{"field:question": pl.format(QUESTIONS.get(tag, "What is the capital of country {}?"), "number")},
        )
        for tag in TAGS
    ]  # fmt: skip
    return pl.concat(rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "records.parquet"
        write_records(simulated(given.items, given.models), file)
        start = time.perf_counter()
        records = read_records(file)
    print(f"{len(records):,} records; read {time.perf_counter() - start:.2f} s")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        app = create_app(
            OpenRuns.of([("big", Run(records, texts(given.items)))]), Address(port=port), "token"
        )
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        _, cookie, _ = asked(port, "/open/token", "")
        first, _, _ = asked(port, "/", cookie)
        print(f"first page {first:.2f} s")
        keep("first page", first, "s")
        # All questions, and one of them, in each script.
        words = [text.partition("{")[0].split()[0] for text in QUESTIONS.values()]
        rare = [text.format(given.items - 1) for text in QUESTIONS.values()]
        for path in (*PATHS, *(f"/items?text={quote(text)}" for text in (*words, *rare))):
            times, sizes = [], 0
            for _ in range(given.rounds):
                seconds, _, sizes = asked(port, path, cookie)
                times.append(seconds)
            keep(path, min(times) * 1000, "ms")
            print(f"{min(times) * 1000:5.0f} ms  {sizes / 1000:5.0f} kB  {unquote(path)}")
        server.should_exit = True
        thread.join()


def asked(port: int, path: str, cookie: str) -> tuple[float, str, int]:
    """Seconds, the cookie that was set, and the size of an answer."""
    start = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (path, answer.status)
    connection.close()
    return time.perf_counter() - start, (answer.getheader("set-cookie") or "").split(";")[0], len(body)


if __name__ == "__main__":
    main()
