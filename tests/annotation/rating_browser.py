"""The rating page in a real Chromium, rated by keys and clicks; and its server as a real process that can be killed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from hesperus.annotation import RatingStore, create_app
from hesperus.serving import Address
from loopback_endpoint import free_port
from own_process import Started, started
from reports.headless_chromium import Page
from waiting import answers_at, until

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


async def show(page: Page, url: str, *, width: int = 1200, scheme: str = "light") -> None:
    """Open the page and wait until its first item, or what stands in its place, is there."""
    await page.open(url, width=width, scheme=scheme)
    await page.until("document.querySelector('#main h2, #main p')")


async def saved(page: Page) -> None:
    """Wait until the page says that everything is saved."""
    await page.until("document.querySelector('#saved').dataset.state === 'saved'")


async def pressed(page: Page) -> list[str]:
    """The answers that are marked as given, in the order of the questions."""
    found: Any = await page.evaluate(
        "[...document.querySelectorAll('.choice[aria-pressed=true]')].map(b => b.dataset.value || b.dataset.state)"
    )
    return list(found)


class Server:
    """`hesperus annotate serve` as a process."""

    def __init__(self, store: Path, port: int) -> None:
        self.store, self.port = store, port
        self.process: Started | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = started("annotate", "serve", self.store, "--port", self.port)
        until(lambda: answers_at(f"http://127.0.0.1:{self.port}/"), running=self.process)

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
            until(lambda: server.started or not thread.is_alive())
            assert server.started
            yield port
        finally:
            server.should_exit = True
            thread.join()
