"""The rules of the default reader, each a small function: a reply's text in, a label or None out.

A reader names its rules in order and the first that finds a label decides. None of them weighs or guesses: a rule
that sees two different answers finds none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from hesperus.answers.context import (
    alternative,
    asked,
    chained,
    clouded,
    conditional,
    denied,
    follows_negator,
    in_case,
    is_clause,
    negated,
    negated_behind,
    negates,
    own_clause,
    supposed,
    upheld,
)
from hesperus.answers.needles import stands
from hesperus.answers.options import one_of, option_of, text, text_inside, whole_option
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import SENTENCE_END, fold
from hesperus.normalization import comparable, key, peel, unaccented

_BOXED = re.compile(r"\\f?boxed ?\{ ?(?:\\[a-z]{2,8} ?\{)? ?([^{}\n]{1,200})\}")
_LONGEST_WORD = 300
_LONGEST_OWN = 200
_EARLY = 400
"""Characters in which a phrase by which models decline stands."""
_OPENING = tuple("\"'([{<")
_MARKED = 4
"""Characters of a text for each of a word that it may be: its marks may be left out."""
_WEAK = frozenset({"start", "last", "quoted", "option", "sole", "opposite"})
"""Rules that find an answer by its word alone, which may also be part of a refusal."""
_SHORT = 90
"""Characters of a reply of one sentence at whose end a synonym counts as an answer."""
_LONGEST_LIST = 8
"""Words for one answer in a row, behind which another is looked for."""
_BLANK = re.compile(r"[ \n]+")


def exact(reply: Text) -> str | None:
    """The whole reply is a template, whatever its case, quotes, brackets, Markdown or end mark."""
    return _label(reply, reply.text)


def _label(reply: Text, text: str) -> str | None:
    if len(text) > _LONGEST_WORD:
        return None
    inner = peel(text)
    if len(inner) > _MARKED * reply.words.longest:
        return None
    word = _BLANK.sub(" ", fold(inner))
    found = reply.words.exact
    return found.get(word) or found.get(unaccented(word)) or _without_ending(reply, word)


def _without_ending(reply: Text, word: str) -> str | None:
    """The label of a word with an ending or copula of the language behind it: "yanlıştır", "ለ ነው"."""
    for ending in reply.reader.wording.grammar.endings:
        stem = word.removesuffix(ending)
        if stem != word and len(word) > 2 and (label := reply.words.exact.get(stem.rstrip(" -"))):
            return label
    return None


def digit(reply: Text) -> str | None:
    """The reply is an option's number, or begins with it as a list does: "2", "(2)", "2. Paris", "٢"."""
    alone = reply.words.digits.get(_uncounted(reply, peel(reply.text[:_LONGEST_WORD])))
    match = reply.words.numbered.match(reply.text)
    return alone or (reply.words.digits[match["named"] or match["first"]] if match else None)


def boxed(reply: Text) -> str | None:
    r"""The last LaTeX box holds a template, an option's text or its number: `\boxed{\text{C}}`."""
    found = _BOXED.findall(reply.text) if "boxed" in reply.text else []
    if not found:
        return None
    inner = peel(found[-1])
    return _label(reply, inner) or whole_option(reply, inner) or reply.words.digits.get(inner)


def cue(reply: Text) -> str | None:
    """A template directly behind a cue ("the answer is …", "Antwort: …", "答案是…"); the last such answer counts.

    Two cues with different answers are none where one of them only holds on a condition ("if so, the answer is …").
    """
    return _last_said(reply, reply.words.cue) if stands(reply.words.cues, reply.folded) else None


def named(reply: Text) -> str | None:
    """A letter that is called the answer: "(C) is the correct answer", "C是正确答案"; the last one counts."""
    if reply.is_bare or not stands(reply.words.nouns, reply.folded):
        return None
    return _last_said(reply, reply.words.named)


def _last_said(reply: Text, pattern: re.Pattern[str] | None) -> str | None:
    if pattern is None:
        return None
    found = [
        (match, label)
        for match in pattern.finditer(reply.text)
        if (label := _matched(reply, match))
        and not _joined(reply, match, label)
        and not _turned(reply, match)
        and not follows_negator(reply.text, reply.around, match.start())
    ]
    if len({label for _, label in found}) > 1 and any(
        conditional(reply.text, reply.around, match.start()) for match, _ in found
    ):
        return None
    return None if not found or _in_case(reply, found[-1][0]) else found[-1][1]


def _in_case(reply: Text, match: re.Match[str]) -> bool:
    """True where a letter is only supposed: "If the answer is A, …"."""
    return _is_letter(reply, match["word"]) and in_case(reply.text, reply.around, *match.span("word"))


def start(reply: Text) -> str | None:
    """A template at the start, set apart by punctuation where it could be another word: "(C) Keines von beiden."."""
    match = None if reply.is_bare else reply.words.start.match(reply.text)
    label = _matched(reply, match) if match else None
    if match is None or label is None or _joined(reply, match, label):
        return None
    if _turned(reply, match) or _in_case(reply, match) or _lists_options(reply) or _subject(reply, match):
        return None
    if reply.reader.form == "label" and asked(reply.text, match.end("word")):
        return None
    return label


def _subject(reply: Text, match: re.Match[str]) -> bool:
    """True where a letter at the start is followed by a sentence about it: "B seems unlikely.", "Aは除外できます。".

    Behind a blank, a script without capitals may also begin what the letter stands for: "A 第一句蕴含第二句".
    """
    behind = reply.text[match.end("word") : match.end("word") + 2]
    follows = behind.lstrip(" ")[:1]
    return (
        _is_letter(reply, match["word"])
        and follows.isalpha()
        and not follows.isupper()
        and (follows.islower() or not behind.startswith(" "))
        and not _upheld(reply, match)
    )


def _upheld(reply: Text, match: re.Match[str]) -> bool:
    return upheld(reply.text, reply.around, match.span("word"), option_of(reply, match["word"]))


def option(reply: Text) -> str | None:
    """A letter directly behind an option's name, where it is the only one that is not denied: "विकल्प ख सही है"."""
    if reply.words.option is None or reply.is_bare or not stands(reply.words.names, reply.folded):
        return None
    return one_of(
        label
        for match in reply.words.option.finditer(reply.text)
        if (label := _matched(reply, match))
        and not _joined(reply, match, label)
        and not _turned(reply, match)
        and not asked(reply.text, match.end("word"))
        and not negated(reply.text, reply.around, *match.span())
        and _upheld(reply, match)
    )


def last(reply: Text) -> str | None:
    """The last sentence or line is a template: "Die Sätze sind identisch. Ja."."""
    tail = reply.text[-_LONGEST_WORD:].rstrip()
    if tail.endswith("?"):
        return None
    parts = [part for part in SENTENCE_END.split(tail) if peel(part)]
    return _label(reply, parts[-1]) if len(parts) > 1 else None


def quoted(reply: Text) -> str | None:
    """Exactly one distinct template stands in quotes or brackets."""
    return one_of(_quoted(reply))


def _quoted(reply: Text) -> set[str]:
    if reply.is_bare or not stands(_OPENING, reply.text):
        return set()
    matches = reply.words.quoted.finditer(reply.text)
    return {label for match in matches if (label := _matched(reply, match)) and not _turned(reply, match)}


def sole(reply: Text) -> str | None:
    """Exactly one distinct template stands as a word, neither turned round nor on a condition.

    Words with a second use must be set apart; in scripts without blanks short words and words for yes and no must be
    a whole clause, since 是 is also a copula.
    """
    said, _ = _inside(reply)
    label = one_of(said)
    return None if label is None or _paired(reply, label) else label


def _paired(reply: Text, label: str) -> bool:
    """True where the answer is mentioned together with another: "ja und nein"."""
    mentions = reply.words.mention.finditer(reply.text)
    return any(
        (own := _matched(reply, match))
        and not _turned(reply, match)
        and label in (pair := {own, *_beside(reply, match, own)})
        and len(pair) > 1
        for match in mentions
    )


def opposite(reply: Text) -> str | None:
    """Of two labels, the other of the one that is plainly denied: "Bu doğru değil." is false. Not of yes and no."""
    labels = reply.reader.labels
    said, turned = _inside(reply)
    if len(labels) != 2 or said or len(turned) != 1 or len(reply.text) > _SHORT:
        return None
    words = dict(reply.reader.answers)
    yes_no = {key(word) for word in reply.reader.wording.yes_no}
    if any(key(word) in yes_no for label in labels for word in words[label][:1]):
        return None
    if any(_matched(reply, match) not in turned for match in reply.words.mention.finditer(reply.text)):
        # "It is not wrong, but not right": each of them is denied.
        return None
    return next(label for label in labels if label not in turned)


@lru_cache(maxsize=2)
def _inside(reply: Text) -> tuple[set[str], set[str]]:
    """The labels that stand in the reply, and those that stand there turned round."""
    said: set[str] = set()
    turned: set[str] = set()
    if not reply.words.within.stand_in(reply.text, reply.folded):
        return said, turned
    last_turned = -1
    short = (
        len(reply.text) <= _SHORT
        and len([part for part in SENTENCE_END.split(reply.text) if peel(part)]) == 1
    )
    for match in reply.words.inside.finditer(reply.text):
        word, start, end = fold(match["word"]), match.start(), match.end("word")
        label = reply.words.exact.get(word)
        if label is None or not _counts(reply, word, (start, end), short=short):
            continue
        if asked(reply.text, end) or alternative(reply.text, reply.around, start, end):
            continue
        if _is_letter(reply, word):
            # "It isn't A, C, or D": what is joined to a denied letter is denied with it.
            if (
                (last_turned >= 0 and chained(reply.text[last_turned:start], reply.around))
                or negated(reply.text, reply.around, start, end)
                or supposed(reply.text, reply.around, start, end)
                or in_case(reply.text, reply.around, start, end)
                or denied(reply.text, reply.around, end, option_of(reply, word))
            ):
                last_turned = end
                continue
            if reply.reader.form == "choice" and not _upheld(reply, match):
                continue
            said |= {label, *_beside(reply, match, label)}
        elif supposed(reply.text, reply.around, start, end):
            continue
        elif negated(reply.text, reply.around, start, end):
            turned.add(label)
        elif not clouded(reply.text, reply.around, start):
            said |= {label, *_beside(reply, match, label)}
    return said, turned


def _counts(reply: Text, word: str, place: tuple[int, int], *, short: bool) -> bool:
    """Whether a word may be an answer inside a reply."""
    words, (start, end) = reply.words, place
    if word in words.clausal:
        return own_clause(reply.text, reply.around, start, end)
    if word in words.alone:
        return is_clause(reply.text, start, word)
    if word in words.templates:
        return True
    # A synonym counts as what a reply of one sentence ends with: "Утверждение неверно.", "این پاسخ صحیح نیست."
    if not short or word not in words.inside_synonyms:
        return False
    if word in reply.around.predicates and not negates(reply.folded, reply.around):
        return True
    return reply.around.set_apart.match(reply.text, end) is not None or negated_behind(
        reply.text, reply.around, end
    )


def _is_letter(reply: Text, word: str) -> bool:
    return reply.reader.form == "choice" or fold(word) in reply.words.letters


def own_words(reply: Text) -> str | None:
    """The reply itself as free text is compared (see `comparable`), where it is at most 200 characters long."""
    if is_refusal(reply):
        return None
    said = comparable(reply.text)
    return said if 0 < len(said) <= _LONGEST_OWN else None


def is_refusal(reply: Text) -> bool:
    """True where a phrase by which models decline stands in the first _EARLY characters."""
    said = reply.folded if len(reply.text) <= _EARLY else fold(reply.text[:_EARLY]).replace("\n", " ")
    return reply.around.refusals.stand_in(_BLANK.sub(" ", said))


def is_own(reply: Text, label: str, rule: str) -> bool:
    """True where a rule finds its label in what is left of a reply without the phrases by which it declines.

    "Maaf, saya tidak …" declines with the word for "no", which is then no answer.
    """
    if rule not in _WEAK or not is_refusal(reply):
        return True
    rest = reply.without(reply.around.refusals)
    return rest is None or RULES[rule](rest) == label


def several(reply: Text) -> bool:
    """True where more than one answer is mentioned, so that none was read."""
    return len(_inside(reply)[0] | _quoted(reply)) > 1


def _matched(reply: Text, match: re.Match[str]) -> str | None:
    word = _BLANK.sub(" ", fold(match["word"]))
    return (
        reply.words.exact.get(word)
        or reply.words.digits.get(word)
        or reply.words.digits.get(_uncounted(reply, word))
    )


def _uncounted(reply: Text, word: str) -> str:
    """An option's number without what counts it: "2番", "2번"."""
    counters = reply.reader.wording.grammar.counters
    return next((word.removesuffix(one) for one in counters if word.endswith(one)), word)


def _joined(reply: Text, match: re.Match[str], label: str) -> bool:
    """True where another answer is joined to this one: "A or B", "yes/no", "B, C, D"."""
    start, end = match.start("word"), match.end("word")
    if alternative(reply.text, reply.around, start, end):
        return True
    return bool(_beside(reply, match, label))


def _beside(reply: Text, match: re.Match[str], label: str) -> set[str]:
    """Another answer beside this one, in a list or after "and"; behind words for the same answer, as in "X/Y or Z"."""
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


def _turned(reply: Text, match: re.Match[str]) -> bool:
    """True where an answer is denied or only supposed: "(A) is not true", "Çelişki yoktur.", "If it is A, …"."""
    word, (start, end) = match["word"], match.span("word")
    if _is_letter(reply, word):
        return denied(reply.text, reply.around, end, option_of(reply, word))
    return negated(reply.text, reply.around, start, end) or supposed(reply.text, reply.around, start, end)


def _lists_options(reply: Text) -> bool:
    """True where lines begin with different letters: the reply goes through the options one by one."""
    if reply.words.line is None or "\n" not in reply.text:
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
"""Rules by the name that stands in `Answer.rule`."""

UNFINISHED = frozenset(
    {"last", "quoted", "option", "sole", "opposite", "text inside", "own words", "last number"}
)
"""Rules that need the end of a reply: they are left out where it was cut off at the token limit."""
