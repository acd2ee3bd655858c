"""Options of a choice: their letters are in the layout and are never rephrased, so they must not come back doubled."""

from __future__ import annotations

import re

from hesperus.errors import SenseError
from hesperus.senses.quotes import trim_quotes

_ENUMERATOR = re.compile(r"\s*(?:[(（\[](?P<inside>\w)[)）\]][.:]?|(?P<before>\w)[.)．）:：、])\s*")


def clean_option(made: str, original: str, letter: str) -> str:
    """Take away the letter that a maker put before an option.

    Args:
        made: The option's text as it came back.
        original: The text that was handed in, without its letter.
        letter: The letter under which the layout shows it.

    Returns:
        The text without a leading ``A.``, ``A)``, ``(A)`` or ``A:`` that the original does not have.

    Raises:
        SenseError: The letter is there twice, or nothing is left.

    Example:
        >>> clean_option("A. Der Hund", "The dog", "A")
        'Der Hund'
        >>> clean_option("C. elegans", "C. elegans", "C")
        'C. elegans'
    """
    text = trim_quotes(made, original)
    spare = len(_enumerators(text)) - len(_enumerators(original))
    found = _enumerators(text)
    if spare > 0 and found and found[0].casefold() == letter.casefold():
        if spare > 1 and found[1].casefold() == letter.casefold():
            raise SenseError(
                f"option {letter} came back with its letter doubled: {made!r} (original: {original!r})"
            )
        match = _ENUMERATOR.match(text)
        assert match is not None
        text = trim_quotes(text[match.end() :], original)
    if not text.strip():
        raise SenseError(f"option {letter} came back without a text: {made!r} (original: {original!r})")
    return text


def _enumerators(text: str) -> list[str]:
    """Single letters with a bracket or stop at the head of a text: ``D. H. Lawrence`` has two."""
    letters = []
    position = 0
    while match := _ENUMERATOR.match(text, position):
        letters.append(match["inside"] or match["before"])
        position = match.end()
    return letters
