"""Texts that answer nothing: missing, empty, or the words that represent a missing answer."""

from __future__ import annotations

import re
import unicodedata

NO_ANSWER = "No answer"
"""What is in the place of an answer that was refused, blocked or never came."""

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def no_answer(text: str | None) -> bool:
    """Whether a text represents no answer: None, nothing but blanks and marks, or NO_ANSWER.

    A refusal in words is an answer here, from which a judge takes no claims; who knows that a reply was refused or
    blocked hands in None.

    >>> no_answer(None), no_answer(" … "), no_answer("*No answer.*"), no_answer("No answer is known to this.")
    (True, True, True, False)
    """
    if text is None:
        return True
    said = _EDGES.sub("", unicodedata.normalize("NFKC", text[:1000]))
    if not said and len(text) > 1000:
        return not any(c.isalnum() for c in text)
    return not said or said.casefold() == NO_ANSWER.casefold()
