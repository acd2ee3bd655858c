"""A real server for `/v1/files` and `/v1/batches` on the loopback, with the documented shapes, that misbehaves when told to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from loopback_endpoint import Say, completion, served, user_text

Answer = Callable[[str, dict[str, Any], int], Mapping[str, Any] | None]
"""Custom id, body and number of the batch to `response` and `error` of the line; None leaves the line out."""


def replied(text: str, body: Mapping[str, Any], status: int = 200) -> dict[str, Any]:
    """A line's response: a completion."""
    return {
        "response": {"status_code": status, "request_id": "r", "body": completion(body, Say(text))},
        "error": None,
    }


def refused(status: int, message: str, **more: Any) -> dict[str, Any]:
    """A line's response: an error."""
    body = {"error": {"message": message, "type": "invalid_request_error", **more}}
    return {"response": {"status_code": status, "request_id": "r", "body": body}, "error": None}


def unanswered(code: str) -> dict[str, Any]:
    """A line without a response."""
    return {"response": None, "error": {"code": code, "message": f"{code}: not executed"}}


def echo(key: str, body: dict[str, Any], batch: int) -> Mapping[str, Any]:
    """Says what it was asked."""
    return replied(f"you said: {user_text(body)}", body)


@dataclass
class Batches:
    """What the server holds, saw, and does next.

    Attributes:
        answer: What comes of a line.
        looks: How often a batch is looked at before it ends.
        status: How batches end; by number, from 1.
        problem: Message of a batch that fails as a whole.
        before: Called with method, path and how often that was asked; a response that it returns is sent instead.
        url: Base URL.
        files: Content by id.
        batches: Batch objects by id.
        asked: User texts of all lines that were submitted.
        calls: Method and path to how often it was asked.
        extra: Bytes put before the lines of each file of replies.
    """

    answer: Answer = echo
    looks: int = 1
    status: Callable[[int], str] = lambda number: "completed"
    problem: str = ""
    before: Callable[[str, str, int], str | None] = lambda method, path, count: None
    extra: bytes = b""
    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    looked: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Every request."""
        path = request.path.removeprefix("/v1")
        kind = f"{request.method} /{path.split('/')[1]}"
        self.calls[kind] += 1
        fault = self.before(request.method, path, self.calls[kind])
        if fault == "unavailable":
            return web.json_response({"error": {"message": "busy"}}, status=503)
        if fault == "forbidden":
            return web.json_response({"error": {"message": "no batches for this model"}}, status=403)
        response = await self._answered(request, path)
        if fault == "lost":
            assert request.transport is not None
            request.transport.abort()
        return response

    async def _answered(self, request: web.Request, path: str) -> web.StreamResponse:
        match request.method, path.strip("/").split("/"):
            case "POST", ["files"]:
                # Read part by part: an upload that breaks off must leave no open file behind.
                form = {part.name: await part.read() async for part in await request.multipart()}  # type: ignore[union-attr]
                assert form["purpose"] == b"batch"
                name = f"file-{len(self.files) + 1}"
                self.files[name] = form["file"]
                return web.json_response(
                    {"id": name, "object": "file", "purpose": "batch", "filename": "x.jsonl"}
                )
            case "GET", ["files", name, "content"]:
                return web.Response(body=self.files[name], content_type="application/octet-stream")
            case "POST", ["batches"]:
                return web.json_response(self._created(await request.json()))
            case "GET", ["batches"]:
                rows = list(reversed(self.batches.values()))
                names = [row["id"] for row in rows]
                start = names.index(request.query["after"]) + 1 if "after" in request.query else 0
                page = rows[start : start + 2]
                more = start + 2 < len(rows)
                return web.json_response({"object": "list", "data": page, "has_more": more})
            case "GET", ["batches", name] if name in self.batches:
                return web.json_response(self._looked(name))
            case _:
                return web.json_response({"error": {"message": "no such thing"}}, status=404)

    def _created(self, body: Mapping[str, Any]) -> dict[str, Any]:
        assert body["completion_window"] == "24h"
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        assert {(line["method"], line["url"]) for line in lines} == {("POST", body["endpoint"])}
        self.asked += [user_text(line["body"]) for line in lines]
        name = f"batch_{len(self.batches) + 1}"
        counts = {"total": len(lines), "completed": 0, "failed": 0}
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "errors": None,
            "input_file_id": body["input_file_id"],
            "completion_window": "24h",
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "request_counts": counts,
            "metadata": body.get("metadata"),
        }
        return self.batches[name]

    def _looked(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        self.looked[name] += 1
        if batch["status"] in ("validating", "in_progress"):
            batch["status"] = "in_progress"
            if self.looked[name] >= self.looks:
                self._end(batch, int(name.removeprefix("batch_")))
        return batch

    def _end(self, batch: dict[str, Any], number: int) -> None:
        batch["status"] = self.status(number)
        if batch["status"] == "failed":
            problem = {"code": "invalid", "message": self.problem, "line": 1, "param": None}
            batch["errors"] = {"object": "list", "data": [problem]}
            return
        good, bad = [], []
        for line in map(json.loads, self.files[batch["input_file_id"]].splitlines()):
            came = self.answer(line["custom_id"], line["body"], number)
            if came is not None:
                row = {"id": "batch_req", "custom_id": line["custom_id"], **came}
                is_good = row["response"] is not None and row["response"]["status_code"] == 200
                (good if is_good else bad).append(json.dumps(row).encode() + b"\n")
        for member, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                name = f"file-{len(self.files) + 1}"
                self.files[name] = self.extra + b"".join(reversed(lines))
                batch[member] = name
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}


@contextmanager
def serving_batches(**told: Any) -> Iterator[Batches]:
    """Serve in a thread until the block ends."""
    endpoint = Batches(**told)
    app = web.Application(client_max_size=2**28)
    app.router.add_route("*", "/v1/{path:.*}", endpoint.handle)
    with served(app) as url:
        endpoint.url = f"{url}/v1"
        yield endpoint
