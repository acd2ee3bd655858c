"""OpenAI-compatible chat completions as bytes: requests out, replies in, every deviation named.

Field names follow the public API reference for chat completions; what servers are known to do otherwise is noted
where it is handled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from hesperus.errors import PermanentError, TransientError
from hesperus.fingerprint import JSON
from hesperus.models.faults import excerpt
from hesperus.models.protocol import DEFAULT_TOKENS
from hesperus.models.stored import token_count
from hesperus.types import Finish, Prompt, Reply, Request

FINISHES: Mapping[str, Finish] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"), "stop"),
    **dict.fromkeys(
        ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"),
        "length",
    ),
    # A filter's word: OpenAI's, Google's, Anthropic's, Bedrock's and Zhipu's.
    **dict.fromkeys(
        ("content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii"), "filter"
    ),
    **dict.fromkeys(("refusal", "content_filtered", "guardrail_intervened", "sensitive"), "filter"),
}
"""Finish reasons in our words; what follows a colon (``content_filter: RECITATION``) is left out."""

_LONGEST_NAME = 200

BROKEN_FINISHES = frozenset({"abort", "error", "insufficient_system_resource", "network_error"})
"""Finish reasons by which a server says, with status 200, that it gave up: vLLM's, OpenRouter's, DeepSeek's and Zhipu's."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What endpoints of one protocol do differently.

    Attributes:
        limit_word: Member that bounds the reply's length.
        seed_word: Member that seeds sampling, or None.
        top_logprobs: Most alternatives a token that are asked for.
        folds_system: Whether a system text goes in front of the user's, since the endpoint takes no such role.
    """

    limit_word: str = "max_tokens"
    seed_word: str | None = "seed"
    top_logprobs: int = 20
    folds_system: bool = False


def messages_of(prompt: Prompt, *, folds_system: bool) -> list[JSON]:
    """The turns of a prompt."""
    if prompt.system is None:
        return [{"role": "user", "content": prompt.user}]
    if folds_system:
        return [{"role": "user", "content": f"{prompt.system}\n\n{prompt.user}"}]
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]


def chat_body(model: str, request: Request, dialect: Dialect) -> dict[str, JSON]:
    """The members of a chat request that the request itself decides.

    Args:
        model: Name as the endpoint knows it.
        request: What is asked.
        dialect: What the endpoint does differently.

    Raises:
        PermanentError: The request sets a seed and the endpoint takes none (kind ``unsupported``).
    """
    settings = request.settings
    turns = messages_of(request.prompt, folds_system=dialect.folds_system)
    body: dict[str, JSON] = {"model": model, "messages": turns}
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    body[dialect.limit_word] = DEFAULT_TOKENS if settings.max_tokens is None else settings.max_tokens
    if settings.top_p is not None:
        body["top_p"] = settings.top_p
    if settings.seed is not None:
        if dialect.seed_word is None:
            raise PermanentError(f"{request.model} takes no seed; leave it unset", kind="unsupported")
        body[dialect.seed_word] = settings.seed
    return body


def encode(body: Mapping[str, JSON]) -> bytes:
    """Bytes of a request body.

    Raises:
        PermanentError: The text holds half a surrogate pair, which UTF-8 cannot say (kind ``bad_text``).
    """
    try:
        return orjson.dumps(body)
    except TypeError:
        raise PermanentError(
            "the prompt holds half a surrogate pair and cannot be sent as UTF-8; mend the item's text",
            kind="bad_text",
        ) from None


def decode(body: bytes, where: str) -> Any:
    """The JSON document of a response that claims success.

    Raises:
        TransientError: It is empty or breaks off (kind ``bad_json``), is HTML (``html``) or something else that never was
            JSON (``not_json``), or holds bytes that are no UTF-8 (``bad_encoding``).
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:  # Python servers write NaN and half surrogate pairs, which strict JSON refuses
        loose = json.loads(body, parse_constant=lambda _: None)
        return orjson.loads(json.dumps(loose, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        pass
    start = body[:64].lstrip()
    if start.startswith(b"<"):
        raise TransientError(
            f"{where} sent HTML, not JSON; check the base URL (it usually ends with /v1){_title(body)}",
            kind="html",
        )
    if start and start[:1] not in b"{[":
        raise TransientError(f"{where} sent text that is not JSON; check the base URL", kind="not_json")
    if not _is_utf8(body):
        raise TransientError(f"{where} sent JSON that is not UTF-8", kind="bad_encoding")
    raise TransientError(f"{where} sent {'JSON that breaks off' if start else 'nothing'}", kind="bad_json")


def read_choice(document: Any, where: str) -> dict[str, Any]:
    """The first choice of a completion.

    Raises:
        TransientError: It holds no choice (kind ``empty_choices``), the server gave up half-way (``gave_up``), or the document
            is no completion (``bad_reply``).
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    if choices == []:
        raise TransientError(f"{where} sent a reply without any choice", kind="empty_choices")
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise TransientError(
            f"{where} sent JSON that is no completion (no choices); check the base URL", kind="bad_reply"
        )
    reason = choices[0].get("finish_reason")
    if isinstance(reason, str) and reason in BROKEN_FINISHES:
        raise TransientError(f"{where} gave up half-way", kind="gave_up")
    return choices[0]


def read_chat(document: Any, where: str) -> Reply:
    """A reply with generated text.

    A structured refusal becomes the reply's text, so that it is read as one. What the model thought is kept apart. A model that
    calls a tool, though none was offered, has said nothing: its text is empty.

    Raises:
        TransientError: See ``read_choice``; or there is no text, no thinking and no reason for it (``no_content``).
    """
    choice = read_choice(document, where)
    message = choice.get("message")
    finish = finish_of(choice)
    if not isinstance(message, dict):
        if finish != "filter":
            raise TransientError(f"{where} sent a choice without a message", kind="bad_reply")
        message = {}
    content = message.get("content")
    if content is None:
        content = message.get("refusal")
    thought = thinking_of(message)
    if isinstance(content, list):
        content = "".join(map(_part, content))
    if content is None:
        if thought is None and finish not in ("filter", "length") and not message.get("tool_calls"):
            raise TransientError(f"{where} sent a message without content", kind="no_content")
        content = ""
    if not isinstance(content, str):
        raise TransientError(f"{where} sent a message whose content is no text", kind="bad_reply")
    if thought is None:
        thought, content = split_thinking(content)
    tokens_in, tokens_out = usage_of(document)
    return Reply(content, finish, None, tokens_in, tokens_out, served_by(document), thought)


def finish_of(choice: Mapping[str, Any]) -> Finish:
    """Why the model stopped, in our words."""
    reason = choice.get("finish_reason")
    return FINISHES.get(reason.lower().partition(":")[0], "unknown") if isinstance(reason, str) else "unknown"


def usage_of(document: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Tokens in and out as the endpoint counted them, those of thinking included; None if it did not."""
    usage = document.get("usage")
    if not isinstance(usage, dict):
        return None, None
    tokens_in = token_count(usage.get("prompt_tokens"))
    tokens_out = token_count(usage.get("completion_tokens"))
    total = token_count(usage.get("total_tokens"))
    if tokens_in is not None and total is not None and total > tokens_in:
        # xAI and Google count thinking in the total alone.
        tokens_out = max(tokens_out or 0, total - tokens_in)
    return tokens_in, tokens_out


def served_by(document: Mapping[str, Any]) -> str | None:
    """The exact model that the endpoint says it ran."""
    name = document.get("model")
    return name[:_LONGEST_NAME] if isinstance(name, str) and name else None


def read_error(body: bytes, secret: str | None) -> tuple[str, str, str]:
    """What an error response says: its words, its machine code, the parameter it names.

    Args:
        body: The response body, JSON or not.
        secret: The key that was sent, to be cut out.
    """
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        text = body[:8192].decode("utf-8", "replace")
        return excerpt(_title(body) or text, secret), "", ""
    if isinstance(document, list) and document:
        document = document[0]  # Google's endpoint wraps its errors in a list
    if not isinstance(document, dict):
        return "", "", ""
    error = document.get("error", document)
    if not isinstance(error, dict):
        return excerpt(str(error), secret), "", ""
    said = error.get("message") or error.get("detail") or error.get("msg") or ""
    code = error.get("code") or error.get("type") or ""
    return excerpt(str(said), secret), str(code), str(error.get("param") or "")


_THINKING = re.compile(r"\s*<(think|thinking|thought|reasoning)>(.*?)(?:</\1>\s*|\Z)", re.DOTALL)


def split_thinking(text: str) -> tuple[str | None, str]:
    """Thinking and answer of a text that holds both, as open models write them where no server tells them apart.

    Thinking is first, between ``<think>`` and ``</think>``; some chat templates write the opening tag themselves, so
    that the reply has the closing one alone. What never closes is all thinking.

    Returns:
        The thinking, or None if absent, and the rest.
    """
    if "think" not in text and "thought" not in text and "reasoning" not in text:
        return None, text
    match = _THINKING.match(text)
    if match is not None:
        return match[2].strip() or None, text[match.end() :]
    before, mark, after = text.rpartition("</think>")
    return (before.strip() or None, after.lstrip()) if mark else (None, text)


def thinking_of(message: Mapping[str, Any]) -> str | None:
    """What the model thought, where the endpoint shows it besides the answer; None if it does not.

    Members by which servers give it: ``reasoning_content`` (DeepSeek, vLLM, SGLang), ``reasoning`` (OpenRouter, Groq,
    Ollama), parts of the type ``thinking`` or ``reasoning`` (Mistral, Anthropic), ``reasoning_details`` (OpenRouter).
    """
    for member in ("reasoning_content", "reasoning"):
        if isinstance(said := message.get(member), str) and said.strip():
            return said
    parts = (message.get(member) for member in ("content", "reasoning_details"))
    said = "".join(_thought(part) for held in parts if isinstance(held, list) for part in held)
    return said.strip() or None


def _thought(part: object) -> str:
    """The text of a part that holds thinking: text, or a list of parts with text."""
    if not isinstance(part, dict) or str(part.get("type")).partition(".")[0] not in ("thinking", "reasoning"):
        return ""
    said = part.get("thinking") or part.get("text") or part.get("summary")
    if isinstance(said, list):
        return "".join(
            str(one["text"]) for one in said if isinstance(one, dict) and isinstance(one.get("text"), str)
        )
    return said if isinstance(said, str) else ""


def _is_utf8(body: bytes) -> bool:
    """Whether the bytes are UTF-8; a character that is cut at the end counts as broken off, not as wrong."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _part(part: object) -> str:
    """The text of one content part, which may be a refusal; thinking parts have none."""
    kind = part.get("type", "text") if isinstance(part, dict) else None
    said = part.get("refusal" if kind == "refusal" else "text") if isinstance(part, dict) else None
    return said if kind in ("text", "output_text", "refusal") and isinstance(said, str) else ""


def _title(body: bytes) -> str:
    """The title of an HTML page, as ``: …``; empty if absent."""
    match = re.search(rb"(?is)<title[^>]*>\s*(.{1,200}?)\s*</title>", body[:16384])
    return f": {excerpt(match[1].decode('utf-8', 'replace'))}" if match else ""
