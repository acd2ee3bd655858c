"""What a reply says of an option letter: that it is wrong or left out, that it is right, or only that it may be."""

from __future__ import annotations

import re
from functools import lru_cache

from hesperus.answers.context import (
    CLAUSE,
    WIDE,
    Context,
    behind_but,
    case_behind,
    clause_before,
    in_other_case,
    left_open,
)
from hesperus.answers.role_patterns import CLOSERS
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.spelling import fold

_BRACKETED = re.compile(r" ?\([^()\n]{0,60}\)")
"""What is in brackets says nothing of a letter before it, but what follows may: "A seçeneği (Paris) elenir"."""
_BEHIND_LETTER = re.compile(rf"\A(?:{CLOSERS})* ?[:–—-]? ?")
_LISTED = re.compile(rf"\A(?:{CLOSERS})*(?:[)\]}}>]| ?[:–—]| ?-(?!\w)) ?")
_OPENING = frozenset("\"'([{< ")
_LONGEST_JOIN = 14
_ENDINGS = 2
_DENIED_WORDS, _DENIED_CHARACTERS = 3, 12
"""How far behind a letter what calls it wrong may stand: "A is the wrong answer", 選択肢Aは間違いです."""
_LONE_CAPITAL = re.compile(r"(?<=[^A-Za-z])[A-H](?![A-Za-z])")
_FAR = 80
"""Characters of a clause behind a letter that may say something of it."""


@lru_cache(maxsize=64)
def in_case(text: str, words: Context, start: int, end: int) -> bool:
    """True where the clause of an option letter begins with a condition ("If the answer is A, …"), has one behind, or is the other case."""
    if case_behind(text, words, end) or left_open(text, words, end):
        return True
    if in_other_case(text, words, start, end):
        return True
    while text[start - 1 : start] and text[start - 1] in _OPENING:
        start -= 1
    clause = clause_before(text, start).lstrip()
    return words.conditions.begin(clause) if clause else _unless(text, words, start)


def _unless(text: str, words: Context, start: int) -> bool:
    """True where the clause before is a condition and a negation and nothing else: "si es D; si no, B"."""
    before = clause_before(text, start - 1 - text[:start].endswith(" ")).split()
    return (
        1 < len(before) <= _DENIED_WORDS
        and words.conditions.hold(before[:1])
        and all(words.negators.hold([word]) for word in before[1:])
    )


def chained(text: str, words: Context) -> bool:
    """True where a text between two letters joins them: ", ", " or ", ", and"; not "but", nor any other word."""
    return len(text) <= _LONGEST_JOIN and words.joined.fullmatch(text) is not None


def chosen_behind(text: str, words: Context, end: int) -> bool:
    """True where a word for "but" follows a letter, as it does in Basque: "Ez da A, B baizik" is B."""
    behind = CLAUSE.split(text[end : end + WIDE])[0].split()
    return bool(behind) and fold(behind[0]) in words.but


def denied(text: str, words: Context, end: int, option: str = "") -> bool:
    """True where an option letter is called wrong behind it: "(A) is not true", "A 틀렸습니다", "विकल्प A गलत है".

    Args:
        text: The reply.
        words: What turns an answer round.
        end: End of the letter.
        option: Text of its option, which may be between: "A: None of them" denies nothing.
    """
    behind = _BRACKETED.sub("", text[end : end + _FAR + len(option)])
    rest = _behind_letter(behind, option)
    if _before_another(rest, words):
        return False
    # "C) None of the two", "C None of the two": that is the option's text and no judgement of it.
    titled = (
        _LISTED.match(behind) is not None
        or rest[:1].isupper()
        or (behind[:1] == " " and is_unspaced(rest[:1]))
    )
    clause = CLAUSE.split(fold(rest))[0]
    if (reason := words.because.place(clause)) is not None:
        clause = clause[:reason]
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


def excluded(text: str, words: Context, place: tuple[int, int], option: str = "") -> bool:
    """True where the clause of an option letter says that something is left out, and calls nothing right.

    "J'exclurais l'option A", "Scarterei A", "Aは除外できます": the word that excludes may be far from the letter.

    Args:
        text: The reply.
        words: What turns an answer round.
        place: Start and end of the letter.
        option: Text of its option, which excludes nothing.
    """
    start, end = place
    before = behind_but(clause_before(text, start), words.but)
    behind = _BRACKETED.sub("", text[end : end + _FAR + len(option)])
    rest = "" if _LISTED.match(behind) else fold(CLAUSE.split(_behind_letter(behind, option))[0])
    reason = words.because.place(rest)
    said = f"{before} | {rest if reason is None else rest[:reason]}"
    return words.excludes.stand_in(said) and not called_right(said, words)


def called_right(folded: str, words: Context) -> bool:
    """True where a folded text calls something right, and not only by a part of "option" or of "väljer bort"."""
    if not words.right.stand_in(folded):
        return False
    rest = words.option_words.sub(" ", folded)
    return words.right.stand_in(words.excludes.cut(rest, rest))


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
    behind = _BRACKETED.sub("", text[end : end + _FAR + len(option)])
    rest = _behind_letter(behind, option)
    if _LISTED.match(behind) is not None or rest[:1].isupper() or chosen_behind(text, words, end):
        return True
    if _before_another(rest, words):
        return True
    # What is said behind a further letter is said of that one: "A는 맞지 않으므로 B를 고르겠습니다".
    clause = CLAUSE.split(_behind_endings(fold(_LONE_CAPITAL.split(rest)[0]), words))[0].strip()
    if not clause or not clause[0].isalnum() or words.because.begin(clause) or (option and option in clause):
        return True
    if words.wrong.stand_in(clause):
        return False
    return called_right(clause, words) or called_right(clause_before(text, start), words)


def _before_another(rest: str, words: Context) -> bool:
    """True where behind a letter there is a negation and another letter, which it denies: "B instead of A"."""
    parts = _LONE_CAPITAL.split(rest, maxsplit=1)
    return len(parts) > 1 and words.negators.are(fold(parts[0]).strip())


def _behind_letter(behind: str, option: str) -> str:
    """What is behind a letter and what closes it, and behind the text of its option."""
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
