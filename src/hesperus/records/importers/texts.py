"""JSON values as text, the same from every reader."""

from __future__ import annotations

import json

import orjson


def text_of(value: object) -> str | None:
    """A JSON value as text: whole numbers without a fraction, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, int):
        return str(value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a whole number of more than 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
