"""A loopback chat endpoint that costs as little as possible, in a process of its own, for the benchmarks beside it.

With a latency and a rate it behaves as a provider does: replies take their time, and what goes beyond the rate is refused (429).
What it says may hold ``{}``, in place of which each reply has a number of its own.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import uvloop

SAYS = "The sentences mean the same: yes."
BODY = (
    b'{"id":"x","object":"chat.completion","model":"bench-1","choices":[{"index":0,"message":{"role":"assistant",'
    b'"content":%b},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":120,"completion_tokens":9,"total_tokens":129}}'
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


REFUSAL = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 38\r\n\r\n"
    b'{"error":{"message":"rate limit met"}}'
)


class Bucket:
    """As many requests a second as a provider serves; a tenth of a second may be saved up.

    Args:
        rate: Requests a second; 0 serves all.
    """

    def __init__(self, rate: float) -> None:
        self.rate, self.held, self.at = rate, rate / 10, time.monotonic()

    def takes(self) -> bool:
        """Whether one more request is served now."""
        now = time.monotonic()
        self.held, self.at = min(self.held + (now - self.at) * self.rate, max(self.rate / 10, 1.0)), now
        if self.rate and self.held < 1:
            return False
        self.held -= 1
        return True


class Answer(asyncio.Protocol):
    """Answers every POST alike: as soon as its body is there, or after a while.

    Args:
        latency: Seconds until a reply is sent.
        bucket: What is served at all.
        replies: Whole responses, one after the other.
    """

    def __init__(self, latency: float, bucket: Bucket, replies: Iterator[bytes]) -> None:
        self.latency, self.bucket, self.replies = latency, bucket, replies

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            start = head.find(b"content-length:")
            length = int(head[start + 15 :].split(b"\r\n", 1)[0]) if start >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            self.buffer = self.buffer[end + 4 + length :]
            if not self.bucket.takes():
                self.transport.write(REFUSAL)
            elif self.latency:
                asyncio.get_running_loop().call_later(self.latency, self.transport.write, next(self.replies))
            else:
                self.transport.write(next(self.replies))


def responses(says: str) -> Iterator[bytes]:
    """Responses that say this, without end."""
    before, mark, after = json.dumps(says).partition("{}")
    for number in count():
        body = BODY % f"{before}{number if mark else ''}{after}".encode()
        yield HEAD % len(body) + body


async def serve(latency: float, rate: float, says: str) -> None:
    """Serve until standard input closes, having printed the port."""
    loop = asyncio.get_running_loop()
    bucket, replies = Bucket(rate), responses(says)
    server = await loop.create_server(lambda: Answer(latency, bucket, replies), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving(latency: float = 0.0, rate: float = 0.0, says: str = SAYS) -> Iterator[str]:
    """The base URL of a server that ends with the block.

    Args:
        latency: Seconds that a reply takes.
        rate: Requests a second that are served; 0 serves all.
        says: Text of each reply.
    """
    process = subprocess.Popen(
        [sys.executable, __file__, str(latency), str(rate), says],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


if __name__ == "__main__":
    uvloop.run(serve(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
