"""Languages by family and name: the order in which figures and tables put them, and what they are called there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from hesperus.errors import UnknownNameError
from hesperus.languages import Language, language
from hesperus.wording import language_label, parsed, sense_label

UNKNOWN_FAMILY = "family not known"


def family_of(code: str) -> str:
    """Family of the language of a sense code."""
    found = _language(code)
    return (found.family if found else None) or UNKNOWN_FAMILY


def family_key(code: str) -> tuple[bool, str, str, str, tuple[str, str]]:
    """Sort key of sense codes: by family, branch and script (hesperus.languages), then by name; unknown ones last."""
    found = _language(code)
    if found is None or found.family is None:
        return (True, "", "", "", (sense_label(code), code))
    return (False, found.family, found.branch or "", found.script, (sense_label(code), code))


def language_names(codes: Sequence[str]) -> dict[str, str]:
    """``German (de)`` where that tells all codes apart, else the sense in words, else the code itself."""
    short = {
        code: language_label(sense.language) if (sense := parsed(code)) is not None else code
        for code in codes
    }
    if len(set(short.values())) < len(short):
        short = {code: sense_label(code) for code in codes}
    return short if len(set(short.values())) == len(short) else {code: code for code in codes}


def spans(names: Sequence[str], groups: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """Neighbours of one group: its name, the place of the first, and the place after the last."""
    found: list[tuple[str, int, int]] = []
    for index, name in enumerate(names):
        if found and found[-1][0] == groups[name]:
            found[-1] = (groups[name], found[-1][1], index + 1)
        else:
            found.append((groups[name], index, index + 1))
    return found


@lru_cache(maxsize=1024)
def _language(code: str) -> Language | None:
    sense = parsed(code)
    try:
        return language(sense.language) if sense else None
    except UnknownNameError:
        return None
