"""Tags in any style in, BCP-47 out; and what is known of each language.

A tag is brought to the shortest form that keeps its meaning: the two-letter code if there is one, the dominant
member of a macrolanguage written as the macrolanguage (``arb`` is ``ar``, ``cmn`` is ``zh``), and no script where it
is the one that everybody expects (``zho_Hans`` is ``zh``, ``zh-Hant-TW`` is ``zh-TW``). Regions are kept.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

import langcodes
from langcodes.data_dicts import LIKELY_SUBTAGS
from langcodes.tag_parser import LanguageTagError

from hesperus.errors import UnknownNameError

UNKNOWN_SCRIPT = "Zzzz"
"""ISO 15924 code of a script that is not known."""

# The member that stands for its macrolanguage. CLDR's alias table, less those whose members are benchmarked apart
# (Twi and Akan, the Arabic dialects, Norwegian), plus Southern Pashto, the Pashto of FLORES-200, and the members by which
# the table's rows were looked up.
_DOMINANT: Mapping[str, str] = MappingProxyType(
    {
        "als": "sq", "arb": "ar", "ayr": "ay", "azj": "az", "bcc": "bal", "cmn": "zh", "crk": "cr", "dik": "din",
        "ekk": "et", "esi": "ik", "fuc": "ff", "gaz": "om", "gom": "kok", "gug": "gn", "ike": "iu", "khk": "mn",
        "kmr": "ku", "knc": "kr", "kng": "kg", "knn": "kok", "kpv": "kv", "lvs": "lv", "mww": "hmn", "npi": "ne",
        "ojg": "oj", "ory": "or", "pbt": "ps", "pbu": "ps", "pes": "fa", "plt": "mg", "quz": "qu", "rmy": "rom",
        "src": "sc", "swh": "sw", "uzn": "uz", "ydd": "yi", "zsm": "ms", "zyb": "za",
    }
)  # fmt: skip

# One script under another's name: FLORES-200 writes kor_Hang, CLDR's expectation is Kore (Hangul and Hanja).
_SAME_SCRIPT = {
    ("ko", "Hang"): "Kore",
    ("zh", "Hani"): "Hans",
    ("ja", "Hira"): "Jpan",
    ("ja", "Kana"): "Jpan",
}

# Nastaliq is a style of the Arabic script, with a code of its own.
_NASTALIQ = "Aran"

# Locale codes that platforms use against ISO 3166, where LA is Laos.
_PLATFORM = {"es-la": "es-419", "es-xl": "es-419"}

_RIGHT_TO_LEFT = frozenset(
    {
        "Adlm", "Arab", "Armi", "Avst", "Chrs", "Cprt", "Elym", "Gara", "Hatr", "Hebr", "Hung", "Khar", "Lydi", "Mand",
        "Mani", "Mend", "Merc", "Mero", "Narb", "Nbat", "Nkoo", "Orkh", "Ougr", "Palm", "Phli", "Phlp", "Phnx", "Prti",
        "Rohg", "Samr", "Sarb", "Sogd", "Sogo", "Syrc", "Thaa", "Yezi",
    }
)  # fmt: skip

_SCRIPT_NAMES = {
    "Arab": "Arabic script", "Cans": "Syllabics", "Cyrl": "Cyrillic", "Deva": "Devanagari", "Guru": "Gurmukhi",
    "Hans": "Simplified", "Hant": "Traditional", "Hebr": "Hebrew script", "Latn": "Latin script", "Mtei": "Meitei",
    "Olck": "Ol Chiki", "Tfng": "Tifinagh",
}  # fmt: skip

_REGION_NAMES = {
    "419": "Latin America", "AF": "Afghanistan", "AO": "Angola", "AR": "Argentina", "AT": "Austria", "AU": "Australia",
    "BD": "Bangladesh", "BE": "Belgium", "BR": "Brazil", "CA": "Canada", "CH": "Switzerland", "CN": "China",
    "DE": "Germany", "EG": "Egypt", "ES": "Spain", "ET": "Ethiopia", "FR": "France", "GB": "United Kingdom",
    "HK": "Hong Kong", "ID": "Indonesia", "IN": "India", "IR": "Iran", "IT": "Italy", "JO": "Jordan", "JP": "Japan",
    "KE": "Kenya", "KR": "South Korea", "LB": "Lebanon", "ME": "Montenegro", "MO": "Macao", "MX": "Mexico",
    "MZ": "Mozambique", "NG": "Nigeria", "NL": "Netherlands", "PE": "Peru", "PK": "Pakistan", "PS": "Palestine",
    "PT": "Portugal", "RS": "Serbia", "SA": "Saudi Arabia", "SG": "Singapore", "SY": "Syria", "TW": "Taiwan",
    "TZ": "Tanzania", "US": "United States",
}  # fmt: skip

_ALIASES = {
    "bangla": "bn", "brazilian portuguese": "pt-BR", "cambodian": "km", "castilian": "es", "chinese, mandarin": "zh",
    "dari": "fa-AF", "dhivehi": "dv", "european portuguese": "pt-PT", "farsi": "fa", "flemish": "nl",
    "greek (modern)": "el", "ilocano": "ilo", "iranian persian": "fa", "khalkha mongolian": "mn", "kirghiz": "ky",
    "kurmanji": "ku", "macedonian (north)": "mk", "mandarin": "zh", "mandarin chinese": "zh",
    "modern greek": "el", "modern standard arabic": "ar", "moldovan": "ro", "myanmar": "my", "oriya": "or",
    "panjabi": "pa", "sepedi": "nso", "serbo-croatian": "sr-Latn", "simplified chinese": "zh", "sinhalese": "si",
    "sorani": "ckb", "standard arabic": "ar", "standard malay": "ms", "tagalog": "fil",
    "traditional chinese": "zh-Hant", "uighur": "ug", "western persian": "fa",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Language:
    """A language as a table or a prompt needs it.

    Attributes:
        tag: BCP-47, as ``normalise`` gives it.
        name: English name, with script or region where the tag names one; the tag itself where no name is known.
        autonym: What its speakers call it; the tag itself where that is not known.
        script: ISO 15924 code by CLDR's likely subtags; ``Zzzz`` where nobody says.
        family: Top-level family of Glottolog 5.1, or None if the language is not in the table.
        direction: How its script runs.
        branch: Group within the family (Romance, Germanic, Indo-Aryan, …), or None likewise.
        iso639_3: Three-letter code of the individual language that the facts were looked up by, or None.
        paper_family: Family group of the thirty languages of "Found in Translation" (Table 12), as printed there.
        paper_script: Script group of the same (Table 11).
    """

    tag: str
    name: str
    autonym: str
    script: str
    family: str | None
    direction: Literal["ltr", "rtl"]
    branch: str | None = None
    iso639_3: str | None = None
    paper_family: str | None = None
    paper_script: str | None = None

    @property
    def writes_spaces(self) -> bool:
        """Whether words are set apart by blanks in its script."""
        return self.script not in _UNSPACED


_UNSPACED = frozenset(
    {"Hani", "Hans", "Hant", "Jpan", "Hira", "Kana", "Hrkt", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"}
)


def _rows(file: str) -> Mapping[str, Mapping[str, str]]:
    text = (files("hesperus.languages") / file).read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType({row["tag"]: row for row in csv.DictReader(lines)})


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return _rows("table.csv")


@cache
def _variants() -> Mapping[str, Mapping[str, str]]:
    return _rows("variants.csv")


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().replace("_", " ").split())


@cache
def _names() -> Mapping[str, str]:
    """Folded names, autonyms and aliases to tags; a word that two languages share names neither."""
    tags: dict[str, set[str]] = {}
    for tag, row in _table().items():
        for word in (row["name"], row["autonym"]):
            tags.setdefault(_folded(word), set()).add(tag)
    found = {word: next(iter(owners)) for word, owners in tags.items() if len(owners) == 1}
    return MappingProxyType(found | _ALIASES)


def _by_name(text: str) -> str | None:
    folded = _folded(text)
    if folded in _names():
        return _names()[folded]
    qualified = re.fullmatch(r"([^()]+) \(([^()]+)\)", folded)
    if qualified is None or qualified[1] not in _names():
        return None
    for table in (_SCRIPT_NAMES, _REGION_NAMES):
        for code, word in table.items():
            if word.casefold() in (qualified[2], f"{qualified[2]} script"):
                return f"{_names()[qualified[1]]}-{code}"
    return None


def _likely_script(language: str, territory: str | None = None) -> str:
    """The script expected of a language (in a region); ``Zzzz`` where neither CLDR nor the table knows."""
    row = _table().get(language)
    # Of a language that CLDR does not list, langcodes would say what it says of English.
    if language in LIKELY_SUBTAGS:
        likely = langcodes.Language.make(language=language, territory=territory).maximize()
        return likely.script or UNKNOWN_SCRIPT
    return row["script"] if row else UNKNOWN_SCRIPT


def _unknown(given: str) -> UnknownNameError:
    region = given.upper()
    if f"und-{region}" in LIKELY_SUBTAGS:
        spoken = langcodes.Language.make(territory=region).maximize().language
        return UnknownNameError(
            "language", given, hint=f"{region} is a region; for its language write {spoken!r}"
        )
    return UnknownNameError("language", given[:60], _known(), "`hesperus languages` lists them")


@cache
def _known() -> tuple[str, ...]:
    return (*_table(), *(row["name"] for row in _table().values()))


def _is_registered(parsed: langcodes.Language) -> bool:
    """Whether every subtag is known; langcodes knows the registry of some years ago, the table more languages."""
    if parsed.language in _table() and parsed.language != "en":
        parsed = parsed.update_dict({"language": "en"})
    return parsed.is_valid()


@lru_cache(maxsize=4096)
def normalise(tag: str) -> str:
    """Bring a language tag or an English name to one form, so that the same language has one spelling.

    Args:
        tag: ``iw``, ``ZH_CN``, ``zho_Hans``, ``swh_Latn``, ``eng``, ``pt_BR.UTF-8``, ``German``,
            ``Chinese (Simplified)``, ``Deutsch``, …

    Returns:
        A BCP-47 tag: ``he``, ``zh-CN``, ``zh``, ``sw``, ``en``, ``pt-BR``, ``de``, ``zh``, ``de``.

    Raises:
        UnknownNameError: No language has such a tag or name.

    Reference:
        RFC 5646; CLDR likely subtags and aliases (Unicode Technical Standard 35), by way of langcodes.
    """
    if not isinstance(tag, str):
        raise UnknownNameError(
            "language", str(tag), hint="a bare no in YAML means false; write 'no' in quotes"
        )
    given = unicodedata.normalize("NFC", tag).strip()
    text = _by_name(given) or re.split("[.@]", given)[0].replace("_", "-")
    text = _PLATFORM.get(text.lower(), text)
    try:
        parsed = langcodes.Language.get(text, normalize=True)
    except LanguageTagError as error:
        raise _unknown(given) from error
    if parsed.language in (None, "und", "mis", "mul", "zxx") or not _is_registered(parsed):
        raise _unknown(given)
    assert parsed.language is not None
    language = _DOMINANT.get(parsed.language, parsed.language)
    script = parsed.script and _SAME_SCRIPT.get((language, parsed.script), parsed.script)
    if script == _NASTALIQ:
        script = "Arab"
    if script == _likely_script(language, parsed.territory):
        script = None
    return parsed.update_dict({"language": language, "script": script}).to_tag()


@lru_cache(maxsize=4096)
def language(tag: str) -> Language:
    """Look up a language by a tag in any style or an English name.

    Every registered language is found; of one that the table does not hold, name and family are not known.

    Raises:
        UnknownNameError: No language has such a tag or name.

    Reference:
        Families: Glottolog 5.1 (CC BY 4.0). Scripts: CLDR likely subtags. The table's head says more.
    """
    tag = normalise(tag)
    parsed = langcodes.Language.get(tag)
    base = parsed.language or tag
    script = parsed.script or _likely_script(base, parsed.territory)
    row = _table().get(base)
    marks = [_SCRIPT_NAMES.get(parsed.script, parsed.script)] if parsed.script else []
    marks += [_REGION_NAMES.get(parsed.territory, parsed.territory)] if parsed.territory else []
    name = row["name"] if row else base
    variant = _variants().get(tag) or _variants().get(f"{base}-{script}", {})
    return Language(
        tag=tag,
        name=variant.get("name") or (f"{name} ({', '.join(marks)})" if marks else name),
        autonym=variant.get("autonym") or _autonym(tag, script, row),
        script=script,
        family=row["family"] if row else None,
        direction="rtl" if script in _RIGHT_TO_LEFT else "ltr",
        branch=row["branch"] if row else None,
        iso639_3=row["iso639_3"] if row else None,
        paper_family=(row["paper_family"] or None) if row else None,
        paper_script=(row["paper_script"] or None) if row else None,
    )


@cache
def base_tag(tag: str) -> str:
    """The language of a tag, without script, territory or variant.

    >>> base_tag("zh-Hant")
    'zh'

    Raises:
        UnknownNameError: No such language.
    """
    return language(tag).tag.split("-")[0]


def _autonym(tag: str, script: str, row: Mapping[str, str] | None) -> str:
    """The autonym of the table, which is in the table's script; the tag where another is asked for."""
    return row["autonym"] if row and row["script"] == script else tag


def languages() -> tuple[str, ...]:
    """Tags of the languages with facts that hesperus ships, sorted."""
    return tuple(sorted(_table()))
