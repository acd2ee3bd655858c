"""Numbers in replies: native digits, thousands separators by language, the last number of a worked answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from hesperus.answers.lexicon import endings
from hesperus.answers.reply_text import Text
from hesperus.answers.scripts import bounded
from hesperus.answers.spelling import SENTENCE_END, fold, respelt
from hesperus.answers.wording import Wording
from hesperus.normalization import clean, key, peel, plain_digits

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
_NUMBER = re.compile(
    rf"(?:{_UNGLUED})(?:(?<![\w)\]])[-−–] ?)?(?:\d{{1,3}}(?:[ '’]\d{{3}})+(?!\d)|\d+)(?:[.,٬٫]\d+)*"
)
_BOXED = re.compile(r"\\f?boxed ?\{((?:(?!\\f?boxed ?\{)[^\n]){1,200})")
_LONGEST = 40
_SLASHED = re.compile(r"/(\d+)")
"""Persian writes a decimal mark as a slash."""


def number_of(text: str, language: str) -> str | None:
    """Read a text that is one number, in the form in which answers and gold labels are compared.

    >>> number_of("1.234,50", "de"), number_of("١٬٢٣٤", "ar"), number_of("-3.0", "en")
    ('1234.5', '1234', '-3')

    Args:
        text: One number in any digits.
        language: BCP-47; decides between decimal point and comma.

    Returns:
        Digits with a point where there is a fraction, no trailing zeros; None where the text is no number.
    """
    found = _numbers(peel_number(text))
    whole = len(found) == 1 and found[0][1] == peel_number(text)
    return _value(found[0][1], language) if whole else None


def peel_number(text: str) -> str:
    """Clean a text and cut what may stand around a number, but not its sign."""
    cleaned = plain_digits(clean(text))
    inner = peel(cleaned)
    place = cleaned.find(inner)
    sign = place > 0 and cleaned[place - 1] in "-−–" and inner[:1].isdigit()
    return cleaned[place - 1] + inner if sign else inner


def _numbers(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _NUMBER.finditer(text) if len(match[0]) <= _LONGEST]


def _multiplied(text: str, found: tuple[int, str], reply: Text) -> str | None:
    """The value of a number in its text, with its magnitude: "3 million", "3万", "milioni 3"; "۱۲/۵" in Persian."""
    place, token = found
    end = place + len(token)
    if any(
        text[:place].endswith(word) and text[: place - len(word)][-1:].isdigit()
        for word in _factors(reply.reader.wording)
    ):
        # "3万5千" is one number in two parts; half of it would be another number.
        return None
    wording = reply.reader.wording
    if wording.base == "fa" and (decimal := _SLASHED.match(text, end)):
        token, end = f"{token}.{decimal[1]}", decimal.end()
    value = _value(token, reply.reader.language) if "/" not in token else None
    factor = 1
    if wording.grammar.magnitude_first and (match := _magnitude_before(wording).search(text[:place])):
        factor, end = int(_factors(wording)[fold(match["word"])]), len(text)
    while value is not None and (match := _magnitudes(wording).match(text, end)):
        factor *= int(_factors(wording)[fold(match["word"])])
        end = match.end()
    return value if value is None or factor == 1 else _plain(Decimal(value) * factor)


@lru_cache(maxsize=256)
def _factors(wording: Wording) -> Mapping[str, str]:
    return {
        fold(respelt(key(word), wording.grammar)): factor
        for word, factor in wording.grammar.magnitudes.items()
    }


@lru_cache(maxsize=256)
def _magnitudes(wording: Wording) -> re.Pattern[str]:
    words = sorted(_factors(wording), key=lambda word: (-len(word), word))
    # Behind a number a word begins with or without a blank ("3million", "3 million"): only its end needs a boundary.
    patterns = [bounded(re.escape(word), word, endings=endings(wording), left=False) for word in words]
    return re.compile(rf"[ \u00a0-]?(?P<word>(?i:{'|'.join(patterns)}))" if patterns else r"(?!)")


@lru_cache(maxsize=256)
def _magnitude_before(wording: Wording) -> re.Pattern[str]:
    words = sorted(_factors(wording), key=lambda word: (-len(word), word))
    patterns = [bounded(re.escape(word), word) for word in words]
    return re.compile(rf"(?P<word>(?i:{'|'.join(patterns)}))[ -]\Z" if patterns else r"(?!)")


def _value(token: str, language: str) -> str | None:
    """Canonical form of a token that _NUMBER found.

    One mark before exactly three digits is a thousands separator where it is the language's; before any other
    count it is the decimal mark. Where both marks occur the last is the decimal mark.
    """
    negative = token[0] in "-−–"
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
    text = _plain(Decimal(digits))
    return f"-{text}" if negative and text != "0" else text


def _plain(value: Decimal) -> str:
    """Digits with a point where there is a fraction, without zeros that say nothing."""
    sign, text = ("-", format(-value, "f")) if value < 0 else ("", format(value, "f"))
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    text = text.lstrip("0") or "0"
    return sign + (f"0{text}" if text.startswith(".") else text)


def boxed_number(reply: Text) -> str | None:
    r"""The first number in the last LaTeX box: `\boxed{42}`."""
    boxes = _BOXED.findall(plain_digits(reply.text))
    inner = re.sub(r"\\[,;! ]|\{,\}", "", boxes[-1]) if boxes else ""
    found = _numbers(inner)
    return _multiplied(inner, found[0], reply) if found else None


def cue_number(reply: Text) -> str | None:
    """The number behind the last cue in its sentence; behind the last equals sign where there is one."""
    said = plain_digits(reply.text)
    places = [match.end() for match in _cues(reply.reader.wording).finditer(said)]
    if not places:
        return None
    rest = said[places[-1] :]
    if reply.reader.wording.grammar.prefixes:
        # The hyphen of "ngu-15" is no minus.
        rest = rest.removeprefix("-")
    sentence = SENTENCE_END.split(rest.lstrip(" :\n"), maxsplit=1)[0]
    told = sentence.rpartition("=")[2]
    found = _numbers(told)
    return _multiplied(told, found[0], reply) if found else None


def last_number(reply: Text) -> str | None:
    """The last number of the reply."""
    said = plain_digits(reply.text)
    found = _numbers(said)
    if len(found) > 1 and reply.reader.wording.base == "fa" and said[found[-1][0] - 1] == "/":
        found = found[:-1]
    return _multiplied(said, found[-1], reply) if found else None


def whole_number(reply: Text) -> str | None:
    """The whole reply is one number."""
    return number_of(reply.text, reply.reader.language)


@lru_cache(maxsize=64)
def _cues(wording: Wording) -> re.Pattern[str]:
    stems = sorted(
        {stem for cue in wording.cues if (stem := respelt(key(cue), wording.grammar))},
        key=lambda stem: (-len(stem), stem),
    )
    patterns = [bounded(re.escape(stem).replace(r"\ ", r"\s"), stem) for stem in stems]
    return re.compile(f"(?i:{'|'.join(patterns)})" if patterns else r"(?!)")


RULES: Mapping[str, Callable[[Text], str | None]] = MappingProxyType(
    {
        "boxed number": boxed_number,
        "cue number": cue_number,
        "last number": last_number,
        "whole number": whole_number,
    }
)
"""Rules for numbers by the name that stands in `Answer.rule`."""
