"""The explorer's server, on the loopback interface, for the one who started it; it writes nothing but corrections of answers."""

from __future__ import annotations

import hmac
import re
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from urllib.parse import parse_qsl, quote

import orjson
import polars as pl
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hesperus.errors import DataError, UsageError
from hesperus.explorer.addresses import (
    CHANGES,
    CORRECT,
    CSV,
    JSON,
    MATRIX,
    PACKED,
    QUESTION,
    TRANSLATIONS,
    View,
    question_url,
)
from hesperus.explorer.item_corrections import Decision
from hesperus.explorer.pages import (
    changes_page,
    entrance_page,
    items_page,
    message_page,
    policy,
    question_page,
    summary_page,
    translations_page,
)
from hesperus.explorer.state import OpenRuns
from hesperus.item_views.matrix_view import short_code
from hesperus.item_views.question_view import anchor_of
from hesperus.records import KEY
from hesperus.serving import Address, Guard, listening, read_body, refused, run_server
from hesperus.tables import write_table

PORT = 8766
_LARGEST = 1 << 16
"""Bytes of a form."""
_OWN_SITES = (None, "none", "same-origin")


def create_app(runs: OpenRuns, address: Address, token: str) -> ASGIApp:
    """The explorer as an ASGI application; without the token every address gets the same 404.

    Args:
        runs: What is shown.
        address: Decides which hosts and origins are answered.
        token: Opens it: its address sets a cookie, which all other addresses need.
    """
    desk = _Desk(runs, address, token)
    routes = [
        Route("/open/{token}", desk.enter, methods=["GET"]),
        Route("/", desk.summary, methods=["GET"]),
        Route(MATRIX, desk.items, methods=["GET"]),
        Route(QUESTION, desk.question, methods=["GET"]),
        Route(CSV, desk.csv, methods=["GET"]),
        Route(JSON, desk.json, methods=["GET"]),
        Route(TRANSLATIONS, desk.translations, methods=["GET"]),
        Route(CHANGES, desk.changes, methods=["GET"]),
        Route(CORRECT, desk.correct, methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: refused})
    app.router.redirect_slashes = False
    return Guard(app, address, policy())


def serve(
    runs: OpenRuns, port: int | None, ready: Callable[[str], None], *, view: View | None = None
) -> None:
    """Serve until interrupted.

    Args:
        runs: What is shown.
        port: Where; 0 takes a free one, None PORT or a free one if it is taken.
        ready: Called with the address that opens the explorer, before the first request is taken.
        view: Items to begin with; None begins with the first page.

    Raises:
        UsageError: The port that was given is taken.
    """
    with listening_at(port) as listener:
        address = Address(port=listener.getsockname()[1])
        token = secrets.token_urlsafe(24)
        entrance = f"{address.url}{(view or View()).url(f'/open/{token}')}"
        run_server(create_app(runs, address, token), listener, lambda: ready(entrance))


def listening_at(port: int | None, usual: int = PORT) -> socket.socket:
    """A socket on this machine: at the port that was given, or else at the usual one, or at a free one if that is taken."""
    if port:
        return listening(Address(port=port))
    if port is None:
        with suppress(UsageError):
            return listening(Address(port=usual))
    return socket.create_server(("127.0.0.1", 0))


class _Desk:
    """Answers requests of the one who holds the token."""

    def __init__(self, runs: OpenRuns, address: Address, token: str) -> None:
        self.runs, self.address, self.token = runs, address, token
        self.session, self.form_token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        # Cookies do not tell ports apart: two explorers at once need two names.
        self.cookie = f"hesperus-view-{address.port}"

    def enter(self, request: Request) -> Response:
        """Take the token, and lead on to an address without it."""
        if not _same(request.path_params["token"], self.token):
            raise HTTPException(404)
        response = self._tried(request, lambda view: _html(entrance_page(view)))
        response.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        return response

    def summary(self, request: Request) -> Response:
        """The runs and their models."""
        return self._answered(request, lambda _: _html(summary_page(self.runs)))

    def items(self, request: Request) -> Response:
        """The matrix; what a form asks for gets the address that a link to it would have."""
        if PACKED in request.query_params:
            return self._answered(request, lambda view: RedirectResponse(view.url(), 303))
        return self._answered(request, lambda view: _html(items_page(self.runs, view)))

    def changes(self, request: Request) -> Response:
        """Two runs item by item."""
        asked = dict(request.query_params)
        return self._answered(request, lambda view: _html(changes_page(self.runs, asked, view.page)))

    def translations(self, request: Request) -> Response:
        """Translations, the worst first."""
        asked = dict(request.query_params)
        return self._answered(request, lambda view: _html(translations_page(self.runs, asked, view.page)))

    def question(self, request: Request) -> Response:
        """One question."""
        given = request.query_params.items()
        of = {n.removeprefix("of_"): value for n, value in given if n.startswith("of_") or n in ("a", "b")}
        return self._answered(
            request, lambda view: _html(question_page(self.runs, view, of, self.form_token))
        )

    def csv(self, request: Request) -> Response:
        """The filtered rows as CSV that no spreadsheet runs."""

        def body(view: View) -> Response:
            out = BytesIO()
            write_table(self._flat(view), out, "csv")
            return _download(out.getvalue(), "items.csv", "text/csv; charset=utf-8")

        return self._answered(request, body)

    def json(self, request: Request) -> Response:
        """The filtered rows as JSON."""

        def body(view: View) -> Response:
            matrix = self.runs.matrix(view)
            names = {column.number: column.key for column in matrix.columns}
            document = {
                "filter": [list(pair) for pair in view.with_(page=1).query()],
                "references": {
                    column.key: names.get(column.reference) if column.reference is not None else None
                    for column in matrix.columns
                },
                "rows": matrix.frame(self.runs.rows(view)).to_dicts(),
            }
            return _download(orjson.dumps(document), "items.json", "application/json")

        return self._answered(request, body)

    async def correct(self, request: Request) -> Response:
        """Save how a person reads an answer, and lead back to the question."""
        self._check(request, sites=("same-origin",))
        body = (await read_body(request, _LARGEST)).decode("utf-8", "replace")
        sent = _fields(body)
        if not _same(sent.get("token", ""), self.form_token) or request.headers.get("origin") is None:
            raise HTTPException(404)
        place, read = _fields(sent.get("place", "")), _fields(sent.get("decision", ""))
        try:
            if not {"run", *KEY} <= place.keys() or not re.fullmatch("[0-9]{1,6}", place["repeat"]):
                raise UsageError("the form does not say which answer is meant")
            model, task, item, instruction, asked = (place[name] for name in KEY[:-1])
            key = (model, task, item, instruction, asked, int(place["repeat"]))
            decision = Decision(read.get("label"), read.get("outcome", ""), sent.get("note", ""))
            self.runs.correct(place["run"], key, None if "remove" in sent else decision)
            view = View.parse(parse_qsl(sent.get("view", "")))
        except (UsageError, DataError) as error:
            return _html(message_page(self.runs, "The correction was not saved", str(error)), status=400)
        anchor = quote(anchor_of(place["input"]))
        return RedirectResponse(f"{question_url(view, place)}#{anchor}", 303)

    def _flat(self, view: View) -> pl.DataFrame:
        """The rows with a column for each part of a cell."""
        matrix = self.runs.matrix(view)
        wide = matrix.frame(self.runs.rows(view))
        parts = ("answer", "outcome", "mark", "changed", "confidence", "reply_language", "reply")
        cells = [
            pl.col(matrix.name_of(column)).struct.field(part).alias(f"{short_code(column)}: {part}")
            for column in matrix.columns
            for part in parts
        ]
        golds = [pl.col(matrix.name_of(column)).struct.field("gold") for column in matrix.columns]
        return wide.select(
            pl.exclude([matrix.name_of(column) for column in matrix.columns]),
            pl.coalesce(golds).alias("gold"),
            *cells,
        )

    def _answered(self, request: Request, answer: Callable[[View], Response]) -> Response:
        """The answer to one who has entered."""
        self._check(request)
        return self._tried(request, answer)

    def _tried(self, request: Request, answer: Callable[[View], Response]) -> Response:
        """What cannot be shown says why."""
        try:
            return answer(View.parse(request.query_params.multi_items()))
        except (UsageError, DataError) as error:
            return _html(message_page(self.runs, "This view cannot be shown", str(error)), status=400)

    def _check(self, request: Request, sites: tuple[str | None, ...] = _OWN_SITES) -> None:
        held = request.cookies.get(self.cookie, "")
        if not _same(held, self.session) or not self.address.is_own(request, sites=sites):
            raise HTTPException(404)


def _fields(text: str) -> dict[str, str]:
    """Fields of a form; none of one that has too many."""
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=20))
    except ValueError:
        return {}


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "surrogatepass"), b.encode())


def _html(text: str, status: int = 200) -> Response:
    return Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")


def _download(body: bytes, name: str, kind: str) -> Response:
    return Response(body, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
