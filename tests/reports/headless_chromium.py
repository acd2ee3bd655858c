"""A page in a real headless Chromium, driven over its DevTools protocol: what it logs, asks for and looks like.

One Chromium serves all tests of a process; each page has a profile of its own, so that no test sees what another one kept.
"""

from __future__ import annotations

import asyncio
import atexit
import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from waiting import LIMIT, until

_GIVING_WAY = ("navigated or closed", "context was destroyed", "Cannot find", "Promise was collected")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def executable() -> str | None:
    """The first Chromium on the path."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@dataclass
class Page:
    """One tab.

    Attributes:
        socket: Connection to the browser.
        session: Of this tab on that connection; empty for the browser itself.
        profile: The browser context in which the tab is alone.
        frame: The outermost frame of the tab.
        messages: What the page said to the console, and in dialogs.
        requests: Addresses that it asked for.
        leaving: Whether the page is on its way to another.
        clicks: How often the mouse was clicked.
    """

    socket: aiohttp.ClientWebSocketResponse
    session: str = ""
    profile: str = ""
    frame: str = ""
    number: int = 0
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    leaving: bool = False
    clicks: int = 0

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its result; what happens meanwhile is noted."""
        self.number += 1
        to = {"sessionId": self.session} if self.session else {}
        await self.socket.send_json({"id": self.number, "method": method, "params": params, **to})
        while True:
            answer = await self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    async def _next(self) -> dict[str, Any]:
        event = await asyncio.wait_for(self.socket.receive_json(), LIMIT)
        params = event.get("params", {})
        match event.get("method") if event.get("sessionId", "") == self.session else None:
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.messages.append(str(params))
            case "Log.entryAdded":
                self.messages.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                if not params["request"]["url"].startswith("data:"):  # stands in the page itself
                    self.requests.append(params["request"]["url"])
            case "Page.frameRequestedNavigation" | "Page.frameStoppedLoading" if (
                params["frameId"] == self.frame
            ):
                self.leaving = event["method"] == "Page.frameRequestedNavigation"
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
        await self.call(
            "Page.navigate", url=url
        )  # it is answered when the new page stands in place of the old one
        self.leaving = False
        await self.settle()

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the view in CSS pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, or of what it promises."""
        result = await self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        return result["result"].get("value")

    async def holds(self, expression: str) -> bool:
        """Whether an expression that changes nothing holds in the page; while one page gives way to another, it does not."""
        try:
            return bool(await self.evaluate(f"(async () => Boolean(await ({expression})))()"))
        except RuntimeError as error:
            if any(said in str(error) for said in _GIVING_WAY):
                return False
            raise

    async def until(self, expression: str) -> None:
        """Wait until an expression that changes nothing holds in the page.

        Raises:
            TimeoutError: It never does.
        """
        end = time.monotonic() + LIMIT
        while not await self.holds(expression):
            if time.monotonic() > end:
                seen = await self.evaluate("location.href + '\\n' + document.body.innerText.slice(0, 600)")
                raise TimeoutError(f"never: {expression}\n{seen}\n{self.messages}")
            await asyncio.sleep(0.02)

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

    async def settle(self) -> None:
        """Wait until the page has drawn what happened last, is not on its way to another, and no part of it says that it is busy.

        Raises:
            TimeoutError: It never is.
        """
        end = time.monotonic() + LIMIT
        while True:
            has_drawn = await self.holds(_DRAWN)
            is_idle = await self.holds(
                "document.readyState === 'complete' && !document.querySelector('[aria-busy=true]')"
            )
            if has_drawn and is_idle and not self.leaving:
                return
            if time.monotonic() > end:
                raise TimeoutError(
                    f"the page is still loading or busy: {await self.evaluate('location.href')}"
                )
            await asyncio.sleep(0.02)

    async def download_to(self, folder: Path) -> None:
        """Save in a folder what the page offers."""
        context = {"browserContextId": self.profile}
        await self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), **context)

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


_DRAWN = "new Promise(done => requestAnimationFrame(() => setTimeout(() => setTimeout(() => done(true)))))"


def visit(look: Callable[[Page], Awaitable[None]]) -> None:
    """Look at a new page; the test is skipped where there is no Chromium."""
    if executable() is None:
        pytest.skip("no Chromium on the path")

    async def run() -> None:
        async with chromium_page() as page:
            await look(page)

    asyncio.run(run())


@asynccontextmanager
async def chromium_page() -> AsyncIterator[Page]:
    """An empty tab in a profile of its own; both are gone afterwards."""
    async with aiohttp.ClientSession() as session, session.ws_connect(_browser(), max_msg_size=0) as socket:
        browser = Page(socket)
        profile = (await browser.call("Target.createBrowserContext", disposeOnDetach=True))[
            "browserContextId"
        ]
        target = await browser.call("Target.createTarget", url="about:blank", browserContextId=profile)
        found = await browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        yield Page(socket, found["sessionId"], profile, target["targetId"], browser.number)


@cache
def _browser() -> str:
    """The address of the one Chromium of this process, which ends with it."""
    program = executable()
    if program is None:
        raise FileNotFoundError("no Chromium on the path")
    profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    process = subprocess.Popen(
        [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
         "--disable-dev-shm-usage", "--disable-background-networking", "--disable-background-timer-throttling",
         "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--hide-scrollbars",
         "--remote-debugging-port=0", f"--user-data-dir={profile.name}", "about:blank"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    @atexit.register
    def end() -> None:
        process.terminate()
        process.wait()
        profile.cleanup()

    place = Path(profile.name) / "DevToolsActivePort"
    port, path = until(
        lambda: place.exists() and len(lines := place.read_text().split()) == 2 and lines, running=process
    )
    return f"ws://127.0.0.1:{port}{path}"
