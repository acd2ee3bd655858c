"""Which numbers of a reply may be its answer: none that is denied or asked, explains another in brackets, or is a case.

Like a label, a number is no answer where it holds in one case only ("12, if it rains"). A case that names a number is
a step of a calculation and leaves nothing open: "If she eats 5, 7 are left".
"""

from __future__ import annotations

import re

from hesperus.answers.context import (
    CLAUSE,
    Context,
    asked,
    behind_case,
    case_behind,
    follows_negator,
    left_open,
)
from hesperus.answers.number_values import numbers_in
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import SENTENCE_END, fold
from hesperus.answers.triggers import words_of

_STEP = re.compile(r"^\d{1,2}[.)] (?=[^\W\d_])", re.MULTILINE)
"""What counts the steps of a solution, a line each: "1. First we add.", "2. Then we divide."."""
_BRACKETED = re.compile(r"\([^()\n]*\)")
_TERM = re.compile(r"(?:[A-Za-z0-9(=^*/×·÷+]|[=^*/×·÷+−–-] )\Z")
"""What makes brackets behind it a part of a formula: "f(2)", "3 × (2 + 1)"."""
_UNFINISHED = re.compile(r"\d ?[-−–+*/×·÷] ?\d[\d.,]* ?\Z")
"""A calculation whose result may be in the brackets behind it: "12 + 5 (17)"."""
_RESULT = re.compile(r"(?:[=:]|\A) ?([-−–]?\d[\d.,]*)(?: [^\W\d_]+)? ?\Z")
"""A result at the end of a text or all of it, with its unit: "x = 5", "5 apples"."""
_LONGEST_BOUND = 40
"""Characters in which words that bound a number are looked for."""
_MONEY = " $€£¥₹\"'("
"""What may be between such words and the number."""
_DIGIT = re.compile(r"\d")
_UNIT = re.compile(r"(?: ?[^\W\d_]+){1,3}(?=,)")
"""What is counted, between a number and a comma: "12 apples, if it rains"."""
_WORD_START = re.compile(r"(?<!\w)\w")
_LONGEST_CASE = 160
"""Characters in which a clause that names a case is looked for, and a number before brackets."""


def undenied(text: str, reply: Text) -> list[tuple[int, str]]:
    """The numbers that nothing negates or asks and that neither count steps nor explain another: "not 12 but 15" holds one."""
    steps = [match.start() for match in _STEP.finditer(text)] if "\n" in text else []
    counting = steps if len(steps) > 1 else ()
    return [
        (place, token)
        for place, token in numbers_in(unexplained(text, reply))
        if place not in counting
        and not follows_negator(text, reply.around, place)
        and not _held_off(text, reply.around, place)
        and not asked(text, place + len(token))
    ]


def _held_off(text: str, words: Context, place: int) -> bool:
    """True directly behind words that only bound a number or put another in its place: "more than 100", "instead of 100"."""
    before = fold(text[max(0, place - _LONGEST_BOUND) : place]).rstrip(_MONEY)
    return words.bounds.end(before) or words.negators.end(before)


def unexplained(text: str, reply: Text) -> str:
    """The text with blanks for what is in brackets behind a number of the sentence and explains it.

    "7 apples (12 minus 5)", "x = 5 (since 5 + 7 = 12)". An equation explains where it gives a reason, or where the number
    before it is a result itself and one of its terms: "5 and 7 (5 + 7 = 12)" ends with the result.
    """
    if "(" not in text:
        return text
    kept, start = [], 0
    for match in _BRACKETED.finditer(text):
        begin, end = match.span()
        before = SENTENCE_END.split(text[max(0, begin - _LONGEST_CASE) : begin])[-1]
        if _DIGIT.search(before) is None or _UNFINISHED.search(before) is not None:
            continue
        said = text[begin + 1 : end - 1]
        tells = _TERM.search(before[-2:]) is None and ("=" not in said or _checks(before, said))
        if tells or reply.around.because.begin(fold(said)):
            kept += [text[start:begin], " " * (end - begin)]
            start = end
    return "".join([*kept, text[start:]])


def _checks(before: str, equation: str) -> bool:
    """True where an equation tries out the result before it: "x = 5 (5 + 7 = 12)"."""
    result = _RESULT.search(before)
    terms = [token for _, token in numbers_in(equation.rpartition("=")[0])]
    return result is not None and result[1] in terms


def claimed(said: str, found: list[tuple[int, str]], reply: Text) -> list[tuple[int, str]]:
    """The numbers up to the last one that is no part of a case; none where that one holds in one case only.

    Args:
        said: The reply with plain digits.
        found: Its numbers, each with its place.
        reply: The reply.
    """
    if not found or not reply.around.supposers.stand_in(reply.folded, words_of(reply.folded)[2]):
        return found
    last = len(found) - 1
    while last > 0 and _names_case(
        said[found[last - 1][0] + len(found[last - 1][1]) : found[last][0]], reply
    ):
        last -= 1
    place, token = found[last]
    return [] if _is_case(said, place, place + len(token), reply) else found[: last + 1]


def _names_case(between: str, reply: Text) -> bool:
    """True where a clause that names a case begins between two numbers of a sentence: "7 are left if 5 are eaten"."""
    if len(between) > _LONGEST_CASE or SENTENCE_END.search(between) is not None:
        return False
    folded = fold(between)
    starts = (match.start() for match in _WORD_START.finditer(folded))
    return any(
        CLAUSE.search(folded, start) is None and reply.around.cases.end_of(folded[start:]) is not None
        for start in starts
    )


def _is_case(said: str, place: int, end: int, reply: Text) -> bool:
    """True where a number holds in a case that names no other number."""
    before = SENTENCE_END.split(said[max(0, place - _LONGEST_CASE) : place])[-1]
    if not any(map(str.isdigit, before)) and behind_case(said, reply.around, place):
        return True
    behind = SENTENCE_END.split(said[end : end + _LONGEST_CASE], maxsplit=1)[0]
    if any(map(str.isdigit, behind)):
        return False
    unit = _UNIT.match(behind)
    return (
        case_behind(said, reply.around, end)
        or left_open(said, reply.around, end)
        or (unit is not None and left_open(said, reply.around, end + unit.end()))
    )
