"""A loopback chat endpoint that costs as little as possible, in a process of its own, for the benchmarks beside it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvloop

BODY = (
    b'{"id":"x","object":"chat.completion","model":"bench-1","choices":[{"index":0,"message":{"role":"assistant",'
    b'"content":"The sentences mean the same: yes."},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":120,"completion_tokens":9,"total_tokens":129}}'
)
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
    len(BODY),
    BODY,
)


class Answer(asyncio.Protocol):
    """Answers every POST alike, as soon as its body is there."""

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
            self.transport.write(RESPONSE)


async def serve() -> None:
    """Serve until standard input closes, having printed the port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving() -> Iterator[str]:
    """The base URL of a server that ends with the block."""
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


if __name__ == "__main__":
    uvloop.run(serve())
