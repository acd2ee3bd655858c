"""The value of a number in digits: native digits, thousands separators by language, fractions and powers."""

from __future__ import annotations

import re
from decimal import Decimal

from hesperus.normalization import clean, peel, plain_digits

_COMMA = (
    "af az be bg ca cs da de el es et eu fi fr gl hr hu hy id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk sl sq sr "
    "sv tr uk uz vi"
)
DECIMAL_COMMA = frozenset(_COMMA.split())
"""Languages that write 1.234,5 (CLDR 45, symbols-numberSystem-latn/decimal); the others write 1,234.5."""
_COMMA_NOT = frozenset({"es-MX", "es-US", "es-419", "de-CH", "de-LI"})

_CURRENCIES = ("RM", "Rp", "Rs", "Sh", "KSh", "Ksh", "TSh", "USh")
"""Abbreviations of currencies that are written on the number: RM1,234.50."""
_UNGLUED = "|".join([r"(?<![A-Za-z\d.,])", *(rf"(?<=\b{name})" for name in _CURRENCIES)])
_FORMULA = r"\\[dt]?frac ?\{ ?\d+ ?\} ?\{ ?\d+ ?\}|(?:\d+ )?\d+ ?[/⁄] ?\d+(?![\d/]|[.,]\d)|\d+ ?\^ ?(?:\d+|\{ ?\d+ ?\})"
_WORKED = re.compile(rf"[-−–]? ?(?:{_FORMULA})")
_NUMBER = re.compile(
    rf"(?:(?<![\w)\]])[-−–] ?)?(?<![\w.,/])(?:{_FORMULA})|(?:{_UNGLUED})(?:(?<![\w)\]])[-−–] ?)?(?:\d{{1,3}}(?:[ '’]\d{{3}})+(?!\d)|\d+)(?:[.,٬٫]\d+)*"
)
_FIRST = re.compile(r"\d|\\[dt]?frac")
LONGEST = 40
"""Characters of a number."""
_LARGEST_POWER = 100
_LARGEST_EXACT = 10**28
"""What Decimal writes exactly."""


def number_of(text: str, language: str) -> str | None:
    """Read a text that is one number, in the form in which answers and gold labels are compared.

    >>> number_of("1.234,50", "de"), number_of("١٬٢٣٤", "ar"), number_of("-3.0", "en")
    ('1234.5', '1234', '-3')

    Args:
        text: One number in any digits.
        language: BCP-47; decides between decimal point and comma.

    Returns:
        Digits with a point if there is a fraction, no trailing zeros; None if the text is no number.
    """
    found = numbers_in(peel_number(text))
    whole = len(found) == 1 and found[0][1] == peel_number(text)
    return value_of(found[0][1], language) if whole else None


def peel_number(text: str) -> str:
    """Clean a text and cut what may be around a number, but not its sign."""
    cleaned = plain_digits(clean(text))
    inner = peel(cleaned)
    place = cleaned.find(inner)
    sign = place > 0 and cleaned[place - 1] in "-−–" and inner[:1].isdigit()
    return cleaned[place - 1] + inner if sign else inner


def numbers_in(text: str) -> list[tuple[int, str]]:
    """The numbers of a text in plain digits, each with its place."""
    first = _FIRST.search(text)
    if first is None:
        return []
    # A minus and a blank may be before the first digit; what is before them costs most of the time in a long reply.
    found = _NUMBER.finditer(text, max(0, first.start() - 2))
    return [(match.start(), match[0]) for match in found if len(match[0]) <= LONGEST]


def value_of(token: str, language: str) -> str | None:
    """Canonical form of a token that _NUMBER found.

    One mark before exactly three digits is a thousands separator where it is the language's; before any other
    count it is the decimal mark. Where both marks occur the last is the decimal mark.
    """
    negative = token[0] in "-−–"
    if "/" in token and language.split("-")[0] == "fa":
        # Persian writes a decimal mark as a slash.
        token = token.replace("/", ".")
    elif _WORKED.fullmatch(token):
        worked = _worked_out(token)
        return f"-{worked}" if worked and negative else worked
    digits = re.sub(r"[-−–' ’٬]", "", token).replace("٫", ".")
    comma = language.split("-")[0] in DECIMAL_COMMA and language not in _COMMA_NOT
    point, thousand = (",", ".") if comma and "٫" not in token else (".", ",")
    marks = [mark for mark in digits if mark in ".,"]
    if len(set(marks)) == 2:
        point = marks[-1]
        thousand = "." if point == "," else ","
        if marks.count(point) > 1:
            return None
    elif len(marks) > 1:
        point, thousand = "", marks[0]
    elif marks and marks[0] == thousand and len(digits.partition(thousand)[2]) != 3:
        point, thousand = thousand, point
    digits = digits.replace(thousand, "")
    if point:
        digits = digits.replace(point, ".")
    text = plain_number(Decimal(digits))
    return f"-{text}" if negative and text != "0" else text


def _worked_out(token: str) -> str | None:
    """Value of a power or a fraction without its sign; None if digits cannot write it, or it is too large."""
    whole, one, other = map(int, ["0", *re.findall(r"\d+", token)][-3:])
    if "^" in token:
        return str(one**other) if other <= _LARGEST_POWER and one**other < 10**LONGEST else None
    # "2½" is "21⁄2" by now.
    mixed = "⁄" in token and one >= 10  # noqa: PLR2004
    place = next((n for n in range(LONGEST) if other and one * 10**n % other == 0), None)
    if mixed or place is None:
        return None
    units = whole * 10**place + one * 10**place // other
    return plain_number(Decimal(units).scaleb(-place)) if units < _LARGEST_EXACT else None


def plain_number(value: Decimal) -> str:
    """Digits with a point if there is a fraction, without zeros that say nothing."""
    sign, text = ("-", format(-value, "f")) if value < 0 else ("", format(value, "f"))
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    text = text.lstrip("0") or "0"
    return sign + (f"0{text}" if text.startswith(".") else text)
