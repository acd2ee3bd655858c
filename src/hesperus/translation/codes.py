"""What translation models call languages, and which translator would do a pair.

The tables are data files; their heads name the sources. A code is found for any style of tag; a regional variant counts
as its language where both use one script.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from hesperus.errors import UnknownNameError, UsageError
from hesperus.languages import language, normalise

# Families of multilingual models whose codes are in the table; an Opus model names its own.
_NAMES: Mapping[str, str] = MappingProxyType(
    {"nllb": "NLLB-200", "m2m100": "M2M-100", "madlad": "MADLAD-400"}
)

# Where a model knows only the member, or only the whole, the one stands for the other.
_STANDS_FOR: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"nb": ("no",), "no": ("nb",), "qu": ("quy",), "ff": ("fuv",), "ms": ("zlm",), "kok": ("gom",), "crh": ("crh-Latn",)}
)  # fmt: skip

# Apertium's Serbo-Croatian reads the three standards in Latin script; written without a mark, it is Croatian.
_SERBO_CROATIAN: Mapping[str, str] = MappingProxyType({"": "hr", "HR": "hr", "BS": "bs", "SR": "sr-Latn"})
_MODE = re.compile(r"([a-z]{2,3})(?:_([A-Z]{2}|valencia))?-([a-z]{2,3})(?:_([A-Z]{2}|valencia))?")


def _rows(file: str) -> list[dict[str, str]]:
    text = (files("hesperus.translation") / file).read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


@cache
def family_codes(family: str) -> Mapping[str, str]:
    """BCP-47 tag to the code by which a family of models names the language.

    Families are ``nllb``, ``m2m100`` and ``madlad``.
    """
    if family not in _NAMES:
        raise UnknownNameError("family of translation models", family, _NAMES)
    rows = _rows("language_codes.csv")
    return MappingProxyType({row["tag"]: row["code"] for row in rows if row["family"] == family})


def code_of(tag: str, codes: Mapping[str, str]) -> str | None:
    """The code of a language in a table of codes by BCP-47 tag, or None.

    Of any style of tag: ``en-US`` finds ``en``, ``zh-TW`` finds ``zh-Hant`` and never ``zh``.
    """
    return next((codes[name] for name in spellings(tag) if name in codes), None)


@cache
def spellings(tag: str) -> tuple[str, ...]:
    """Tags that mean the language of a tag to a translator, the nearest first."""
    wanted = language(tag)
    base = wanted.tag.split("-")[0]
    found = [wanted.tag, normalise(f"{base}-{wanted.script}")]
    if language(base).script == wanted.script:
        found += [base, *_STANDS_FOR.get(base, ())]
    return tuple(dict.fromkeys(found))


def read_codes(codes: Iterable[str]) -> dict[str, str]:
    """BCP-47 tag to code, of codes that a checkpoint names (``fra``, ``por_BR``, ``zh_Hant``); others are left out."""
    found: dict[str, str] = {}
    for code in codes:
        try:
            found.setdefault(normalise(code), code)
        except UnknownNameError:
            continue
    return found


def mode_languages(mode: str) -> tuple[tuple[str, ...], str] | None:
    """Languages that a mode of Apertium reads, and the one that it writes.

    As BCP-47 tags; None for a mode that is no translation between two languages as a tag can name them.
    """
    parts = _MODE.fullmatch(mode)
    if parts is None:
        return None
    source, source_mark, target, target_mark = parts.groups(default="")
    try:
        read = (
            tuple(sorted(set(_SERBO_CROATIAN.values())))
            if source == "hbs"
            else (_marked(source, source_mark),)
        )
        written = _SERBO_CROATIAN[target_mark] if target == "hbs" else _marked(target, target_mark)
    except (UnknownNameError, KeyError):
        return None
    return read, written


def _marked(code: str, mark: str) -> str:
    tag = normalise("ms" if code == "zlm" else code)
    return normalise(f"{tag}-{mark}") if mark else tag


def mode_of(source: str, target: str, modes: Sequence[str]) -> str | None:
    """The mode that translates a pair best: the very target first, then its language."""
    pairs: dict[tuple[str, str], str] = {}
    for mode in sorted(modes, key=lambda name: (len(name), name)):
        reads, written = mode_languages(mode) or ((), "")
        for read in reads:
            pairs.setdefault((read, written), mode)
    wanted = ((read, written) for written in spellings(target) for read in spellings(source))
    return next((pairs[pair] for pair in wanted if pair in pairs), None)


@cache
def debian_modes() -> Mapping[str, str]:
    """Modes of Apertium to the Debian packages that hold them."""
    return MappingProxyType({row["mode"]: row["package"] for row in _rows("apertium_modes.csv")})


def would_translate(source: str, target: str) -> tuple[str, ...]:
    """Translators that do a pair, each with what it takes to have it; empty where none is known."""
    found = []
    mode = mode_of(source, target, tuple(debian_modes()))
    if mode is not None:
        found.append(f"apertium (Debian package {debian_modes()[mode]})")
    models = []
    for family, name in _NAMES.items():
        codes = family_codes(family)
        if code_of(source, codes) and code_of(target, codes):
            models.append(name)
    if models:
        found.append(f"ct2/FOLDER or hf/NAME with {' or '.join(models)}")
    return tuple(found)


def unsupported(name: str, source: str, target: str, has: str = "") -> UsageError:
    """The error for a pair that a translator does not do, naming those that would.

    `has` is what the translator does offer, for people.
    """
    pair = _named(source, target)
    if normalise(source) == normalise(target):
        return UsageError(
            f"{name} does not translate {pair}: both are one language; `none` leaves texts as they are"
        )
    others = would_translate(source, target)
    known = f"it would take {', or '.join(others)}" if others else "no translator that hesperus knows does"
    return UsageError(f"{name} does not translate {pair}{f'; it has {has}' if has else ''}; {known}")


def all_unsupported(name: str, lacking: Sequence[tuple[str, str]], of: int, hint: str) -> UsageError:
    """The error for several pairs that a translator does not do, naming for each those that would.

    `of` is how many pairs there are, `hint` what to do.
    """
    said = [
        f"{_named(*pair)}: {', '.join(would_translate(*pair)) or 'no translator that hesperus knows does'}"
        for pair in lacking
    ]
    lines = "\n  ".join(said)
    return UsageError(
        f"{name} does not translate {len(lacking)} of {of} pairs of languages:\n  {lines}\n{hint}"
    )


def _named(source: str, target: str) -> str:
    return f"{language(source).name} ({normalise(source)}) to {language(target).name} ({normalise(target)})"
