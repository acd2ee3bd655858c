"""The label of what a pattern of the lexicon matched, and what its clause makes of it."""

from __future__ import annotations

import re

from hesperus.answers.context import alternative, negated, supposed
from hesperus.answers.judged import denied, upheld
from hesperus.answers.options import option_of
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import fold
from hesperus.normalization import peel, unaccented

_LONGEST_WORD = 300
_MARKED = 4
"""Characters of a text for each of a word that it may be: its marks may be left out."""
_LONGEST_LIST = 8
"""Words for one answer in a row, behind which another is looked for."""
_BLANK = re.compile(r"[ \n]+")


def label_of(reply: Text, text: str) -> str | None:
    """The label of a text that is a template, with or without an ending of the language."""
    if len(text) > _LONGEST_WORD:
        return None
    inner = peel(text)
    if len(inner) > _MARKED * reply.words.longest:
        return None
    word = _BLANK.sub(" ", fold(inner))
    found = reply.words.exact
    bare = unaccented(word)
    # A letter with an accent is another letter: "Á" is no A.
    return found.get(word) or (found.get(bare) if len(bare) > 1 else None) or _without_ending(reply, word)


def _without_ending(reply: Text, word: str) -> str | None:
    """The label of a word with an ending or copula of the language behind it: "yanlıştır", "ለ ነው"."""
    for ending in reply.reader.wording.grammar.endings:
        stem = word.removesuffix(ending)
        if stem != word and len(word) > 2 and (label := reply.words.exact.get(stem.rstrip(" -"))):
            return label
    return None


def matched(reply: Text, match: re.Match[str]) -> str | None:
    """The label of the group `word` of a match: a word, a letter, or an option's number."""
    word = _BLANK.sub(" ", fold(match["word"]))
    return (
        reply.words.exact.get(word)
        or reply.words.digits.get(word)
        or reply.words.digits.get(uncounted(reply, word))
    )


def uncounted(reply: Text, word: str) -> str:
    """An option's number without what counts it: "2番", "2번"."""
    counters = reply.reader.wording.grammar.counters
    return next((word.removesuffix(one) for one in counters if word.endswith(one)), word)


def joined(reply: Text, match: re.Match[str], label: str) -> bool:
    """True where another answer is joined to this one: "A or B", "yes/no", "B, C, D"."""
    start, end = match.start("word"), match.end("word")
    if alternative(reply.text, reply.around, start, end):
        return True
    return bool(beside(reply, match, label))


def beside(reply: Text, match: re.Match[str], label: str) -> set[str]:
    """Another answer next to this one, in a list or after "and"; behind words for the same answer, as in "X/Y or Z"."""
    end = match.end("word")
    for _ in range(_LONGEST_LIST):
        beside = reply.words.beside.match(reply.text, end)
        if beside is None:
            break
        role = next(name for name in ("again", "both", "word") if beside.groupdict().get(name))
        other = reply.words.exact.get(fold(beside[role]))
        if other != label:
            return {other} if other is not None else set()
        end = beside.end(role)
    return set()


def turned_round(reply: Text, match: re.Match[str]) -> bool:
    """True where an answer is denied or only supposed: "(A) is not true", "Çelişki yoktur.", "If it is A, …"."""
    word, (start, end) = match["word"], match.span("word")
    if is_letter(reply, word):
        return reply.denies and denied(reply.text, reply.around, end, option_of(reply, word))
    return (reply.denies and negated(reply.text, reply.around, start, end)) or (
        reply.supposes and supposed(reply.text, reply.around, start, end)
    )


def is_letter(reply: Text, word: str) -> bool:
    """True for an option's letter or number."""
    return reply.reader.form == "choice" or fold(word) in reply.words.letters


def is_upheld(reply: Text, match: re.Match[str]) -> bool:
    """True where the clause of a letter makes it the answer (see `hesperus.answers.judged.upheld`)."""
    return upheld(reply.text, reply.around, match.span("word"), option_of(reply, match["word"]))
