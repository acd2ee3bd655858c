"""A document taken apart into sentences to translate and text between them, and put together again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from hesperus.languages import language
from hesperus.translation.documents import Piece, document_pieces
from hesperus.translation.segmentation import clauses, sentences

Span = tuple[int, int]

_MARKUP = "<!["
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)
_LEADING = re.compile(r"\s*(?:[:：–—,，、;]\s*|-\s+)?")
_BREAK = re.compile(r"[ \t]*[\n\x85\u2028\u2029][ \t]*")
_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"


def spaced(tag: str) -> bool:
    """Whether a language writes blanks between sentences."""
    return language(tag).script not in ("Hans", "Hant", "Jpan")


@dataclass(frozen=True, slots=True)
class Wording:
    """What a translator is given, the same everywhere.

    Attributes:
        text: A sentence, or part of a long one, without line breaks, control characters and blanks at its ends.
        kept: What of it must come out as it is, in order.
    """

    text: str
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """A document: text that stays, and wordings in their places.

    Attributes:
        parts: Text to keep, or a wording to translate, in order.
        dropped: Marks of emphasis that were left out.
    """

    parts: tuple[str | Wording, ...]
    dropped: int


def laid_out(text: str, source: str, *, longest: int) -> Layout:
    """Take a document apart; sentences of more than ``longest`` characters are cut at their clauses."""
    parts: list[str | Wording] = []
    dropped = 0
    for piece in document_pieces(text):
        if not piece.translated:
            parts.append(piece.text)
            continue
        dropped += len(piece.dropped)
        words, kept = _without_dropped(piece)
        for part, spans in _cut(words, kept, source, longest):
            parts += _placed(part, spans, spaced=spaced(source))
    return Layout(tuple(parts), dropped)


def _without_dropped(piece: Piece) -> tuple[str, list[Span]]:
    """The text without its marks of emphasis, and where the spans to keep are then."""
    words: list[str] = []
    kept: list[Span] = []
    place = gone = 0
    following = iter([*piece.kept, (len(piece.text) + 1, 0)])
    span = next(following)
    for start, end in [*piece.dropped, (len(piece.text), len(piece.text))]:
        while span[0] < start:
            kept.append((span[0] - gone, span[1] - gone))
            span = next(following)
        words.append(piece.text[place:start])
        place, gone = end, gone + end - start
    return "".join(words), kept


def _cut(text: str, kept: Sequence[Span], source: str, longest: int) -> Iterator[tuple[str, list[Span]]]:
    """Sentences, or clauses of long ones, each with its spans; none is cut within a span."""
    ends = accumulate(
        len(part) for sentence in sentences(text, source) for part in clauses(sentence, longest=longest)
    )
    start = at = 0
    for end in ends:
        first = at
        while at < len(kept) and kept[at][1] <= end:
            at += 1
        if at < len(kept) and kept[at][0] < end:
            at = first
            continue
        yield text[start:end], [(a - start, b - start) for a, b in kept[first:at]]
        start = end


def _placed(part: str, kept: Sequence[Span], *, spaced: bool) -> Iterator[str | Wording]:
    """A part as text before, wording and text after; only text where nothing but what is kept has letters."""
    leading = _LEADING.match(part)
    start, end = leading.end() if leading else 0, len(part.rstrip())
    inner = list(kept)
    while inner and inner[0][0] == start and part[start] in _MARKUP:
        start = inner.pop(0)[1]
        start += len(part[start:]) - len(part[start:].lstrip())
    while inner and inner[-1][1] == end and part[inner[-1][0]] in _MARKUP and part[inner[-1][0] : end] != "[":
        end = len(part[: inner.pop()[0]].rstrip())
    edges = [start, *(edge for span in inner for edge in span), end]
    outside = "".join(part[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
    if start >= end or not any(map(str.isalpha, outside)):
        yield part
        return
    if start:
        yield part[:start]
    yield Wording(
        cleaned(part[start:end], spaced=spaced), tuple(cleaned(part[a:b], spaced=True) for a, b in inner)
    )
    if end < len(part):
        yield part[end:]


def cleaned(text: str, *, spaced: bool) -> str:
    """A text as a translator reads it: no control characters, a wrapped line's break as a blank where blanks are written."""
    return _CONTROL.sub("", _BREAK.sub(" " if spaced else "", text.replace("\r", "\n"))).strip()


def assembled(layout: Layout, outputs: Mapping[Wording, str], target: str) -> str:
    """The document again, with translations in the place of wordings.

    Where the source writes no blank between sentences and the target does, one is put in; the other way round it is
    left out. Line breaks stay.
    """
    blanks = spaced(target)
    made: list[str] = []
    for before, part, after in zip(("", *layout.parts), layout.parts, (*layout.parts[1:], ""), strict=False):
        if isinstance(part, Wording):
            # A part that was cut within a word goes on without a blank.
            if blanks and isinstance(before, Wording) and not before.text[-1:].isalnum():
                made.append(" ")
            made.append(outputs[part])
        elif (
            blanks
            or part.strip()
            or any(c in _BREAKS for c in part)
            or not (isinstance(before, Wording) and isinstance(after, Wording))
        ):
            made.append(part)
    return "".join(made)
