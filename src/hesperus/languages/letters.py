"""Which script a letter belongs to, and which scripts a language is written in.

Ranges are the letter and mark blocks of the Unicode Standard 15, their punctuation left out.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

RANGES: dict[str, str] = {
    "Latn": "A-Za-zªºÀ-ÖØ-öø-ʯ\u0300-\u036f\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff",
    "Grek": "\u0370-\u037d\u037f-\u0386\u0388-\u03ff\u1f00-\u1fff",
    "Cyrl": "\u0400-\u052f",
    "Armn": "\u0531-\u0556\u0560-\u0588",
    "Hebr": "\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7-\u05f2",
    "Arab": "\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
    "Deva": "\u0900-\u0963\u0966-\u097f",
    "Beng": "\u0980-\u09ff",
    "Guru": "\u0a00-\u0a7f",
    "Gujr": "\u0a80-\u0aff",
    "Orya": "\u0b00-\u0b7f",
    "Taml": "\u0b80-\u0bff",
    "Telu": "\u0c00-\u0c7f",
    "Knda": "\u0c80-\u0cff",
    "Mlym": "\u0d00-\u0d7f",
    "Sinh": "\u0d80-\u0df3",
    "Thai": "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59",
    "Laoo": "\u0e80-\u0eff",
    "Mymr": "\u1000-\u1049\u1050-\u109f",
    "Tibt": "\u0f40-\u0f6c\u0f71-\u0f84\u0f90-\u0fbc",
    "Thaa": "\u0780-\u07b1",
    "Geor": "\u10a0-\u10fa\u10fc-\u10ff\u1c90-\u1cbf",
    "Ethi": "\u1200-\u135f\u1380-\u139f",
    "Khmr": "\u1780-\u17d3\u17e0-\u17e9",
    "Hira": "\u3041-\u309f",
    "Kana": "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Hani": "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "Hang": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
    "Cans": "\u1401-\u167f",
    "Mong": "\u1820-\u18aa",
    "Mtei": "\uabc0-\uabea",
    "Nkoo": "\u07ca-\u07ea",
    "Olck": "\u1c5a-\u1c7d",
    "Tfng": "\u2d30-\u2d67",
}
"""Inner part of a regular-expression class for the letters and marks of each script."""

UNSPACED = frozenset({"Hani", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr"})
"""Scripts in which the end of a word cannot be seen."""

_IDEOGRAPHIC = ("Hani", "Hira", "Kana")
IDEOGRAPHS = frozenset(_IDEOGRAPHIC)
"""Scripts of which one character says as much as three letters."""

_WRITTEN_WITH = {
    "Hans": ("Hani",), "Hant": ("Hani",), "Jpan": ("Hani", "Hira", "Kana"), "Kore": ("Hang", "Hani"),
    "Aran": ("Arab",),
}  # fmt: skip


@cache
def _members(script: str) -> re.Pattern[str]:
    return re.compile(f"[{RANGES[script]}]")


@cache
def script_of(character: str) -> str | None:
    """ISO 15924 code of a character's script as RANGES names it, or None for digits, marks and other scripts."""
    return next((script for script in RANGES if _members(script).match(character)), None)


def scripts_for(iso: str) -> tuple[str, ...]:
    """The scripts, as RANGES names them, in which a language of the given ISO 15924 code is written."""
    return _WRITTEN_WITH.get(iso, (iso,))


@cache
def letters_of(scripts: tuple[str, ...]) -> re.Pattern[str]:
    """Pattern of one or more letters and marks of some scripts; never matches where none of them is known."""
    known = "".join(RANGES[script] for script in scripts if script in RANGES)
    return re.compile(f"[{known}]+" if known else r"(?!)")


def mostly_in(text: str, scripts: tuple[str, ...]) -> bool:
    """Whether half of the first 2,000 characters are letters or marks of some scripts; much cheaper than `share_in`."""
    text = text[:2000]
    return 2 * sum(map(len, letters_of(scripts).findall(text))) >= len(text)


def share_in(text: str, scripts: tuple[str, ...]) -> float | None:
    """Share of the letters that belong to the given scripts; None if fewer than three letters are known.

    Only the first 2,000 characters are counted.
    """
    own = known = 0
    for character, count in Counter(text[:2000]).items():
        if character.isalpha() and (script := script_of(character)):
            known += count
            own += count * (script in scripts)
    return own / known if known >= 3 else None


def letter_weights(text: str, scripts: tuple[str, ...]) -> tuple[int, int]:
    """Letters of the given scripts, and of other known ones; a Chinese or Japanese character counts as three."""
    if text.isascii():
        count = sum(map(str.isalpha, text))
        return (count, 0) if "Latn" in scripts else (0, count)
    own = foreign = 0
    for character, count in Counter(text).items():
        if character.isalpha() and (script := script_of(character)) is not None:
            weighed = count * (3 if script in IDEOGRAPHS else 1)
            if script in scripts:
                own += weighed
            else:
                foreign += weighed
    return own, foreign


def weight_of(text: str) -> int:
    """Letters of a text in any script; a Chinese or Japanese character counts as three."""
    if text.isascii():
        return sum(map(str.isalpha, text))
    return sum(
        count * (3 if script_of(character) in IDEOGRAPHS else 1)
        for character, count in Counter(text).items()
        if character.isalpha()
    )


def most_weight(unit: str) -> int:
    """The most that `weight_of` may give for a text, at a fraction of its cost."""
    return len(unit) * (1 if unit.isascii() or letters_of(_IDEOGRAPHIC).search(unit) is None else 3)
