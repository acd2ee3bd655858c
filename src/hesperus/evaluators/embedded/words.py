"""A text as words that can be compared: folded, lightly stemmed, numbers in one form, function words apart."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_HAN_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

_WORD = "|".join(sorted((*_SMALL, *_SCALES), key=len, reverse=True))
_DIGITS = r"\d+(?:[.,٬٫]\d+)*"
_PHRASE = re.compile(
    rf"(?<![\w.,])(?:(?:{_WORD})|{_DIGITS}(?=[ -](?:hundred|thousand|million|billion|trillion)\b))"
    rf"(?:(?:[ -]|,? and )(?:{_WORD}))*(?!\w)"
)
_LONGEST = 40


def canonical_number(token: str) -> str:
    """Digits with their separators as one form: no separators of thousands, a point, no needless zeros.

    A comma before exactly three digits separates thousands, as in English; before any other number of digits it is a
    decimal mark. Where both marks occur the last one is the decimal mark.

    >>> [canonical_number(token) for token in ("1,234.50", "1.234,5", "1,5", "007", "1,234")]
    ['1234.5', '1234.5', '1.5', '7', '1234']
    """
    if len(token) > _LONGEST:
        return token
    digits = token.replace("٬", ",").replace("٫", ".")
    marks = [c for c in digits if c in ".,"]
    decimal = ""
    if len(set(marks)) == 2:
        decimal = marks[-1] if marks.count(marks[-1]) == 1 else ""
    elif len(marks) == 1 and (marks[0] == "." or len(digits.partition(",")[2]) != 3):
        decimal = marks[0]
    whole, _, fraction = digits.rpartition(decimal) if decimal else (digits, "", "")
    whole = re.sub(r"[.,]", "", whole).lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def digits_for_words(folded: str, *, alone: bool = False) -> str:
    """Put digits where English number words are.

    >>> digits_for_words("twenty-one of two hundred and five, in nineteen eighty; one of 1.5 million")
    '21 of 205, in 1980; one of 1500000'
    >>> digits_for_words("twenty and thirty, two three")
    '20 30, 2 3'

    With `alone`, *one* by itself is the number, rather than somebody.
    """

    def said(match: re.Match[str]) -> str:
        phrase = match[0]
        if phrase == "one" and not alone:
            return phrase
        return " ".join(_values(re.findall(rf"{_WORD}|{_DIGITS}|and", phrase)))

    return _PHRASE.sub(said, folded)


def han_number(text: str) -> str | None:
    """A whole text of Chinese numerals as digits; None if it is something else.

    >>> han_number("二十一"), han_number("三千零五万"), han_number("一二三"), han_number("一样")
    ('21', '30050000', '123', None)
    """
    if not text or len(text) > _LONGEST or any(c not in _HAN_DIGITS and c not in _HAN_SCALES for c in text):
        return None
    if all(c in _HAN_DIGITS for c in text):
        return canonical_number("".join(str(_HAN_DIGITS[c]) for c in text))
    total = section = digit = 0
    for c in text:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS[c]
        elif (scale := _HAN_SCALES[c]) < 10**4:
            section += max(digit, 1) * scale
            digit = 0
        else:
            total += max(section + digit, 1) * scale
            section = digit = 0
    return str(total + section + digit)


def _values(parts: list[str]) -> Iterator[str]:
    """The numbers that a run of number words says, one after the other."""
    total, current, said, linked = Decimal(0), Decimal(0), False, False
    for part in parts:
        if part == "and":
            linked = True
            continue
        if part in _SCALES:
            scale = _SCALES[part]
            if scale == 100:
                current = (current or Decimal(1)) * 100
            else:
                total, current = total + (current or Decimal(1)) * scale, Decimal(0)
            said, linked = True, False
            continue
        value = Decimal(_SMALL[part]) if part in _SMALL else Decimal(canonical_number(part))
        if not said:
            current, said = value, True
        elif _joins(current, value, linked):
            current += value
        elif not total and not linked and 10 <= current <= 99 and 10 <= value <= 99:
            current = current * 100 + value
        else:
            yield _written(total + current)
            total, current = Decimal(0), value
        linked = False
    yield _written(total + current)


def _joins(current: Decimal, value: Decimal, linked: bool) -> bool:
    """Whether a smaller number continues the one before: *twenty* one, *two hundred* and five, *a thousand* three."""
    if current == 0:
        return True
    ten = 20 <= current % 100 <= 90 and current % 10 == 0
    return value < 10 and not linked if ten else current % 100 == 0 and value < 100


def _written(value: Decimal) -> str:
    return canonical_number(format(value, "f"))


_FUNCTION_WORDS = """
    a about above across after again all along also although am among an and another any are around as at be because
    become becomes been before being below between both but by can could did do does doing done down during each either
    else even ever every few for from further get gets given had has have having he her here hers herself him himself
    his how however i if in into is it its itself just known like made make makes many may me might mine more most much
    must my myself of off often on once one only or other others our ours out over own per rather really same say says
    she should since so some such than that the their theirs them themselves then there therefore these they thing
    things this those though through thus to too toward towards under until up upon us use used uses very via was way we
    well were what when where whether which while who whom whose why will with within would yet you your yours
    st nd rd th s name names named called lie lies lying located situated
    country countries city cities place places person people
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that say little by themselves, and the commonest names of kinds; negations are not among them."""

_NEGATIONS = (
    "not no never none nobody nothing nowhere neither nor cannot without hardly barely lack lacks lacked lacking "
    "fail fails failed false untrue incorrect"
)
NEGATIONS = frozenset(_NEGATIONS.split())
"""English words that turn a statement round."""

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Kana, Han."""


_LATIN_ACCENTS = re.compile("([a-z])[\u0300-\u036f]+")

_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Words:
    """What a stretch of text says, word by word.

    Attributes:
        content: Stems of its content words, each once; pairs of characters in scripts without blanks.
        names: Those of them that are written with a capital inside a sentence.
        numbers: Its numbers in one form ("1234.5"), each once.
        negations: How many words of it turn a statement round.
    """

    content: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    negations: int

    def __bool__(self) -> bool:
        return bool(self.content or self.numbers)


@lru_cache(maxsize=1 << 14)
def words(text: str) -> Words:
    """Read a stretch of text, a sentence or less.

    >>> read = words("It wasn't one of 1,789, but twenty-one of the founders' sons.")
    >>> sorted(read.content), sorted(read.numbers), read.negations
    (['founder', 'son'], ['1789', '21'], 1)
    """
    content: set[str] = set()
    numbers: set[str] = set()
    negations = 0
    for token in _tokens().findall(digits_for_words(folded(text))):
        if token[0].isdigit():
            numbers.add(canonical_number(token))
        elif _UNSPACED_CHARACTER.match(token):
            content.update(token[at : at + 2] for at in range(max(1, len(token) - 1)))
        elif token in NEGATIONS or token.endswith(("n't", "n’t")):
            negations += 1
        elif token not in FUNCTION_WORDS:
            content.add(stem(token))
    names = {stem(folded(name)) for name in _NAME.findall(text)}
    return Words(frozenset(content), frozenset(names & content), frozenset(numbers), negations)


def folded(text: str) -> str:
    """Compatibility forms unified, case folded, accents of Latin letters cut, digits of any script as 0 to 9."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    plain = unicodedata.normalize("NFKC", _LATIN_ACCENTS.sub(r"\1", unicodedata.normalize("NFD", plain)))
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in plain)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Cut the commonest English endings, so that *borders*, *bordered* and *bordering* are one word.

    >>> [stem(word) for word in ("borders", "bordered", "countries", "films", "lies", "directing", "paris's")]
    ['border', 'border', 'country', 'film', 'lie', 'direct', 'paris']
    """
    word = re.sub(r"['’]s?\Z", "", word)
    if not word.isascii() or len(word) < 4:
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + instead
            if ending in ("ed", "ing") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""), ("ied", "y"), ("ed", ""),
    ("ing", ""), ("ly", ""),
)  # fmt: skip


_NAME = re.compile(r"(?<=[^\s.!?:\"“(][ ])[A-Z][^\W\d_]+(?:['’][^\W\d_]+)*")
"""A capital after a word, not after a full stop, a quotation mark or a bracket, where any word may have one."""


@cache
def _tokens() -> re.Pattern[str]:
    """Numbers with their marks and ordinal endings; words with their vowel signs and apostrophes."""
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x300, min(0x20000, sys.maxunicode))
        if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )
    letter = rf"(?:[^\W\d_{_UNSPACED}]|[{marks}])"
    return re.compile(rf"\d+(?:[.,٬٫]\d+)*|[{_UNSPACED}]+|{letter}+(?:['’]{letter}+)*")
