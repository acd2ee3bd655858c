"""Numbers in one form: digits with separators, English number words, Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

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

    Args:
        folded: Text with its case folded and digits 0 to 9.
        alone: Whether *one* by itself is the number, rather than somebody.
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
