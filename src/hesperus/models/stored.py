"""Stored questions and replies as plain JSON values: the form in which they pass between stores and replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, cast, get_args

from hesperus.errors import DataError
from hesperus.fingerprint import JSON, plain
from hesperus.types import Finish, Prompt, Reply, Request, Settings

APPLICATION_ID = 0x48535052
"""``PRAGMA application_id`` of a reply store: the letters HSPR."""

SCHEMA_VERSION = 1
"""``PRAGMA user_version`` of a reply store."""

MOST_TOKENS = 10**9
"""Largest number of tokens that one reply can be said to have."""

_LARGEST = 2.0**63
"""Bound of a number: SQLite and orjson hold no larger whole ones."""

_FINISHES: tuple[Finish, ...] = get_args(Finish)


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
            row = _mapping(value, "line")
            if "request" not in row:
                return cls(_short_request(row), _short_reply(row), {})
            return cls(
                decode_request(row["request"]),
                decode_reply(row["reply"]),
                {str(k): str(v) for k, v in _mapping(row.get("identity") or {}, "identity").items()},
                str(row.get("key") or ""),
                _number(row.get("asked_at") or 0.0, "asked_at"),
            )
        except KeyError as missing:
            raise DataError(
                "a stored reply needs it; lines are {'request', 'reply'} as hesperus exports them, or {'user', 'reply'}",
                file=file,
                line=line,
                field=str(missing.args[0]),
            ) from None
        except (TypeError, ValueError) as wrong:
            raise DataError(f"no stored reply: {wrong}", file=file, line=line) from None


def decode_request(value: object) -> Request:
    """A request from plain JSON.

    Raises:
        KeyError: A field is missing.
        TypeError: A field has the wrong type.
    """
    row = _mapping(value, "request")
    prompt, settings = _mapping(row["prompt"], "prompt"), _mapping(row.get("settings") or {}, "settings")
    options = row.get("options")
    known = {f.name for f in fields(Settings)}
    given: dict[str, Any] = {
        name: _setting(number, name) for name, number in settings.items() if name in known
    }
    return Request(
        _text(row["model"], "model"),
        Prompt(_text(prompt["user"], "user"), _optional_text(prompt.get("system"), "system")),
        Settings(**given),
        None if options is None else tuple(_text(option, "option") for option in options),
        _whole(row.get("repeat", 1), "repeat"),
    )


def decode_reply(value: object) -> Reply:
    """A reply from plain JSON.

    Raises:
        KeyError: A field is missing.
        TypeError: A field has the wrong type.
        ValueError: ``finish`` is no known word.
    """
    row = _mapping(value, "reply")
    finish, logprobs = row.get("finish", "stop"), row.get("option_logprobs")
    if finish not in _FINISHES:
        raise ValueError(f"finish is {finish!r}, expected one of {', '.join(_FINISHES)}")
    return Reply(
        _text(row["text"], "text"),
        finish,
        None if logprobs is None else tuple(_number(value, "option_logprobs") for value in logprobs),
        token_count(row.get("tokens_in")),
        token_count(row.get("tokens_out")),
        _optional_text(row.get("served_by"), "served_by"),
        _optional_text(row.get("reasoning"), "reasoning"),
    )


def token_count(value: object) -> int | None:
    """A number of tokens as an endpoint or a file gives it; None if it cannot be one.

    A count beyond all measure would fit no column and stop a study for good.
    """
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if is_count else None  # type: ignore[return-value]


def _short_request(row: Mapping[str, Any]) -> Request:
    prompt = {"user": row["user"], "system": row.get("system")}
    settings = {f.name: None for f in fields(Settings)}
    return decode_request(
        {
            "model": row.get("model") or "",
            "prompt": prompt,
            "settings": row.get("settings") or settings,
            "options": row.get("options"),
            "repeat": row.get("repeat") or 1,
        }
    )


def _short_reply(row: Mapping[str, Any]) -> Reply:
    return decode_reply(
        {
            "text": row["reply"],
            "finish": row.get("finish") or "stop",
            "option_logprobs": row.get("option_logprobs"),
        }
    )


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {type(value).__name__}, expected an object")
    return value


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise TypeError(f"{name} is {value!r:.40}, expected a finite number")
    return float(value)


def _whole(value: object, name: str) -> int:
    if _number(value, name) % 1:
        raise TypeError(f"{name} is {value!r:.40}, expected a whole number")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _setting(value: object, name: str) -> float | int | None:
    if value is None:
        return None
    return _number(value, name) if isinstance(value, float) else _whole(value, name)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}, expected text")
    return value.encode("utf-8", "replace").decode()  # JSON can say half a surrogate pair, UTF-8 cannot


def _optional_text(value: object, name: str) -> str | None:
    return None if value is None else _text(value, name)
