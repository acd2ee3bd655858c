"""What a checkpoint is: its family, its languages, how a sentence and its languages are put to it, how much it reads.

A family is a way of naming languages, not an architecture: NLLB and M2M-100 share one.

    nllb     source: eng_Latn pieces </s>  (older checkpoints: pieces </s> eng_Latn)   target begins: spa_Latn
    m2m100   source: __en__ pieces </s>                                                target begins: __es__
    madlad   source: <2es> pieces </s>
    opus     source: pieces </s>, of several targets >>spa<< pieces </s>
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import languages, normalise
from hesperus.text_files import read_json
from hesperus.translation.codes import code_of, family_codes, read_codes, unsupported
from hesperus.translation.translators.pieces import Pieces

NOTE = "hesperus.json"
"""What `hesperus translators convert` writes next to the weights."""

_NOTE_VERSION = 1
_TOKENS = {"nllb": "{}", "m2m100": "__{}__", "madlad": "<2{}>", "opus": ">>{}<<"}
# What their positions reach to; MADLAD's are relative and have no end.
_POSITIONS = {"nllb": 1024, "m2m100": 1024, "madlad": None, "opus": 512}
# Nor was MADLAD trained on longer texts.
_LIMIT = 1024
_OPUS_NAME = re.compile(
    r"opus-mt-(?:tc-)?(?:big-|base-|tiny-)?([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A translation model as its user needs to know it.

    Attributes:
        family: ``nllb``, ``m2m100``, ``madlad`` or ``opus``.
        reads: Languages that it reads: BCP-47 tag to code.
        writes: Languages that it writes, likewise; an Opus model of one target has the code "".
        limit: Longest input in tokens, special tokens included.
        language_last: Whether the source language is after the text (early NLLB checkpoints).
        positions: Tokens that its positions reach to, of a text and of a translation; None if they have no end.
    """

    family: str
    reads: Mapping[str, str]
    writes: Mapping[str, str]
    limit: int
    language_last: bool = False
    positions: int | None = None

    def codes(self, source: str, target: str) -> tuple[str, str] | None:
        """The codes of a pair, or None if the model does not do it."""
        read, written = code_of(source, self.reads), code_of(target, self.writes)
        return (
            None
            if read is None or written is None or normalise(source) == normalise(target)
            else (read, written)
        )

    def pair(self, name: str, source: str, target: str) -> tuple[str, str]:
        """The codes of a pair."""
        found = self.codes(source, target)
        if found is None:
            raise unsupported(name, source, target, self.languages)
        return found

    @property
    def languages(self) -> str:
        """The languages, for people."""
        return f"{_listed(self.reads)} to {_listed(self.writes)}"

    def longest(self, wanted: int, codes: tuple[str, str]) -> int:
        """Longest translation in tokens, where ``wanted`` is: what the positions leave besides start, language, end."""
        return wanted if self.positions is None else min(wanted, self.positions - 2 - len(self.begins(codes)))

    def put(self, pieces: Pieces, texts: Sequence[str], codes: tuple[str, str]) -> list[list[str]]:
        """Texts as the tokens that the model reads."""
        read, written = codes
        before: list[str] = []
        after = ["</s>"]
        if self.family in ("nllb", "m2m100"):
            token = _TOKENS[self.family].format(read)
            before, after = ([], ["</s>", token]) if self.language_last else ([token], after)
        elif self.family == "madlad":
            before = pieces.symbol(_TOKENS["madlad"].format(written))
        elif written:
            before = [_TOKENS["opus"].format(written)]
        return [[*before, *cut, *after] for cut in pieces.cut(texts)]

    def begins(self, codes: tuple[str, str]) -> list[str]:
        """Tokens with which a translation begins and which are no part of it."""
        return [_TOKENS[self.family].format(codes[1])] if self.family in ("nllb", "m2m100") else []


def _listed(codes: Mapping[str, str]) -> str:
    return (
        ", ".join(codes) if len(codes) <= 6 else f"{', '.join(list(codes)[:5])}, … ({len(codes)} languages)"
    )


@dataclass(frozen=True, slots=True)
class Hints:
    """What a user says of a checkpoint that does not say it itself.

    Attributes:
        reads: Tag of a language that an Opus model reads, where its name is a group's (``opus-mt-mul-en``).
        writes: The tag of the one language that it writes, where its name does not tell.
        limit: Longest input in tokens.
    """

    reads: tuple[str, ...] = ()
    writes: str | None = None
    limit: int | None = None


def describe(
    folder: Path, vocabulary: Collection[str], hints: Hints, *, name: str | None = None
) -> Checkpoint:
    """Find out what a checkpoint of Hugging Face or CTranslate2 is.

    Read are a note of ours, ``tokenizer_config.json`` and ``config.json``; `name` is what the checkpoint is called,
    where neither a note nor the folder says so.
    """
    noted = _json(folder / NOTE)
    if noted and noted.get("version") != _NOTE_VERSION:
        raise DataError(f"has version {noted.get('version')!r}, not {_NOTE_VERSION}", file=folder / NOTE)
    config, tokenizer = _json(folder / "config.json"), _json(folder / "tokenizer_config.json")
    family = _family(vocabulary, folder)
    positions = noted.get("positions") or config.get("max_position_embeddings") or _POSITIONS[family]
    if not isinstance(positions, int | None) or (positions is not None and positions < 8):
        raise DataError(f"says that its positions reach to {positions!r} tokens", file=folder)
    limit = min(hints.limit or positions or _LIMIT, positions or sys.maxsize)
    if family == "opus":
        called = str(noted.get("from") or name or folder.resolve().name)
        reads, writes = _opus_languages(called, vocabulary, {**tokenizer, **noted}, hints)
    else:
        token = _TOKENS[family]
        codes = {tag: code for tag, code in family_codes(family).items() if token.format(code) in vocabulary}
        if family == "madlad":
            # Other scripts (hi_Latn) are no languages of the table; a checkpoint's vocabulary says which it writes.
            found = (match[1] for word in vocabulary if (match := re.fullmatch(r"<2(\w+)>", word)))
            codes = read_codes(found) | codes
        reads = writes = codes
    last = bool(tokenizer.get("legacy_behaviour", noted.get("language_last", False))) and family == "nllb"
    reach = None if family == "madlad" else positions
    return Checkpoint(family, MappingProxyType(reads), MappingProxyType(dict(writes)), limit, last, reach)


def note(checkpoint: Checkpoint, origin: str) -> str:
    """The text of the note that lets a converted folder be described again."""
    one = list(checkpoint.writes.values()) == [""]
    held = {
        "version": _NOTE_VERSION,
        "family": checkpoint.family,
        "from": origin,
        "positions": checkpoint.positions,
        "language_last": checkpoint.language_last,
        "reads": list(checkpoint.reads) if checkpoint.family == "opus" else None,
        "target_lang": next(iter(checkpoint.writes)) if one else None,
    }
    return json.dumps({key: value for key, value in held.items() if value is not None}, indent=1) + "\n"


def _json(file: Path) -> dict[str, object]:
    if not file.is_file():
        return {}
    read = read_json(file)
    return read if isinstance(read, dict) else {}


def _family(vocabulary: Container[str], folder: Path) -> str:
    for family, sign in (("nllb", "eng_Latn"), ("m2m100", "__en__"), ("madlad", "<2en>")):
        if sign in vocabulary:
            return family
    if "en_XX" in vocabulary or "<extra_id_0>" in vocabulary:
        raise DataError(
            "is no model of a family that is known: NLLB, M2M-100, MADLAD-400 or Opus-MT", file=folder
        )
    return "opus"


def _opus_languages(
    name: str, vocabulary: Iterable[str], said: Mapping[str, object], hints: Hints
) -> tuple[dict[str, str], dict[str, str]]:
    """Languages of an Opus model: of hints, its own tokenizer's settings, its vocabulary, its name."""
    match = _OPUS_NAME.search(name)
    source, target = match.groups() if match else (None, None)
    tokens = (found[1] for word in vocabulary if (found := re.fullmatch(r">>(\w+)<<", word)))
    several = read_codes(tokens)
    noted = said.get("reads")
    reads = hints.reads or (tuple(map(str, noted)) if isinstance(noted, list) else ())
    if not reads:
        reads = _known(said.get("source_lang")) or _known(source)
    one = (hints.writes,) if hints.writes else _known(said.get("target_lang")) or _known(target)
    writes = several or {normalise(tag): "" for tag in one}
    if not reads or not writes:
        raise UsageError(
            f"the languages of {name} cannot be told from its name or its tokenizer's settings; say which it reads and "
            "writes (--reads de --reads nl --writes en; TranslatorOptions.reads, .writes)"
        )
    return {normalise(tag): tag for tag in reads}, writes


def _known(code: object) -> tuple[str, ...]:
    """A code as a tag; nothing where it is the code of a group of languages, such as ``mul`` or ``gem``."""
    if not isinstance(code, str):
        return ()
    try:
        tag = normalise(code)
    except UnknownNameError:
        return ()
    # The registry of tags holds groups too, and only the table of languages holds none.
    return (tag,) if tag.split("-")[0] in languages() else ()
