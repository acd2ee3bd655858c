"""Sentence ends by the library sentencex, which knows the abbreviations of many languages.

It reads UTF-8 without lone surrogates, stumbles over some control characters and leaves out some line breaks; so it is
shown a shadow of the text that has none of these, and the ends are carried back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

import sentencex  # type: ignore[import-untyped]

_UNSEEN = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufff0-\uffff]")

_WINDOW, _SEEN = 2_000, 1_700
"""Characters read at once, and how many of them count: of the rest it is not known how they go on."""


def library_ends(text: str, language: str) -> Iterator[int]:
    """Offsets in a text at which a sentence ends, each before the next sentence begins; the end of the text is not one.

    Line breaks count as blanks; of a language that sentencex does not know it takes a relative's rules, or English.
    """
    if not text.strip():
        return
    shadow = _BLANK.sub(" ", _UNSEEN.sub("", text))
    if len(shadow) == len(text):
        yield from _ends(shadow, language)
        return
    places = [at for at, character in enumerate(text) if not _UNSEEN.match(character)]
    yield from (places[end] for end in _ends(shadow, language))


def _ends(shadow: str, language: str) -> Iterator[int]:
    """Ends found window by window, because the library's time grows with the square of some texts."""
    start = 0
    while start < len(shadow):
        window = shadow[start : start + _WINDOW]
        parts = sentencex.segment(language, window)
        found = list(accumulate(map(len, parts)))
        whole = bool(found) and found[-1] == len(window)
        inner = [end for end in found[:-1] if end <= _SEEN] if whole else []
        if start + len(window) == len(shadow):
            yield from (start + end for end in found[:-1] if whole)
            return
        yield from (start + end for end in inner)
        start += inner[-1] if inner and inner[-1] > _SEEN // 2 else _SEEN
