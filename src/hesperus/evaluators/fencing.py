"""Fences around what a judge reads: whatever a text says, it cannot close its own fence."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fenced:
    """A text that is between two lines with a mark that does not occur in it.

    Attributes:
        mark: Eight hexadecimal digits.
        text: The text, without what nobody sees.
    """

    mark: str
    text: str

    def around(self, text: str) -> str:
        """Put the same fence around a text that was given as `also`."""
        return f"<<<{self.mark}\n{visible(text)}\n{self.mark}>>>"

    def __str__(self) -> str:
        return self.around(self.text)


def fenced(text: str, *, also: str = "") -> Fenced:
    """Give a text a mark made from its hash.

    The mark is the same whenever the text is the same, so that the prompt can be looked up in a store of replies. To hold
    its own mark a text would have to hold its own hash; if one does, the hash is taken anew.

    >>> print(fenced("Paris is in France."))
    <<<41667365
    Paris is in France.
    41667365>>>

    Args:
        text: What is fenced.
        also: Another text that will be in a fence with the same mark.
    """
    shown, beside = visible(text), visible(also)
    mark, turn = "", 0
    while not mark or mark in shown.lower() or mark in beside.lower():
        mark = hashlib.blake2b(f"{turn}\n{shown}\n{beside}".encode(), digest_size=4).hexdigest()
        turn += 1
    return Fenced(mark, shown)


def visible(text: str) -> str:
    """Take out what nobody sees: control characters but tab and line feed, direction marks, lone surrogates.

    Joiners stay: Persian and the Indic scripts need them.
    """
    if text.isascii() and text.isprintable():
        return text
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in unified if c in "\n\t\u200c\u200d" or unicodedata.category(c) not in _UNSEEN)


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})
