"""An answer that the reply takes back and replaces: "A. No, wait, C.", "12. Sorry, 15.", "是。不对，否。".

The words of a correction are in the grammar of each pack (`corrections`); outside of yes and no, the word for "no" is one
too. What is before the first of them must hold an answer, and what is behind the last must be another by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hesperus.answers.anywhere import mentions, sole
from hesperus.answers.found import label_of
from hesperus.answers.phrases import Phrases
from hesperus.answers.reply_text import Text
from hesperus.answers.triggers import words_of
from hesperus.normalization import PUNCTUATION, peel

_LONGEST = 120
"""Characters of a reply that corrects itself."""
_LONGEST_TAIL = 40
_LONGEST_PAIR = 40
"""Characters of a reply that is two answers and nothing else."""
_CLAUSE = re.compile(rf"[{PUNCTUATION}()\n]| [–—-] ")
_BEFORE = frozenset(PUNCTUATION + "\n–—-\"')]}>")


def corrected(reply: Text, rules: Sequence[Callable[[Text], str | None]]) -> str | None:
    """The answer behind a correction, if another comes before it.

    Args:
        reply: The reply.
        rules: What finds an answer in what is behind the correction.
    """
    marks = _marks(reply) if len(reply.text) <= _LONGEST else None
    parts = _around(reply, marks) if marks is not None else None
    if parts is None:
        return None
    if not (is_number := reply.reader.form == "number") and not mentions(reply):
        return None
    head, tail = (Text.of(part, reply.reader) for part in parts)
    told = rules if is_number else (*rules, sole)
    label = _first(told, tail)
    return label if label is not None and _first(told, head) is not None else None


def taken_back(reply: Text, label: str) -> bool:
    """True where the first or the last clause of a short reply is another answer: "Yes. No.", "Ja. Ach, nein."."""
    if reply.reader.form != "label" or len(reply.text) > _LONGEST_PAIR:
        return False
    # A word in quotes inside a clause is none of its own: 'No. Both of them hold a "yes".'.
    clauses = [clause for part in _CLAUSE.split(reply.text) if (clause := peel(part))]
    ends = (clauses[0], clauses[-1]) if len(clauses) > 1 else ()
    return any((other := label_of(reply, clause)) is not None and other != label for clause in ends)


def _marks(reply: Text) -> Phrases | None:
    words = words_of(reply.folded)[2]
    said = reply.around
    marks = said.corrections if any(word in reply.words.exact for word in said.no_words) else said.taking_back
    return marks if marks.among(reply.folded, words) else None


def _around(reply: Text, marks: Phrases) -> tuple[str, str] | None:
    """What is before the first and behind the last correction; None where it begins no clause."""
    begin, end = marks.place(reply.folded), marks.end(reply.folded)
    if begin is None or end is None or len(reply.folded) != len(reply.text):
        return None
    head, tail = reply.text[:begin].rstrip(), reply.text[end:].lstrip(f"{PUNCTUATION} \n–—-")
    apart = head[-1:] in _BEFORE or label_of(reply, head) is not None
    return (head, tail) if apart and peel(head) and peel(tail) and len(tail) <= _LONGEST_TAIL else None


def _first(rules: Sequence[Callable[[Text], str | None]], reply: Text) -> str | None:
    return next((label for rule in rules if (label := rule(reply)) is not None), None)
