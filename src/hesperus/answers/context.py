"""What stands around an answer: a negation on either side, a condition, "or", a word that calls it wrong.

The words are those of the language's grammar (see hesperus.languages.grammar); the rules are the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hesperus.answers.lexicon import CLOSERS, OPENERS, endings, joins, prefixes, set_apart
from hesperus.answers.phrases import Phrases, Words
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.spelling import SENTENCE_END, fold, respelt
from hesperus.answers.wording import Wording
from hesperus.languages.letters import script_of
from hesperus.normalization import PUNCTUATION, key

_CLAUSE = re.compile(rf"[{PUNCTUATION}\"()\n]")
_ASKED = re.compile(rf"(?:{CLOSERS}){{0,3}}[^{PUNCTUATION}\"()\n]{{0,60}}(?:{CLOSERS}){{0,3}} ?[?؟]")
_BEHIND_LETTER = re.compile(rf"\A(?:{CLOSERS})*(?: ?\([^()\n]{{0,60}}\))? ?[:–—-]? ?")
_CLOSED = re.compile(rf"\A(?:{CLOSERS})+")
_LISTED = re.compile(rf"\A(?:{CLOSERS})*(?:[)\]}}>]| ?[:–—-]) ?")
_WIDE = 60
_LONGEST_JOIN = 14
_ENDINGS = 2
_DENIED_WORDS, _DENIED_CHARACTERS = 3, 12
"""How far behind a letter what calls it wrong may stand: "A is the wrong answer", 選択肢Aは間違いです."""


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The words of a language that turn an answer round, folded and ready to be looked for."""

    negators: Words
    after: tuple[str, ...]
    against: Words
    conditions: Words
    but: frozenset[str]
    predicates: frozenset[str]
    wrong: Phrases
    right: Phrases
    because: Phrases
    refusals: Phrases
    joined: re.Pattern[str]
    before_or: re.Pattern[str]
    behind_or: re.Pattern[str]
    set_apart: re.Pattern[str]
    endings: re.Pattern[str]


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
    named = "|".join(re.escape(_folded(word, wording)) for word in wording.option_words) or r"(?!)"
    ends = "|".join(
        re.escape(_folded(word, wording)) for word in sorted(grammar.endings, key=len, reverse=True)
    )
    return Context(
        negators=Words.of(folded(grammar.negators)),
        after=folded(grammar.negators_after),
        against=Words.of(folded((*grammar.negators, *grammar.negators_after, *grammar.conditions))),
        conditions=Words.of(folded(grammar.conditions)),
        but=frozenset(folded(grammar.but)),
        predicates=frozenset(folded(grammar.predicates)),
        wrong=phrases(wording.wrong),
        right=phrases(wording.right),
        because=phrases(grammar.because),
        refusals=phrases(wording.refusals),
        joined=re.compile(
            rf"[\s\"'()\[\]]*(?:(?:[,、;/&+]\s?(?i:{joins(wording)})?)|(?i:{joins(wording)}))[\s\"'()\[\]]*{prefixes(wording)}"
        ),
        before_or=re.compile(
            rf"(?:(?:\A|[^\w']|(?<=[A-Ha-h]))(?:{spaced})|(?:{unspaced})) ?(?:{OPENERS}){{0,3}}(?:(?:{named}) ?(?:{OPENERS}){{0,2}})?{prefixes(wording)}\Z"
        ),
        behind_or=re.compile(
            rf"{endings(wording, ' ?')}(?:{CLOSERS}){{0,3}} ?(?:(?:{spaced})(?![\w'])|(?:{unspaced}))"
        ),
        set_apart=re.compile(set_apart(wording)),
        endings=re.compile(f"(?:{ends})" if ends else r"(?!)"),
    )


def _folded(word: str, wording: Wording) -> str:
    return fold(respelt(key(word), wording.grammar))


def alternative(text: str, words: Context, start: int, end: int) -> bool:
    """True where "or" joins another answer: "A or B", "… or not"."""
    if words.behind_or.match(fold(text[end : end + 30])):
        return True
    return words.before_or.search(fold(text[max(0, start - 30) : start])) is not None


def conditional(text: str, words: Context, place: int) -> bool:
    """True where a condition stands before a place of the same sentence."""
    before = SENTENCE_END.split(text[max(0, place - 200) : place])[-1]
    return words.conditions.close(fold(before))


def follows_negator(text: str, words: Context, start: int) -> bool:
    """True where a negation stands directly before a cue: 不应选 A."""
    before = fold(text[max(0, start - _WIDE) : start])
    return words.negators.close(" ".join(_CLAUSE.split(before)[-1].split()[-1:]))


def asked(text: str, end: int) -> bool:
    """True where the clause ends with a question mark, or holds the Armenian one, which stands on a word inside it."""
    if "՞" in text:
        return "՞" in _CLAUSE.split(text[max(0, end - _WIDE) : end])[-1] + _CLAUSE.split(text[end:])[0]
    return _ASKED.match(text, end) is not None


def negated(text: str, words: Context, start: int, end: int) -> bool:
    """True where a negation stands within two words before an answer, or directly behind it."""
    return words.negators.close(_before(text, words, start)) or negated_behind(text, words, end)


def negates(folded: str, words: Context) -> bool:
    """True where a negation or a condition stands anywhere in a short folded text."""
    return words.against.anywhere(folded)


def supposed(text: str, words: Context, start: int, end: int) -> bool:
    """True where a condition stands within two words before an answer, or behind it as negations do."""
    return words.conditions.close(_before(text, words, start)) or _case_behind(text, words, end)


def _case_behind(text: str, words: Context, end: int) -> bool:
    """True where a condition follows in a language that also negates behind the word: "සත්‍ය නම්"."""
    behind = fold(_CLAUSE.split(text[end : end + _WIDE])[0]).split()[:1]
    return bool(words.after) and words.conditions.hold(behind)


def in_case(text: str, words: Context, start: int, end: int) -> bool:
    """True where the clause of an option letter begins with a condition: "If the answer is A, …"."""
    if _case_behind(text, words, end):
        return True
    clause = fold(_CLAUSE.split(text[max(0, start - _WIDE) : start])[-1]).lstrip()
    return words.conditions.begin(clause)


def clouded(text: str, words: Context, start: int) -> bool:
    """True where a negation stands further before an answer in its clause: "I do not think that it is at all true"."""
    return words.negators.close(_before(text, words, start, _WIDE))


def _before(text: str, words: Context, start: int, count: int = 3) -> str:
    """The last words of the clause before an answer, behind any "but", folded."""
    clause = _CLAUSE.split(text[max(0, start - _WIDE) : start])[-1]
    return _behind_but(fold(" ".join(clause.split()[-count:])), words.but)


def negated_behind(text: str, words: Context, end: int) -> bool:
    """True where a negation stands directly behind an answer, or behind its ending."""
    if not words.after:
        return False
    rest = fold(_CLAUSE.split(_CLOSED.sub("", text[end : end + _WIDE]))[0])
    rest = rest.lstrip()
    near = [rest, *rest.split()[:2]]
    bare = words.endings.match(rest)
    if bare:
        near += [rest[bare.end() :], *rest[bare.end() :].split()[:1]]
    return any(part.startswith(words.after) for part in near)


def chained(text: str, words: Context) -> bool:
    """True where a text between two letters joins them: ", ", " or ", ", and"; not "but", nor any other word."""
    return len(text) <= _LONGEST_JOIN and words.joined.fullmatch(text) is not None


def denied(text: str, words: Context, end: int, option: str = "") -> bool:
    """True where an option letter is called wrong behind it: "(A) is not true", "A 틀렸습니다", "विकल्प A गलत है".

    Args:
        text: The reply.
        words: What turns an answer round.
        end: End of the letter.
        option: Text of its option, which may stand between: "A: None of them" denies nothing.
    """
    behind = text[end : end + 80 + len(option)]
    rest = _behind_letter(behind, option)
    # "C) None of the two", "C None of the two": that is the option's text and no judgement of it.
    titled = (
        _LISTED.match(behind) is not None
        or rest[:1].isupper()
        or (behind[:1] == " " and is_unspaced(rest[:1]))
    )
    clause = _CLAUSE.split(fold(rest))[0]
    if clause and is_unspaced(clause[0]):
        if titled:
            # Burmese sets blanks between phrases: "A သည် မှားပါသည်" calls A wrong behind a particle.
            parts = (clause, *clause.split()[1:_DENIED_WORDS])
            return any(words.wrong.begin(part) or part.startswith(words.after) for part in parts)
        close = clause[:_DENIED_CHARACTERS]
        return words.wrong.stand_in(close) or any(
            word in close for word in (*words.after, *words.negators.unspaced) if is_unspaced(word)
        )
    near = clause.split()[:_DENIED_WORDS]
    if words.wrong.stand_in(" ".join(near)) or words.negators.close(" ".join(near[titled:])):
        return True
    if any(
        part.startswith(word) or (len(word) > 2 and word in part) for part in near for word in words.after
    ):
        return True
    if any(word in " ".join(near) for word in words.after if " " in word):
        return True
    return not titled and _denied_at_end(clause.split(), words)


def _denied_at_end(clause: list[str], words: Context) -> bool:
    """True where a negation ends the clause, as verbs do in many languages: "A हे योग्य उत्तर नाही"."""
    if not any(part.startswith(words.after) for part in clause[-2:]):
        return False
    return not any(words.because.begin(" ".join(clause[place:])) for place in range(len(clause)))


def upheld(text: str, words: Context, place: tuple[int, int], option: str = "") -> bool:
    """True where the clause of an option letter ends with it, gives its option's text, or calls it right.

    "Option A seems odd" says something of A, and nobody knows what: it is no answer.

    Args:
        text: The reply.
        words: What turns an answer round.
        place: Start and end of the letter.
        option: Text of its option.
    """
    start, end = place
    behind = text[end : end + 80 + len(option)]
    rest = _behind_letter(behind, option)
    if _LISTED.match(behind) is not None or rest[:1].isupper():
        return True
    clause = _CLAUSE.split(_behind_endings(fold(rest), words))[0].strip()
    if not clause or not clause[0].isalnum() or words.because.begin(clause) or (option and option in clause):
        return True
    before = _CLAUSE.split(text[max(0, start - _WIDE) : start])[-1]
    return words.right.stand_in(clause) or words.right.stand_in(fold(before))


def _behind_letter(behind: str, option: str) -> str:
    """What stands behind a letter and what closes it, and behind the text of its option."""
    rest = _BEHIND_LETTER.sub("", behind)
    if option and fold(rest).startswith(fold(option)):
        rest = _BEHIND_LETTER.sub("", rest[len(option) :])
    return rest


def _behind_endings(text: str, words: Context) -> str:
    """A folded text without the endings it begins with: "번입니다" holds two."""
    for _ in range(_ENDINGS):
        ending = words.endings.match(text)
        if ending is None:
            break
        text = text[ending.end() :]
    return text


def own_clause(text: str, words: Context, start: int, end: int) -> bool:
    """True where nothing else stands in the clause."""
    before = text[:start].rstrip(" \"'([{<")
    return (not before or before[-1] in PUNCTUATION + "\n:-–—") and words.set_apart.match(
        text, end
    ) is not None


def is_clause(text: str, start: int, word: str) -> bool:
    """True where nothing but punctuation, quotes, blanks or another script precedes; the pattern saw what follows."""
    before = text[start - 1 : start]
    return not before or script_of(before) != script_of(word[0])


def _behind_but(text: str, but: frozenset[str]) -> str:
    """What stands behind the last "but": "not A but B" says nothing against B."""
    kept = text.split()
    for place in range(len(kept) - 1, -1, -1):
        if kept[place] in but:
            return " ".join(kept[place + 1 :])
    for word in but:
        if is_unspaced(word) and word in text:
            return text.rpartition(word)[2]
    return text
