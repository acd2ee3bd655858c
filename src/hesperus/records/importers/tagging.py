"""Language tags in the wild: which pieces of text are one, and which only look like one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from langcodes.data_dicts import LIKELY_SUBTAGS

from hesperus.errors import UnknownNameError
from hesperus.languages import language, languages, normalise

_CODED = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|\d{3}))?")
_CODED_START = re.compile(r"[A-Za-z]{2,3}[-_]")
_WORD = re.compile(r"[^\W\d_][\w .,()'-]{2,40}")

_REGIONS: Mapping[str, str] = {
    "ar": "AE DZ EG IQ JO LB LY MA OM PS QA SA SD SY TN YE", "bn": "BD IN", "ca": "ES", "de": "AT CH LU",
    "en": "AU CA GB GH HK IE IN KE MY NG NZ PH PK SG TZ UG US ZA ZM",
    "es": "419 AR BO CL CO CR CU DO EC ES GT HN LA MX NI PA PE PR PY SV US UY VE XL", "eu": "ES",
    "fa": "AF", "fr": "BE CA CD CH CI CM SN", "gl": "ES", "ha": "NG", "hi": "IN", "it": "CH", "ml": "IN",
    "ms": "BN SG", "nl": "BE", "om": "ET", "pa": "IN PK", "pt": "AO MZ", "ru": "BY KZ", "so": "SO",
    "sv": "FI", "sw": "CD KE TZ", "ta": "LK SG", "ti": "ER ET", "tr": "CY", "ur": "IN", "yo": "BJ NG",
    "zh": "CN HK MO MY SG TW",
}  # fmt: skip
"""Languages with the regions in which locales name them, though another language is likelier there."""

_LOCALES: Mapping[str, str] = {"ar-xy": "ar", "es-la": "es-419"}
"""Locales of MMMLU and others whose region is none of ISO 3166: none at all, and Latin America."""

NO_LANGUAGE = frozenset({"all", "avg", "gen", "mc", "mc1", "mc2", "mcf", "cf", "hybrid", "mean", "total"})
"""What is in the place of a language next to others, and is none."""

WORDS = frozenset(
    {
        "am", "an", "as", "at", "be", "do", "go", "he", "id", "in", "io", "is", "it", "la", "my", "no",
        "nor", "of", "om", "or", "os", "pa", "pi", "so", "st", "ta", "te", "to", "vo",
    }
)  # fmt: skip
"""Codes that are words or abbreviations in many names; alone they say nothing."""


@cache
def explicit_tag(text: str) -> str | None:
    """The tag of a text that is meant to be a language: a code with script and region in any style, or a name.

    A script must be one that languages are written in, and a region one where the language is spoken: ``mt_de`` is no
    Maltese, ``de-law`` no language, and ``eu-MT`` no Basque of Malta.

    Returns:
        BCP-47 tag, or None if it is no language.
    """
    given = text.strip()
    given = _LOCALES.get(given.lower().replace("_", "-"), given)
    coded = _CODED.fullmatch(given)
    if coded is None:
        return _normal(given) if _WORD.fullmatch(given) and not _CODED_START.match(given) else None
    tag = _normal(given)
    base = _normal(coded[1])
    if tag is None or base is None:
        return None
    script, region = coded[2], coded[3]
    if script and script.title() not in _scripts():
        return None
    if region and not _is_spoken(base, region.upper()):
        return None
    return tag


@cache
def tag_in_name(text: str) -> str | None:
    """The tag of a part of a name, which need not be meant as a language: a code of one that the tables describe."""
    if _CODED.fullmatch(text) is None or text.lower() in NO_LANGUAGE:
        return None
    tag = explicit_tag(text)
    return tag if tag is not None and base_of(tag) in _known() else None


def base_of(tag: str) -> str:
    """The language of a tag, without script and region."""
    return tag.split("-")[0]


def _normal(text: str) -> str | None:
    try:
        return normalise(text)
    except UnknownNameError:
        return None


def _is_spoken(base: str, region: str) -> bool:
    spoken = base_of(LIKELY_SUBTAGS.get(f"und-{region}", ""))
    return (
        (spoken and _normal(spoken)) == base
        or region in _REGIONS.get(base, "").split()
        or f"{base}-{region}" in LIKELY_SUBTAGS
    )


@cache
def _known() -> frozenset[str]:
    return frozenset(languages())


@cache
def _scripts() -> frozenset[str]:
    """Scripts of the known languages, and those under another name or for a second way of writing."""
    return frozenset(language(tag).script for tag in languages()) | {
        "Hans", "Hant", "Hani", "Hang", "Jpan", "Hira", "Kana", "Latn", "Cyrl", "Arab", "Aran", "Deva", "Mong", "Tfng",
        "Nkoo", "Mtei", "Olck", "Beng",
    }  # fmt: skip
