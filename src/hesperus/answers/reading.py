"""Reading a reply: what became of it, and the label it means."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from hesperus.answers.doubted import undoubted
from hesperus.answers.hypothetical import is_hypothetical
from hesperus.answers.numerals import RULES as NUMBER_RULES
from hesperus.answers.ohmer2023 import rule as ohmer2023_rule
from hesperus.answers.reader import RULES as RULE_NAMES
from hesperus.answers.reader import Reader
from hesperus.answers.refusals import is_refusal
from hesperus.answers.reply_text import Text
from hesperus.answers.rules import RULES, UNFINISHED, is_own, several
from hesperus.answers.spelling import fold
from hesperus.errors import DataError, UnknownNameError
from hesperus.languages.identification import is_in_other_language
from hesperus.languages.letters import mostly_in, scripts_for, share_in
from hesperus.languages.small_words import plainly_in
from hesperus.normalization import clean, peel, without_thoughts
from hesperus.types import Answer, Finish, Reply

_FIRST_WORD = re.compile(
    r"\A[\"'(\[¿¡]{0,3}([^\s\"'()\[\],.;:!?،؟।።…]{1,40})[\"')\]]{0,3}(?=[.,;:!?،؟।።…\n]|\Z)"
)
_OTHER_SCRIPT = 0.2
_LONGEST_FOREIGN = 60
"""Characters of a reply that may be another language's word; the longest such words have 40."""
ANOTHER_LANGUAGE = "another language"
"""The rule of a reply that is in a language other than the one asked for, as its sentences show."""

_SHORT, _REMEMBERED = 200, 1 << 13
"""Characters of a reply, and such replies at most, that are remembered with what they mean: to a question with a few labels a model
says the same time and again. Of 64,000 answers of GPT-3.5 to PAWS-X (Ohmer, Bruni and Hupkes 2023) 92 % were said before."""

_WHOLE = frozenset(
    {"exact", "text", "digit", "boxed", "boxed number", "whole number", "own words", "ohmer2023"}
)
"""Rules that read a reply as a whole, or what it marks as its result."""
_LABEL_RULES = RULE_NAMES["label"]
_ALL_RULES = {**RULES, **NUMBER_RULES, "ohmer2023": ohmer2023_rule}


def read(reader: Reader, reply: Reply | str) -> Answer:
    """Read a reply.

    >>> from hesperus.answers import reader_for
    >>> german = reader_for("label", "de", answers={"yes": ["ja"], "no": ["nein"]})
    >>> read(german, 'Daher lautet die Antwort "Nein".').label
    'no'

    Blocked and empty replies are settled first. Then the reader's rules are tried in order, and the first that finds
    a label decides: a valid answer counts although the reply goes on, declines something else, or was cut off at
    the token limit. Of a reply that was cut off only rules are tried that do not depend on its end. Where no rule
    finds a label the outcome is, in this order, `truncated`, `refused`, `wrong_language` or `invalid`.

    Args:
        reader: How to read.
        reply: What the model sent, or its text alone (which then counts as finished).

    Returns:
        The answer; `rule` names the rule that read it, or why there is no label.
    """
    if isinstance(reply, str):
        reply = Reply(reply)
    if reply.finish == "filter":
        return Answer("blocked", rule="content filter")
    if reply.option_logprobs is not None and not reply.text.strip():
        return answer_from_logprobs(reply.option_logprobs, reader.labels or reader.options or ())
    again = reader.form == "label" and len(reply.text) <= _SHORT
    return (_remembered if again else _read)(reader, reply.text, reply.finish)


def _read(reader: Reader, raw: str, finish: Finish) -> Answer:
    said = without_thoughts(raw)
    text = clean(said or "")
    if not peel(text):
        if finish == "length" or said is None:
            return Answer("truncated", rule="cut off before the answer")
        # "…" alone is no more an answer than nothing at all.
        return Answer("empty", rule="no text")
    reply = Text.of(text, reader)
    return answer_in(reply, finish) or _unread(reply, finish)


_remembered = lru_cache(maxsize=_REMEMBERED)(_read)


def answer_in(reply: Text, finish: Finish = "stop") -> Answer | None:
    """What the first rule reads that finds an answer in a cleaned reply; None if none does.

    What the reply doubts is no answer, and only to an open question its own words all the same.

    Raises:
        UnknownNameError: The reader names a rule that there is not.
    """
    certain = undoubted(reply)
    rules = reply.reader.rules
    if reply.is_bare and reply.reader.form == "label" and rules == _LABEL_RULES:
        # Where none of the words is, only a whole reply may be one in another accent.
        rules = ("exact",)
    for name in rules:
        if finish == "length" and name in UNFINISHED:
            continue
        if name not in _ALL_RULES:
            raise UnknownNameError("reading rule", name, _ALL_RULES)
        told = reply if name == "own words" else certain
        label = _ALL_RULES[name](told) if told is not None else None
        if label is not None and told is not None and is_own(told, label, name):
            # A free answer is its own words: in another language they are not the ones that were asked for.
            if name not in _WHOLE and is_hypothetical(told):
                return None
            if name == "own words" and _is_foreign(reply):
                return Answer("wrong_language", rule=ANOTHER_LANGUAGE)
            return Answer("answered", label, name)
    return None


def _unread(reply: Text, finish: Finish) -> Answer:
    if finish == "length":
        return Answer("truncated", rule="cut off before the answer")
    if is_refusal(reply):
        return Answer("refused", rule="refusal phrase")
    if _foreign_word(reply):
        return Answer("wrong_language", rule="another language's word")
    if reply.reader.form != "number":
        expected = scripts_for(reply.reader.wording.script)
        if not (reply.text.isascii() and "Latn" in expected) and not mostly_in(reply.text, expected):
            share = share_in(reply.text, expected)
            if share is not None and share < _OTHER_SCRIPT:
                return Answer("wrong_language", rule="another script")
        if _is_foreign(reply):
            return Answer("wrong_language", rule=ANOTHER_LANGUAGE)
    return Answer("invalid", rule="several answers" if several(reply) else "no answer")


def _is_foreign(reply: Text) -> bool:
    """True where the sentences of a reply are in another language than the one asked for."""
    tag = reply.reader.language
    # As it is spelt: with the letters of Persian, Arabic is taken for it.
    return not plainly_in(reply.cleaned, tag) and is_in_other_language(reply.cleaned, tag)


def _foreign_word(reply: Text) -> bool:
    """True where the reply is, or begins with, another language's word for one of the answers."""
    foreign = reply.reader.foreign
    if not foreign:
        return False
    first = _FIRST_WORD.match(reply.text)
    if first is not None and _held(foreign, fold(peel(first[1]))):
        return True
    return len(reply.text) <= _LONGEST_FOREIGN and _held(foreign, fold(peel(reply.text)))


def _held(words: tuple[str, ...], word: str) -> bool:
    """Whether a word is among sorted ones."""
    place = bisect_left(words, word)
    return place < len(words) and words[place] == word


def answer_from_logprobs(option_logprobs: Sequence[float], labels: Sequence[str]) -> Answer:
    """The most probable option, with the probabilities of all (softmax over the options).

    Of options that are exactly equal the first in label order is taken, and `rule` says `logprobs, tie`.

    Args:
        option_logprobs: Natural-log probability of each option; any common constant may be missing.
        labels: Labels in the same order.

    Raises:
        DataError: No options, another number of labels, or a number that is not finite.
    """
    if not labels or len(option_logprobs) != len(labels):
        raise DataError(
            f"{len(option_logprobs)} log-probabilities for {len(labels)} labels; one for each is needed"
        )
    for label, value in zip(labels, option_logprobs, strict=True):
        if not math.isfinite(value):
            raise DataError(f"the log-probability of option {label!r} is {value}; a finite number is needed")
    top = max(option_logprobs)
    weights = [math.exp(value - top) for value in option_logprobs]
    total = sum(weights)
    tie = sum(value == top for value in option_logprobs) > 1
    return Answer(
        "answered",
        labels[list(option_logprobs).index(top)],
        "logprobs, tie" if tie else "logprobs",
        tuple(weight / total for weight in weights),
    )
