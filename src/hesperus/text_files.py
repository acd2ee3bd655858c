"""The one reader of texts that users bring: UTF-8, with or without a byte order mark; faults name the file and the line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from hesperus.errors import DataError, UsageError


def read_text(path: Path | Traversable, kind: str = "file", *, file: object = None) -> str:
    """The text of a file.

    Args:
        path: The file.
        kind: What it is, for messages: ``study``, ``price file``.
        file: Its name in messages; None for its path.

    Raises:
        UsageError: It cannot be opened.
        DataError: It is not UTF-8; names the line.
    """
    named = path if file is None else file
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the {kind} {named}: {error.strerror or error}") from None
    return decoded(content, named)


def decoded(content: bytes, file: object = None) -> str:
    """The text of bytes.

    Args:
        content: What a file or standard input holds.
        file: Named in messages.

    Raises:
        DataError: They are not UTF-8; names the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8; save it as UTF-8", file=file, line=line) from None


def read_json(path: Path, kind: str = "file", *, file: object = None) -> Any:
    """The value of a JSON file.

    Args:
        path: The file.
        kind: See read_text.
        file: See read_text.

    Raises:
        UsageError: It cannot be opened.
        DataError: It is not UTF-8 or not JSON; names the line.
    """
    text = read_text(path, kind, file=file)
    try:
        return json.loads(text)
    except RecursionError:
        raise DataError(f"the {kind} is no JSON: nested too deeply", file=file or path) from None
    except json.JSONDecodeError as error:
        raise DataError(f"the {kind} is no JSON: {error.msg}", file=file or path, line=error.lineno) from None
    except ValueError as error:  # a number of more digits than Python reads
        raise DataError(f"the {kind} is no JSON: {error}", file=file or path) from None


def read_mapping(path: Path, kind: str = "file") -> Mapping[str, Any]:
    """The object that a JSON file holds.

    Raises:
        UsageError: It cannot be opened.
        DataError: It is not UTF-8 or not JSON, or holds another value.
    """
    value = read_json(path, kind)
    if not isinstance(value, dict):
        raise DataError(f"expected a mapping, found {type(value).__name__}", file=path)
    return value
