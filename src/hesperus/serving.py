"""What the local web pages share: where they listen, which hosts and origins they answer, and the headers on every answer."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hesperus.errors import UsageError

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex, nofollow",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a page is served.

    Attributes:
        host: Address to listen on.
        port: Port, 1 to 65535.
        base_url: How people reach the page, where a proxy is in front of it.
        expose: Listen on an address that other machines can reach.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    base_url: str | None = None
    expose: bool = False

    def __post_init__(self) -> None:
        """Refuse what would expose the page by accident.

        Raises:
            UsageError: Another host than loopback without ``expose``, or a base URL that is not valid.
        """
        if not self.is_loopback and not self.expose:
            raise UsageError(
                f"{self.host} can be reached from other machines, and links would cross the network unencrypted; "
                "better keep 127.0.0.1 behind a proxy that speaks HTTPS, or say --expose"
            )
        if self.base_url is not None:
            parts = urlsplit(self.base_url)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.username or parts.query:
                raise UsageError(f"{self.base_url!r} is no base URL; write https://rate.example.org")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the page."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """What links begin with."""
        host = f"[{self.host}]" if ":" in self.host and not self.host.startswith("[") else self.host
        return self.base_url.rstrip("/") if self.base_url else f"http://{host}:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """Values of the header Host that are answered: a page of a stranger cannot bring its own name to this address."""
        names = {*_LOOPBACK, urlsplit(self.url).netloc.rpartition("@")[2].lower()}
        return frozenset({*names, *(f"{name}:{self.port}" for name in _LOOPBACK)})

    @property
    def origins(self) -> frozenset[str]:
        """Origins of the page itself."""
        own = urlsplit(self.url)
        return frozenset(
            {f"{own.scheme}://{own.netloc}", *(f"http://{name}:{self.port}" for name in _LOOPBACK)}
        )

    def is_own(self, request: Request, *, sites: tuple[str | None, ...] = (None, "same-origin")) -> bool:
        """Whether a request comes from the page itself, as far as the browser says.

        Args:
            request: The request.
            sites: Values of the header Sec-Fetch-Site that are taken; None represents no such header.
        """
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        return (origin is None or origin.lower() in self.origins) and site in sites


class Guard:
    """Answers known hosts only, and puts the security headers on every answer.

    Args:
        app: What is guarded.
        address: Decides which hosts are answered.
        policy: The content security policy of every answer.
    """

    def __init__(self, app: ASGIApp, address: Address, policy: str) -> None:
        self.app, self.hosts = app, address.hosts
        headers: Mapping[str, str] = {"Content-Security-Policy": policy, **_HEADERS}
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = {name for name, _ in self.headers}
                kept = [pair for pair in message["headers"] if pair[0].lower() not in named]
                message = {**message, "headers": [*kept, *self.headers]}
            await send(message)

        host = next(
            (value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"), ""
        )
        if host in self.hosts:
            await self.app(scope, receive, guarded)
            return
        sys.stderr.write(
            f"refused a request for the host {host[:80]!r}; give it as --base-url if it is yours\n"
        )
        await not_found()(scope, receive, guarded)


def listening(address: Address) -> socket.socket:
    """A socket that listens at an address.

    Raises:
        UsageError: The port is taken, or the address is not one of this machine.
    """
    host = address.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, address.port), family=family)
    except OSError as error:
        raise UsageError(f"cannot listen on {address.host}:{address.port}: {error.strerror}") from None


def run_server(app: ASGIApp, listener: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serve until interrupted; requests are not logged, since addresses may hold tokens.

    Args:
        app: The application.
        listener: Where it listens.
        ready: Called once, before the first request is taken.
    """
    config = uvicorn.Config(
        app, access_log=False, log_level="warning", server_header=False, lifespan="off", ws="none"
    )
    if ready is not None:
        ready()
    uvicorn.Server(config).run(sockets=[listener])


async def read_body(request: Request, most: int) -> bytes:
    """What was sent.

    Raises:
        HTTPException: It is longer than so many bytes, or broke off.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise HTTPException(413, "too much at once")
    except ClientDisconnect:
        raise HTTPException(400, "the submission broke off") from None
    return bytes(body)


def not_found() -> Response:
    """The answer to every address that does not exist or is not for the one who asks."""
    return Response("Nothing here.\n", status_code=404, media_type="text/plain; charset=utf-8")


def refused(_: Request, error: Exception) -> Response:
    """One and the same 404 for every wrong address or method, so that a guess learns nothing."""
    assert isinstance(error, HTTPException)
    if error.status_code in (404, 405):
        return not_found()
    return Response(
        f"{error.detail}\n", status_code=error.status_code, media_type="text/plain; charset=utf-8"
    )
