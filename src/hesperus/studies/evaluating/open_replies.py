"""What became of an open reply: it is read as a whole, so only its not being an answer has to be seen."""

from __future__ import annotations

from functools import cache

from hesperus.answers.reading import ANOTHER_LANGUAGE
from hesperus.answers.reply_words import wording_for
from hesperus.answers.spelling import fold
from hesperus.languages import text_language
from hesperus.languages.letters import scripts_for, share_in
from hesperus.normalization import clean, key, peel, without_thoughts
from hesperus.types import Answer, Reply

REFUSAL_LENGTH = 400
"""Characters up to which a reply with a refusing phrase is a refusal; a longer one goes on to say something."""

_OTHER_SCRIPT = 0.2

WHOLE_TEXT = "whole text"
"""The rule of a reply that is its own answer; `hesperus reread` leaves such answers alone."""


def read_open(reply: Reply, language: str) -> Answer:
    """Read an open reply: `answered` with its own text, or why it is no answer.

    A reply that was cut off at its limit is `truncated`, one of which most is in another script or at least a third in
    another language `wrong_language`; both keep their text, which is evaluated. `refused`, `blocked` and `empty` replies
    give no answer. Refusals in words are seen where the language has a pack.

    Args:
        reply: What the model sent.
        language: BCP-47 tag of the prompt.
    """
    if reply.finish == "filter":
        return Answer("blocked", rule="content filter")
    said = without_thoughts(reply.text)
    text = clean(said or "")
    if not peel(text):
        cut = reply.finish == "length" or (said is None and reply.text.strip())
        return Answer("truncated" if cut else "empty", rule="cut off before the answer" if cut else "no text")
    if len(text) <= REFUSAL_LENGTH:
        folded = " ".join(fold(text).split())
        if any(phrase in folded for phrase in _refusals(language)):
            return Answer("refused", rule="refusal phrase")
    if reply.finish == "length":
        return Answer("truncated", rule="cut off")
    share = share_in(text, _scripts(language))
    if share is not None and share < _OTHER_SCRIPT:
        return Answer("wrong_language", rule="another script")
    if text_language(said or "", language).is_other:
        return Answer("wrong_language", rule=ANOTHER_LANGUAGE)
    return Answer("answered", (said or "").strip(), WHOLE_TEXT)


@cache
def _refusals(language: str) -> tuple[str, ...]:
    return tuple(fold(key(phrase)) for phrase in wording_for(language).refusals)


@cache
def _scripts(language: str) -> tuple[str, ...]:
    return scripts_for(wording_for(language).script)
