"""Words after or before which a full stop, or a blank, says something about the sentence; `words.yaml` says what of each."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

import msgspec

from hesperus.strict_yaml import read_yaml_as


class _Words(msgspec.Struct, forbid_unknown_fields=True):
    """The file: words with blanks between them, some by language or by what they say."""

    never_end: dict[str, str]
    may_end: str
    openers: dict[str, str]
    ordinal_dot: str
    tibetan_connectives: str
    thai_lao: dict[str, str]


def _sets(words: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    return MappingProxyType({name: frozenset(held.split()) for name, held in words.items()})


_FILE = files("hesperus.translation.segmentation") / "words.yaml"
_WORDS = read_yaml_as(_FILE, "list of words", _Words, is_text=True)

NEVER_END = _sets(_WORDS.never_end)
"""Language to titles and the like, case folded: a name or a number follows, never another sentence."""

MAY_END = frozenset(_WORDS.may_end.split())
"""Abbreviations that do end a sentence where a word follows that opens one."""

OPENERS = _sets(_WORDS.openers)
"""Language to capitalised words that begin sentences and are no names."""

ORDINAL_DOT = frozenset(_WORDS.ordinal_dot.split())
"""Languages that write an ordinal number with a full stop."""

TIBETAN_CONNECTIVES = frozenset(_WORDS.tibetan_connectives.split())
"""Syllables that go on with the sentence after a shad."""

THAI_LAO: Mapping[str, str] = MappingProxyType(_WORDS.thai_lao)
"""What Thai and Lao words say to the words, with blanks between them."""
