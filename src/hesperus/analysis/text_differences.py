"""What differs between two texts in one language, word by word; character by character where no blanks part words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from hesperus.errors import UnknownNameError
from hesperus.languages import language

MOST_TOKENS = 1500
"""Longer texts are not compared: the time grows with the product of the lengths."""

_ANCHORED = 400
_CHARACTERS = re.compile(r"[A-Za-z0-9]+|\s+|.", re.DOTALL)
_WORDS = re.compile(r"\s+|\S+")

Piece = tuple[str, bool]
"""A part of a text, and whether it stands in this text alone."""


def differences(a: str, b: str, tag: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]] | None:
    """Both texts in pieces, those marked that the other does not have.

    Returns:
        Pieces of both, which put together are the texts; None if they are too long to compare.
    """
    left, right = _tokens(a, tag), _tokens(b, tag)
    if max(len(left), len(right)) > MOST_TOKENS:
        return None
    # Of texts that repeat themselves, frequent tokens are no anchors: the time would grow with the cube of the length.
    matcher = SequenceMatcher(None, left, right, autojunk=max(len(left), len(right)) > _ANCHORED)
    blocks = matcher.get_matching_blocks()
    return _pieces(left, [(block.a, block.size) for block in blocks]), _pieces(
        right, [(block.b, block.size) for block in blocks]
    )


def _pieces(tokens: Sequence[str], same: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    at = 0
    for start, size in same:
        for text, alone in (
            ("".join(tokens[at:start]), True),
            ("".join(tokens[start : start + size]), False),
        ):
            if text:
                pieces.append((text, alone))
        at = start + size
    return tuple(pieces)


def _tokens(text: str, tag: str) -> list[str]:
    if _is_unspaced(tag):
        tokens: list[str] = []
        for token in _CHARACTERS.findall(text):
            if tokens and unicodedata.category(token[0]).startswith("M"):
                tokens[-1] += token  # a mark stays with its letter
            else:
                tokens.append(token)
        return tokens
    return [part for word in _WORDS.findall(text) for part in _parts(word)]


def _parts(word: str) -> list[str]:
    """A word without the punctuation around it, which is a piece of its own."""
    start, end = 0, len(word)
    while start < end and unicodedata.category(word[start])[0] in "PS":
        start += 1
    while end > start and unicodedata.category(word[end - 1])[0] in "PS":
        end -= 1
    return [part for part in (word[:start], word[start:end], word[end:]) if part]


def _is_unspaced(tag: str) -> bool:
    try:
        return not language(tag).writes_spaces
    except UnknownNameError:
        return False
