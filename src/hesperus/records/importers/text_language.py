"""What the text of a log's items tells about their language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hesperus.languages import language

_MOST, _LONGEST = 24, 300
_FEWEST = 20
"""Letters from which the script of a text is believed."""

_MOSTLY = 0.7

_VOTES = 3
"""Texts whose language must be told, and be the same, before they alone say it."""

# First words of Unicode character names to a script that stands for those written with such characters.
_WRITTEN = {
    "LATIN": "Latn", "CYRILLIC": "Cyrl", "ARABIC": "Arab", "DEVANAGARI": "Deva", "BENGALI": "Beng", "GREEK": "Grek",
    "HEBREW": "Hebr", "CJK": "Hani", "HIRAGANA": "Jpan", "KATAKANA": "Jpan", "HANGUL": "Kore", "THAI": "Thai",
    "TAMIL": "Taml", "TELUGU": "Telu", "KANNADA": "Knda", "MALAYALAM": "Mlym", "GUJARATI": "Gujr", "GURMUKHI": "Guru",
    "ORIYA": "Orya", "SINHALA": "Sinh", "ETHIOPIC": "Ethi", "GEORGIAN": "Geor", "ARMENIAN": "Armn", "KHMER": "Khmr",
    "LAO": "Laoo", "MYANMAR": "Mymr", "TIBETAN": "Tibt",
}  # fmt: skip

_ALSO = {
    "Hans": ("Hani",),
    "Hant": ("Hani",),
    "Jpan": ("Jpan", "Hani"),
    "Kore": ("Kore", "Hani"),
    "Aran": ("Arab",),
}


@dataclass(frozen=True, slots=True)
class Heard:
    """What some texts say.

    Attributes:
        script: The script of most letters, or None if there are too few.
        language: The language of most of several texts, or None.
        likely: The language of all of them together: enough to bear out what a name says, but not alone.
    """

    script: str | None
    language: str | None = None
    likely: str | None = None

    def __str__(self) -> str:
        if self.script is None:
            return "too short to tell"
        named = self.language or self.likely
        return f"in {named}" if named else f"in {self.script} script"

    def is_written_as(self, tag: str) -> bool:
        """Whether a language is written in this script; True where nothing was heard."""
        own = language(tag).script
        return self.script is None or self.script in _ALSO.get(own, (own,))

    @property
    def is_telling(self) -> bool:
        """Whether the script alone says much of the language: half of all languages are written in Latin script."""
        return self.script not in (None, "Latn")

    @property
    def own(self) -> str | None:
        """The language that the texts alone tell; None if it is one of several that are not told apart."""
        from hesperus.languages.identification import ALIKE

        return None if any(self.language in alike for alike in ALIKE) else self.language

    def is_in(self, tag: str) -> bool:
        """Whether this is the language, or one that is not told apart from it."""
        from hesperus.languages.identification import are_alike

        return any(are_alike(one, tag) for one in (self.language, self.likely) if one is not None)

    def rules_out(self, tag: str) -> bool:
        """Whether this cannot be the language."""
        from hesperus.languages.identification import are_alike, is_identified

        if not self.is_written_as(tag):
            return True
        return self.language is not None and is_identified(tag) and not are_alike(self.language, tag)


def samples(documents: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The longest text of each of some items: of its fields that is most likely the question."""
    found = []
    for document in documents[:_MOST]:
        texts = [value for value in document.values() if isinstance(value, str)]
        if texts:
            found.append(max(texts, key=len)[:_LONGEST])
    return tuple(found)


def heard(texts: Sequence[str]) -> Heard:
    """The script and the language of some texts."""
    counts: Counter[str] = Counter()
    for character, many in Counter("".join(texts)).items():
        if character.isalpha():
            counts[unicodedata.name(character, "").partition(" ")[0]] += many
    scripts: Counter[str] = Counter()
    for word, many in counts.items():
        scripts[_WRITTEN.get(word, word)] += many
    if scripts["Jpan"]:
        scripts["Jpan"] += scripts.pop("Hani", 0)
    script, most = scripts.most_common(1)[0] if scripts else ("", 0)
    if sum(scripts.values()) < _FEWEST or most < _MOSTLY * sum(scripts.values()):
        return Heard(None)
    from hesperus.languages.identification import identify

    told = Counter(tag for text in dict.fromkeys(texts) if (tag := identify(text)) is not None)
    tag, votes = told.most_common(1)[0] if told else (None, 0)
    is_clear = votes >= _VOTES and votes >= _MOSTLY * told.total()
    return Heard(script, tag if is_clear else None, identify(" ".join(dict.fromkeys(texts))))
