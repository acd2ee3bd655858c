"""The script of each text, compared with the script of its language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.sides import OPTIONS, parts
from hesperus.audits.thresholds import AuditSettings
from hesperus.languages import language
from hesperus.rounding import cell

_UNSPACED = frozenset({"Hans", "Hant", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"})

# First words of the Unicode names of letters, by ISO 15924 code.
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Adlm": ("ADLAM",), "Arab": ("ARABIC",), "Armn": ("ARMENIAN",), "Bali": ("BALINESE",), "Beng": ("BENGALI",),
        "Cans": ("CANADIAN",), "Cher": ("CHEROKEE",), "Cyrl": ("CYRILLIC",), "Deva": ("DEVANAGARI",),
        "Ethi": ("ETHIOPIC",), "Geor": ("GEORGIAN",), "Grek": ("GREEK",), "Gujr": ("GUJARATI",),
        "Guru": ("GURMUKHI",), "Hans": ("CJK",), "Hant": ("CJK",), "Hebr": ("HEBREW",), "Java": ("JAVANESE",),
        "Jpan": ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "Khmr": ("KHMER",), "Knda": ("KANNADA",),
        "Kore": ("HANGUL", "CJK"), "Laoo": ("LAO",), "Latn": ("LATIN",), "Mlym": ("MALAYALAM",),
        "Mong": ("MONGOLIAN",), "Mtei": ("MEETEI",), "Mymr": ("MYANMAR",), "Nkoo": ("NKO",), "Olck": ("OL",),
        "Orya": ("ORIYA",), "Sinh": ("SINHALA",), "Sund": ("SUNDANESE",), "Syrc": ("SYRIAC",), "Taml": ("TAMIL",),
        "Telu": ("TELUGU",), "Tfng": ("TIFINAGH",), "Thaa": ("THAANA",), "Thai": ("THAI",), "Tibt": ("TIBETAN",),
        "Vaii": ("VAI",), "Yiii": ("YI",),
    }
)  # fmt: skip
_SCRIPTS = {name: code for code, names in sorted(_NAMES.items(), reverse=True) for name in names}
_ALIKE = re.compile(r"[A-Za-z][\u0370-\u04ff]|[\u0370-\u04ff][A-Za-z]")
_NOTHING = re.compile(r"(?!)")
_WORD = re.compile(r"[^\W\d_]+")


def expected_names(tag: str) -> tuple[str, ...]:
    """How the Unicode names of a language's letters begin; empty where its script is not known here."""
    return _NAMES.get(language(tag).script, ())


def wrong_scripts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Texts of which most letters belong to another script than that of their language.

    Texts with few foreign words, or with capitals in all of them (names, titles) are for review; so are options, and these
    only where they are more than terms that stay as they are.
    """
    for tag, many in items.items():
        expected = expected_names(tag)
        if not expected:
            continue
        foreign = _foreign(_letters_of(items, tag), expected)
        for item in many:
            for name, text in parts(item):
                found = _share(text, foreign, settings)
                prose = found is not None and _is_prose(foreign.findall(text), settings)
                if found is not None and (prose or name != OPTIONS):
                    what = f"{name}: {cell(found[0], 'share')} of the letters are {found[1]}"
                    clear = prose and name != OPTIONS and found[0] >= settings.foreign_clear
                    yield _finding(item.id, tag, what, text, clear)
                elif form := _wrong_han(text, tag):
                    yield _finding(item.id, tag, f"{name}: {form}", text, name != OPTIONS)


def _finding(key: str, tag: str, what: str, text: str, clear: bool) -> Finding:
    return Finding("script", "exclude" if clear else "review", key, (tag,), f"{what}: {quoted(text)}")


def _is_prose(words: Sequence[str], settings: AuditSettings) -> bool:
    """Whether foreign words are a text rather than names: enough of them have no capital; or they have no blanks."""
    small = {word for word in words if len(word) > 1 and not word[0].isupper()}
    return len(small) >= settings.identical_words - 1 or any(
        len(word) >= settings.fewest_letters and word.upper() == word.lower() for word in words
    )


def mixed_words(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Words with letters of two scripts that look alike: a Latin ``a`` in a Cyrillic word is another word."""
    for tag, many in items.items():
        for item in many:
            for name, text in parts(item):
                found = None if text.isascii() else _mixed(text)
                if found:
                    yield Finding("mixed_script", "review", item.id, (tag,), f"{name} holds {quoted(found)}")


def _mixed(text: str) -> str | None:
    """The first word that mixes a lower-case Latin letter with two Greek or Cyrillic ones, or the other way round.

    ``μm`` and ``β-Carotin`` are no slips, nor is a Russian ending on a Latin name after a sign.
    """
    if not _ALIKE.search(text):
        return None
    for word in _WORD.findall(text):
        kinds = [script_of(c) for c in word]
        latin = kinds.count("Latn")
        other = max(kinds.count("Cyrl"), kinds.count("Grek"))
        if latin and other and len(word) >= 4 and min(latin, other) <= 2 < max(latin, other):
            return str(word)
    return None


@lru_cache(maxsize=65536)
def script_of(character: str) -> str | None:
    """ISO 15924 code of a letter's script (``Hans`` for any Han); None for all that is no letter of a known one."""
    if not character.isalpha():
        return None
    plain = unicodedata.normalize("NFKC", character)[:1]
    return _SCRIPTS.get(unicodedata.name(plain, "").split(" ")[0].split("-")[0])


def _letters_of(items: Items, tag: str) -> set[str]:
    seen: set[str] = set()
    latin = language(tag).script == "Latn"
    for item in items[tag]:
        for _, text in parts(item):
            if not (latin and text.isascii()):
                seen.update(text)
    return seen


def _foreign(seen: set[str], expected: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the letters of other scripts among those that occur, in runs."""
    own = {_SCRIPTS.get(name.split("-")[0]) for name in expected}
    wrong = sorted(c for c in seen if (script := script_of(c)) is not None and script not in own)
    return re.compile(f"[{''.join(map(re.escape, wrong))}]+") if wrong else _NOTHING


def _share(text: str, foreign: re.Pattern[str], settings: AuditSettings) -> tuple[float, str] | None:
    """Share of letters in other scripts and the commonest of these, where that is suspicious."""
    runs = foreign.findall(text)
    count = sum(map(len, runs))
    if count < settings.fewest_letters or count < settings.foreign_letters * len(text) / 4:
        return None
    letters = sum(map(str.isalpha, text))
    if count < settings.foreign_letters * letters:
        return None
    kinds = [script_of(run[0]) or "" for run in runs]
    return count / letters, max(dict.fromkeys(kinds), key=kinds.count)


def _wrong_han(text: str, tag: str) -> str:
    """Whether Chinese is written in the other of its two forms."""
    script = language(tag).script
    if script not in ("Hans", "Hant"):
        return ""
    forms = [form for c in text if c > "\u2e7f" and (form := _han_form(c))]
    other = "Hant" if script == "Hans" else "Hans"
    count = forms.count(other)
    if count < 5 or count * 2 <= len(forms):
        return ""
    return f"{count} of {len(forms)} characters that tell are {other}"


@lru_cache(maxsize=65536)
def _han_form(character: str) -> str | None:
    """``Hans`` for a character that only the simplified standard set (GB 2312) has, ``Hant`` for one of Big5 alone."""
    simplified, traditional = _encodable(character, "gb2312"), _encodable(character, "big5")
    if simplified == traditional:
        return None
    return "Hans" if simplified else "Hant"


def _encodable(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=4096)
def is_unspaced(tag: str) -> bool:
    """Whether a language is written without blanks between words."""
    return language(tag).script in _UNSPACED
