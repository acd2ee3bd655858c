"""Markdown cut into pieces; joined they are the text again.

The block structure (fences, headings, lists, quotations, tables, HTML) is read by markdown-it; of its lines only what
people read is a piece to translate, and all marks, fences, bars and blanks between are pieces to keep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from hesperus.translation.documents.marks import emphasised, inner_marks

Span = tuple[int, int]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_TAG = re.compile(
    r"<!--.*?-->|<(script|style|pre|code)\b.*?</\1\s*>|<[^<>]{0,500}>", re.DOTALL | re.IGNORECASE
)
_CODE_SIGN = re.compile(r"[{}=;<>()\[\]_$|\\/]")
_TEXT = ("inline", "html_block", "code_block")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a document.

    Attributes:
        text: The characters, as they are in the document.
        translated: Whether it is to be translated; if not it is kept.
        kept: Start and end, within the text, of code, addresses and tags that a translation must keep as they are.
        dropped: Start and end of marks of emphasis inside a sentence: a translation cannot know their place.
    """

    text: str
    translated: bool
    kept: tuple[Span, ...] = ()
    dropped: tuple[Span, ...] = ()


def document_pieces(text: str) -> tuple[Piece, ...]:
    """Cut a Markdown document into what is to be translated and what is to be kept; joined they give it back.

    Kept are fenced code, indented blocks that look like code, HTML tags, list marks, heading marks, table bars, quotation
    marks of blocks, lines without any letter, and marks of emphasis around a whole heading, item, label or sentence. Code,
    addresses, formulas and tags within a sentence are in ``Piece.kept``; marks of emphasis within one in
    ``Piece.dropped``. Plain text without Markdown is one piece a paragraph.

    None of the pieces is empty.
    """
    pieces: list[Piece] = []
    place = 0
    for start, end in _readable(text):
        if start > place:
            pieces.append(Piece(text[place:start], translated=False))
        pieces += _inline(text[start:end])
        place = end
    if place < len(text):
        pieces.append(Piece(text[place:], translated=False))
    return tuple(_merged(pieces))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


def _readable(text: str) -> list[Span]:
    """Start and end of what people read, in order, blocks apart."""
    lines = [(found.start(), found.end()) for found in _LINE.finditer(text) if found.end() > found.start()]
    shadow = text.replace("\0", "\ufffd")
    found: list[Span] = []
    place = 0
    for token in _parser().parse(text):
        if token.type not in _TEXT or token.map is None or not token.content.strip():
            continue
        first, last = token.map[0], min(token.map[1], len(lines))
        if first >= last:
            continue
        # The cells of a row have the same lines: the next is looked for behind the one before.
        start, end = max(place, lines[first][0]), lines[last - 1][1]
        spans = list(_of_token(token, shadow, start, end))
        found += spans
        place = spans[-1][1] if spans else place
    return found


def _of_token(token: Token, text: str, start: int, end: int) -> Iterator[Span]:
    if token.type == "html_block":
        yield from _between_tags(text, start, end)
        return
    if token.type == "code_block" and _looks_like_code(token.content):
        return
    spans: list[Span] = []
    for line in token.content.splitlines():
        wanted = line.strip()
        at = text.find(wanted, start, end) if wanted else -1
        if at >= 0:
            # Lines that only blanks part are one paragraph; a block quotation's marks keep them apart.
            if spans and not text[spans[-1][1] : at].strip():
                spans[-1] = (spans[-1][0], at + len(wanted))
            else:
                spans.append((at, at + len(wanted)))
            start = at + len(wanted)
    yield from spans


def _between_tags(text: str, start: int, end: int) -> Iterator[Span]:
    place = start
    for tag in [*_TAG.finditer(text, start, end), None]:
        stop = tag.start() if tag else end
        words = text[place:stop]
        if words.strip():
            left = len(words) - len(words.lstrip())
            yield place + left, place + len(words.rstrip())
        place = tag.end() if tag else end


def _looks_like_code(content: str) -> bool:
    lines = [line for line in content.splitlines() if line.strip()]
    return sum(bool(_CODE_SIGN.search(line)) for line in lines) * 2 >= len(lines)


def _inline(text: str) -> Iterator[Piece]:
    """A readable stretch: marks of emphasis around whole units are pieces of their own."""
    place = 0
    for start, end in [*emphasised(text), (len(text), len(text))]:
        if start > place:
            part = text[place:start]
            kept, dropped = inner_marks(part)
            edges = [0, *(edge for span in kept for edge in span), len(part)]
            rest = "".join(part[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
            yield Piece(part, True, kept, dropped) if any(map(str.isalpha, rest)) else Piece(part, False)
        if end > start:
            yield Piece(text[start:end], False)
        place = end


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbours that are both kept are one piece."""
    held: list[str] = []
    for piece in pieces:
        if not piece.translated:
            held.append(piece.text)
            continue
        if held:
            yield Piece("".join(held), translated=False)
            held = []
        yield piece
    if held:
        yield Piece("".join(held), translated=False)
