"""Stored questions and replies as plain JSON values: the form in which they pass between stores and replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

import msgspec

from hesperus.errors import DataError
from hesperus.fingerprint import JSON, plain
from hesperus.types import Finish, Prompt, Reply, Request, Settings

APPLICATION_ID = 0x48535052
"""``PRAGMA application_id`` of a reply store: the letters HSPR."""

SCHEMA_VERSION = 1
"""``PRAGMA user_version`` of a reply store."""

_EXACT = 2.0**53
"""Bound of the whole numbers that a float holds, which Parquet may have in the place of an integer."""

MOST_TOKENS = 10**9
"""Largest number of tokens that one reply can be said to have."""

_COUNTS = "tokens_in", "tokens_out"

decode_request = msgspec.json.Decoder(Request).decode
"""A request as a store holds it, as JSON; a ValueError where it is something else."""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One reply with the question that it answers.

    Attributes:
        request: What was asked.
        reply: What came back.
        identity: Identity of the model that was asked.
        key: Key under which a store holds it; empty where it comes from elsewhere.
        asked_at: Unix time of the commit, in seconds; 0 where unknown.
    """

    request: Request
    reply: Reply
    identity: Mapping[str, str]
    key: str = ""
    asked_at: float = 0.0

    def to_json(self) -> dict[str, JSON]:
        """One line of a JSONL export."""
        return cast(dict[str, JSON], plain(self))

    @classmethod
    def from_json(cls, value: object, *, file: object = None, line: int | None = None) -> StoredReply:
        """Read one line of a JSONL export, or the short form ``{"user": …, "reply": …}``.

        The short form may add ``system``, ``model``, ``repeat``, ``finish`` and ``option_logprobs`` with ``options``.

        Raises:
            DataError: A field is missing or of the wrong type.
        """
        try:
            row = _clean(value)
            if isinstance(row, dict) and "request" not in row:
                return _short(msgspec.convert(row, _Short))
            found = msgspec.convert(row, _Line)
        except ValueError as wrong:
            raise DataError(
                f"no stored reply: {wrong}; lines are {{'request', 'reply'}} as hesperus exports them, or {{'user', 'reply'}}",
                file=file,
                line=line,
            ) from None
        return cls(found.request, found.reply, found.identity, found.key, found.asked_at)


class _Line(msgspec.Struct):
    """A line of an export."""

    request: Request
    reply: Reply
    identity: dict[str, str] = {}
    key: str = ""
    asked_at: float = 0.0


class _Short(msgspec.Struct):
    """A line of the short form: it need not say how a reply was drawn, and then answers any settings."""

    user: str
    reply: str
    system: str | None = None
    model: str = ""
    repeat: int = 1
    finish: Finish = "stop"
    settings: Settings = Settings()
    options: tuple[str, ...] | None = None
    option_logprobs: tuple[float, ...] | None = None


def _short(row: _Short) -> StoredReply:
    prompt = Prompt(row.user, row.system)
    request = Request(row.model, prompt, row.settings, row.options, row.repeat)
    return StoredReply(request, Reply(row.reply, row.finish, row.option_logprobs), {})


def decode_reply(text: str | bytes) -> Reply:
    """A reply as a store holds it, as JSON; a number of tokens that cannot be one is none.

    Raises:
        ValueError: It is something else.
    """
    return msgspec.convert(_clean(msgspec.json.decode(text)), Reply)


def _clean(value: Any) -> Any:
    """Values of JSON with whole characters, finite numbers and possible counts of tokens, and without those that are null.

    Raises:
        ValueError: A number is not finite.
    """
    if isinstance(value, Mapping):
        return {
            str(name): token_count(inner) if name in _COUNTS else _clean(inner)
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # JSON can say half a surrogate pair, UTF-8 cannot
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is no finite number")
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    return value


def token_count(value: object) -> int | None:
    """A number of tokens as an endpoint or a file gives it; None if it cannot be one.

    A count beyond all measure would fit no column and stop a study for good.
    """
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if is_count else None  # type: ignore[return-value]
