"""The numbers that a page claims, in the page itself, where a program finds them again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import orjson

from hesperus.errors import DataError, UsageError
from hesperus.evidence.claims import Document
from hesperus.fingerprint import JSON

VERSION = 1
_BEGIN, _END = '<template id="hesperus-numbers">', "</template>"
_BLOCK = re.compile(re.escape(_BEGIN) + r"([^<]*)" + re.escape(_END))
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_LARGEST = 256 << 20


def numbers_block(claims: Mapping[str, Document], settings: Mapping[str, JSON], version: str) -> str:
    """The tables as an element that a browser does not show: JSON of plain characters, in which no mark-up can be.

    Args:
        claims: Name to table.
        settings: Settings that were given; what a study or a default decides is not among them.
        version: Of the hesperus that made them.
    """
    held = {"page": VERSION, "hesperus": version, "settings": dict(settings), "tables": dict(claims)}
    text = json.dumps(held, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return _BEGIN + re.sub("[<>&]", lambda found: _ESCAPED[found[0]], text) + _END


def is_page(path: Path) -> bool:
    """Whether a file is named as a page."""
    return path.suffix.lower() in (".html", ".htm")


def claimed_numbers(path: Path) -> Mapping[str, JSON]:
    """What a page claims: `tables`, `settings`, `hesperus`.

    Raises:
        UsageError: There is no such file.
        DataError: It claims nothing that a program can read, or says it twice.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    if path.stat().st_size > _LARGEST:
        raise DataError(f"is larger than {_LARGEST:,} bytes, which no page is", file=path)
    found = _BLOCK.findall(path.read_text(encoding="utf-8", errors="replace"))
    if len(found) != 1:
        said = "holds no numbers that a program can read" if not found else "holds its numbers more than once"
        raise DataError(f"{said}; `hesperus report` writes pages that hold them once", file=path)
    try:
        held = orjson.loads(found[0])
    except orjson.JSONDecodeError as error:
        raise DataError(f"its numbers cannot be read: {error.msg}", file=path) from None
    if not isinstance(held, dict) or held.get("page") != VERSION:
        raise DataError(f"its numbers are not of version {VERSION}", file=path)
    if not isinstance(held.get("tables"), dict) or not isinstance(held.get("settings"), dict):
        raise DataError("its numbers are no tables with settings", file=path)
    return held
