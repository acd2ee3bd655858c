"""An OpenAI-compatible server on the loopback, in a process of its own, of whose replies a share is broken in every way.

It knows what it gave to whom: the replies that could be used, by question.

    python benchmarks/fault_server.py [--share 0.3] [--seconds 0.05] [--seed 1]

prints its address, and a JSON document with what it did when its standard input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable

from aiohttp import web

Fault = Callable[["FaultServer", web.Request, str], Awaitable[web.StreamResponse]]


class FaultServer:
    """What the server does and did.

    Args:
        share: Share of requests that are broken.
        seconds: How long a sound reply takes, half more or less.
        seed: Of the draws.
    """

    def __init__(self, share: float = 0.3, seconds: float = 0.05, seed: int = 1) -> None:
        self.share, self.seconds, self.rng = share, seconds, random.Random(seed)
        self.usable: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.requests = self.busy = self.busiest = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request, or break it."""
        text = str((await request.json())["messages"][-1]["content"])
        self.requests += 1
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            if self.rng.random() < self.share:
                name = self.rng.choice(list(FAULTS))
                self.faults[name] += 1
                return await FAULTS[name](self, request, text)
            await asyncio.sleep(self.seconds * self.rng.uniform(0.5, 1.5))
            return self.sound(text)
        finally:
            self.busy -= 1

    def sound(self, text: str, **more: object) -> web.Response:
        """A reply that can be used; it says what was asked."""
        self.usable[text] += 1
        return json_response(completion(f"you said: {text}", **more))

    def told(self) -> dict[str, object]:
        """What it did."""
        again = {text: count for text, count in self.usable.items() if count > 1}
        return {
            "requests": self.requests,
            "busiest": self.busiest,
            "usable": len(self.usable),
            "again": len(again),
            "faults": dict(self.faults),
        }


def completion(text: object, **more: object) -> dict[str, object]:
    """The JSON of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage: object = {"prompt_tokens": 7, "completion_tokens": 5}
    return {"model": "m", "choices": [{**choice, **more.pop("choice", {})}], "usage": usage, **more}  # type: ignore[dict-item]


def json_response(document: object, status: int = 200, **headers: str) -> web.Response:
    """JSON as bytes."""
    body = json.dumps(document).encode()
    return web.Response(status=status, body=body, headers={"Content-Type": "application/json", **headers})


def _status(status: int, **headers: str) -> Fault:
    async def fault(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
        return json_response({"error": {"message": "not now"}}, status, **headers)

    return fault


def _bytes(body: bytes, kind: str = "application/json", status: int = 200, **headers: str) -> Fault:
    async def fault(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
        return web.Response(status=status, body=body, headers={"Content-Type": kind, **headers})

    return fault


async def _reset(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _cut(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response


async def _hang(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


async def _slow(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
    await asyncio.sleep(10 * server.seconds)
    return server.sound(text)


async def _odd_usage(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
    return server.sound(text, usage={"prompt_tokens": 2**64 - 1, "completion_tokens": {"a": 1}})


async def _odd_finish(server: FaultServer, request: web.Request, text: str) -> web.StreamResponse:
    return server.sound(text, choice={"finish_reason": {"reason": ["stop"]}})


FAULTS: dict[str, Fault] = {
    "status 429": _status(429),
    "status 429, wait": _status(429, **{"Retry-After": "1"}),
    "status 500": _status(500),
    "status 502": _bytes(b"<html><title>Bad Gateway</title>", "text/html", 502),
    "status 503": _status(503),
    "status 529": _status(529),
    "reset": _reset,
    "cut": _cut,
    "hang": _hang,
    "slow": _slow,
    "nothing": _bytes(b""),
    "broken JSON": _bytes(b'{"choices": [{"mess'),
    "no choice": _bytes(b'{"choices": []}'),
    "null content": _bytes(json.dumps(completion(None)).encode()),
    "no UTF-8": _bytes(b'{"choices": [{"message": {"content": "na\xefve"}}]}'),
    "wrong compression": _bytes(b'{"choices": []}', **{"Content-Encoding": "gzip"}),
    "HTML": _bytes(b"<html><title>Sign in</title>", "text/html"),
    "other text": _bytes(b"upstream connect error", "text/plain"),
    "redirect": _bytes(b"", status=307, Location="http://127.0.0.1:9/v1"),
    "no completion": _bytes(b'{"hello": "world"}'),
    "odd usage": _odd_usage,
    "odd finish": _odd_finish,
}


async def serve(server: FaultServer) -> None:
    """Serve until standard input closes."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handle_signals=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    host, port = runner.addresses[0][:2]
    print(f"http://{host}:{port}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(server.told()), flush=True)
    await runner.cleanup()


def main() -> None:
    """Serve as the flags say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(serve(FaultServer(given.share, given.seconds, given.seed)))


if __name__ == "__main__":
    main()
