"""The key under which a reply is stored: a fingerprint of everything that decides it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from hashlib import blake2b

import orjson

from hesperus.errors import DataError
from hesperus.types import Request, Settings

KEY_VERSION = b"hesperus-request-1\n"

_SETTINGS = tuple(f.name for f in fields(Settings))
_REAL = frozenset({"temperature", "top_p"})


def request_key(request: Request, identity: Mapping[str, str]) -> str:
    """The key of one request; for many requests of one model, ``key_maker`` is faster.

    Settings of None are left to the endpoint and do not enter, so that a setting added in a later version
    leaves old keys valid. ``0`` and ``0.0`` are one temperature.

    Args:
        request: What is asked.
        identity: ``Model.identity``.

    Returns:
        32 hexadecimal digits of BLAKE2b.

    Raises:
        DataError: The text holds half a surrogate pair, which UTF-8 cannot say.
    """
    return key_maker(identity)(request)


def key_maker(identity: Mapping[str, str]) -> Callable[[Request], str]:
    """``request_key`` for one model."""
    base = blake2b(KEY_VERSION + orjson.dumps(dict(identity), option=orjson.OPT_SORT_KEYS), digest_size=16)

    def key(request: Request) -> str:
        digest = base.copy()
        digest.update(_canonical(request))
        return digest.hexdigest()

    return key


def _canonical(request: Request) -> bytes:
    """The request as bytes; a JSON list of fixed places, which no two requests share."""
    settings = request.settings
    numbers = [
        (name, float(value) if name in _REAL else value)
        for name in _SETTINGS
        if (value := getattr(settings, name)) is not None
    ]
    prompt = request.prompt
    try:
        return orjson.dumps(
            [request.model, prompt.system, prompt.user, numbers, request.options, request.repeat]
        )
    except TypeError:
        raise DataError(
            f"a prompt for {request.model} holds half a surrogate pair and cannot be sent as UTF-8; mend the "
            f"item's text: {prompt.user[:60]!r}"
        ) from None
