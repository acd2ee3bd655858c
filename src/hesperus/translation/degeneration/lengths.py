"""How long a text would be in English."""

from __future__ import annotations

import re

from hesperus.languages import language
from hesperus.translation.degeneration.facts import facts

_AS_IN_ENGLISH = re.compile("[0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")


def english_length(text: str, tag: str) -> float:
    """Characters, blanks left out, that the English of a text has as a rule.

    Each character counts for as many as the language usually has English ones for one of its own; in a language of
    another script than Latin, names, units and digits in the midst count for themselves. So the numbers, names and
    glosses of which a short Chinese or Arabic text may be made do not make it look long.

    Args:
        text: Any text.
        tag: Tag of its language.
    """
    count = sum(not character.isspace() for character in text)
    plain = 0 if language(tag).script == "Latn" else len(_AS_IN_ENGLISH.findall(text))
    return plain + (count - plain) / facts(tag).length
