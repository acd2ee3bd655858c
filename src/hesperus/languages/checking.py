"""Checks of language packs: what a careful reviewer would catch without knowing the language.

A pack is data that people write by hand. Each rule here represents a slip that would otherwise surface as a wrongly
read answer: a word that means yes and no at once, a Latin letter among Cyrillic ones, a placeholder lost.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from hesperus.errors import UnknownNameError
from hesperus.languages.grammar import contradictions, label_lists, label_words
from hesperus.languages.tags import language, normalise
from hesperus.languages.wordings import (
    REQUESTS,
    Fault,
    Pack,
    Raw,
    clashing_labels,
    pack_files,
    read_pack,
    shape,
)
from hesperus.text_files import read_text

Probe = Callable[[Pack], Iterable[tuple[str, str]]]
"""What reads replies with a pack and says which keys lead to a false answer."""

_FEWEST_LETTERS = 8

# First words of Unicode character names, by ISO 15924 code.
_SCRIPTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Arab": ("ARABIC",), "Armn": ("ARMENIAN",), "Beng": ("BENGALI",), "Cyrl": ("CYRILLIC",),
        "Deva": ("DEVANAGARI",), "Ethi": ("ETHIOPIC",), "Geor": ("GEORGIAN",), "Grek": ("GREEK",),
        "Gujr": ("GUJARATI",), "Guru": ("GURMUKHI",), "Hans": ("CJK",), "Hant": ("CJK",), "Hebr": ("HEBREW",),
        "Jpan": ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "Khmr": ("KHMER",), "Knda": ("KANNADA",),
        "Kore": ("HANGUL", "CJK"), "Laoo": ("LAO",), "Latn": ("LATIN", "MODIFIER"), "Mlym": ("MALAYALAM",),
        "Mymr": ("MYANMAR",), "Orya": ("ORIYA",), "Sinh": ("SINHALA",), "Taml": ("TAMIL",), "Telu": ("TELUGU",),
        "Thaa": ("THAANA",), "Thai": ("THAI",), "Tibt": ("TIBETAN",),
    }
)  # fmt: skip

# Zero-width non-joiner and joiner are spelling in Persian, Urdu and the scripts of India.
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a pack.

    Attributes:
        file: The pack's file.
        line: 1-based line of the key.
        language: Tag that the pack claims, or the file's name where it claims none.
        key: Path of the key, such as ``labels.polarity.yes`` or ``cues[3]``; empty where the whole file is meant.
        message: What is wrong and what was expected.
    """

    file: str
    line: int
    language: str
    key: str
    message: str

    def __str__(self) -> str:
        where = f" {self.key}:" if self.key else ""
        return f"{self.file}, line {self.line}: language {self.language!r}:{where} {self.message}"


def check(file: Path | Traversable | None = None, *, probe: Probe | None = None) -> tuple[Finding, ...]:
    """Check one pack file, or all packs that hesperus ships.

    Args:
        file: A pack to check; None for the packs in the package.
        probe: Further check of a pack of the right shape: key and message of all that it finds.

    Returns:
        The findings, in the order of the files and lines; empty where all is well.

    Raises:
        DataError: The given file cannot be read.
    """
    chosen: Iterable[tuple[str, Path | Traversable]]
    chosen = pack_files().items() if file is None else [(file.name.removesuffix(".yaml"), file)]
    return tuple(chain.from_iterable(_check_file(stem, path, probe) for stem, path in chosen))


def _check_file(stem: str, file: Path | Traversable, probe: Probe | None) -> list[Finding]:
    text = read_text(file, "language pack")
    raw, lines, faults = shape(text)
    if not unicodedata.is_normalized("NFC", text):
        where = next(
            i for i, line in enumerate(text.splitlines(), 1) if not unicodedata.is_normalized("NFC", line)
        )
        faults.append(Fault(where, "", "not in Unicode normal form C; save it normalised"))
    claimed = raw.get("tag", stem)
    if not any(fault.key == "" for fault in faults):
        faults += [Fault(_line(lines, key), key, message) for key, message in _wrong_content(raw, stem)]
    if probe is not None and not faults:
        faults += [Fault(_line(lines, key), key, message) for key, message in probe(read_pack(file))]
    name = claimed if isinstance(claimed, str) else stem
    return [
        Finding(str(file), fault.line, name, fault.key, fault.message)
        for fault in sorted(faults, key=lambda f: (f.line, f.key))
    ]


def _line(lines: Mapping[str, int], key: str) -> int:
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return lines.get(key, 1)


def _wrong_content(raw: Mapping[str, Raw], stem: str) -> Iterator[tuple[str, str]]:
    tag = raw.get("tag")
    script = None
    if isinstance(tag, str):
        try:
            if normalise(tag) != tag:
                yield "tag", f"{tag!r} is not in normal form; write {normalise(tag)!r}"
            elif tag != stem:
                yield "tag", f"{tag!r} is not the file's name, {stem!r}"
            script = language(tag).script
        except UnknownNameError as error:
            yield "tag", str(error)
    yield from _stray_characters(raw)
    grammar = raw.get("grammar")
    if isinstance(grammar, dict):
        yield from contradictions(grammar, raw.get("labels"))
    yield from clashing_labels(raw.get("labels"))
    for group, label, words in label_lists(raw.get("labels")):
        yield from _doubled(words, f"labels.{group}.{label}")
    for key in ("option_letters", "option_words", "or_words", "cues", "refusals"):
        yield from _doubled(_words(raw.get(key)), key)
    known = label_words(raw.get("labels"))
    for key in ("option_words", "or_words", "cues"):
        for word in _words(raw.get(key)):
            if word.casefold() in known:
                yield key, f"{word!r} is a word of {known[word.casefold()]} too; it cannot be both"
    if script is not None and script in _SCRIPTS:
        yield from _foreign_letters(raw, _SCRIPTS[script])
    letters = _words(raw.get("option_letters"))
    for letter in letters:
        # Title case, since Georgian has capitals that nobody writes
        if letter[:1] != letter[:1].title():
            yield "option_letters", f"{letter!r} is in small letters; write capitals"
    if 0 < len(letters) < _FEWEST_LETTERS:
        yield "option_letters", f"{len(letters)} letters; at least {_FEWEST_LETTERS} are needed"
    yield from _wrong_digits(raw.get("digits"))
    yield from _wrong_requests(raw.get("requests"))
    yield from _wrong_targets(raw.get("targets"))


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _words(value: Raw | None) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _texts(value: Raw | None, key: str) -> Iterator[tuple[str, str]]:
    """Every text below a key, with its path: ``labels.polarity.yes[0]``."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _texts(inner, f"{key}[{position}]")
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{key}.{name}" if key else name)


def _stray_characters(raw: Mapping[str, Raw]) -> Iterator[tuple[str, str]]:
    for where, text in _texts(dict(raw), ""):
        if "  " in text or text != text.strip(" "):
            yield where, f"stray blanks in {text!r}"
        odd = [c for c in text if unicodedata.category(c)[0] in "CZ" and c != " " and c not in _JOINERS]
        if odd:
            yield where, f"a character that nobody sees, U+{ord(odd[0]):04X}, in {text!r}"


def _doubled(words: Iterable[str], key: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for word in words:
        if _folded(word) in seen:
            yield key, f"{word!r} is given twice (case and width do not count)"
        seen.add(_folded(word))


def _foreign_letters(raw: Mapping[str, Raw], script: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Letters of another script; cues and refusals may hold some ("AI"), but not nothing else."""
    latin = _SCRIPTS["Latn"]
    for key, word in chain.from_iterable(
        _texts(raw.get(k), k) for k in ("labels", "option_words", "or_words", "targets")
    ):
        foreign = [c for c in word if c.isalpha() and not _written(c, script)]
        if foreign:
            yield (
                key,
                f"{word!r} holds {unicodedata.name(foreign[0], 'an unnamed character')}, not of the language's script",
            )
    for letter in _words(raw.get("option_letters")):
        if not (all(_written(c, script) for c in letter) or all(_written(c, latin) for c in letter)):
            yield "option_letters", f"{letter!r} is neither of the language's script nor Latin"
    for key, phrase in chain.from_iterable(_texts(raw.get(k), k) for k in ("cues", "refusals", "requests")):
        if not any(_written(c, script) for c in phrase):
            yield key, f"{phrase!r} has no letter of the language's script"


def _written(character: str, script: tuple[str, ...]) -> bool:
    return unicodedata.name(character, "").split(" ")[0] in script


def _wrong_digits(digits: Raw | None) -> Iterator[tuple[str, str]]:
    if isinstance(digits, str) and [unicodedata.digit(c, None) for c in digits] != list(range(10)):
        yield "digits", f"{digits!r} is not the ten digits from 0 to 9 in order"


def _wrong_requests(requests: Raw | None) -> Iterator[tuple[str, str]]:
    for name, template in requests.items() if isinstance(requests, dict) else ():
        if not isinstance(template, str) or name not in REQUESTS:
            continue
        key = f"requests.{name}"
        for placeholder in REQUESTS[name]:
            if template.count(placeholder) != 1:
                yield (
                    key,
                    f"{placeholder} stands {template.count(placeholder)} times in {template!r}; it must stand once",
                )
        rest = template
        for placeholder in REQUESTS[name]:
            rest = rest.replace(placeholder, "")
        if "{" in rest or "}" in rest:
            yield (
                key,
                f"a brace that belongs to no placeholder in {template!r}; known: {' '.join(REQUESTS[name])}",
            )
        if "{text}" in template and '"{text}"' not in template:
            yield key, 'the text must stand between straight quotation marks: "{text}"'


def _wrong_targets(targets: Raw | None) -> Iterator[tuple[str, str]]:
    owners: dict[str, str] = {}
    for tag, name in targets.items() if isinstance(targets, dict) else ():
        try:
            if normalise(tag) != tag:
                yield f"targets.{tag}", f"{tag!r} is not in normal form; write {normalise(tag)!r}"
        except UnknownNameError as error:
            yield f"targets.{tag}", str(error)
        if isinstance(name, str):
            owner = owners.setdefault(_folded(name), tag)
            if owner != tag:
                yield f"targets.{tag}", f"{name!r} already names {owner!r}"
