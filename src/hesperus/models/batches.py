"""Batches of an OpenAI-compatible endpoint: a file of requests goes in, a file of replies comes out within a day.

Field names follow the public API references for ``/v1/files`` and ``/v1/batches``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import orjson

from hesperus.errors import PermanentError, TransientError
from hesperus.fingerprint import JSON
from hesperus.models import wire
from hesperus.models.faults import excerpt, fault, retry_after
from hesperus.models.transport import RawReply, Transport

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""States of a batch in which nothing more is done for it."""

WINDOW = "24h"
"""The one time that providers offer for a batch."""

_MARK = "hesperus"
_PAGES, _PAGE = 20, 100
"""Batches among which one is looked for."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the endpoint tells of it.

    Attributes:
        id: Its id there.
        status: ``validating``, ``in_progress``, ``finalizing``, ``cancelling``, or one of ENDED.
        total: Requests in it; 0 before they were counted.
        done: Requests that were answered.
        failed: Requests that were not.
        files: Files with what came of the requests: replies, errors.
        problem: Why it failed as a whole, in the endpoint's own words; empty where it did not.
        mark: What it was marked with when it was submitted.
    """

    id: str
    status: str
    total: int = 0
    done: int = 0
    failed: int = 0
    files: tuple[str, ...] = ()
    problem: str = ""
    mark: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether all that will come of it is there."""
        return self.status in ENDED

    def __str__(self) -> str:
        of = f", {self.done + self.failed:,} of {self.total:,}" if self.total else ""
        return f"batch {self.id} is {self.status.replace('_', ' ')}{of}"


class BatchEndpoint:
    """The interface for batches of one endpoint.

    Args:
        transport: Open connections to it.
        where: Model and host, for messages.
        key: The key that is sent; it is cut out of what the endpoint says.
        variable: Environment variable that holds the key.
    """

    def __init__(self, transport: Transport, where: str, key: str | None, variable: str) -> None:
        self._transport, self._where, self._key, self._variable = transport, where, key, variable

    async def upload(self, lines: Path) -> str:
        """Send a file of requests; the id under which the endpoint keeps it.

        Raises:
            ModelError: It was not taken.
        """
        with lines.open("rb") as file:
            raw = await self._transport.upload("/files", {"purpose": "batch"}, file, lines.name)
        return _text(self._document(raw, "file"), "id", self._where)

    async def submit(self, file: str, url: str, mark: str) -> Batch:
        """Have the requests of a file answered.

        Args:
            file: Id of the file.
            url: Where its requests go.
            mark: By which the batch can be found again.

        Raises:
            TransientError: It is not known whether it was taken.
            PermanentError: It was not.
        """
        body: dict[str, JSON] = {
            "input_file_id": file,
            "endpoint": url,
            "completion_window": WINDOW,
            "metadata": {_MARK: mark},
        }
        raw = await self._transport.post("/batches", wire.encode(body))
        return self._batch(self._document(raw, "batch"))

    async def look(self, batch: str) -> Batch:
        """How far a batch is.

        Raises:
            ModelError: The endpoint does not say.
        """
        raw = await self._transport.get(f"/batches/{quote(batch, safe='')}")
        return self._batch(self._document(raw, "batch"))

    async def find(self, mark: str) -> Batch | None:
        """The batch with a mark, among the last; None if absent.

        Raises:
            ModelError: The endpoint does not list its batches.
        """
        after = ""
        for _ in range(_PAGES):
            document = self._document(await self._transport.get(f"/batches?limit={_PAGE}{after}"), "list")
            data = document.get("data")
            batches = (
                [self._batch(one) for one in data if isinstance(one, dict)] if isinstance(data, list) else []
            )
            found = next((batch for batch in batches if batch.mark == mark), None)
            if found is not None or not batches or document.get("has_more") is not True:
                return found
            after = f"&after={quote(batches[-1].id, safe='')}"
        return None

    async def fetch(self, file: str, to: BinaryIO) -> None:
        """Write the content of a file.

        Raises:
            ModelError: It cannot be had.
        """
        raw = await self._transport.get(f"/files/{quote(file, safe='')}/content", to=to)
        if raw.status != 200:
            self._document(raw, "file")

    def _document(self, raw: RawReply, what: str) -> Mapping[str, Any]:
        if raw.status in (200, 201):
            document = wire.decode(raw.body, self._where)
            if isinstance(document, dict):
                return document
            raise TransientError(f"{self._where} sent no {what}", kind="bad_reply")
        if raw.status in (404, 405, 501):
            raise PermanentError(
                f"{self._where} offers no batches, or not this one ({raw.status}); ask without --batch",
                kind="no_batches",
            )
        said, code, _ = wire.read_error(raw.body, self._key)
        raise fault(
            raw.status,
            said,
            code=code,
            where=self._where,
            variable=self._variable,
            wait=retry_after(raw.headers),
        )

    def _batch(self, document: Mapping[str, Any]) -> Batch:
        counts, metadata, errors = (
            value if isinstance(value := document.get(name), dict) else {}
            for name in ("request_counts", "metadata", "errors")
        )
        files = (document.get("output_file_id"), document.get("error_file_id"))
        return Batch(
            _text(document, "id", self._where),
            _text(document, "status", self._where),
            _count(counts.get("total")),
            _count(counts.get("completed")),
            _count(counts.get("failed")),
            tuple(file for file in files if isinstance(file, str) and file),
            excerpt(_said(errors.get("data")), self._key),
            str(metadata.get(_MARK) or ""),
        )


@dataclass(frozen=True, slots=True)
class BatchLine:
    """What came of one request of a batch.

    Attributes:
        key: The request's own name in the batch.
        raw: The response; None if absent.
        problem: Why it is absent; empty if there is one.
        code: The same as the endpoint's machine word.
    """

    key: str
    raw: RawReply | None
    problem: str = ""
    code: str = ""


def request_line(key: str, url: str, body: Mapping[str, JSON]) -> bytes:
    """A request as a line of a batch file.

    Raises:
        PermanentError: Its text is no UTF-8.
    """
    return wire.encode({"custom_id": key, "method": "POST", "url": url, "body": dict(body)}) + b"\n"


def read_line(line: bytes) -> BatchLine | None:
    """A line of a file of replies or errors; None if it is no such line."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    key = row.get("custom_id") if isinstance(row, dict) else None
    if not isinstance(key, str):
        return None
    response, error = row.get("response"), row.get("error")
    if isinstance(response, dict) and isinstance(status := response.get("status_code"), int):
        return BatchLine(key, RawReply(status, {}, orjson.dumps(response.get("body"))))
    said = error if isinstance(error, dict) else {}
    return BatchLine(
        key, None, excerpt(str(said.get("message") or "no response")), str(said.get("code") or "")
    )


def _said(errors: object) -> str:
    """The first errors of a batch that failed as a whole, with their lines."""
    told = []
    for error in errors[:3] if isinstance(errors, list) else []:
        if isinstance(error, dict):
            line = f"line {error['line']}: " if isinstance(error.get("line"), int) else ""
            told.append(f"{line}{error.get('message') or error.get('code') or '?'}")
    return "; ".join(told)


def _text(document: Mapping[str, Any], member: str, where: str) -> str:
    value = document.get(member)
    if not isinstance(value, str) or not value:
        raise TransientError(f"{where} sent a document without {member!r}", kind="bad_reply")
    return value


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
