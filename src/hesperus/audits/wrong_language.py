"""Texts in another language: in its script, with its small words, or word for word.

No word lists are shipped: a word belongs to a language if it is common in that language's items and rare in those of
all others. Relatives share their small words, which then belong to neither, so that a text is never taken for that
of a near relative. English has a short list of its own, because an English text is found where nothing was translated
even where English is not among the languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from hesperus.audits.finding import (
    OPTIONS,
    AuditSettings,
    Finding,
    Items,
    Severity,
    by_id,
    folded,
    parts,
    quoted,
    related,
)
from hesperus.languages import language
from hesperus.rounding import cell
from hesperus.types import Item

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
    return not language(tag).writes_spaces


_LETTERS_PER_WORD = 3


def untranslated_texts(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Fields and options that read the same in two languages, or nearly the same as in the reference.

    Short texts, and such as have few words (numbers, names, formulas), are the same in many languages and say
    nothing. Related languages may share a sentence: that is for review, as are options, unless one of the languages
    is the reference.
    """
    for key, here in by_id(items).items():
        if len(here) < 2:
            continue
        texts = {tag: _texts(item) for tag, item in here.items()}
        for name in dict.fromkeys(name for named in texts.values() for name in named):
            column = {tag: named[name] for tag, named in texts.items() if name in named}
            yield from _same(key, name, column, settings)
            if settings.reference in column:
                yield from _nearly(key, name, column, settings)


def _texts(item: Item) -> dict[str, str]:
    """Folded texts by name: the fields, and each option."""
    found = {name: folded(text) for name, text in item.fields.items()}
    found |= {f"option {chr(65 + place % 26)}": folded(text) for place, text in enumerate(item.options or ())}
    return found


def _same(key: str, name: str, column: Mapping[str, str], settings: AuditSettings) -> Iterator[Finding]:
    if len(set(column.values())) == len(column):
        return
    groups: dict[str, list[str]] = {}
    for tag, text in column.items():
        groups.setdefault(text, []).append(tag)
    for text, tags in groups.items():
        if len(tags) < 2 or not _says_much(text, tags[0], settings):
            continue
        reference = settings.reference if settings.reference in tags else None
        odd = tuple(tag for tag in tags if tag != reference)
        far = reference is not None or not all(related(tags[0], tag) for tag in tags[1:])
        severity: Severity = "exclude" if far and not name.startswith("option ") else "review"
        whose = f"that of {reference}" if reference else "the same in them"
        yield Finding("untranslated", severity, key, odd, f"{name} is {whose}: {quoted(text)}")


def _says_much(text: str, tag: str, settings: AuditSettings) -> bool:
    """Whether a text has enough words with letters, or letters in a script without blanks, to be no coincidence."""
    if is_unspaced(tag) and not text.isascii():
        return sum(map(str.isalpha, text)) >= _LETTERS_PER_WORD * settings.identical_words
    return sum(len(word) > 1 and word.isalpha() for word in text.split()) >= settings.identical_words


def _nearly(key: str, name: str, column: Mapping[str, str], settings: AuditSettings) -> Iterator[Finding]:
    """Texts with most of their different words in the reference's text."""
    reference = column[settings.reference]
    known = {word for word in reference.split() if not word.isdigit()}
    if len(known) < settings.shared_fewest:
        return
    for tag, text in column.items():
        if tag == settings.reference or text == reference or text.count(" ") + 1 < settings.shared_fewest:
            continue
        words = {word for word in text.split() if not word.isdigit()}
        if len(words) < settings.shared_fewest:
            continue
        shared = len(words & known)
        if shared >= settings.shared_words * len(words):
            clear = len(words) >= 2 * settings.shared_fewest and not name.startswith("option ")
            severity: Severity = "exclude" if clear else "review"
            detail = (
                f"{name}: {shared} of {len(words)} words are those of {settings.reference}: {quoted(text)}"
            )
            yield Finding("untranslated", severity, key, (tag,), detail)


_ENGLISH = (
    "the", "which", "of", "what", "following", "with", "because", "this", "from", "that", "would", "their", "were",
    "they", "and", "who", "when", "where", "should", "between",
)  # fmt: skip
_ENGLISH_LEXICON = frozenset({"en", "pcm", "jam", "tpi", "bi", "srn", "sco", "kri", "enm", "ang"})
_SAMPLE = 2_000
_COMMON = 0.02
_TIMES = 3.0
_AROUND = ".,;:!?\"'()[]{}«»“”„‘’¿¡…،؛؟۔।॥።፣-–—"


def wrong_languages(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Texts with several small words of another language and hardly one of their own."""
    learned = {
        tag: _common_words(many, settings) for tag, many in items.items() if _is_learnt(tag, many, settings)
    }
    owners = _owners(learned)
    small = frozenset(owners)
    for tag, many in items.items():
        is_english = tag.split("-")[0] in _ENGLISH_LEXICON
        for item in many:
            for name, text in parts(item):
                # Words that touch a punctuation mark are passed over here: enough others do not.
                words = small.intersection(text.casefold().split())
                if len(words) < settings.function_hits:
                    continue
                # Of a language whose own words are not known, only English can be told apart.
                counts = Counter(owners[word] for word in words if tag in learned or owners[word] == "en")
                mine = counts.pop(tag, 0)
                if is_english:
                    counts.pop("en", None)
                if counts:
                    other, hits = counts.most_common(1)[0]
                    if hits >= settings.function_hits and mine * 3 <= hits:
                        clear = mine == 0 and name != OPTIONS and hits > settings.function_hits
                        shown = ", ".join(sorted(word for word in words if owners[word] == other)[:6])
                        detail = f"{name} reads like {other} ({shown}): {quoted(text)}"
                        yield Finding("language", "exclude" if clear else "review", item.id, (tag,), detail)


def _is_learnt(tag: str, many: Sequence[Item], settings: AuditSettings) -> bool:
    return len(many) >= settings.function_items and not is_unspaced(tag)


def _owners(learned: Mapping[str, Mapping[str, float]]) -> Mapping[str, str]:
    """Word to the one language to which it belongs."""
    rates: dict[str, dict[str, float]] = {}
    for tag, words in learned.items():
        for word, rate in words.items():
            rates.setdefault(word, {})[tag] = rate
    owners = {}
    for word, by_tag in rates.items():
        first, *rest = sorted(by_tag, key=lambda tag: -by_tag[tag])
        # A word that is not among the common ones of another language is taken to be as rare as the limit there.
        second = by_tag[rest[0]] if rest else 0.0
        if by_tag[first] >= _TIMES * second:
            owners[word] = first
    return owners | dict.fromkeys(_ENGLISH, "en")


def _common_words(many: Sequence[Item], settings: AuditSettings) -> dict[str, float]:
    """The words that are in most items, with the share of items."""
    step = max(1, len(many) // _SAMPLE)
    drawn = many[::step]
    counts: Counter[str] = Counter()
    for item in drawn:
        counts.update({word for text in item.fields.values() for word in _words(text)})
    common = counts.most_common(settings.function_words)
    return {
        word: n / len(drawn) for word, n in common if n >= max(3, _COMMON * len(drawn)) and word.isalpha()
    }


def _words(text: str) -> Iterator[str]:
    return (word.strip(_AROUND) for word in text.casefold().split())
