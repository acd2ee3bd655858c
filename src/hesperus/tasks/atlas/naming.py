"""Names in sentences: which form of a name a slot takes, and which texts name an entity.

Languages differ in what a sentence does to a name. French needs an article (*de la Hongrie*, *du Chili*), Russian a
case (*Венгрии*), Korean a particle that depends on the last sound (*헝가리는*, *페루는*, *카타르는*, *말라위와*). A slot of a
template says what it needs after a dot; the data files say what that is, and no language has code of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["country", "capital", "continent", "currency", "language"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SLOT = re.compile(r"\{([a-z]+)(?:\.([^{}]+))?\}")
"""A slot of a template: what is there, and in which form."""

_FIRST_SYLLABLE, _LAST_SYLLABLE, _FINALS = 0xAC00, 0xD7A3, 28
"""Hangul syllables are ordered so that those of one initial and vowel differ by their final consonant alone."""


@dataclass(frozen=True, slots=True)
class Names:
    """What one language calls the entities of the atlas.

    Attributes:
        language: Its tag.
        kinds: Kind to entity to name in base form, the one that is shown.
        forms: Kind to form to pattern, in which ``{name}`` represents the name.
        exceptions: Entity to form to text, where it does not follow the pattern of its kind.
        optional: Kind to a beginning of its names without which a name of one word is understood as well.
        aliases: Entity to other right names.
    """

    language: str
    kinds: Mapping[Kind, Mapping[str, str]]
    forms: Mapping[Kind, Mapping[str, str]]
    exceptions: Mapping[str, Mapping[str, str]]
    optional: Mapping[Kind, str]
    aliases: Mapping[str, tuple[str, ...]]

    def form(self, kind: Kind, entity: str, form: str) -> str | None:
        """The name of an entity as a slot needs it; None if the files say nothing of that form.

        Args:
            kind: The entity's kind.
            entity: Entity id.
            form: Empty or ``name`` for the name itself; two particles with a stroke between; else a key of the files.
                With a capital at its beginning, the text gets one.
        """
        return self._formed(self.kinds[kind][entity], kind, form, self.exceptions.get(entity, {}))

    def form_of_text(self, text: str, kind: Kind, form: str) -> str:
        """The same for a text that is no name of the atlas: by the pattern of the kind, else as it is."""
        return self._formed(text, kind, form, {}) or text

    def accepted(self, kind: Kind, entity: str) -> tuple[str, ...]:
        """Every text that is read as the entity, the name that is shown first."""
        name, start = self.kinds[kind][entity], self.optional.get(kind)
        # Of several words, all would change with the first (Arabic: *الفرنك السويسري*, *فرنك سويسري*).
        bare = (name.removeprefix(start),) if start and " " not in name else ()
        return tuple(dict.fromkeys((name, *bare, *self.aliases.get(entity, ()))))

    def spellings(self, kind: Kind, entity: str) -> tuple[str, ...]:
        """How running text may spell the entity: its name, and its name in every form, as the files have it."""
        name = self.kinds[kind][entity]
        patterns = (pattern.replace("{name}", name) for pattern in self.forms[kind].values())
        return tuple(dict.fromkeys((name, *self.exceptions.get(entity, {}).values(), *patterns)))

    def _formed(self, name: str, kind: Kind, form: str, exceptions: Mapping[str, str]) -> str | None:
        if "/" in form:
            return name + particle(name, form)
        key = form[:1].lower() + form[1:]
        pattern = self.forms[kind].get(key)
        if key in ("", "name"):
            found: str | None = name
        elif key in exceptions:
            found = exceptions[key]
        else:
            found = pattern and pattern.replace("{name}", name)
        return found and (found[:1].upper() + found[1:] if form[:1].isupper() else found)


def particle(name: str, pair: str) -> str:
    """The particle that follows a Korean name.

    Args:
        name: Ends in a Hangul syllable; another ending counts as a vowel.
        pair: The particle after a consonant, a stroke, the particle after a vowel.

    >>> "부탄" + particle("부탄", "은/는"), "페루" + particle("페루", "은/는")
    ('부탄은', '페루는')
    """
    after_consonant, _, after_vowel = pair.partition("/")
    last = ord(name[-1])
    closed = _FIRST_SYLLABLE <= last <= _LAST_SYLLABLE and (last - _FIRST_SYLLABLE) % _FINALS
    return after_consonant if closed else after_vowel


def slots(template: str) -> Iterator[tuple[str, str]]:
    """The slots of a template as pairs of what is there and its form, which may be empty."""
    return ((slot, form or "") for slot, form in SLOT.findall(template))


def fill(template: str, text: Callable[[str, str], str]) -> str:
    """A template with its slots filled.

    Args:
        template: Text with slots such as ``{country}`` and ``{country.gen}``.
        text: Slot and form, which may be empty, to what is to be there.
    """
    return SLOT.sub(lambda found: text(found[1], found[2] or ""), template)
