"""What is known of a text in any language: its length in English, its commonest small words, its letters by script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from hesperus.languages import language

_BY_SCRIPT = {
    "Arab": 0.89, "Armn": 1.15, "Beng": 0.97, "Cyrl": 1.07, "Deva": 0.94, "Ethi": 0.65, "Geor": 1.16, "Grek": 1.2,
    "Gujr": 0.94, "Guru": 0.97, "Hans": 0.37, "Hant": 0.35, "Hebr": 0.8, "Jpan": 0.5, "Khmr": 1.34, "Knda": 1.11,
    "Kore": 0.45, "Laoo": 1.12, "Mlym": 1.22, "Mymr": 1.4, "Olck": 1.03, "Orya": 1.04, "Sinh": 1.0, "Taml": 1.27,
    "Telu": 1.06, "Thai": 1.1, "Tibt": 1.4,
}  # fmt: skip
_ELSEWHERE = 1.07
"""The median of the languages in Latin script."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a language.

    Attributes:
        length: Characters, blanks left out, of a text relative to its English.
        words: Its commonest small words, case folded; empty where they are not known.
        letters: Its letters but a to z, case folded; empty where the words are not known.
    """

    length: float
    words: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()


@cache
def _table() -> Mapping[str, Facts]:
    text = (files("hesperus.translation.degeneration") / "languages.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType(
        {
            row[0]: Facts(
                float(row[1]),
                frozenset(row[2].casefold().split()) if len(row) > 2 else frozenset(),
                frozenset(row[3]) if len(row) > 3 else frozenset(),
            )
            for row in rows
        }
    )


@cache
def own_tag(tag: str) -> str:
    """The tag under which a language is in the table; itself if it is not."""
    known = language(tag)
    base = known.tag.split("-")[0]
    for name in (known.tag, f"{base}-{known.script}"):
        if name in _table():
            return name
    return base if known.script == language(base).script else known.tag


@cache
def facts(tag: str) -> Facts:
    """The facts of a language; of one that the table lacks, the length that is usual in its script."""
    found = _table().get(own_tag(tag))
    return found or Facts(_BY_SCRIPT.get(language(tag).script, _ELSEWHERE))


@cache
def owners_of(script: str) -> Mapping[str, tuple[str, ...]]:
    """Small words of the languages of a script, each with the tags of those that have it."""
    owners: dict[str, list[str]] = {}
    for tag, row in _table().items():
        if row.words and language(tag).script == script:
            for word in row.words:
                owners.setdefault(word, []).append(tag)
    return MappingProxyType({word: tuple(tags) for word, tags in owners.items()})


_AS_IN_ENGLISH = re.compile("[0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")


def english_length(text: str, tag: str) -> float:
    """Characters, blanks left out, that the English of a text has as a rule.

    Each character counts for as many as the language usually has English ones for one of its own; in a language of
    another script than Latin, names, units and digits in the midst count for themselves. So the numbers, names and
    glosses of which a short Chinese or Arabic text may be made do not make it look long.

    Args:
        text: Any text.
        tag: Tag of its language.
    """
    count = sum(not character.isspace() for character in text)
    plain = 0 if language(tag).script == "Latn" else len(_AS_IN_ENGLISH.findall(text))
    return plain + (count - plain) / facts(tag).length


_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uff66-\uff9f"
_BLOCKS: Mapping[str, str] = MappingProxyType(
    {
        "Arab": "\u0620-\u064a\u066e-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c7\ufb50-\ufdfb\ufe70-\ufefc",
        "Armn": "\u0531-\u0556\u0561-\u0587",
        "Beng": "\u0980-\u09e5\u09f0-\u09f1",
        "Cans": "\u1401-\u167f",
        "Cyrl": "\u0400-\u0481\u048a-\u052f\u1c80-\u1c88",
        "Deva": "\u0900-\u0963\u0971-\u097f",
        "Ethi": "\u1200-\u1360\u1380-\u138f",
        "Geor": "\u10a0-\u10ff\u1c90-\u1cbf",
        "Grek": "\u0370-\u03ff\u1f00-\u1fff",
        "Gujr": "\u0a81-\u0ae3",
        "Guru": "\u0a01-\u0a5e\u0a70-\u0a75",
        "Hang": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
        "Hani": _HAN,
        "Hebr": "\u05d0-\u05f2",
        "Kana": _KANA,
        "Khmr": "\u1780-\u17d3",
        "Knda": "\u0c80-\u0ce3",
        "Laoo": "\u0e81-\u0ec6\u0edc-\u0edf",
        "Latn": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uff21-\uff3a"
        "\uff41-\uff5a",
        "Mlym": "\u0d00-\u0d63\u0d7a-\u0d7f",
        "Mong": "\u1820-\u18aa",
        "Mtei": "\uabc0-\uabea",
        "Mymr": "\u1000-\u103f\u1050-\u108f\ua9e0-\uaa7f",
        "Nkoo": "\u07ca-\u07ea",
        "Olck": "\u1c5a-\u1c7d",
        "Orya": "\u0b01-\u0b63",
        "Sinh": "\u0d81-\u0df3",
        "Taml": "\u0b82-\u0bd7",
        "Telu": "\u0c00-\u0c63",
        "Tfng": "\u2d30-\u2d67",
        "Thaa": "\u0780-\u07b1",
        "Thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
        "Tibt": "\u0f40-\u0fbc",
    }
)
_PARTS = {"Hans": ("Hani",), "Hant": ("Hani",), "Jpan": ("Hani", "Kana"), "Kore": ("Hang", "Hani")}
UNSPACED = frozenset({"Hans", "Hant", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"})
"""Scripts that write no blanks between words."""


@cache
def own_letters(tag: str) -> re.Pattern[str] | None:
    """Finds runs of letters of a language's script; None if the script is not known here."""
    script = language(tag).script
    parts = _PARTS.get(script, (script,))
    if any(part not in _BLOCKS for part in parts):
        return None
    return re.compile(f"[{''.join(_BLOCKS[part] for part in parts)}]+")


@cache
def _other_letters(tag: str) -> re.Pattern[str]:
    script = language(tag).script
    parts = _PARTS.get(script, (script,))
    return re.compile(f"[{''.join(block for name, block in _BLOCKS.items() if name not in parts)}]+")


def foreign_runs(text: str, tag: str) -> list[str]:
    """Runs of letters that belong to other scripts than that of a language."""
    return _other_letters(tag).findall(text)


def script_of(letter: str) -> str | None:
    """The script of a letter, as ISO 15924 (Japanese syllables as Kana); None if it is not known here."""
    return next((name for name, block in _SCRIPTS.items() if block.match(letter)), None)


def count_own(text: str, tag: str) -> int:
    """Letters (and vowel signs) of a language's script in a text."""
    own = own_letters(tag)
    return sum(map(len, own.findall(text))) if own else 0


_SCRIPTS = MappingProxyType({name: re.compile(f"[{block}]") for name, block in _BLOCKS.items()})
HAN = re.compile(f"[{_HAN}]")
KANA = re.compile(f"[{_KANA}]")
HANGUL = re.compile(f"[{_BLOCKS['Hang']}]")
