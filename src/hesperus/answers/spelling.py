"""Cleaned text as patterns compare it: without case, in one spelling, sentence by sentence."""

from __future__ import annotations

import re

from hesperus.languages.grammar import Grammar

SENTENCE_END = re.compile(r"[.!?…۔।॥።။។៕](?=[ \n\"')\]]|\Z|[^\W0-9A-Za-z])|\n")
"""A mark that ends a sentence, or the end of a line; the point of "U.S." and of "3.5" ends none."""

_MIXED = re.compile("[A-Za-z][\u0370-\u04ff]|[\u0370-\u04ff][A-Za-z]")
_MIXABLE = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u04ff]+")
_LATIN = re.compile("[A-Za-z]")
_NOT_LATIN = re.compile("[\u0370-\u04ff]")
_AS_LATIN = str.maketrans(
    "АВСЕНІЈКМОРЅТХУасеіјорѕухΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABCEHIJKMOPSTXYaceijopsyxABEZHIKMNOPTYXo"
)
_AS_CYRILLIC = str.maketrans("ABCEHIJKMOPSTXYaceijopsyx", "АВСЕНІЈКМОРЅТХУасеіјорѕух")
"""Letters that look alike in print."""
_LONGEST_LETTERED = 6


def unmixed(text: str) -> str:
    """The text with each word in one script that has letters of another only where they look like its own: "Вoth"."""
    # Most texts are of one script, which a search for one letter of the other shows at once.
    if text.isascii() or _NOT_LATIN.search(text) is None or _LATIN.search(text) is None:
        return text
    if _MIXED.search(text) is None:
        return text
    return _MIXABLE.sub(_one_script, text)


def _one_script(match: re.Match[str]) -> str:
    word = match[0]
    if _MIXED.search(word) is None:
        return word
    latin, cyrillic = word.translate(_AS_LATIN), word.translate(_AS_CYRILLIC)
    if _NOT_LATIN.search(latin) is None:
        return latin
    # A short one may be an option's letter with an ending: "Bны".
    lettered = word[0].isascii() and len(word) < _LONGEST_LETTERED
    return word if lettered or _LATIN.search(cyrillic) else cyrillic


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that hold a letter or a digit; an emoji at its end does not count as one."""
    return [part for part in SENTENCE_END.split(text) if any(map(str.isalnum, part))]


def respelt(text: str, grammar: Grammar) -> str:
    """The text with the spellings that count as one made one; for comparison only."""
    for one, other in grammar.spellings:
        text = text.replace(one, other)
    return text


def fold(text: str) -> str:
    """The key of a piece of cleaned text that the patterns matched; cheaper than `key`."""
    return text.lower() if text.isascii() else text.casefold().replace("\u0307", "").replace("ı", "i")
