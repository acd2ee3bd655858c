"""The rating page in a real Chromium, rated by keys and clicks; and its server as a real process that can be killed."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from hesperus.annotation import RatingStore, create_app
from hesperus.serving import Address
from reports.headless_chromium import Page, chromium_page

__all__ = [
    "Page", "Server", "chromium_page", "free_port", "killable", "press", "pressed", "saved", "served",
    "show", "until",
]  # fmt: skip

CODES = {
    "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Escape": 27, "Tab": 9, " ": 32,
}  # fmt: skip


async def press(page: Page, *keys: str) -> None:
    """Press keys as a keyboard does."""
    for key in keys:
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        code = CODES.get(key) or ord(key.upper())
        shared = {"key": key, "windowsVirtualKeyCode": code, "code": key if len(key) > 1 else ""}
        await page.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        await page.call("Input.dispatchKeyEvent", type="keyUp", **shared)


async def until(page: Page, expression: str, seconds: float = 30) -> None:
    """Wait until an expression holds in the page."""
    end = time.monotonic() + seconds
    while not await page.holds(expression):
        if time.monotonic() > end:
            seen = await page.evaluate("document.body.innerText.slice(0, 600)")
            raise TimeoutError(f"never true: {expression}\n{seen}\n{page.messages}")
        await asyncio.sleep(0.05)


async def show(page: Page, url: str, *, width: int = 1200, scheme: str = "light") -> None:
    """Open the page and wait until its first item, or what stands in its place, is there."""
    await page.open(url, width=width, scheme=scheme)
    await until(page, "document.querySelector('#main h2, #main p')")


async def saved(page: Page) -> None:
    """Wait until the page says that everything is saved."""
    await until(page, "document.querySelector('#saved').dataset.state === 'saved'")


async def pressed(page: Page) -> list[str]:
    """The answers that are marked as given, in the order of the questions."""
    found: Any = await page.evaluate(
        "[...document.querySelectorAll('.choice[aria-pressed=true]')].map(b => b.dataset.value || b.dataset.state)"
    )
    return list(found)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`hesperus annotate serve` as a process."""

    def __init__(self, store: Path, port: int) -> None:
        self.store, self.port = store, port
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [
            sys.executable,
            "-m",
            "hesperus",
            "annotate",
            "serve",
            str(self.store),
            "--port",
            str(self.port),
        ]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5)
            except urllib.error.HTTPError:
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError("the server ended") from None
                time.sleep(0.05)
        raise TimeoutError("the server did not answer within a minute")

    def kill(self) -> None:
        """SIGKILL: no time to save anything."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def killable(store: Path) -> Iterator[Server]:
    """A running process, killed afterwards."""
    server = Server(store, free_port())
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def served(path: Path) -> Iterator[int]:
    """The same application on a real socket, in a thread of this process, which starts at once; gives its port."""
    port = free_port()
    with RatingStore(path) as store:
        config = uvicorn.Config(
            create_app(store, Address(port=port)), port=port, access_log=False, log_level="error", lifespan="off",
            server_header=False,
        )  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.01)
            yield port
        finally:
            server.should_exit = True
            thread.join()
