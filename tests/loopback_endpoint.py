"""A real OpenAI-compatible server on this machine's loopback, for tests, that misbehaves when told to."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from waiting import LIMIT


@dataclass(frozen=True)
class Say:
    """A completion, after some seconds, and not before an event."""

    text: str | None
    finish: str | None = "stop"
    seconds: float = 0.0
    after: threading.Event | None = None
    message: Mapping[str, Any] = field(default_factory=dict)
    choice: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Send:
    """Any bytes under any status."""

    body: bytes | str | dict[str, Any] | list[Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    seconds: float = 0.0


@dataclass(frozen=True)
class Truncate:
    """A body that ends before its announced length."""


@dataclass(frozen=True)
class Reset:
    """A connection that is cut."""


Action = Say | Send | Truncate | Reset
Behaviour = Callable[[dict[str, Any], int], Action]


def echo(body: dict[str, Any], count: int) -> Action:
    """Says what it was asked, so that every reply can be checked."""
    return Say("you said: " + user_text(body))


def user_text(body: Mapping[str, Any]) -> str:
    """The user's text of a request body."""
    turns = body.get("messages") or body.get("input")
    return str(turns[-1]["content"]) if turns else str(body["prompt"])


class Endpoint:
    """What the server saw, and what it does next.

    Attributes:
        url: Base URL.
        bodies: Request bodies in the order in which they came.
        headers: Request headers, likewise.
        paths: Paths with their queries, likewise.
        busiest: Most requests under way at one time.
        held: Seconds that requests were under way, all together.
    """

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.paths: list[str] = []
        self.busiest, self.held = 0, 0.0
        self._busy = 0

    @property
    def asked(self) -> list[str]:
        """User texts in the order in which they came."""
        return [user_text(body) for body in self.bodies]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self.paths.append(request.path_qs)
        self._busy += 1
        self.busiest = max(self.busiest, self._busy)
        began = time.monotonic()
        try:
            return await self._act(request, body, self.behaviour(body, len(self.bodies)))
        finally:
            self._busy -= 1
            self.held += time.monotonic() - began

    async def _act(self, request: web.Request, body: dict[str, Any], action: Action) -> web.StreamResponse:
        match action:
            case Say():
                await asyncio.sleep(action.seconds)
                while action.after is not None and not action.after.is_set():
                    await asyncio.sleep(0.005)
                return web.json_response(completion(body, action))
            case Send():
                await asyncio.sleep(action.seconds)
                raw = action.body if isinstance(action.body, bytes | str) else json.dumps(action.body)
                raw = raw.encode() if isinstance(raw, str) else raw
                headers = {"Content-Type": action.kind, **action.headers}
                return web.Response(status=action.status, body=raw, headers=headers)
            case Truncate():
                response = web.StreamResponse(headers={"Content-Length": "1000"})
                await response.prepare(request)
                await response.write(b'{"choices": [')
                assert request.transport is not None
                request.transport.close()
                return response
            case Reset():
                assert request.transport is not None
                request.transport.abort()
                return web.Response()


def completion(body: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """The JSON of a chat completion."""
    message = {"role": "assistant", "content": say.text, **say.message}
    counted = {"prompt_tokens": len(user_text(body)), "completion_tokens": len(say.text or "")}
    return {
        "id": "x",
        "object": "chat.completion",
        "model": f"{body['model']}-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": say.finish, **say.choice}],
        "usage": counted if say.usage is None else dict(say.usage),
    }


def free_port() -> int:
    """A port that nobody listens on, below those that systems give away by themselves: nobody else takes it meanwhile."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_000)))
            return int(probe.getsockname()[1])


@contextmanager
def serving(behaviour: Behaviour = echo) -> Iterator[Endpoint]:
    """Serve in a thread until the block ends."""
    endpoint = Endpoint(behaviour)
    app = web.Application()
    app.router.add_post("/v1/{path:.*}", endpoint.handle)
    with served(app) as url:
        endpoint.url = f"{url}/v1"
        yield endpoint


@contextmanager
def served(app: web.Application) -> Iterator[str]:
    """The root of an application that is served in a thread until the block ends."""
    loop = asyncio.new_event_loop()
    ready, done = threading.Event(), asyncio.Event()
    place: list[str] = []

    async def serve() -> None:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handle_signals=False)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        place.append(f"http://{host}:{port}")
        ready.set()
        await done.wait()
        with suppress(asyncio.CancelledError):
            await runner.cleanup()

    def main() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=main, name="loopback-endpoint", daemon=True)
    thread.start()
    assert ready.wait(LIMIT)
    try:
        yield place[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(LIMIT)
