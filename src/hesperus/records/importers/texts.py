"""JSON values as text, and faults of JSON, the same from every reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from mmap import mmap
from typing import Any

import msgspec
import orjson

from hesperus.errors import DataError


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


def texts_in(values: Mapping[str, object]) -> dict[str, str]:
    """The members of an object that are texts."""
    return {str(name): value for name, value in values.items() if isinstance(value, str)}


_CONSTANT = re.compile(rb'("(?:[^"\\]|\\.)*+")|\bNaN\b|-?\bInfinity\b')
"""What Python writes and JSON has not, outside of texts."""


def decoded(data: bytes | msgspec.Raw | mmap, kind: Any) -> Any:
    """A JSON document as a type; NaN and Infinity, which Python writes for a score that was not given, are null.

    Raises:
        msgspec.DecodeError: It is neither.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        finite = _CONSTANT.sub(lambda found: found[1] or b"null", memoryview(data))
        if finite == memoryview(data):
            raise
    return msgspec.json.decode(finite, type=kind)


@contextmanager
def written_by(tool: str, place: str, part: str = "") -> Iterator[None]:
    """Turn what a JSON parser raises into an error that says what was expected.

    Args:
        tool: The tool that should have written it, for people.
        place: The log.
        part: What of it is parsed; the whole if empty.

    Raises:
        DataError: It is not what the tool writes.
    """
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(
            f"{f'{part} is ' if part else ''}not as {tool} writes it: {error}", file=place
        ) from error
    except RecursionError as error:
        raise DataError("nested too deeply", file=place) from error
