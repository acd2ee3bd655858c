"""The numbers that a page claims, in the page itself, where a program finds them again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import orjson

from hesperus.errors import DataError, UsageError
from hesperus.evidence.claims import Difference, Document
from hesperus.evidence.shown import Shown, shown_differences, shown_on
from hesperus.fingerprint import JSON
from hesperus.packed_text import packed, unpacked

VERSION = 2
_BEGIN, _END = '<template id="hesperus-numbers">', "</template>"
_BLOCK = re.compile(re.escape(_BEGIN) + r"([^<]*)" + re.escape(_END))
_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class PageClaims:
    """What a page claims.

    Attributes:
        tables: Name to table.
        settings: Settings that were given; what a study or a default decides is not among them.
        version: Of the hesperus that made them.
        is_of_run: Whether a run and these settings make the whole page again; otherwise only the tables.
        lines: Signatures of tables that the page shows and no run makes again.
    """

    tables: Mapping[str, Document]
    settings: Mapping[str, JSON]
    version: str
    is_of_run: bool = True
    lines: tuple[str, ...] = ()

    def written_on(self, html: str) -> str:
        """The page with its claims: a line for each table that a paper can print, and all of it where a browser shows nothing."""
        signed = self.signed(html)
        body, end, rest = signed.rpartition("</body>")
        return f"{body}{self._block(shown_on(signed))}{end}{rest}"

    def signed(self, html: str) -> str:
        """The page with the lines alone."""
        lines = [escape(line) for line in (*map(_line, self.tables.values()), *self.lines) if line]
        body, end, rest = html.rpartition("</footer>")
        return f"{body}{_signatures(lines)}{end}{rest}" if lines else html

    def _block(self, shown: Shown) -> str:
        """An element that a browser does not show: packed JSON, in which no mark-up can be."""
        held = {
            "page": VERSION, "hesperus": self.version, "settings": dict(self.settings), "tables": dict(self.tables),
            "of_run": self.is_of_run, "shown": shown.document(),
        }  # fmt: skip
        return _BEGIN + packed(json.dumps(held, allow_nan=False, separators=(",", ":"))) + _END


def _line(table: Document) -> str:
    signature = table.get("signature")
    return str(signature.get("short", "")) if isinstance(signature, Mapping) else ""


def _signatures(lines: Sequence[str]) -> str:
    first, *others = [f"<code>{line}</code>" for line in lines]
    told = f"<p>Signature: {first}</p>"
    if others:
        listed = "".join(f"<li>{line}</li>" for line in others)
        told += f"<details><summary>Signatures of the other tables</summary><ul>{listed}</ul></details>"
    return told


def is_page(path: Path) -> bool:
    """Whether a file is named as a page."""
    return path.suffix.lower() in (".html", ".htm")


def without_claims(html: str) -> str:
    """A page without the block of its claims: what a browser shows."""
    return _BLOCK.sub("", html)


def page_claims(path: Path) -> tuple[PageClaims, tuple[Difference, ...]]:
    """What a page claims, and where it shows something else than it did when it was written.

    Raises:
        UsageError: There is no such file.
        DataError: It claims nothing that a program can read, or says it twice.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    if path.stat().st_size > _LARGEST:
        raise DataError(f"is larger than {_LARGEST:,} bytes, which no page is", file=path)
    text = path.read_text(encoding="utf-8", errors="replace")
    found = _BLOCK.findall(text)
    if len(found) != 1:
        said = "holds no numbers that a program can read" if not found else "holds its numbers more than once"
        raise DataError(f"{said}; `hesperus report` writes pages that hold them once", file=path)
    try:
        held = orjson.loads(unpacked(found[0]))
    except (DataError, orjson.JSONDecodeError) as error:
        raise DataError(f"its numbers cannot be read: {error}", file=path) from None
    if not isinstance(held, dict) or held.get("page") != VERSION:
        raise DataError(f"its numbers are not of version {VERSION}", file=path)
    if not isinstance(held.get("tables"), dict) or not isinstance(held.get("settings"), dict):
        raise DataError("its numbers are no tables with settings", file=path)
    changed = tuple(shown_differences(shown_on(without_claims(text)), Shown.parse(held.get("shown"))))
    version, is_of_run = str(held.get("hesperus")), held.get("of_run") is True
    return PageClaims(held["tables"], held["settings"], version, is_of_run), changed
