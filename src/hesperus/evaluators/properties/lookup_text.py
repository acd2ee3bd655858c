"""Texts as words are looked up in them: one kind of quotation mark, one case, single blanks."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
_WORD = re.compile(r"\w+(?:'\w+)*|[?!]")


def simplified(text: str) -> str:
    r"""A text with straight apostrophes, case-folded, its spacing single blanks.

    >>> simplified("I’m\nSORRY")
    "i'm sorry"
    """
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold())


def terms(text: str, longest: int) -> list[str]:
    """Words, question and exclamation marks of a text, and runs of them up to a length, in order.

    >>> terms("Are you OK?", 2)
    ['are', 'you', 'ok', '?', 'are you', 'you ok', 'ok ?']
    """
    words = _WORD.findall(simplified(text))
    found = list(words)
    for size in range(2, longest + 1):
        found += [" ".join(words[start : start + size]) for start in range(len(words) - size + 1)]
    return found
