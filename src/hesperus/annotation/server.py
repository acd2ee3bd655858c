"""The rating page behind personal links: a small web application, on the loopback interface unless told otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hesperus.annotation.payload import payload
from hesperus.annotation.scales import Judgement, judgement_from
from hesperus.annotation.store import Rater, RatingStore
from hesperus.errors import DataError, StoreError
from hesperus.serving import Address, Guard, listening, read_body, refused, run_server

LARGEST_BODY = 2_000_000
"""Bytes of one submission; a page sends at most some hundred judgements at once."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)

_ASSETS = {
    "saving.js": "text/javascript; charset=utf-8",
    "rate.js": "text/javascript; charset=utf-8",
    "rate.css": "text/css; charset=utf-8",
}


def create_app(store: RatingStore, address: Address | None = None) -> ASGIApp:
    """The page as an ASGI application.

    Every address but those of valid links and of the page's own assets gets the same 404.
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
    app = Starlette(routes=routes, exception_handlers={HTTPException: refused, StoreError: _unavailable})
    app.router.redirect_slashes = False
    return Guard(app, address, _POLICY)


def serve(path: Path | str, address: Address, *, ready: Callable[[], None] | None = None) -> None:
    """Serve a store until interrupted.

    Requests are not logged: their addresses hold the tokens. `ready` is called once, before the first request is
    taken.
    """
    with RatingStore(path) as store, listening(address) as listener:
        if not store.is_writable:
            raise StoreError(
                f"{path} cannot be written, so no answer would be saved; serve it from elsewhere"
            )
        run_server(create_app(store, address), listener, ready)


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
            document = orjson.loads(await read_body(request, LARGEST_BODY))
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
        if not self.address.is_own(request):
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


def _json(document: object) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")


def _unavailable(_: Request, error: Exception) -> Response:
    """The page keeps what it could not save and tries again."""
    sys.stderr.write(f"error: {error}\n")
    return Response("not saved\n", status_code=503, media_type="text/plain; charset=utf-8")
