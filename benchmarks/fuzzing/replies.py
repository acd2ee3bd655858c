"""What an endpoint sends: status, headers and body, through the whole decoder and into the form of the store."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import orjson

from hesperus.asking.runs import storable
from hesperus.errors import HesperusError
from hesperus.models import ModelOptions, model
from hesperus.models.batches import BatchEndpoint, read_line
from hesperus.models.chat import ChatModel
from hesperus.models.stored import decode_reply
from hesperus.models.transport import RawReply
from hesperus.types import Prompt, Reply, Request, Settings

from .draws import ODD_TEXTS, damaged, deepened, hostile, mutated, reordered, written
from .trying import Changed

T = TypeVar("T")
_USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
_TOP = [{"token": "A", "logprob": -0.1, "bytes": [65]}, {"token": " B", "logprob": -2.5, "bytes": None}]
_SCORED = {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": _TOP}]}


def _chat(message: Mapping[str, object], **more: object) -> dict[str, object]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", **message},
        "finish_reason": "stop",
        "logprobs": None,
    }
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "m-1",
        "choices": [{**choice, **more}],
        "usage": _USAGE,
    }


CHAT = (
    _chat({"content": "The answer is B."}),
    _chat({"content": "<think>is it?</think> no"}),
    _chat({"content": None, "reasoning_content": "hm", "refusal": None}, finish_reason="length"),
    _chat(
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "a"}]},
                {"type": "text", "text": "b"},
            ]
        }
    ),
    _chat({"content": None, "refusal": "I cannot"}),
    _chat({"content": ""}, finish_reason="content_filter"),
)
SCORES = (
    _chat({"content": "A"}, logprobs=_SCORED),
    _chat({"content": "A"}, logprobs={"tokens": ["A"], "top_logprobs": [{"A": -0.1, " B": -3}]}),
)
ECHO = tuple(
    {
        "model": "m",
        "usage": _USAGE,
        "choices": [
            {
                "text": f"Q?{option}!",
                "logprobs": {
                    "tokens": ["Q?", option, "!"],
                    "token_logprobs": [None, -1.5, -2],
                    "text_offset": [0, 2, 3],
                },
            }
        ],
    }
    for option in "AB"
)
RESPONSES = (
    {
        "model": "m",
        "status": "completed",
        "incomplete_details": None,
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "content": None},
            {
                "type": "message",
                "content": [{"type": "output_text", "text": "B"}, {"type": "refusal", "refusal": "no"}],
            },
        ],
        "usage": {"input_tokens": 5, "output_tokens": 2},
    },
)
ERRORS = (
    {"error": {"message": "too many", "type": "rate_limit", "code": "rate_limit_exceeded", "param": None}},
    {
        "error": {
            "message": "'max_tokens' is not supported, use 'max_completion_tokens'",
            "code": "unsupported_parameter",
            "param": "max_tokens",
        }
    },
    {"error": {"message": "System role not supported", "code": 400}},
    [{"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}}],
    {"detail": "no"},
    {"error": {"code": "content_filter", "message": "held back"}},
)
STATUSES = (
    200,
    200,
    200,
    200,
    201,
    204,
    301,
    307,
    400,
    401,
    402,
    403,
    404,
    408,
    409,
    422,
    429,
    500,
    501,
    502,
    503,
    529,
    999,
)
HEADERS = ("Retry-After", "retry-after-ms", "Location", "Content-Type")
HEADER_VALUES = ("1", "0.5", "9" * 30, "-1", "nan", "Wed, 21 Oct 2099 07:28:00 GMT", "Wed, 99 Oct 99999 07:28:00 GMT", "http://[", "http://x:y/", "٣", "")  # fmt: skip


class Played:
    """Stands where the connection is: hands out one response, whatever is sent."""

    def __init__(self, raw: RawReply) -> None:
        self.raw = raw

    async def post(self, path: str, body: bytes = b"") -> RawReply:
        """Take a request."""
        return self.raw

    get = post


_PROMPT = Prompt("Q?")
_KINDS: tuple[tuple[tuple[Any, ...], str, ModelOptions, Request], ...] = (
    (CHAT, "http/m", ModelOptions("http://127.0.0.1:9/v1"), Request("http/m", Prompt("Q?", "S"), Settings(seed=1))),
    (SCORES, "http/m", ModelOptions("http://127.0.0.1:9/v1"), Request("http/m", _PROMPT, Settings(), ("A", "B"))),
    (ECHO, "http/m", ModelOptions("http://127.0.0.1:9/v1", scoring="echo"), Request("http/m", _PROMPT, Settings(), ("A", "B"))),
    (RESPONSES, "openai-responses/m", ModelOptions("http://127.0.0.1:9/v1"), Request("openai-responses/m", _PROMPT, Settings())),
)  # fmt: skip


def decoder(rng: random.Random, folder: Path) -> None:
    """Status, headers and body of one response."""
    documents, name, options, request = rng.choice(_KINDS)
    asked = model(name, options)
    assert isinstance(asked, ChatModel)
    status, document = 200, rng.choice(documents)
    if rng.random() < 0.2:
        status, document = rng.choice(STATUSES), rng.choice(ERRORS + documents)
    value = mutated(rng, document) if rng.random() < 0.9 else document
    body = written(rng, value)
    if rng.random() < 0.25:
        value, body = None, rng.choice((damaged, deepened))(rng, body)
    headers = {name: rng.choice(HEADER_VALUES) for name in HEADERS if rng.random() < 0.1}
    reply = _answered(asked, request, RawReply(status, headers, body))
    _kept(reply)
    if value is not None:
        again = _answered(
            model(name, options), request, RawReply(status, headers, written(rng, reordered(rng, value)))
        )
        if not _same(again, reply):
            raise Changed(f"other blanks, escapes or order: {reply!r} became {again!r}; {body[:200]!r}")


def _answered(asked: Any, request: Request, raw: RawReply) -> Reply:
    asked._transport = Played(raw)
    return storable(_finished(asked.reply(request)), asked.name)


def _finished(asking: Coroutine[Any, Any, T]) -> T:
    """The value of a coroutine that waits for nothing."""
    try:
        asking.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise AssertionError("the decoder waited for something")


def _kept(reply: Reply) -> None:
    """What the store writes is read as the same."""
    again = decode_reply(orjson.dumps(reply))
    if not _same(again, reply):
        raise Changed(f"store: {reply!r} was read as {again!r}")


def _same(one: Reply, other: Reply) -> bool:
    return one == other and all(map(math.isfinite, one.option_logprobs or ()))


_BATCH = {
    "id": "batch_1",
    "object": "batch",
    "status": "completed",
    "errors": {"object": "list", "data": [{"code": "c", "message": "m", "line": 3, "param": None}]},
    "output_file_id": "file-1",
    "error_file_id": None,
    "request_counts": {"total": 3, "completed": 2, "failed": 1},
    "metadata": {"hesperus": "mark"},
}


def batches(rng: random.Random, folder: Path) -> None:
    """A line of a batch, or what an endpoint says of one."""
    documents, name, options, request = rng.choice([kind for kind in _KINDS if kind[0] is not ECHO])
    asked = model(name, options)
    assert isinstance(asked, ChatModel)
    if rng.random() < 0.3:
        raw = RawReply(
            rng.choice(STATUSES),
            {},
            hostile(rng, rng.choice((_BATCH, {"data": [_BATCH], "has_more": False}))),
        )
        endpoint = BatchEndpoint(Played(raw), "m at h", "sk-secret", "KEY")  # type: ignore[arg-type]
        str(_finished(endpoint.look("batch_1") if rng.random() < 0.5 else endpoint.find("mark")))
        return
    response = {
        "status_code": rng.choice(STATUSES),
        "request_id": "r",
        "body": rng.choice(documents + ERRORS),
    }
    row = {
        "id": "x",
        "custom_id": "k",
        "response": response,
        "error": rng.choice((None, {"code": "batch_expired", "message": "m"})),
    }
    line = read_line(hostile(rng, row))
    if line is not None and line.raw is not None:
        _kept(storable(asked.batch_reply(request, line.raw), name))


_STORED = (
    {
        "request": {
            "model": "m",
            "prompt": {"user": "Q?", "system": None},
            "settings": {"temperature": 0.5, "max_tokens": 5, "top_p": None, "seed": None},
            "options": ["A", "B"],
            "repeat": 1,
        },
        "reply": {
            "text": "A",
            "finish": "stop",
            "option_logprobs": [-1.0, -2.0],
            "tokens_in": 1,
            "tokens_out": 2,
        },
        "identity": {"protocol": "openai-chat"},
        "key": "k",
        "asked_at": 1.5,
    },
    {"user": "Q?", "reply": "yes", "system": "S", "model": "m", "repeat": 2, "finish": "length"},
)


def stored(rng: random.Random, folder: Path) -> None:
    """Lines of JSON from which a model is replayed."""
    path = folder / "replies.jsonl"
    lines = [hostile(rng, one) if rng.random() < 0.7 else json.dumps(one).encode() for one in _STORED]
    path.write_bytes(b"\n".join(lines))
    replayed = model(f"replay/{path}", ModelOptions())
    for request in (Request("m", Prompt("Q?", "S"), repeat=2), Request("m", Prompt(rng.choice(ODD_TEXTS)))):
        try:
            replayed.replies([request])  # type: ignore[attr-defined]
        except HesperusError:
            continue
