"""Marks within a line of Markdown: what must stay as it is, and emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

_KEPT = re.compile(
    r"(?P<ticks>`{1,3})(?!`)[^`\n]{1,300}(?P=ticks)(?!`)"
    r"|\$\$[^$\n]{1,300}\$\$|\\\([^\n]{1,200}?\\\)|\\\[[^\n]{1,200}?\\\]"
    r"|!\[[^\[\]\n]{0,300}\]\([^()\s]{0,500}\)"
    r"|<(?:https?|mailto):[^<>\s]{1,500}>|</?[A-Za-z][^<>\n]{0,300}>|&#?\w{1,30};"
    r"|(?P<link>\[)[^\[\]\n]{1,300}(?P<address>\]\([^()\s]{0,500}(?:\s+\"[^\"\n]{0,200}\")?\))"
    r"|(?:https?://|www\.)[^\s<>()\[\]\"'“”«»。，、！？]{1,500}(?<![.,;:!?*_])"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|\[\^?\d{1,3}\](?!\()"
)
_EMPHASIS = re.compile(
    r"(?<![\\*\w])(?P<star>\*{1,3})(?=[^\s*])(?P<in>[^*\n]{0,400}?[^\s*\\])(?P=star)(?!\*)"
    r"|(?<![\\_\w])(?P<bar>_{1,3})(?=[^\s_])(?P<in2>[^_\n]{0,400}?[^\s_\\])(?P=bar)(?![_\w])"
    r"|(?<!~)(?P<wave>~~)(?=[^\s~])(?P<in3>[^~\n]{0,400}?[^\s~])~~(?!~)"
)
_BEGINS = re.compile(r"(?:[.!?:。！？：।؟。…])[\"'”’»)]*\s*$")
_ENDS = re.compile(r"[.!?:。！？：।؟…;,]$")
_FOLLOWS = re.compile(r"\s*(?:$|[:：–—]|-\s)")


def _kept(text: str) -> Iterator[Span]:
    """Spans to keep, in order; of a link its bracket and its address, not its words."""
    for found in _KEPT.finditer(text):
        if found["link"]:
            yield found.span("link")
            yield found.span("address")
        else:
            yield found.span()


def _emphases(text: str, kept: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Opening and closing marks of each emphasis of which neither lies in code or an address."""
    inside = {at for start, end in kept for at in range(start, end)}
    for found in _EMPHASIS.finditer(text):
        width = len(found["star"] or found["bar"] or found["wave"])
        opening, closing = (found.start(), found.start() + width), (found.end() - width, found.end())
        if opening[0] not in inside and closing[0] not in inside:
            yield opening, closing


def emphasised(text: str) -> list[Span]:
    """Marks of emphasis around something that is translated by itself: all of the text, a label, whole sentences."""
    found: list[Span] = []
    for opening, closing in _emphases(text, tuple(_kept(text))):
        before, after = text[max(0, opening[0] - 12) : opening[0]], text[closing[1] : closing[1] + 4]
        inside = text[opening[1] : closing[0]]
        if (opening[0] == 0 or _BEGINS.search(before)) and (_ENDS.search(inside) or _FOLLOWS.match(after)):
            found += [opening, closing]
    return found


def inner_marks(text: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans that a translation keeps, and marks of emphasis that it cannot place; neither overlaps another."""
    kept = tuple(_kept(text))
    dropped = [mark for pair in _emphases(text, kept) for mark in pair]
    return kept, tuple(sorted(dropped))
