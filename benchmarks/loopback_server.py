"""A loopback chat endpoint that costs as little as possible, in a process of its own, for the benchmarks beside it.

With a latency and a rate it behaves as a provider does: replies take their time, and what goes beyond the rate is refused (429).
One in so many replies may take far longer than the rest. What it says may hold ``{}``, in place of which each reply has a number of its own.
"""

from __future__ import annotations

import asyncio
import json
import random
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
        slow: One in how many replies is slow, 0 for none, and the seconds that it takes.
    """

    def __init__(
        self, latency: float, bucket: Bucket, replies: Iterator[bytes], slow: tuple[int, float]
    ) -> None:
        self.latency, self.bucket, self.replies = latency, bucket, replies
        self.one_in, self.seconds = slow

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
            else:
                self.reply()

    def reply(self) -> None:
        """Send the next reply, at once or later."""
        is_slow = self.one_in and random.random() < 1 / self.one_in
        seconds = self.seconds if is_slow else self.latency
        if seconds:
            asyncio.get_running_loop().call_later(seconds, self.transport.write, next(self.replies))
        else:
            self.transport.write(next(self.replies))


def responses(says: str) -> Iterator[bytes]:
    """Responses that say this, without end."""
    before, mark, after = json.dumps(says).partition("{}")
    for number in count():
        body = BODY % f"{before}{number if mark else ''}{after}".encode()
        yield HEAD % len(body) + body


async def serve(latency: float, rate: float, says: str, slow: tuple[int, float]) -> None:
    """Serve until standard input closes, having printed the port."""
    loop = asyncio.get_running_loop()
    bucket, replies = Bucket(rate), responses(says)
    server = await loop.create_server(lambda: Answer(latency, bucket, replies, slow), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving(
    latency: float = 0.0, rate: float = 0.0, says: str = SAYS, slow: tuple[int, float] = (0, 0.0)
) -> Iterator[str]:
    """The base URL of a server that ends with the block.

    Args:
        latency: Seconds that a reply takes.
        rate: Requests a second that are served; 0 serves all.
        says: Text of each reply.
        slow: One in how many replies is slow, 0 for none, and the seconds that it takes.
    """
    process = subprocess.Popen(
        [sys.executable, __file__, str(latency), str(rate), says, *map(str, slow)],
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
    _, latency, rate, says, one_in, seconds = sys.argv
    uvloop.run(serve(float(latency), float(rate), says, (int(one_in), float(seconds))))
