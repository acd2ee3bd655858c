"""The rating page behind personal links: a small web application, on the loopback interface unless told otherwise."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hesperus.annotation.judging import Judgement, judgement_from
from hesperus.annotation.payload import payload
from hesperus.annotation.store import Rater, RatingStore
from hesperus.errors import DataError, StoreError, UsageError

PORT = 8765

LARGEST_BODY = 2_000_000
"""Bytes of one submission; a page sends at most some hundred judgements at once."""

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex, nofollow",
    "Cache-Control": "no-store",
}

_ASSETS = {
    "saving.js": "text/javascript; charset=utf-8",
    "rate.js": "text/javascript; charset=utf-8",
    "rate.css": "text/css; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is served.

    Attributes:
        host: Address to listen on.
        port: Port, 1 to 65535.
        base_url: How raters reach it, where something stands in front of it (a proxy that speaks HTTPS); else None.
        exposed: Whether listening beyond the loopback interface is meant.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    base_url: str | None = None
    exposed: bool = False

    def __post_init__(self) -> None:
        """Refuse what would expose the page by accident.

        Raises:
            UsageError: Another host than loopback without ``exposed``, or a base URL that is none.
        """
        if not self.is_loopback and not self.exposed:
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
        """Origins that may submit."""
        own = urlsplit(self.url)
        return frozenset(
            {f"{own.scheme}://{own.netloc}", *(f"http://{name}:{self.port}" for name in _LOOPBACK)}
        )


def create_app(store: RatingStore, address: Address | None = None) -> ASGIApp:
    """The page as an ASGI application.

    Every address but those of valid links and of the page's own assets gets the same 404.

    Args:
        store: Where judgements go; the caller closes it.
        address: Decides which hosts and origins are answered.
    """
    address = address or Address()
    desk = _Desk(store, address)
    routes = [
        Route("/assets/{name}", _asset, methods=["GET"]),
        Route("/r/{token}", desk.redirect, methods=["GET"]),
        Route("/r/{token}/", desk.page, methods=["GET"]),
        Route("/r/{token}/data.json", desk.data, methods=["GET"]),
        Route("/r/{token}/judgements", desk.submit, methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused, StoreError: _unavailable})
    app.router.redirect_slashes = False
    return _Guard(app, address.hosts)


def serve(path: Path | str, address: Address, *, ready: Callable[[], None] | None = None) -> None:
    """Serve a store until interrupted.

    Requests are not logged: their addresses hold the tokens.

    Args:
        path: The store.
        address: Where.
        ready: Called once, before the first request is taken.

    Raises:
        UsageError: No such store, or the port is taken.
        StoreError: The file is no rating store, or cannot be written.
    """
    with RatingStore(path) as store, _listening(address) as listener:
        if not store.is_writable:
            raise StoreError(
                f"{path} cannot be written, so no answer would be saved; serve it from elsewhere"
            )
        config = uvicorn.Config(
            create_app(store, address),
            access_log=False,
            log_level="warning",
            server_header=False,
            lifespan="off",
            ws="none",
        )
        if ready is not None:
            ready()
        uvicorn.Server(config).run(sockets=[listener])


def _listening(address: Address) -> socket.socket:
    host = address.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, address.port), family=family)
    except OSError as error:
        raise UsageError(f"cannot listen on {address.host}:{address.port}: {error.strerror}") from None


class _Desk:
    """Answers requests under a rater's link."""

    def __init__(self, store: RatingStore, address: Address) -> None:
        self.store, self.address = store, address

    def _rater(self, request: Request) -> Rater:
        rater = self.store.rater_of(request.path_params["token"])
        if rater is None:
            raise HTTPException(404)
        return rater

    def redirect(self, request: Request) -> Response:
        """A link that lost its last stroke on the way."""
        self._rater(request)
        return RedirectResponse(f"{request.path_params['token']}/", status_code=308)

    def page(self, request: Request) -> Response:
        """The page; it asks for its data itself."""
        self._rater(request)
        html = (
            page_environment()
            .get_template("rate.html.j2")
            .render(title=self.store.sheet.scheme.title, mailed=None)
        )
        return Response(html, media_type="text/html; charset=utf-8")

    def data(self, request: Request) -> Response:
        """Units, questions and the rater's own judgements."""
        return _json(payload(self.store, self._rater(request)))

    async def submit(self, request: Request) -> Response:
        """Take judgements: each is saved, known already, or refused with a reason."""
        rater = await run_in_threadpool(self._rater, request)
        self._check_source(request)
        try:
            document = orjson.loads(await _body(request))
        except orjson.JSONDecodeError:
            raise HTTPException(400, "no JSON") from None
        entries = document.get("judgements") if isinstance(document, dict) else None
        if not isinstance(entries, list):
            raise HTTPException(400, "expected an object with a list of judgements")
        return _json(await run_in_threadpool(self._take, rater, entries))

    def _check_source(self, request: Request) -> None:
        """Only the page itself may submit: the token is in its address, and no other page may send JSON there."""
        if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            raise HTTPException(415, "judgements come as application/json")
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        if (origin is not None and origin.lower() not in self.address.origins) or site not in (
            None,
            "same-origin",
        ):
            raise HTTPException(403, "judgements are taken from the page itself only")

    def _take(self, rater: Rater, entries: Sequence[object]) -> dict[str, object]:
        judgements: list[Judgement] = []
        refused: list[dict[str, object]] = []
        for entry in entries:
            try:
                judgements.append(judgement_from(entry))
            except DataError as error:
                key = entry.get("key") if isinstance(entry, dict) else None
                refused.append({"key": key if isinstance(key, str) else None, "reason": str(error)})
        saved: list[str] = []
        try:
            # One transaction for all: after an outage a queue holds hundreds.
            self.store.append(rater, judgements)
            saved = [judgement.key for judgement in judgements]
        except DataError:
            for judgement in judgements:
                try:
                    self.store.append(rater, [judgement])
                except DataError as error:
                    refused.append({"key": judgement.key, "reason": str(error)})
                else:
                    saved.append(judgement.key)
        return {"saved": saved, "refused": refused}


class _Guard:
    """Answers known hosts only, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts
        self.headers = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        await _not_found()(scope, receive, guarded)


@cache
def page_environment() -> Environment:
    """Templates of the page; everything put into them is escaped."""
    return Environment(
        loader=PackageLoader("hesperus.annotation", "pages"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def asset(name: str) -> str:
    """A script or the style sheet of the page."""
    return (files("hesperus.annotation") / "pages" / name).read_text(encoding="utf-8")


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _ASSETS:
        raise HTTPException(404)
    return Response(asset(name), media_type=_ASSETS[name])


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                raise HTTPException(413, "too much at once")
    except ClientDisconnect:
        raise HTTPException(400, "the submission broke off") from None
    return bytes(body)


def _json(document: object) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")


def _not_found() -> Response:
    return Response("Nothing here.\n", status_code=404, media_type="text/plain; charset=utf-8")


def _refused(_: Request, error: Exception) -> Response:
    """One and the same 404 for every wrong address or method, so that a guess learns nothing."""
    assert isinstance(error, HTTPException)
    if error.status_code in (404, 405):
        return _not_found()
    return Response(
        f"{error.detail}\n", status_code=error.status_code, media_type="text/plain; charset=utf-8"
    )


def _unavailable(_: Request, error: Exception) -> Response:
    """The page keeps what it could not save and tries again."""
    sys.stderr.write(f"error: {error}\n")
    return Response("not saved\n", status_code=503, media_type="text/plain; charset=utf-8")
