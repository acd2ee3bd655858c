"""The explorer on a real socket, in a thread of this process; and its pages in a real Chromium."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import uvicorn

from hesperus.explorer.server import create_app
from hesperus.explorer.state import OpenRuns
from hesperus.records import Run
from hesperus.serving import Address
from waiting import LIMIT, until

TOKEN = "a-token-for-tests"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Site:
    """A running explorer."""

    port: int
    cookie: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def entrance(self) -> str:
        return f"{self.url}/open/{TOKEN}"

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Answer:
        """One request; with the cookie, unless another is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, headers={"Cookie": self.cookie, **given})
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        got = Answer(answer.status, found, answer.read())
        connection.close()
        return got

    def enter(self) -> None:
        """Take the cookie."""
        self.cookie = self.ask(f"/open/{TOKEN}").headers["set-cookie"].split(";")[0]


def explored(**runs: Run) -> AbstractContextManager[Site]:
    """Serve runs, and enter."""
    return served(OpenRuns.of(tuple(runs.items())))


@contextmanager
def served(runs: OpenRuns) -> Iterator[Site]:
    """Serve open runs, and enter."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(port=listener.getsockname()[1])
        app = create_app(runs, address, TOKEN)
        server = uvicorn.Server(
            uvicorn.Config(app, access_log=False, log_level="error", lifespan="off", server_header=False)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            until(lambda: server.started or not thread.is_alive())
            assert server.started
            site = Site(address.port)
            site.enter()
            yield site
        finally:
            server.should_exit = True
            thread.join()
