"""A page in a real headless Chromium, driven over its DevTools protocol: what it logs, asks for and looks like."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def executable() -> str | None:
    """The first Chromium on the path."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@dataclass
class Page:
    """One tab."""

    socket: aiohttp.ClientWebSocketResponse
    number: int = 0
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    loaded: bool = False
    clicks: int = 0

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its result; what happens meanwhile is noted."""
        self.number += 1
        await self.socket.send_json({"id": self.number, "method": method, "params": params})
        while True:
            answer = await self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    async def _next(self) -> dict[str, Any]:
        event = await asyncio.wait_for(self.socket.receive_json(), 120)
        params = event.get("params", {})
        match event.get("method"):
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.messages.append(str(params))
            case "Log.entryAdded":
                self.messages.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                if not params["request"]["url"].startswith("data:"):  # stands in the page itself
                    self.requests.append(params["request"]["url"])
            case "Page.loadEventFired":
                self.loaded = True
            case "Page.javascriptDialogOpening":
                self.messages.append(f"dialog: {params['message']}")
        return dict(event)

    async def open(self, url: str, *, width: int, height: int = 900, scheme: str = "light") -> None:
        """Show a page at a size, in light or dark."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.call(f"{domain}.enable")
        await self.resize(width, height)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.call("Emulation.setEmulatedMedia", features=features)
        self.loaded = False
        await self.call("Page.navigate", url=url)
        while not self.loaded:
            await self._next()
        await self.settle(0)

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the view in CSS pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")

    async def holds(self, expression: str) -> bool:
        """Whether an expression that changes nothing holds in the page; while one page gives way to another, it does not."""
        try:
            return bool(await self.evaluate(f"Boolean({expression})"))
        except RuntimeError as error:
            if "navigated or closed" in str(error):
                return False
            raise

    async def click(self, selector: str, text: str = "") -> None:
        """Click with the mouse on the first element of a selector that is seen (and has a text); then wait for what it does.

        Raises:
            LookupError: There is no such element, or another one covers it.
        """
        place = await self.evaluate(
            f"""(() => {{
              const found = [...document.querySelectorAll({json.dumps(selector)})]
                .find(e => e.checkVisibility() && e.textContent.includes({json.dumps(text)}));
              if (!found) return null;
              found.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
              const box = [...found.getClientRects()].find(b => b.width && b.height), at = [box.x + box.width / 2, box.y + box.height / 2];
              const top = document.elementFromPoint(...at);
              return top && (found.contains(top) || top.contains(found)) ? at : null;
            }})()"""
        )
        if place is None:
            raise LookupError(f"nothing to click on: {selector} {text!r}")
        self.clicks += 1
        for kind in ("mousePressed", "mouseReleased"):
            await self.call(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1
            )
        await self.settle()

    async def press(self, key: str) -> None:
        """Press a key; then wait for what it does."""
        text = {"text": key} if len(key) == 1 else {}
        codes = {"Escape": 27, "Enter": 13}
        for kind in ("keyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes.get(key, 0), **text
            )
        await self.settle()

    async def settle(self, seconds: float = 0.3) -> None:
        """Wait a while, and until the page is loaded and no part of it says that it is busy.

        Raises:
            TimeoutError: It still is after 60 s.
        """
        await asyncio.sleep(seconds)
        for _ in range(600):
            if await self.holds(
                "document.readyState === 'complete' && !document.querySelector('[aria-busy=true]')"
            ):
                return
            await asyncio.sleep(0.1)
        raise TimeoutError("the page is still loading or busy after 60 s")

    async def screenshot(self, clip: tuple[float, float, float, float] | None = None) -> bytes:
        """A PNG of the page, or of (x, y, width, height) of it."""
        params: dict[str, Any] = {"format": "png", "captureBeyondViewport": True}
        if clip is not None:
            params["clip"] = dict(zip(("x", "y", "width", "height"), clip, strict=True)) | {"scale": 1}
        return base64.b64decode((await self.call("Page.captureScreenshot", **params))["data"])

    async def printed_pages(self, **paper: Any) -> int:
        """How many sheets the page prints on; arguments as in Page.printToPDF."""
        written = base64.b64decode((await self.call("Page.printToPDF", **paper))["data"])
        return len(re.findall(rb"/Type\s*/Page\b", written))


@asynccontextmanager
async def chromium_page() -> AsyncIterator[Page]:
    """Start Chromium with one empty tab; it is ended afterwards."""
    program = executable()
    if program is None:
        raise FileNotFoundError("no Chromium on the path")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
            "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
            "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            port = await _port(Path(profile))
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    tabs = await answer.json(content_type=None)
                address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    yield Page(socket)
        finally:
            process.terminate()
            await process.wait()


async def _port(profile: Path) -> int:
    for _ in range(1200):
        file = profile / "DevToolsActivePort"
        if file.exists() and (lines := file.read_text().split()):
            return int(lines[0])
        await asyncio.sleep(0.1)
    raise TimeoutError("Chromium did not open its port within 120 s")
