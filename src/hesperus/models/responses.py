"""OpenAI's responses as bytes: the successor of chat completions, with other names for the same things.

Field names follow the public API reference for ``POST /v1/responses``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hesperus.errors import TransientError
from hesperus.fingerprint import JSON
from hesperus.models.stored import token_count
from hesperus.models.wire import Dialect, chat_body, served_by
from hesperus.types import Finish, Reply, Request

_CUT: Mapping[str, Finish] = {"max_output_tokens": "length", "content_filter": "filter"}


def responses_body(model: str, request: Request, dialect: Dialect) -> dict[str, JSON]:
    """The members of a request that the request itself decides; nothing of it is stored at the provider's.

    Raises:
        PermanentError: The request sets a seed, which this protocol has no member for (kind ``unsupported``).
    """
    body = chat_body(model, request, dialect)
    body["input"] = body.pop("messages")
    body["store"] = False
    return body


def as_extra(extra: Mapping[str, JSON]) -> dict[str, JSON]:
    """Further members as this protocol names them: how long to think is a part of ``reasoning``."""
    named = dict(extra)
    if "reasoning_effort" in named:
        held = named.get("reasoning")
        reasoning: dict[str, JSON] = dict(held) if isinstance(held, Mapping) else {}
        named["reasoning"] = {**reasoning, "effort": named.pop("reasoning_effort")}
    return named


def read_responses(document: Any, where: str) -> Reply:
    """A reply with generated text; a refusal becomes its text, so that it is read as one, and the call of a tool is no text.

    Raises:
        TransientError: The document is no response (kind ``bad_reply``), the model failed half-way (``gave_up``), or there
            is neither text nor thinking nor a reason for it (``no_content``).
    """
    output = document.get("output") if isinstance(document, dict) else None
    if not isinstance(output, list):
        raise TransientError(f"{where} sent JSON that is no response (no output)", kind="bad_reply")
    if document.get("status") in ("failed", "cancelled"):
        raise TransientError(f"{where} gave up half-way", kind="gave_up")
    text, thought = "".join(_said(output)), "\n".join(_thought(output)) or None
    finish = _finish(document)
    calls = any(isinstance(item, dict) and item.get("type") == "function_call" for item in output)
    is_said = calls or any(_parts(output, "message", "content"))
    if not text and thought is None and finish == "stop" and not is_said:
        raise TransientError(f"{where} sent a response without a message", kind="no_content")
    usage = document.get("usage")
    used: Mapping[str, Any] = usage if isinstance(usage, dict) else {}
    tokens_in, tokens_out = token_count(used.get("input_tokens")), token_count(used.get("output_tokens"))
    return Reply(text, finish, None, tokens_in, tokens_out, served_by(document), thought)


def _finish(document: Mapping[str, Any]) -> Finish:
    status, details = document.get("status"), document.get("incomplete_details")
    if status == "completed":
        return "stop"
    reason = details.get("reason") if isinstance(details, dict) else None
    return _CUT.get(reason, "unknown") if isinstance(reason, str) else "unknown"


def _parts(output: list[Any], kind: str, member: str) -> Iterator[dict[str, Any]]:
    for item in output:
        if isinstance(item, dict) and item.get("type") == kind and isinstance(item.get(member), list):
            yield from (part for part in item[member] if isinstance(part, dict))


def _said(output: list[Any]) -> Iterator[str]:
    for part in _parts(output, "message", "content"):
        said = part.get("refusal") if part.get("type") == "refusal" else part.get("text")
        if isinstance(said, str):
            yield said


def _thought(output: list[Any]) -> Iterator[str]:
    for member in ("summary", "content"):
        for part in _parts(output, "reasoning", member):
            if isinstance(part.get("text"), str) and part["text"].strip():
                yield part["text"]
