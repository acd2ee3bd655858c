"""Cleaned text as patterns compare it: without case, in one spelling, sentence by sentence."""

from __future__ import annotations

import re

from hesperus.languages.grammar import Grammar

SENTENCE_END = re.compile(r"[.!?…۔।॥።။។៕](?=[ \n\"')\]]|\Z|[^\W0-9A-Za-z])|\n")
"""A mark that ends a sentence, or the end of a line; the point of "U.S." and of "3.5" ends none."""


def respelt(text: str, grammar: Grammar) -> str:
    """The text with the spellings that count as one made one; for comparison only."""
    for one, other in grammar.spellings:
        text = text.replace(one, other)
    return text


def fold(text: str) -> str:
    """The key of a piece of cleaned text that the patterns matched; cheaper than `key`."""
    return text.lower() if text.isascii() else text.casefold().replace("\u0307", "").replace("ı", "i")
