"""What a page shows, read from its HTML: the cells of its tables, its text by section, its figures."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import takewhile

from hesperus.errors import DataError
from hesperus.evidence.claims import Difference
from hesperus.fingerprint import JSON
from hesperus.packed_text import unpacked

_COMMAND = "command"
_UNSHOWN = ("script", "style", "template", _COMMAND)
"""What is passed over: what a browser does not show, and commands, which name the place of a run."""

_CELLS = ("td", "th")
_HEADINGS = ("h1", "h2", "h3")
_NUMBERS = ("data-value", "data-low", "data-high")
"""Attributes of a cell that hold its number in full: what the page's tooltips and its CSV say."""
_CODE = "style, script and what it unpacks"
_SPOKEN = ("aria-label", "title", "alt", "data-totals")
"""Attributes that a page says aloud or shows."""
_DIGITS = 16
_NUMBER = re.compile(r"[−+-]?\.?\d|[–×]")
_ROWS = re.compile(r'</tbody>\s*</table>\s*<script type="text/plain" class="rows">([\w+/=]*)</script>')
"""Further rows of a long table, which the page's script unpacks."""
_DATA = re.compile(r'<script type="text/plain"[^<>]*>([\w+/=]*)</script>')
_BROKEN = re.compile(r"<(?!(?:/?[a-zA-Z]|!doctype )[^<>]*>)")
"""What no page of ours holds, and what would keep the parser busy for hours: a tag that is not closed, a comment."""


@dataclass(slots=True)
class ShownTable:
    """A table of a page.

    Attributes:
        caption: Its caption.
        rows: Rows of cells as texts, the head among them.
        numbers: Hash of the numbers in full.
    """

    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)
    numbers: str = ""


@dataclass(slots=True)
class Shown:
    """What a page shows.

    Attributes:
        tables: Its tables, in order.
        texts: Heading and hash of the text below it, outside of tables.
        figures: Hashes of the drawings.
    """

    tables: list[ShownTable] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def document(self) -> dict[str, JSON]:
        """The same as JSON."""
        tables: list[JSON] = [
            {"caption": one.caption, "rows": [list[JSON](row) for row in one.rows], "numbers": one.numbers}
            for one in self.tables
        ]
        return {
            "tables": tables, "texts": [list[JSON](one) for one in self.texts], "figures": list[JSON](self.figures),
        }  # fmt: skip

    @classmethod
    def parse(cls, document: JSON) -> Shown:
        """Read it back.

        Raises:
            DataError: It is not what `document` gives.
        """
        try:
            tables = [ShownTable(**one) for one in document["tables"]]  # type: ignore[index, call-overload, arg-type, union-attr]
            found = cls(tables, document["texts"], document["figures"])  # type: ignore[index, call-overload, arg-type]
            leaves = [
                *(text for one in found.tables for text in (one.caption, one.numbers)), *(cell for one in found.tables for row in one.rows for cell in row),
                *(text for pair in found.texts for text in pair), *found.figures,
            ]  # fmt: skip
            if all(isinstance(leaf, str) for leaf in leaves) and all(len(pair) == 2 for pair in found.texts):
                return found
        except (KeyError, TypeError):
            pass
        raise DataError("does not say what it shows as tables, texts and figures", field="shown")


def shown_on(html: str) -> Shown:
    """Read what a page shows; nothing of it is executed or loaded.

    Raises:
        DataError: Its mark-up, or what is packed in it, is broken, as that of no page of ours is.
    """
    html = _ROWS.sub(lambda found: f"{unpacked(found[1])}</tbody></table>", html)
    hidden = [unpacked(found[1]) for found in _DATA.finditer(html)]
    html = _DATA.sub("", html)
    for tag in ("script", "style"):
        html, *inside = _apart(html, tag)
        hidden += inside
    if found := _BROKEN.search(html):
        line = html.count("\n", 0, found.start()) + 1
        raise DataError(f"its mark-up is broken in line {line} (scripts and styles not counted)")
    reader = _Reader()
    reader.shown.texts.append([_CODE, _hash("".join(hidden))])
    reader.feed(html)
    reader.close()
    reader.end_text()
    return reader.shown


def _apart(html: str, tag: str) -> list[str]:
    """The page without the elements of a kind, then what each of them holds."""
    first, *parts = html.split(f"<{tag}>")
    split = [part.partition(f"</{tag}>") for part in parts]
    return ["".join([first, *(rest for _, _, rest in split)]), *(inside for inside, _, _ in split)]


class _Reader(HTMLParser):
    """Collects tables, texts and figures."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown = Shown()
        self._inside: dict[str, int] = {}  # open elements of a kind
        self._cell: list[str] | None = None
        self._numbers: list[str] = []
        self._heading = ""
        self._texts: list[str] = []
        self._drawn: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "code" and ("class", "step") in attrs:
            self._inside[_COMMAND] = 1
        if tag in (*_UNSHOWN, *_HEADINGS, "svg", "table", "caption"):
            self._inside[tag] = self._inside.get(tag, 0) + 1
        if self._within("svg"):
            self._drawn.append(self.get_starttag_text() or "")
        elif tag == "table":
            self.shown.tables.append(ShownTable())
        elif tag in _HEADINGS:
            self.end_text()
        elif self._within("table") and tag == "tr":
            self.shown.tables[-1].rows.append([])
        elif self._within("table") and tag in _CELLS:
            self._cell = []
            self._numbers += [f"{name}={value}" for name, value in attrs if name in _NUMBERS]
        self._texts += [f" {value} " for name, value in attrs if name in _SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in _CELLS and self._cell is not None:
            rows = self.shown.tables[-1].rows
            if rows:
                rows[-1].append(_plain(self._cell))
            self._cell = None
        if tag == "table" and self.shown.tables and self._numbers:
            self.shown.tables[-1].numbers = _hash("|".join(self._numbers))
            self._numbers = []
        if tag == "svg" and self._drawn:
            self.shown.figures.append(_hash("".join(self._drawn)))
            self._drawn = []
        if tag == "code":
            self._inside[_COMMAND] = 0
        if self._inside.get(tag):
            self._inside[tag] -= 1

    def handle_data(self, data: str) -> None:
        if any(map(self._within, _UNSHOWN)):
            return
        if self._within("svg"):
            self._drawn.append(data)
        elif self._cell is not None:
            self._cell.append(data)
        elif self._within("caption"):
            self.shown.tables[-1].caption = _plain([self.shown.tables[-1].caption, data])
        elif any(map(self._within, _HEADINGS)):
            self._heading = _plain([self._heading, data])
        else:
            self._texts.append(data)

    def _within(self, tag: str) -> bool:
        return bool(self._inside.get(tag))

    def end_text(self) -> None:
        """Close the text of a section."""
        text = _plain(self._texts)
        if text:
            self.shown.texts.append([self._heading, _hash(text)])
        self._texts, self._heading = [], ""


def _plain(parts: Sequence[str]) -> str:
    return " ".join("".join(parts).split())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def shown_differences(claimed: Shown, found: Shown, *, figures: bool = True) -> Iterator[Difference]:
    """Every cell, text and figure of a page that is not what it should be.

    Drawings are compared with `figures` only: another version of a library draws another figure of the same numbers.
    """
    if len(claimed.tables) != len(found.tables):
        yield Difference("the page", "", "number of tables", len(claimed.tables), len(found.tables))
    for one, two in zip(claimed.tables, found.tables, strict=False):
        yield from _table_differences(one, two)
    pairs: Mapping[str, tuple[Sequence[object], Sequence[object]]] = {
        "texts": (claimed.texts, found.texts),
        "figures": (claimed.figures, found.figures) if figures else ((), ()),
    }
    for part, (ones, twos) in pairs.items():
        if len(ones) != len(twos):
            yield Difference("the page", "", f"number of {part}", len(ones), len(twos))
        for place, (first, second) in enumerate(zip(ones, twos, strict=False), start=1):
            if first != second:
                where = f"text under {first[0]!r}" if isinstance(first, list) else f"figure {place}"
                yield Difference("the page", where, "what it shows", str(first), str(second))


def _table_differences(one: ShownTable, two: ShownTable) -> Iterator[Difference]:
    place = f"the table “{two.caption[:80]}”"
    if one.caption != two.caption:
        yield Difference(place, "", "caption", one.caption, two.caption)
    if one.numbers != two.numbers:
        yield Difference(place, "", "hash of the numbers in full", one.numbers, two.numbers)
    if len(one.rows) != len(two.rows):
        yield Difference(place, "", "number of rows", len(one.rows), len(two.rows))
    head = two.rows[0] if two.rows else []
    for first, second in zip(one.rows, two.rows, strict=False):
        if len(first) != len(second):
            yield Difference(place, _named(second), "number of cells", len(first), len(second))
        for column, (a, b) in enumerate(zip(first, second, strict=False)):
            if a != b:
                yield Difference(place, _named(second), head[column] if column < len(head) else "", a, b)


def _named(row: Sequence[str]) -> str:
    """What names a row: its first cell, and those after it up to the first number."""
    names = list(takewhile(lambda cell: not _NUMBER.match(cell), row[1:]))
    return ", ".join((*row[:1], *names))
