"""Language packs: the words that a prompt or a reply in a language is made of, one data file per language.

A pack holds all that reading answers takes, and may hold the requests that ask a model to translate or reword; of either
part a missing word is an error that names file, line and key. Every scalar is text, so ``no: [no]`` means what it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

import msgspec

from hesperus.errors import DataError, UnknownNameError
from hesperus.languages.grammar import NO_GRAMMAR, Grammar, contradictions, frozen, label_lists, misshapen
from hesperus.languages.tags import language, normalise
from hesperus.plugins import loaded as loaded_plugins
from hesperus.plugins import maker, names
from hesperus.strict_yaml import read_yaml
from hesperus.text_files import read_text

LABELS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "polarity": ("yes", "no"),
        "truth": ("true", "false"),
        "sameness": ("same", "different"),
        "inference": ("entailment", "neutral", "contradiction"),
        "correctness": ("correct", "incorrect"),
        "sentiment": ("positive", "negative", "neutral"),
        "topic": (
            "science/technology", "travel", "politics", "sports", "health", "entertainment", "geography",
        ),
    }
)  # fmt: skip
"""Groups of labels, each label with words in every pack. Only words of one group must differ from each other."""

TARGETS = (
    "am", "ar", "bn", "cs", "de", "el", "en", "es", "fa", "fr", "gu", "he", "hi", "id", "it", "ja", "kn", "ko", "ml",
    "nl", "pa", "pl", "pt", "ro", "ru", "sw", "ta", "te", "th", "tr", "ur", "vi", "zh",
)  # fmt: skip
"""The languages that every pack can name in a translation request."""

REQUESTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "translate": ("{target}", "{text}"),
        "translate_any": ("{language}", "{text}"),
        "paraphrase": ("{text}",),
        "naturalise": ("{text}",),
    }
)
"""The requests of a pack and the placeholders that each holds exactly once."""

Reviewed = Literal["no", "answers", "all"]
"""What a native reader has confirmed of a pack: nothing; the part that reads answers; that and the requests."""

_TEXTS = ("tag", "latin_letters", "digits", "sentence_end", "question_mark")
_LISTS = ("option_letters", "option_words", "or_words", "cues", "refusals")
_KEYS = (*_TEXTS, *_LISTS, "quotes", "labels", "reviewed")
_ASKING = ("requests", "targets")
"""Keys of a pack in whose language a model can be asked to translate; a pack for reading answers leaves both out."""
_WRITTEN_AS: Mapping[str, tuple[str, ...]] = MappingProxyType({"no": ("nb",)})
"""A language to the standard in which it is nearly always written: Norwegian without a mark is Bokmål, never Nynorsk."""

_GROUP = "hesperus.languages"
_LONGEST_FILE = 200_000
_DEEPEST = 8
_ENTRY = re.compile(r"\.(\d+)(?=\.|$)")
"""A list entry in the path of a key; packs write it in brackets."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What hesperus needs to know to write and read a language.

    Words are compared after NFKC and case folding, so neither case nor full width matters.

    Attributes:
        tag: BCP-47.
        labels: Canonical label to its words, the preferred one first. ``neutral`` holds the words of inference and
            of sentiment; ``groups`` keeps them apart.
        groups: Group of labels (see LABELS) to label to words.
        option_letters: The letters with which the language counts options; at least eight.
        latin_letters: Whether A, B, C, D are usual as well.
        digits: 0 to 9 as the script writes them.
        cues: What is directly before an answer ("Antwort:", "答案是"); bare nouns with their colon.
        refusals: Phrases by which a model declines or says that it cannot know.
        quotes: Pairs of quotation marks in use, the usual one first.
        option_words: What an option is called ("Option", "选项").
        or_words: The conjunction between the last two options.
        sentence_end: The full stop; Thai, which writes a blank, has . for where a mark is wanted.
        question_mark: What ends a question; in Thai a question usually bears none, yet ? is understood.
        requests: Name of a request (see REQUESTS) to its template; empty in a pack that reads answers only.
        targets: BCP-47 tag to the name of that language in the form that ``requests["translate"]`` needs; empty
            likewise.
        grammar: What is around an answer, and what it does to it.
        reviewed: What a native reader has confirmed.
    """

    tag: str
    labels: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, Mapping[str, tuple[str, ...]]]
    option_letters: tuple[str, ...]
    latin_letters: bool
    digits: tuple[str, ...]
    cues: tuple[str, ...]
    refusals: tuple[str, ...]
    quotes: tuple[tuple[str, str], ...]
    option_words: tuple[str, ...]
    or_words: tuple[str, ...]
    sentence_end: str
    question_mark: str
    requests: Mapping[str, str]
    targets: Mapping[str, str]
    grammar: Grammar = NO_GRAMMAR
    reviewed: Reviewed = "no"

    @property
    def can_ask(self) -> bool:
        """Whether a model can be asked to translate or reword in this language."""
        return bool(self.requests)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that a pack file gets wrong: where, under which key, and what to do."""

    line: int
    key: str
    message: str


Raw = str | list["Raw"] | dict[str, "Raw"]


def shape(text: str) -> tuple[dict[str, Raw], dict[str, int], list[Fault]]:
    """Read the YAML of a pack and compare its keys and kinds with what a pack must have.

    Returns:
        The data; the line of each key path (``labels.polarity.yes``); the faults, none if the shape is right.
    """
    try:
        found = read_yaml(text, None, is_text=True, longest=_LONGEST_FILE, deepest=_DEEPEST)
    except DataError as error:
        return {}, {}, [Fault(error.line or 1, error.field or "", error.problem)]
    raw = cast("Raw | None", found.value)
    lines = {_ENTRY.sub(r"[\1]", path): line for path, line in found.lines.items()}
    if not isinstance(raw, dict):
        return {}, lines, [Fault(1, "", "a pack is a mapping of keys; see docs/languages.md")]
    faults = [Fault(lines.get(key, 1), key, message) for key, message in _misshapen(raw)]
    return raw, lines, faults


def _misshapen(raw: Mapping[str, Raw]) -> Iterator[tuple[str, str]]:
    asking = _ASKING if any(key in raw for key in _ASKING) else ()
    yield from _other_keys(raw, (*_KEYS, *asking, *(["grammar"] if "grammar" in raw else [])), "")
    for key in _TEXTS:
        yield from _no_text(raw.get(key, "–"), key)
    for key in _LISTS:
        yield from _no_words(raw.get(key, ["–"]), key)
    if raw.get("latin_letters", "true") not in ("true", "false"):
        yield "latin_letters", "write true or false"
    if raw.get("reviewed", "no") not in get_args(Reviewed):
        yield "reviewed", "write no, answers or all: what a native reader has confirmed"
    if "grammar" in raw:
        yield from misshapen(raw["grammar"])
    quotes = raw.get("quotes", [["“", "”"]])
    if not isinstance(quotes, list) or not quotes or not all(map(_is_pair, quotes)):
        yield "quotes", "write a list of pairs, such as [[“, ”], [‘, ’]]"
    yield from _wrong_mapping(raw.get("requests"), tuple(REQUESTS), "requests")
    targets = raw.get("targets")
    others = tuple(t for t in targets if t not in TARGETS) if isinstance(targets, dict) else ()
    yield from _wrong_mapping(targets, TARGETS + others, "targets")
    groups = raw.get("labels")
    if groups is not None and not isinstance(groups, dict):
        yield "labels", "write a mapping of groups"
    elif groups is not None:
        yield from _other_keys(groups, tuple(LABELS), "labels.")
        for group, names in LABELS.items():
            labels = groups.get(group)
            if isinstance(labels, dict):
                yield from _other_keys(labels, names, f"labels.{group}.")
                for label, words in labels.items():
                    yield from _no_words(words, f"labels.{group}.{label}")
            elif labels is not None:
                yield f"labels.{group}", "write a mapping of labels to lists of words"


def _other_keys(given: Mapping[str, Raw], wanted: tuple[str, ...], where: str) -> Iterator[tuple[str, str]]:
    for key in wanted:
        if key not in given:
            yield f"{where}{key}", "missing"
    for key in given:
        if key not in wanted:
            yield f"{where}{key}", str(UnknownNameError("key", key, wanted))


def _wrong_mapping(given: Raw | None, wanted: tuple[str, ...], where: str) -> Iterator[tuple[str, str]]:
    if isinstance(given, dict):
        yield from _other_keys(given, wanted, f"{where}.")
        for key, value in given.items():
            yield from _no_text(value, f"{where}.{key}")
    elif given is not None:
        yield where, "write a mapping"


def _no_text(value: Raw, key: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str) or not value:
        yield key, "write one text, not empty"


def _no_words(value: Raw, key: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        yield key, "write a list of words, none empty"


def _is_pair(value: Raw) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(isinstance(mark, str) and mark for mark in value)
    )


def _pack(raw: Mapping[str, Any]) -> Pack:
    """Freeze data of the right shape."""
    flat: dict[str, dict[str, None]] = {}
    for labels in raw["labels"].values():
        for label, words in labels.items():
            flat.setdefault(label, {}).update(dict.fromkeys(words))
    parts = {
        "requests": {},
        "targets": {},
        **raw,
        "labels": {label: list(words) for label, words in flat.items()},
        "groups": raw["labels"],
        "digits": list(raw["digits"]),
        "grammar": frozen(raw.get("grammar") or {}),
    }
    return msgspec.convert(parts, Pack, strict=False)


def read_pack(file: Path | Traversable) -> Pack:
    """Read a pack file.

    Raises:
        DataError: The file is absent, no UTF-8, or does not have the shape of a pack; names file, line and key.
    """
    raw, _, faults = shape(read_text(file, "language pack"))
    if faults:
        first = faults[0]
        more = f" (and {len(faults) - 1} more: `hesperus languages check`)" if len(faults) > 1 else ""
        raise DataError(first.message + more, file=file, line=first.line, field=first.key or None)
    return _pack(raw)


def clashing_labels(groups: Raw | None) -> Iterator[tuple[str, str]]:
    """Words of a pack under two labels of a group: key and message."""
    owners: dict[tuple[str, str], str] = {}
    for group, label, words in label_lists(groups):
        where = f"labels.{group}.{label}"
        for word in words:
            owner = owners.setdefault((group, unicodedata.normalize("NFKC", word).casefold()), label)
            if owner != label:
                yield where, f"{word!r} is a word of {owner!r} as well; a word can stand for one label only"


@cache
def _offered_pack(tag: str, file: Path, loaded: tuple[str, ...]) -> Pack:
    """The pack of a plug-in, which must say what it is and may not contradict itself."""
    found = read_pack(file)
    raw, lines, _ = shape(read_text(file, "language pack"))
    grammar = raw.get("grammar", {})
    faults = (
        [] if found.tag == tag else [("tag", f"{found.tag!r} is not the name that it is offered by, {tag!r}")]
    )
    faults += contradictions(grammar if isinstance(grammar, dict) else {}, raw["labels"])
    faults += clashing_labels(raw["labels"])
    for key, message in faults:
        raise DataError(
            f"{message} (`hesperus languages check` finds more)", file=file, line=lines.get(key), field=key
        )
    return found


def offered_file(tag: str) -> Path | None:
    """The file of the pack that a plug-in offers, in the place of a shipped one; None without one.

    Raises:
        UsageError: Two plug-ins offer one, or the plug-in does not import: it is loaded where its pack is needed.
    """
    return _offered_file(tag, loaded_plugins())


@cache
def _offered_file(tag: str, loaded: tuple[str, ...]) -> Path | None:
    found = maker(_GROUP, tag, {})
    return None if found is None else Path(str(found))


@cache
def pack_files() -> Mapping[str, Traversable]:
    """Tag to the file of each pack that hesperus ships."""
    folder = files("hesperus.languages") / "packs"
    found = (file for file in folder.iterdir() if file.name.endswith(".yaml"))
    return MappingProxyType(dict(sorted((file.name.removesuffix(".yaml"), file) for file in found)))


def packs() -> tuple[str, ...]:
    """Tags of the languages that have a pack, sorted."""
    return _tags(loaded_plugins())


@cache
def _tags(loaded: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*pack_files(), *names(_GROUP, {})}))


def pack(tag: str) -> Pack:
    """The pack of a language, a plug-in's before a shipped one; of a regional variant, the nearest pack of the language in the same script.

    Args:
        tag: A language in any style; ``zh-CN`` gets the pack of ``zh``, ``zh-TW`` that of ``zh-Hant``, ``pt-AO`` that
            of ``pt-PT``.

    Raises:
        UnknownNameError: No such language, or no pack for it in its script; says which packs there are.
        DataError: The pack's file breaks its schema, or a plug-in's contradicts itself.
    """
    return _pack_of(tag, loaded_plugins())


def pack_or_none(tag: str) -> Pack | None:
    """The pack of a language, or None if absent."""
    try:
        return pack(tag)
    except UnknownNameError:
        return None


@cache
def _pack_of(tag: str, loaded: tuple[str, ...]) -> Pack:
    tag = normalise(tag)
    script = language(tag).script
    near = [name for name in _nearest(tag, script) if name in packs()]
    served = next((name for name in near if language(name).script == script), None)
    if served is not None:
        own = _offered_file(served, loaded)
        return read_pack(pack_files()[served]) if own is None else _offered_pack(served, own, loaded)
    hint = "docs/languages.md says how to add one; there are packs for " + " ".join(packs())
    if near:
        others = " and ".join(f"{name!r} is in {language(name).script}" for name in near)
        hint = f"the pack of {others}, {tag!r} is in {script}, and a pack of another script is never used; {hint}"
    raise UnknownNameError("language pack", tag, hint=hint)


def _nearest(tag: str, script: str) -> tuple[str, ...]:
    """Tags whose pack could serve a language, the nearest first: its own, its region's, its script's, its base's."""
    base = tag.split("-")[0]
    region = ("pt-PT",) if base == "pt" and tag not in ("pt", "pt-BR") else ()
    found = (tag, *region, normalise(f"{base}-{script}"), base, *_WRITTEN_AS.get(base, ()))
    return tuple(dict.fromkeys(found))
