"""What is around an answer: a negation on either side, a condition, "or", a word that calls it wrong.

The words are those of the language's grammar (see hesperus.languages.grammar); the rules are the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hesperus.answers.cases import Cases
from hesperus.answers.declining import Declining
from hesperus.answers.phrases import Phrases, Words
from hesperus.answers.reply_words import Wording
from hesperus.answers.role_patterns import CLOSERS, OPENERS, endings, joins, prefixes, set_apart
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.spelling import SENTENCE_END, fold, respelt
from hesperus.answers.triggers import Triggers, stands, words_of
from hesperus.answers.word_forms import Forms
from hesperus.languages.letters import script_of
from hesperus.normalization import PUNCTUATION, clean, key

CLAUSE = re.compile(rf"[{PUNCTUATION}\"()\n]| [–—-] ")
"""What ends a clause; a dash between blanks does."""
_ASKED = re.compile(rf"(?:{CLOSERS}){{0,3}}[^{PUNCTUATION}\"()\n]{{0,60}}(?:{CLOSERS}){{0,3}} ?[?؟]")
_CLOSED = re.compile(rf"\A(?:{CLOSERS})+")
_MARKS = (",", ".", "!", "،", "、", "۔", "।", "።", "፣", "։", "՝", "၊", "።", ";")
WIDE = 60
COMMAS = frozenset(",،、፣၊")
_BEFORE_CASE = re.compile(rf" ?(?:[{''.join(sorted(COMMAS))}]|[–—]|-(?= )|\() ?")
"""What is between an answer and a clause that names a case."""
_LONGEST_CASE = 160
"""Characters in which such a clause is looked for."""
_LONGEST_THEN = 4
"""Characters of "then" in a script without blanks."""
_ARTICLE = 3
_NEAR = 3
"""Words before an answer among which a negation or a condition counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The words of a language that turn an answer round, folded and ready to be looked for.

    `taking_back` holds the corrections and "no" with a mark behind it, one of `no_words`; `all_but` are negators that hold a word for "but" ("anything but"). Of `deniers` one is in every reply that denies something, of `supposers` in every one with a condition.
    """

    negators: Words
    after: tuple[str, ...]
    after_ends: tuple[str, ...]
    against: Words
    conditions: Words
    cases: Cases
    clause_blank: bool
    longest_condition: int
    otherwise: Words
    but: frozenset[str]
    turns: Phrases
    all_but: tuple[str, ...]
    predicates: frozenset[str]
    wrong: Phrases
    right: Phrases
    excludes: Phrases
    because: Phrases
    working: Forms
    bounds: Words
    refusals: Phrases
    regrets: Phrases
    guesses: Phrases
    doubts: Phrases
    unsaid: Phrases
    declining: tuple[Declining, ...]
    corrections: Phrases
    taking_back: Phrases
    no_words: frozenset[str]
    deniers: Triggers
    supposers: Triggers
    option_words: re.Pattern[str]
    joined: re.Pattern[str]
    before_or: re.Pattern[str]
    behind_or: re.Pattern[str]
    set_apart: re.Pattern[str]
    endings: re.Pattern[str]
    articles: tuple[str, ...]


@lru_cache(maxsize=256)
def context(wording: Wording) -> Context:
    """The context of a language, made once."""
    grammar = wording.grammar

    def folded(words: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_folded(word, wording) for word in words))

    def phrases(words: Iterable[str]) -> Phrases:
        return Phrases.of(words, lambda part: _folded(part, wording))

    ors = [_folded(word, wording) for word in (*wording.or_words, "or")]
    spaced = "|".join(re.escape(word) for word in ors if not is_unspaced(word))
    unspaced = "|".join(re.escape(word) for word in ors if is_unspaced(word)) or r"(?!)"
    options = sorted(folded(wording.option_words), key=len, reverse=True)
    named = "|".join(map(re.escape, options)) or r"(?!)"
    ends = "|".join(
        re.escape(_folded(word, wording)) for word in sorted(grammar.endings, key=len, reverse=True)
    )
    negators, after = Words.of(folded(grammar.negators)), folded(grammar.whole_negators_after)
    after_ends = folded(word[1:] for word in grammar.negators_after if word.startswith("*"))
    conditions, wrong = Words.of(folded(grammar.conditions)), phrases((*wording.wrong, *grammar.excludes))
    otherwise, but = Words.of(folded(grammar.otherwise)), frozenset(folded(grammar.but))
    return Context(
        negators=negators,
        after=after,
        after_ends=after_ends,
        against=Words.of(folded((*grammar.negators, *grammar.whole_negators_after, *grammar.conditions))),
        conditions=conditions,
        cases=(cases := Cases.of(grammar.cases, but, lambda word: _folded(word, wording))),
        clause_blank=grammar.clause_blank,
        longest_condition=max([_NEAR, *(len(word.split()) for word in folded(grammar.conditions))]),
        otherwise=otherwise,
        but=but,
        turns=phrases(grammar.but),
        all_but=tuple(word for word in negators.several if not but.isdisjoint(word.split())),
        predicates=frozenset(folded(grammar.predicates)),
        wrong=wrong,
        right=phrases(wording.right),
        excludes=phrases(grammar.excludes),
        because=phrases(grammar.because),
        bounds=Words.of(folded(grammar.bounds)),
        working=Forms.of(grammar.working, lambda word: _folded(word, wording)),
        refusals=phrases(wording.refusals),
        regrets=phrases(grammar.regrets),
        guesses=phrases(grammar.guesses),
        doubts=phrases(grammar.doubts),
        unsaid=phrases(grammar.unsaid),
        declining=tuple(
            Declining.of(each, lambda word: fold(respelt(clean(word), wording.grammar)))
            for each in wording.declining
        ),
        corrections=phrases(grammar.corrections),
        taking_back=Phrases.of(
            (*grammar.corrections, *(f"{word}{mark}*" for word in wording.no for mark in _MARKS)),
            lambda part: _folded(part, wording) + (part[-1] if part.endswith(_MARKS) else ""),
        ),
        no_words=frozenset(folded(wording.no)),
        deniers=Triggers.of((*negators.phrases, *wrong.phrases), (*after, *after_ends)),
        supposers=Triggers.of(
            (*conditions.phrases, *otherwise.phrases, *cases.phrases), (end.strip() for end in cases.ends)
        ),
        option_words=re.compile(named),
        joined=re.compile(
            rf"[\s\"'()\[\]]*(?:(?:[,、;/&+]\s?(?i:{joins(wording)})?)|(?i:{joins(wording)}))[\s\"'()\[\]]*{prefixes(wording)}"
        ),
        before_or=re.compile(
            rf"(?:(?:\A|[^\w']|(?<=\A[A-Ha-h])|(?<=[^\w'][A-Ha-h]))(?:{spaced})|(?:{unspaced})) ?(?:{OPENERS}){{0,3}}(?:(?:{named}) ?(?:{OPENERS}){{0,2}})?{prefixes(wording)}\Z"
        ),
        behind_or=re.compile(
            rf"{endings(wording, ' ?')}(?:{CLOSERS}){{0,3}} ?(?:(?:{spaced})(?![\w'])|(?:{unspaced}))"
        ),
        set_apart=re.compile(set_apart(wording)),
        endings=re.compile(f"(?:{ends})" if ends else r"(?!)"),
        articles=folded(grammar.articles),
    )


def _folded(word: str, wording: Wording) -> str:
    return fold(respelt(key(word), wording.grammar))


def alternative(text: str, words: Context, start: int, end: int) -> bool:
    """True where "or" joins another answer: "A or B", "… or not"."""
    if words.behind_or.match(fold(text[end : end + 30])):
        return True
    return words.before_or.search(fold(text[max(0, start - 30) : start])) is not None


def conditional(text: str, words: Context, place: int) -> bool:
    """True where a condition is before a place of the same sentence."""
    before = SENTENCE_END.split(text[max(0, place - 200) : place])[-1]
    return words.conditions.close(fold(before))


def follows_negator(text: str, words: Context, start: int) -> bool:
    """True where a negation is directly before a cue, or an article between: 不应选 A, "e não a letra A"."""
    said = _before(text, words, start, 2).split()
    return words.negators.close(" ".join(said if said and len(said[-1]) <= _ARTICLE else said[-1:]))


def asked(text: str, end: int) -> bool:
    """True where the clause ends with a question mark, or holds the Armenian one, which is on a word inside it."""
    if "՞" in text:
        return "՞" in CLAUSE.split(text[max(0, end - WIDE) : end])[-1] + CLAUSE.split(text[end:])[0]
    return ("?" in text or "؟" in text) and _ASKED.match(text, end) is not None


@lru_cache(maxsize=64)
def negated(text: str, words: Context, start: int, end: int) -> bool:
    """True where a negation is within two words before an answer, or directly behind it."""
    return words.negators.close(_before(text, words, start)) or negated_behind(text, words, end)


def negates(folded: str, words: Context) -> bool:
    """True where a negation or a condition is anywhere in a short folded text."""
    return words.against.anywhere(folded)


@lru_cache(maxsize=64)
def supposed(text: str, words: Context, start: int, end: int) -> bool:
    """True where a condition is within two words before an answer, or directly behind it."""
    before = _before(text, words, start, words.longest_condition)
    return words.conditions.close(before) or case_behind(text, words, end)


def case_behind(text: str, words: Context, end: int) -> bool:
    """True where a condition or a particle that asks follows: "සත්‍ය නම්", "evet mi", "yes if it rains"."""
    return words.conditions.hold(fold(CLAUSE.split(text[end : end + WIDE])[0]).split()[:1])


def left_open(text: str, words: Context, end: int) -> bool:
    """True where a case follows behind a comma up to the sentence's end, or "otherwise" behind it: "(B) if so; (C) otherwise".

    A clause of the speaker leaves nothing open ("Yes, if I understand the text"), nor does one before another clause.
    """
    behind = _CLOSED.sub("", text[end : end + _LONGEST_CASE])
    # What is in quotes begins no clause: 'Yes, if "bank" means the same'.
    clause = fold(SENTENCE_END.split(behind, maxsplit=1)[0]).replace('"', "")
    apart = _BEFORE_CASE.match(clause)
    clause = clause[apart.end() :] if apart is not None else clause.lstrip()
    rest = of_case(clause, words)
    if rest is None or words.otherwise.anywhere(clause):
        return rest is not None
    if words.clause_blank:
        return " " not in rest and not speaks(rest, words)
    return apart is not None and CLAUSE.search(rest) is None and not speaks(rest, words)


def of_case(clause: str, words: Context) -> str | None:
    """What a folded clause that names a case says of it; None if it names none."""
    begun = words.cases.end_of(clause)
    if begun is None:
        return clause if words.cases.close(clause) else None
    # "Si bien" is "although", but "as long as" is no "as".
    if words.because.begin(clause) and not words.because.begin(clause[:begun]):
        return None
    return clause[begun:].lstrip(" ,").rstrip(" )")


@lru_cache(maxsize=64)
def behind_case(text: str, words: Context, start: int) -> bool:
    """True where an answer follows a clause that names a case, with at most a word for "then" between them.

    "If it rains, yes", "If it rains then yes", "雨が降れば「はい」".
    """
    before = SENTENCE_END.split(text[max(0, start - _LONGEST_CASE) : start])[-1]
    clauses = CLAUSE.split(fold(before).rstrip(" \"'([{<"))
    own = clauses[-1].strip()
    said = of_case(own, words) if own else None
    then = len(own) <= _LONGEST_THEN if is_unspaced(own) else " " not in own
    if said is None and then and len(clauses) > 1:
        said = of_case(clauses[-2].strip(), words)
    return said is not None and not speaks(said, words)


def speaks(clause: str, words: Context) -> bool:
    """True where a clause names the speaker; in the language asked for, since Swedish "i" is no "I"."""
    said, spaced, _ = words_of(clause)
    return any(each.speaker.among(said, spaced) for each in words.declining[:1])


def in_other_case(text: str, words: Context, start: int, end: int) -> bool:
    """True where "otherwise" is before an answer in its sentence, or directly behind it: "If so, A; otherwise B"."""
    before = SENTENCE_END.split(text[max(0, start - WIDE) : start])[-1]
    behind = text[end : end + WIDE].lstrip(f"{PUNCTUATION}\"')]}}> \n–—-")
    # What follows may be "otherwise" and nothing else: "B if x is positive; C otherwise".
    return words.otherwise.anywhere(fold(before)) or words.otherwise.begin(
        f"{fold(CLAUSE.split(behind)[0])} "
    )


def clouded(text: str, words: Context, start: int) -> bool:
    """True where a negation is further before an answer in its clause: "I do not think that it is at all true"."""
    return words.negators.close(_before(text, words, start, WIDE))


@lru_cache(maxsize=64)
def clause_before(text: str, start: int) -> str:
    """The clause before a place of a text, folded."""
    return fold(CLAUSE.split(text[max(0, start - WIDE) : start])[-1])


@lru_cache(maxsize=64)
def _before(text: str, words: Context, start: int, count: int = _NEAR) -> str:
    """The last words of the clause before an answer, behind any "but", folded."""
    said = " ".join(clause_before(text, start).split()[-count:])
    return said if stands(words.all_but, f" {said} ") else behind_but(said, words.but)


def negated_behind(text: str, words: Context, end: int) -> bool:
    """True where a negation is directly behind an answer, or behind its ending."""
    if not words.after and not words.after_ends:
        return False
    rest = fold(CLAUSE.split(_CLOSED.sub("", text[end : end + WIDE]))[0])
    rest = rest.lstrip()
    following = rest.split()[:2]
    if words.after_ends and any(word.endswith(words.after_ends) for word in following):
        return True
    near = [rest, *following]
    bare = words.endings.match(rest)
    if bare:
        near += [rest[bare.end() :], *rest[bare.end() :].split()[:1]]
    return any(part.startswith(words.after) for part in near)


def own_clause(text: str, words: Context, start: int, end: int) -> bool:
    """True where nothing else is in the clause."""
    before = text[:start].rstrip(" \"'([{<")
    return (not before or before[-1] in PUNCTUATION + "\n:-–—") and words.set_apart.match(
        text, end
    ) is not None


def is_clause(text: str, start: int, word: str) -> bool:
    """True where nothing but punctuation, quotes, blanks or another script precedes; the pattern saw what follows."""
    before = text[start - 1 : start]
    return not before or script_of(before) != script_of(word[0])


def behind_but(text: str, but: frozenset[str]) -> str:
    """What is behind the last "but": "not A but B" says nothing against B."""
    if not stands(but, text):
        return text
    kept = text.split()
    for place in range(len(kept) - 1, -1, -1):
        if kept[place] in but:
            return " ".join(kept[place + 1 :])
    for word in but:
        if is_unspaced(word) and word in text:
            return text.rpartition(word)[2]
    return text
