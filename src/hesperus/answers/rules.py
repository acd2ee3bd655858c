"""The rules of the default reader, each a small function: a reply's text in, a label or None out.

A reader names its rules in order and the first that finds a label decides. None of them weighs or guesses: a rule
that sees two different answers finds none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from hesperus.answers.anywhere import contradicted, inside, opposite, sole
from hesperus.answers.context import asked, behind_case, conditional, follows_negator, negated
from hesperus.answers.found import is_letter, is_upheld, joined, label_of, matched, turned_round, uncounted
from hesperus.answers.judged import excluded, in_case
from hesperus.answers.options import one_of, option_of, text, text_inside, whole_option
from hesperus.answers.refusals import declines, own_words
from hesperus.answers.reply_text import Text
from hesperus.answers.self_corrections import corrected as second_answer
from hesperus.answers.self_corrections import taken_back
from hesperus.answers.spelling import fold, sentences
from hesperus.answers.triggers import stands, words_of
from hesperus.normalization import peel

_BOXED = re.compile(r"\\f?boxed ?\{ ?(?:\\[a-z]{2,8} ?\{)? ?([^{}\n]{1,200})\}")
_LONGEST_WORD = 300
"""Characters at the end of a reply in which its last sentence is looked for, and of a reply that is an option's number."""
_PARTICLES = frozenset("はがをも")
"""Japanese particles, which show that a sentence about the letter follows even behind a blank."""
_OPENING = re.compile(r"[\"'(\[{<]")
_WEAK = frozenset({"start", "last", "quoted", "option", "sole", "opposite"})
"""Rules that find an answer by its word alone, which may also be part of a refusal."""


def exact(reply: Text) -> str | None:
    """The whole reply is a template, whatever its case, quotes, brackets, Markdown or end mark; "A?" only asks."""
    return None if reply.text.endswith(("?", "؟")) else label_of(reply, reply.text)


def digit(reply: Text) -> str | None:
    """The reply is an option's number, or begins with it as a list does: "2", "(2)", "2. Paris", "٢"."""
    alone = reply.words.digits.get(uncounted(reply, peel(reply.text[:_LONGEST_WORD])))
    match = reply.words.numbered.match(reply.text)
    return alone or (reply.words.digits[match["named"] or match["first"]] if match else None)


def boxed(reply: Text) -> str | None:
    r"""The last LaTeX box holds a template, an option's text or its number: `\boxed{\text{C}}`."""
    found = _BOXED.findall(reply.text) if "boxed" in reply.text else []
    if not found:
        return None
    inner = peel(found[-1])
    return label_of(reply, inner) or whole_option(reply, inner) or reply.words.digits.get(inner)


def corrected(reply: Text) -> str | None:
    """What a short reply puts in place of an answer that it gave before: "A. No, wait, C."."""
    return second_answer(reply, (exact, digit, cue, named, start))


def cue(reply: Text) -> str | None:
    """A template directly behind a cue ("the answer is …", "Antwort: …", "答案是…"); the last such answer counts.

    Two cues with different answers do not contradict each other if one of them only holds on a condition ("if so, the answer is …").
    """
    if reply.is_bare and not reply.words.digits:
        return None
    if not reply.words.cues.stand_in(reply.text, reply.lines, reply.folded, words_of(reply.folded)[2]):
        return None
    if reply.words.cue is None:
        return None
    return _last_said(reply, reply.words.cues.matches(reply.words.cue, reply.text, reply.lines))


def named(reply: Text) -> str | None:
    """A letter that is called the answer: "(C) is the correct answer", "C是正确答案"; the last one counts."""
    if reply.is_bare or not stands(reply.words.nouns, reply.folded) or reply.words.named is None:
        return None
    return _last_said(reply, reply.words.named.finditer(reply.text))


def _last_said(reply: Text, matches: Iterable[re.Match[str]]) -> str | None:
    found = [
        (match, label)
        for match in matches
        if (label := matched(reply, match))
        and not joined(reply, match, label)
        and not turned_round(reply, match)
        and not follows_negator(reply.text, reply.around, match.start())
    ]
    if len({label for _, label in found}) > 1 and any(
        conditional(reply.text, reply.around, match.start()) for match, _ in found
    ):
        return None
    if not found:
        return None
    match, label = found[-1]
    return None if _in_case(reply, match) or contradicted(reply, label, match.end("word")) else label


def _in_case(reply: Text, match: re.Match[str]) -> bool:
    """True where an answer is only supposed: "If the answer is A, …"."""
    return reply.supposes and in_case(reply.text, reply.around, *match.span("word"))


def start(reply: Text) -> str | None:
    """A template at the start, set apart by punctuation where it could be another word: "(C) Keines von beiden."."""
    match = None if reply.is_bare else reply.words.start.match(reply.text)
    label = matched(reply, match) if match else None
    if match is None or label is None or joined(reply, match, label):
        return None
    if (
        turned_round(reply, match)
        or taken_back(reply, label)
        or _in_case(reply, match)
        or _lists_options(reply)
        or _subject(reply, match)
        or contradicted(reply, label, match.end("word"))
    ):
        return None
    return None if asked(reply.text, match.end("word")) else label


def _subject(reply: Text, match: re.Match[str]) -> bool:
    """True where a letter at the start is followed by a sentence about it: "B seems unlikely.", "Aは除外できます。".

    Behind a blank, a script without capitals may also begin what the letter means: "A 第一句蕴含第二句". Where the
    option's text is known, that is what must follow; where it is not, nothing that leaves an option out.
    """
    behind = reply.text[match.end("word") : match.end("word") + 2]
    follows = behind.lstrip(" '-")[:1]
    if not is_letter(reply, match["word"]) or not follows.isalpha() or follows.isupper():
        return False
    if behind[0] in "'-":
        # An ending in its clause: "B'yi elerdim", "B-ն կարելի է բացառել".
        return not is_upheld(reply, match)
    if (
        follows.islower()
        or not behind.startswith(" ")
        or follows in _PARTICLES
        or option_of(reply, match["word"])
    ):
        return not is_upheld(reply, match)
    return excluded(reply.text, reply.around, match.span("word"))


def option(reply: Text) -> str | None:
    """A letter directly behind an option's name, where it is the only one that is not denied: "विकल्प ख सही है"."""
    if reply.is_bare or not stands(reply.words.names, reply.folded) or reply.words.option is None:
        return None
    return one_of(
        label
        for match in reply.words.option.finditer(reply.text)
        if (label := matched(reply, match))
        and not joined(reply, match, label)
        and not turned_round(reply, match)
        and not asked(reply.text, match.end("word"))
        and not negated(reply.text, reply.around, *match.span())
        and not excluded(reply.text, reply.around, match.span("word"), option_of(reply, match["word"]))
        and is_upheld(reply, match)
    )


def last(reply: Text) -> str | None:
    """The last sentence or line is a template: "Die Sätze sind identisch. Ja."."""
    tail = reply.text[-_LONGEST_WORD:].rstrip()
    if tail.endswith("?"):
        return None
    parts = sentences(tail)
    label = label_of(reply, parts[-1]) if len(parts) > 1 else None
    if label is None or contradicted(reply, label) or taken_back(reply, label):
        return None
    return label


def quoted(reply: Text) -> str | None:
    """Exactly one distinct template is in quotes or brackets."""
    return one_of(_quoted(reply))


@lru_cache(maxsize=2)
def _quoted(reply: Text) -> set[str]:
    if reply.is_bare:
        return set()
    return {
        label
        for match in _in_quotes(reply)
        if (label := matched(reply, match))
        and not turned_round(reply, match)
        and not _in_case(reply, match)
        and not (reply.supposes and behind_case(reply.text, reply.around, match.start()))
    }


def _in_quotes(reply: Text) -> Iterator[re.Match[str]]:
    """What the pattern of a word in quotes or brackets finds, tried only where they open."""
    end = 0
    for opening in _OPENING.finditer(reply.text):
        if opening.start() >= end and (match := reply.words.quoted.match(reply.text, opening.start())):
            end = match.end()
            yield match


def several(reply: Text) -> bool:
    """True where more than one answer is mentioned, so that none was read."""
    said, _, undecided = inside(reply)
    return len(said | undecided | _quoted(reply)) > 1


def is_own(reply: Text, label: str, rule: str) -> bool:
    """True where a rule finds its label in what is left of a reply without the phrases by which it declines.

    "Maaf, saya tidak …" declines with the word for "no", which is then no answer.
    """
    if rule not in _WEAK or not declines(reply):
        return True
    rest = reply.without(reply.around.refusals)
    return rest is None or RULES[rule](rest) == label


def _lists_options(reply: Text) -> bool:
    """True where lines begin with different letters: the reply goes through the options one by one."""
    if "\n" not in reply.text or reply.words.line is None:
        return False
    lines = reply.words.line.finditer(reply.text)
    return len({reply.words.exact.get(fold(match["word"])) for match in lines}) > 1


Rule = Callable[[Text], str | None]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "exact": exact,
        "text": text,
        "digit": digit,
        "boxed": boxed,
        "corrected": corrected,
        "cue": cue,
        "named": named,
        "start": start,
        "option": option,
        "opposite": opposite,
        "last": last,
        "quoted": quoted,
        "sole": sole,
        "text inside": text_inside,
        "own words": own_words,
    }
)
"""Rules by the name that is in `Answer.rule`."""

UNFINISHED = frozenset(
    {"last", "quoted", "option", "sole", "opposite", "text inside", "own words", "last number"}
)
"""Rules that need the end of a reply: they are left out where it was cut off at the token limit."""
