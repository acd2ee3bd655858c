"""Numbers in words, and in Chinese characters: "The answer is twelve.", "fünfundzwanzig", "四十五".

They are read only where a reply holds no digit, and only as the whole reply or as all that follows a cue: inside a sentence
"one" is rarely a number. The words are in each pack (`numerals`); how they add and multiply is the same for all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from hesperus.answers.reply_words import Wording
from hesperus.answers.role_patterns import endings
from hesperus.answers.scripts import in_word, is_unspaced
from hesperus.answers.spelling import fold, respelt
from hesperus.normalization import PUNCTUATION, key

_LONGEST, _LONGEST_HAN = 80, 40
"""Characters of a number in words, and in Chinese characters."""
_HAN_SCRIPTS = frozenset({"Hans", "Hant", "Jpan"})
_SHORTENED = re.compile(r"[百千万萬亿億][一二三四五六七八九]\Z")
"""一百五 is 150 in spoken Chinese, and 105 in Japanese and to some who write: it is not read."""
_HAN_NUMERALS = "〇零一二两兩三四五六七八九十百千万萬亿億"
_HYPHENS = re.compile("[ -]+")
_PLUS = -1
"""Stands for a word that joins two parts ("and"), next to factors with a minus."""


def final_number(text: str, wording: Wording) -> tuple[int, int] | None:
    """Where the number in words begins with which a text without digits ends, and its value; None without one."""
    if wording.script in _HAN_SCRIPTS:
        return _final_han(text, wording)
    if not wording.grammar.numerals:
        return None
    tail = text[-_LONGEST:]
    match = _words(wording).search(fold(tail))
    if match is None:
        return None
    # Folding makes "ß" two letters.
    before = next(end for end in range(len(tail)) if len(fold(tail[:end])) >= match.start())
    place = len(text) - len(tail) + before
    if place and in_word(text[place - 1]) and not is_unspaced(text[place]):
        return None
    value = _value(tuple(_parts(match[1], wording)))
    return (place, value) if value is not None else None


@lru_cache(maxsize=256)
def numerals(wording: Wording) -> dict[str, int]:
    """Each word to its value; one that multiplies has its factor with a minus."""
    grammar = wording.grammar
    return {
        _HYPHENS.sub(" ", fold(respelt(key(word), grammar))): _PLUS
        if value == "+"
        else int(value.replace("*", "-"))
        for word, value in grammar.numerals.items()
    }


@lru_cache(maxsize=256)
def _word(wording: Wording) -> re.Pattern[str]:
    longest_first = sorted(numerals(wording), key=lambda word: (-len(word), word))
    return re.compile("|".join(re.escape(word).replace(r"\ ", "[ -]") for word in longest_first))


@lru_cache(maxsize=256)
def _words(wording: Wording) -> re.Pattern[str]:
    word = _word(wording).pattern
    return re.compile(rf"((?:{word})(?:[ -]?(?:{word}))*){endings(wording, ' ?')}[{PUNCTUATION}\"') \n]*\Z")


def _parts(said: str, wording: Wording) -> Iterator[int]:
    known = numerals(wording)
    for match in _word(wording).finditer(said):
        yield known[_HYPHENS.sub(" ", match[0])]


@lru_cache(maxsize=1024)
def _value(parts: tuple[int, ...]) -> int | None:
    """The number that some values make; None where they are no number, as in "two five"."""
    if _PLUS in (parts[0], parts[-1]) or (0 in parts and len(parts) > 1):
        return None
    if any(one == other == _PLUS for one, other in pairwise(parts)):
        return None
    total, section, joined = 0, 0, False
    for value in parts:
        if value == _PLUS:
            joined = True
            continue
        if -value >= 1000:  # noqa: PLR2004 (a thousand multiplies all that is before it)
            if total and total % (-value * 1000):
                return None
            total, section = total + max(section, 1) * -value, 0
        elif value < 0:
            digit = section % -value
            rest = section - digit
            if rest % (-value * 10) or (section and not digit):
                return None
            section = rest + max(digit, 1) * -value
        elif section == 0 or _adds(section, value):
            section += value
        elif joined and _turned(section, value):
            # "fünf und zwanzig": the smaller part comes first.
            section += value
        else:
            return None
        joined = False
    return total + section


def _adds(section: int, value: int) -> bool:
    """Whether a value fills up what is before it: 20 and 5, 100 and 20, 60 and 11 in French."""
    if 10 <= value < 20 and section % 100 in (60, 80):  # noqa: PLR2004
        return True
    return value > 0 and section % 10 ** len(str(value)) == 0


def _turned(section: int, value: int) -> bool:
    return 0 < section % 100 < 10 and 20 <= value < 100 and value % 10 == 0  # noqa: PLR2004


def _final_han(text: str, wording: Wording) -> tuple[int, int] | None:
    numeral = _han_numeral(wording).search(text, max(0, len(text) - _LONGEST_HAN))
    if numeral is None or text[: numeral.start()].endswith(tuple(_HAN_NUMERALS)):
        return None
    if wording.script != "Jpan" and _SHORTENED.search(numeral[1]):
        return None
    return numeral.start(), _han_value(numeral[1])


@lru_cache(maxsize=64)
def _han_numeral(wording: Wording) -> re.Pattern[str]:
    return re.compile(rf"([{_HAN_NUMERALS}]+){endings(wording)}[{PUNCTUATION}\"\n ]*\Z")


def _han_value(numeral: str) -> int:
    """Value of a numeral such as 四十五, 一百零五, 二〇二〇 or 三万五千."""
    values = [2 if each in "两兩" else int(unicodedata.numeric(each)) for each in numeral]
    if max(values) <= 9:  # noqa: PLR2004 (digits one after the other)
        return int("".join(map(str, values)))
    total = section = digit = 0
    for value in values:
        if value < 10:  # noqa: PLR2004
            digit = value
        elif value < 10_000:  # noqa: PLR2004
            section, digit = section + (digit or 1) * value, 0
        elif total < value:  # 二万亿: all that is before is multiplied
            total, section, digit = (total + section + digit or 1) * value, 0, 0
        else:
            total, section, digit = total + (section + digit or 1) * value, 0, 0
    return total + section + digit
