"""Answers that are anywhere in a reply: the rules `sole` and `opposite`."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from hesperus.answers.context import (
    CLAUSE,
    COMMAS,
    alternative,
    asked,
    behind_case,
    case_behind,
    clouded,
    in_other_case,
    is_clause,
    negated,
    negated_behind,
    negates,
    own_clause,
    supposed,
)
from hesperus.answers.found import beside, is_letter, is_upheld, matched, turned_round
from hesperus.answers.judged import called_right, chained, chosen_behind, denied, excluded, in_case
from hesperus.answers.options import one_of, option_keys, option_of
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import fold, sentences
from hesperus.normalization import key

_WORD_BEFORE = re.compile(r"([^\W\d_])[^\W\d_]*[ -]\Z|[\u3041-\u30ff\u3400-\u9fff]\Z")
"""A word before a letter, or a character of a script without blanks."""
_LETTER = 2
"""Characters of a letter and a blank, which is no name."""
_PAIR_AND_ONE = 3
_LONGEST_CLAUSE_END = 3
"""Characters that end a clause at most: " – "."""
_SHORT = 90
"""Characters of a reply of one sentence at whose end a synonym counts as an answer."""


def sole(reply: Text) -> str | None:
    """Exactly one distinct template occurs as a word, neither turned round nor on a condition.

    Words with a second use must be set apart; in scripts without blanks short words and words for yes and no must be
    a whole clause, since 是 is also a copula.
    """
    said, _, _ = inside(reply)
    label = one_of(said)
    if label is None:
        return _chosen(reply)
    return None if _paired(reply, label) else label


def _chosen(reply: Text) -> str | None:
    """Of letters that a short reply names together, the one that it then chooses: "Between B and C, I choose C"."""
    if reply.reader.form != "choice" or len(reply.text) > _SHORT:
        return None
    letters = [
        match
        for match in mentions(reply)
        if is_letter(reply, word := match["word"])
        and _counts(reply, fold(word), match.span("word"), short=True)
    ]
    if len(letters) < _PAIR_AND_ONE or _denied(reply) or asked(reply.text, letters[-1].end("word")):
        return None
    *together, choice = letters
    between = [reply.text[one.end("word") : other.start()] for one, other in pairwise(letters)]
    joined = [chained(text, reply.around) for text in between]
    label = matched(reply, choice)
    said = fold(reply.text[together[-1].end("word") :])
    if not all(joined[:-1]) or joined[-1] or not called_right(said, reply.around):
        return None
    return label if label in [matched(reply, match) for match in together] else None


def _paired(reply: Text, label: str) -> bool:
    """True where the answer is mentioned together with another: "ja und nein"."""
    mentions = reply.words.mention.finditer(reply.text)
    return any(
        (own := matched(reply, match))
        and not turned_round(reply, match)
        and label in (pair := {own, *beside(reply, match, own)})
        and len(pair) > 1
        for match in mentions
    )


def opposite(reply: Text) -> str | None:
    """Of two labels, the other of the one that is plainly denied: "Bu doğru değil." is false. Not of yes and no."""
    said, turned, _ = inside(reply)
    if said or len(turned) != 1 or len(reply.text) > _SHORT or len(labels := reply.reader.labels) != 2:
        return None
    words = dict(reply.reader.answers)
    yes_no = {key(word) for word in reply.reader.wording.yes_no}
    if any(key(word) in yes_no for label in labels for word in words[label][:1]):
        return None
    if any(matched(reply, match) not in turned for match in reply.words.mention.finditer(reply.text)):
        # "It is not wrong, but not right": each of them is denied.
        return None
    return next(label for label in labels if label not in turned)


@lru_cache(maxsize=2)
def inside(reply: Text) -> tuple[set[str], set[str], set[str]]:
    """The labels that are in the reply, those that are there turned round, and those that are left undecided."""
    said: set[str] = set()
    turned: set[str] = set()
    undecided: set[str] = set()
    found = mentions(reply)
    if not found:
        return said, turned, undecided
    short = len(reply.text) <= _SHORT and len(sentences(reply.text)) == 1
    denies, supposes = reply.denies, reply.supposes
    against = _denied(reply)
    unexplained: list[tuple[int, str]] = []
    for match in found:
        word, start, end = fold(match["word"]), match.start(), match.end("word")
        label = reply.words.exact.get(word)
        if label is None or not _counts(reply, word, (start, end), short=short):
            continue
        if asked(reply.text, end):
            continue
        letter = is_letter(reply, word)
        if supposes and (
            in_other_case(reply.text, reply.around, start, end)
            or behind_case(reply.text, reply.around, start)
        ):
            undecided.add(label)
        elif alternative(reply.text, reply.around, start, end):
            if letter and (start not in against or supposed(reply.text, reply.around, start, end)):
                undecided.add(label)
        elif letter:
            if start in against:
                continue
            if is_upheld(reply, match):
                said |= {label, *beside(reply, match, label)}
                said |= _open_before(reply, unexplained, start)
            else:
                unexplained.append((end, label))
        elif supposes and supposed(reply.text, reply.around, start, end):
            continue
        elif supposes and in_case(reply.text, reply.around, start, end):
            undecided.add(label)
        elif (
            supposes
            and reply.text[end : end + 1] in COMMAS
            and case_behind(reply.text, reply.around, end + 1)
        ):
            # "I would say yes, if …": what it would say otherwise is open.
            said.update(reply.reader.labels)
        elif denies and negated(reply.text, reply.around, start, end):
            turned.add(label)
        elif not (denies and clouded(reply.text, reply.around, start)):
            said |= {label, *beside(reply, match, label)}
    # Nothing is an answer next to what is left undecided: "A B ou a C", "If so, yes. If not, no.".
    return (said | undecided if said else said), turned, undecided


def _open_before(reply: Text, unexplained: list[tuple[int, str]], start: int) -> set[str]:
    """Labels of the letters before one in its clause of which nothing is said.

    Of two letters in a clause nobody knows what the first says of the second: "B outweighs A".

    Args:
        reply: The reply.
        unexplained: Where such letters end, in order, with their labels.
        start: Where the letter begins.
    """
    found: set[str] = set()
    seen = start
    for place, label in reversed(unexplained):
        if CLAUSE.search(reply.text, place, min(seen + _LONGEST_CLAUSE_END - 1, start)):
            break
        if label not in found and not reply.around.right.stand_in(fold(reply.text[place:start])):
            found.add(label)
        seen = place
    return found


def contradicted(reply: Text, label: str, end: int = 0) -> bool:
    """True where a short reply gives another letter behind a place: "A. Pardon, C.", "B is right. C is right.".

    A letter in the text of the label's option does not count, nor does one behind a name: "A. Vitamin C".
    """
    if reply.reader.form != "choice" or len(reply.text) > _SHORT:
        return False
    found = [match for match in mentions(reply) if match.start() >= end and matched(reply, match) != label]
    if not found:
        return False
    own = next((option for each, option in option_keys(reply) if each == label), "")
    begin = reply.folded.find(own) if own in reply.folded else len(reply.text)
    against = _denied(reply)
    return any(
        _counts(reply, fold(match["word"]), match.span("word"), short=True)
        and match.start() not in against
        and not begin <= match.start() < begin + len(own)
        and not _behind_name(reply.text[: match.start()])
        and not asked(reply.text, match.end("word"))
        and is_upheld(reply, match)
        for match in found
    )


def _behind_name(before: str) -> bool:
    """True behind a word in capitals or without blanks: "Vitamin C", "维生素C"."""
    word = _WORD_BEFORE.search(before)
    return word is not None and (word[1] is None or (word[1].isupper() and len(word[0]) > _LETTER))


@lru_cache(maxsize=2)
def mentions(reply: Text) -> tuple[re.Match[str], ...]:
    """Every place at which a word of the reader is in a reply as an answer might be."""
    if reply.is_bare:
        return ()
    return tuple(reply.words.within.matches(reply.words.inside, reply.text, reply.lines))


@lru_cache(maxsize=2)
def _denied(reply: Text) -> set[int]:
    """Places of the letters that are denied, left out or supposed; what is joined to one of them is so too.

    "It isn't A, C, or D", "A, B and D are wrong".
    """
    text, words = reply.text, reply.around
    found: set[int] = set()
    behind: set[int] = set()
    denies, supposes = reply.denies, reply.supposes
    if not denies and not supposes:
        return found
    letters = [match for match in mentions(reply) if is_letter(reply, match["word"])]
    if not letters:
        return found
    leaves_out = words.excludes.starts.stand_in(reply.folded)
    for match in letters:
        start, end = match.start(), match.end("word")
        option = option_of(reply, match["word"])
        if denies and denied(text, words, end, option):
            behind.add(start)
        if (
            start in behind
            or (denies and negated(text, words, start, end))
            or (supposes and supposed(text, words, start, end))
            or (supposes and in_case(text, words, start, end))
            or (leaves_out and excluded(text, words, (start, end), option))
        ):
            found.add(start)
    if not found:
        return found
    pairs = [
        (one.start(), other.start())
        for one, other in pairwise(letters)
        if chained(text[one.end("word") : other.start()], words)
        and not chosen_behind(text, words, other.end("word"))
    ]
    for one, other in pairs:
        if one in found:
            found.add(other)
    for one, other in reversed(pairs):
        if other in behind:
            behind.add(one)
    return found | behind


def _counts(reply: Text, word: str, place: tuple[int, int], *, short: bool) -> bool:
    """Whether a word may be an answer inside a reply."""
    words, (start, end) = reply.words, place
    if word in words.clausal:
        return own_clause(reply.text, reply.around, start, end)
    claims = short and word in reply.around.predicates
    if claims and not negates(reply.folded.replace(word, " "), reply.around):
        return True
    if word in words.alone:
        return is_clause(reply.text, start, word)
    if word in words.templates:
        return True
    # A synonym counts as what a reply of one sentence ends with: "Утверждение неверно.", "این پاسخ صحیح نیست."
    if not short or word not in words.inside_synonyms:
        return False
    return reply.around.set_apart.match(reply.text, end) is not None or negated_behind(
        reply.text, reply.around, end
    )
