"""A reply of one sentence that begins with a case: "If it rains, the answer is 12." says nothing of other weather.

Where an answer is directly behind such a clause, `hesperus.answers.context.behind_case` sees it; here other words are between
them. A case that names a number, a step of working out ("If we add them, the total is 12.") or the speaker leaves nothing
open.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hesperus.answers.anywhere import mentions
from hesperus.answers.context import CLAUSE, of_case, speaks
from hesperus.answers.number_words import numerals
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import sentences
from hesperus.answers.triggers import words_of
from hesperus.normalization import peel

_LONGEST = 160
"""Characters of a reply that is one sentence with a case and an answer."""
_BLANK = re.compile(" ")
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=2)
def is_hypothetical(reply: Text) -> bool:
    """True where all that a reply says holds in one case only, which it names first."""
    around, said = reply.around, peel(reply.folded)
    if len(said) > _LONGEST or not around.supposers.stand_in(reply.folded, words_of(reply.folded)[2]):
        return False
    case = _case(said, reply) if len(sentences(reply.text)) == 1 else None
    if not case or _DIGIT.search(case) is not None or speaks(case, around):
        return False
    # "If it is between B and C, I choose C."
    end = reply.folded.find(case) + len(case)
    if sum(match.start() < end for match in mentions(reply)) > 1:
        return False
    words, spaced, _ = words_of(case)
    return not around.working.among(words, spaced) and numerals(reply.reader.wording).keys().isdisjoint(words)


def _case(said: str, reply: Text) -> str | None:
    """What the first clause of a folded sentence says of a case that it names; None if it names none."""
    clause, *behind = map(peel, CLAUSE.split(said, maxsplit=1))
    if any(behind) and (case := of_case(clause, reply.around)) is not None:
        return case
    # No comma is written in many languages: the clause goes on, up to the words that end it or to the answer.
    cases = reply.around.cases
    ends = (match.start() for match in _BLANK.finditer(clause))
    closed = next((clause[:end] for end in ends if cases.close(clause[:end])), None)
    if closed is not None:
        return closed
    clause = _DIGIT.split(clause, maxsplit=1)[0]
    # What ends the sentence has no answer behind it.
    return of_case(clause, reply.around) if cases.end_of(clause) is not None else None
