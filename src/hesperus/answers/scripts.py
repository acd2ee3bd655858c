"""Where a word ends, script by script.

A Latin letter next to a Chinese character is alone (`选择B选项`), and Chinese, Japanese, Thai, Khmer, Lao and
Burmese set no blanks between words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from hesperus.languages.letters import RANGES, UNSPACED, script_of


def is_unspaced(word: str) -> bool:
    """True where the word's last letter belongs to a script without blanks between words."""
    return bool(word) and script_of(word[-1]) in UNSPACED


def is_dense(character: str) -> bool:
    """True for a character of a script in which few characters are a word: those without blanks, and Hangul."""
    return (script := script_of(character)) in UNSPACED or script == "Hang"


def in_word(character: str) -> bool:
    """True for a letter, a digit or a mark on one: the vowel signs of India's scripts do not end a word."""
    return character.isalnum() or (character > "\u02ff" and unicodedata.category(character)[0] == "M")


def capital(letter: str) -> str:
    """An option letter as lists write it: in upper case, but Georgian text has none."""
    return letter if script_of(letter[:1]) == "Geor" else letter.upper()


NOTHING = r"(?!)"
"""A pattern that never matches."""

Edges = tuple[str, str]
"""What must be before and behind a pattern."""


def edges(word: str, *, endings: str = "", suffixes: bool = False, left: bool = True) -> Edges:
    """The word boundaries of a word's script.

    A letter before an apostrophe joins (`d'A`). In scripts without blanks there are no boundaries.

    Args:
        word: The word; its first and last letter decide.
        endings: Pattern of the endings that belong to the word (`입니다`, `-dır`); may match nothing.
        left: Whether the word's beginning needs a boundary.
        suffixes: Whether an apostrophe may begin an ending (`B'dir`); otherwise it joins (`C'est`, `A's`).
    """
    first, last = script_of(word[0]), script_of(word[-1])
    before = right = ""
    if not left:
        pass
    elif first is None:
        before = r"(?<![0-9])" if word[0].isdigit() else ""
    elif first not in UNSPACED:
        before = f"(?<![{RANGES[first]}0-9_])(?<![{RANGES[first]}]')"
    if last is None:
        right = r"(?![0-9])" if word[-1].isdigit() else ""
    elif last not in UNSPACED:
        joined = r"(?!'s(?![A-Za-z]))" if suffixes else r"(?!'[^\W\d_])"
        right = f"(?={endings}(?![{RANGES[last]}0-9_])){joined}"
    return before, right


def bounded(pattern: str, word: str, *, endings: str = "", suffixes: bool = False, left: bool = True) -> str:
    """Put the boundaries of a word (see `edges`) around a pattern that matches it."""
    before, right = edges(word, endings=endings, suffixes=suffixes, left=left)
    return f"{before}{pattern}{right}"


def alternatives(patterns: Iterable[tuple[str, Edges]]) -> str:
    """One alternation of patterns, each with its edges, which patterns of the same edges share.

    Written once for each pattern, the classes of the edges would cost most of the time in which a reader is made. The
    patterns keep their order where one begins with another: "not true" is before "not".
    """
    listed = list(patterns)
    shared: dict[Edges, list[str]] = {}
    for pattern, edge in listed:
        shared.setdefault(edge, []).append(pattern)
    groups = list(shared.items())
    if _reordered(list(shared.values())):
        groups = [(edge, [one for one, _ in group]) for edge, group in groupby(listed, key=itemgetter(1))]
    found = [f"{before}(?:{'|'.join(group)}){behind}" for (before, behind), group in groups]
    return f"(?:{'|'.join(found)})" if found else NOTHING


def _reordered(groups: list[list[str]]) -> bool:
    """True where a pattern of a group is the beginning of one of a later group, which it would hide."""
    earlier: tuple[str, ...] = ()
    for group in groups:
        if any(pattern.startswith(earlier) for pattern in group):
            return True
        earlier += tuple(pattern.rstrip(")") for pattern in group)
    return False
