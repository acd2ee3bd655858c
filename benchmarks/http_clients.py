"""CPU and rate of the HTTP clients that are installed, each sending the same chat requests to a loopback server.

The last line is no client but a floor: a bare asyncio protocol that knows nothing of HTTP beyond this one exchange.
CPU is what counts for the choice: it does not depend on how fast the other side is. Rounds go through all clients in
turn, and each figure is the median over rounds.

    python benchmarks/http_clients.py [--requests 2000] [--rounds 3] [--concurrency 64]
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import statistics
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import orjson
import uvloop
from loopback_server import serving
from result_rows import keep

HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer none"}
Run = Callable[[str, int, int], None]


def body(number: int) -> bytes:
    """A request body of usual size."""
    text = f"Do these two sentences have the same meaning? Number {number}. " * 5
    return orjson.dumps(
        {"model": "bench", "messages": [{"role": "user", "content": text}], "max_tokens": 256}
    )


def check(raw: bytes) -> None:
    """Read the reply, as every client must."""
    assert orjson.loads(raw)["choices"][0]["message"]["content"]


def workers(count: int, concurrency: int, send: Callable[[bytes], Coroutine[Any, Any, bytes]]) -> Any:
    """Coroutine that sends all bodies, so many at a time."""
    numbers: Iterator[int] = iter(range(count))

    async def work() -> None:
        for number in numbers:
            check(await send(body(number)))

    return asyncio.gather(*(work() for _ in range(concurrency)))


def use_aiohttp(url: str, count: int, concurrency: int) -> None:
    import aiohttp

    async def main() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=HEADERS) as session:

            async def send(data: bytes) -> bytes:
                async with session.post(f"{url}/chat/completions", data=data) as response:
                    return await response.read()

            await workers(count, concurrency, send)

    uvloop.run(main())


def use_transport(url: str, count: int, concurrency: int) -> None:
    """aiohttp as hesperus uses it: its pool and its parser, and a head that is written once."""
    from hesperus.models.transport import Transport

    async def main() -> None:
        transport = Transport(url, HEADERS)
        await transport.open()

        async def send(data: bytes) -> bytes:
            return (await transport.post("/chat/completions", data)).body

        await workers(count, concurrency, send)
        await transport.close()

    uvloop.run(main())


def use_httpx(name: str) -> Run:
    def run(url: str, count: int, concurrency: int) -> None:
        httpx = import_module(name)

        async def main() -> None:
            limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
            async with httpx.AsyncClient(
                limits=limits, headers=HEADERS, timeout=60, trust_env=False
            ) as client:

                async def send(data: bytes) -> bytes:
                    content: bytes = (await client.post(f"{url}/chat/completions", content=data)).content
                    return content

                await workers(count, concurrency, send)

        uvloop.run(main())

    return run


def use_niquests(url: str, count: int, concurrency: int) -> None:
    niquests = import_module("niquests")

    async def main() -> None:
        async with niquests.AsyncSession(pool_maxsize=concurrency) as session:

            async def send(data: bytes) -> bytes:
                response = await session.post(f"{url}/chat/completions", data=data, headers=HEADERS)
                content: bytes = response.content
                return content

            await workers(count, concurrency, send)

    uvloop.run(main())


def use_urllib3(url: str, count: int, concurrency: int) -> None:
    pool = import_module("urllib3").PoolManager(maxsize=concurrency, headers=HEADERS)

    def send(number: int) -> None:
        check(pool.request("POST", f"{url}/chat/completions", body=body(number)).data)

    with ThreadPoolExecutor(min(concurrency, 16)) as threads:
        list(threads.map(send, range(count)))
    pool.clear()


def use_http_client(url: str, count: int, concurrency: int) -> None:
    address = urlsplit(url)

    def work(numbers: Iterator[int]) -> None:
        connection = http.client.HTTPConnection(address.netloc)
        for number in numbers:
            connection.request("POST", f"{address.path}/chat/completions", body(number), HEADERS)
            check(connection.getresponse().read())
        connection.close()

    lanes = min(concurrency, 16)
    with ThreadPoolExecutor(lanes) as threads:
        list(threads.map(work, [iter(range(lane, count, lanes)) for lane in range(lanes)]))


class Exchange(asyncio.Protocol):
    """One request after another on one connection; assumes that every reply comes in one piece."""

    def __init__(self, head: bytes, numbers: Iterator[int], done: asyncio.Future[None]) -> None:
        self.head, self.numbers, self.done = head, numbers, done

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        number = next(self.numbers, None)
        if number is None:
            self.transport.close()
            self.done.set_result(None)
            return
        data = body(number)
        self.transport.write(self.head % len(data) + data)

    def data_received(self, data: bytes) -> None:
        check(data.partition(b"\r\n\r\n")[2])
        self.send()


def use_bare_protocol(url: str, count: int, concurrency: int) -> None:
    address = urlsplit(url)
    head = (
        f"POST {address.path}/chat/completions HTTP/1.1\r\nHost: {address.netloc}\r\n"
        + "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
        + "Content-Length: %d\r\n\r\n"
    ).encode()

    async def main() -> None:
        loop, numbers = asyncio.get_running_loop(), iter(range(count))
        waits = [loop.create_future() for _ in range(concurrency)]
        for done in waits:
            await loop.create_connection(
                lambda done=done: Exchange(head, numbers, done),  # type: ignore[misc]
                str(address.hostname),
                address.port or 80,
            )
        await asyncio.gather(*waits)

    uvloop.run(main())


CLIENTS: dict[str, tuple[str | None, Run]] = {
    "aiohttp": ("aiohttp", use_aiohttp),
    "aiohttp, as hesperus uses it": ("aiohttp", use_transport),
    "httpx": ("httpx", use_httpx("httpx")),
    "httpx2": ("httpx2", use_httpx("httpx2")),
    "niquests": ("niquests", use_niquests),
    "urllib3 (16 threads)": ("urllib3", use_urllib3),
    "http.client (16 threads)": (None, use_http_client),
    "bare asyncio protocol": (None, use_bare_protocol),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=64)
    chosen = parser.parse_args()
    present = {name: run for name, (package, run) in CLIENTS.items() if package is None or find_spec(package)}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in present}
    with serving() as url:
        for run in present.values():
            run(url, 100, chosen.concurrency)
        for _ in range(chosen.rounds):
            for name, run in present.items():
                wall, cpu = time.perf_counter(), time.process_time()
                run(url, chosen.requests, chosen.concurrency)
                taken[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    rows = {
        name: {
            "version": version(package) if (package := CLIENTS[name][0]) else None,
            "cpu_ms_per_request": round(1000 * statistics.median(c for _, c in figures) / chosen.requests, 4),
            "requests_per_second": round(chosen.requests / statistics.median(w for w, _ in figures), 1),
        }
        for name, figures in taken.items()
    }
    for name in CLIENTS:
        taken_by = rows.get(name, {}).get("cpu_ms_per_request")
        keep(name, taken_by, "ms CPU a request" if taken_by is not None else "not installed")
    print(json.dumps({"benchmark": "http_clients", "requests": chosen.requests, "clients": rows}, indent=2))


if __name__ == "__main__":
    main()
