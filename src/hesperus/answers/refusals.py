"""Replies that decline, and the free answers that are not among them."""

from __future__ import annotations

import re

from hesperus.answers.anywhere import mentions
from hesperus.answers.context import CLAUSE
from hesperus.answers.options import option_keys
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import SENTENCE_END, fold
from hesperus.answers.triggers import words_of
from hesperus.normalization import comparable

_LONGEST_OWN = 200
_EARLY = 400
"""Characters in which a phrase by which models decline stands."""
_BLANK = re.compile(" +")
_DIGIT = re.compile(r"\d")
_OPENERS = " \"'([{<"
_LONGEST_UNWILLING = 300
_SHORTEST_NAME = 2
_CAPITAL_NOUNS = frozenset({"de", "lb", "nds"})


def is_refusal(reply: Text) -> bool:
    """True where a reply declines, or is short and begins with regret: "Unfortunately, there are no figures."."""
    return says_no(reply) or _regrets(reply)


def says_no(reply: Text) -> bool:
    """True where a reply declines by a phrase or by its grammar; regret alone may begin an answer to an open question."""
    return declines(reply) or _will_not(reply)


def declines(reply: Text) -> bool:
    """True where a phrase by which models decline is in the first _EARLY characters."""
    said = _early(reply)
    return reply.around.refusals.among(said, words_of(said)[2])


def _early(reply: Text) -> str:
    said = reply.folded if len(reply.text) <= _EARLY else fold(reply.text[:_EARLY]).replace("\n", " ")
    return _BLANK.sub(" ", said) if "  " in said else said


def _regrets(reply: Text) -> bool:
    return len(reply.text) <= _LONGEST_OWN and reply.around.regrets.begin(reply.folded.lstrip(_OPENERS))


def _will_not(reply: Text) -> bool:
    """True where a sentence of a short reply without any candidate for an answer declines by its grammar."""
    if len(reply.text) > _LONGEST_UNWILLING or _holds_candidate(reply):
        return False
    said = reply.folded
    whole = words_of(said)[:2]
    if not any(
        words.declines(*whole)
        and any(words.declines(*words_of(part)[:2]) for part in SENTENCE_END.split(said))
        for words in reply.around.declining
    ):
        return False
    return not reply.around.guesses.among(said, words_of(said)[2])


def _holds_candidate(reply: Text) -> bool:
    """True where a reply mentions what could be an answer: a label, a number, an option's text, a name."""
    if _DIGIT.search(reply.text) is not None:
        return True
    if reply.reader.form == "text":
        return _names(reply)
    return any(
        not reply.around.negators.hold([word := fold(match["word"])]) and word not in reply.words.clausal
        for match in mentions(reply)
    ) or any(option in reply.folded for _, option in option_keys(reply))


def _names(reply: Text) -> bool:
    """True where a word behind the first clause is written as a name, inside its sentence; German has too many."""
    if reply.reader.wording.base in _CAPITAL_NOUNS:
        return False
    words = (word for clause in CLAUSE.split(reply.text)[1:] for word in clause.split()[1:])
    return any(len(word) > _SHORTEST_NAME and word[0].isupper() and word[1:].islower() for word in words)


def guesses(reply: Text) -> bool:
    """True where a sentence that declines goes on with a guess: "I am not sure, but it is probably Lima."."""
    said = _early(reply)
    end = reply.around.refusals.end(said)
    return end is not None and reply.around.guesses.stand_in(SENTENCE_END.split(said[end:])[0])


def own_words(reply: Text) -> str | None:
    """The reply itself as free text is compared (see `comparable`), where it is at most 200 characters long."""
    if is_refusal(reply) and not guesses(reply):
        return None
    said = comparable(reply.cleaned)
    return said if 0 < len(said) <= _LONGEST_OWN else None
