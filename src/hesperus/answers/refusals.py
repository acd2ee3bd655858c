"""Replies that decline, and the free answers that are not among them."""

from __future__ import annotations

import re

from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import SENTENCE_END, fold
from hesperus.normalization import comparable

_LONGEST_OWN = 200
_EARLY = 400
"""Characters in which a phrase by which models decline stands."""
_BLANK = re.compile(r"[ \n]+")
_OPENERS = " \"'([{<"


def is_refusal(reply: Text) -> bool:
    """True where a reply declines, or is short and begins with regret: "Unfortunately, there are no figures."."""
    return declines(reply) or _regrets(reply)


def declines(reply: Text) -> bool:
    """True where a phrase by which models decline is in the first _EARLY characters."""
    return reply.around.refusals.stand_in(_early(reply))


def _early(reply: Text) -> str:
    said = reply.folded if len(reply.text) <= _EARLY else fold(reply.text[:_EARLY]).replace("\n", " ")
    return _BLANK.sub(" ", said)


def _regrets(reply: Text) -> bool:
    return len(reply.text) <= _LONGEST_OWN and reply.around.regrets.begin(reply.folded.lstrip(_OPENERS))


def _guesses(reply: Text) -> bool:
    """True where a sentence that declines goes on with a guess: "I am not sure, but it is probably Lima."."""
    said = _early(reply)
    end = reply.around.refusals.end(said)
    return end is not None and reply.around.guesses.stand_in(SENTENCE_END.split(said[end:])[0])


def own_words(reply: Text) -> str | None:
    """The reply itself as free text is compared (see `comparable`), where it is at most 200 characters long."""
    if is_refusal(reply) and not _guesses(reply):
        return None
    said = comparable(reply.cleaned)
    return said if 0 < len(said) <= _LONGEST_OWN else None
