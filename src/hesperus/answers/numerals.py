"""The rules that read numbers in replies: in a box, behind a cue, the last number of a worked answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from hesperus.answers.context import in_other_case, own_clause
from hesperus.answers.needles import Needles, whole_words
from hesperus.answers.number_context import claimed, undenied, unexplained
from hesperus.answers.number_values import LONGEST, number_of, numbers_in, plain_number, value_of
from hesperus.answers.number_words import final_number
from hesperus.answers.refusals import declines, guesses
from hesperus.answers.reply_text import Text
from hesperus.answers.reply_words import Wording
from hesperus.answers.role_patterns import cue_triggers, endings, joins
from hesperus.answers.scripts import alternatives, bounded, edges, is_dense
from hesperus.answers.self_corrections import corrected
from hesperus.answers.spelling import SENTENCE_END, fold, respelt
from hesperus.answers.triggers import words_of
from hesperus.normalization import PUNCTUATION, key, peel, plain_digits

_BOXED = re.compile(r"\\f?boxed ?\{((?:(?!\\f?boxed ?\{)[^\n]){1,200})")
_DIGIT = re.compile(r"\d")
_FEW, _FEW_UNSPACED = 3, 5
"""Words, one of them a number, behind or before a correction; letters of scripts that write syllables or words."""
_LONGEST_DECLINING = 200
"""Characters of a reply that declines and only mentions a number: "I lack information; the text names 3 people."."""
_YEAR = re.compile(r"1\d{3}|20\d{2}|2100")
_LONGEST_JOIN = 10
"""Characters between two parts of a number: blanks and "and"."""
_OPERATORS = r"[⁄/^×*·⋅]|\\times|\\cdot"


@lru_cache(maxsize=256)
def _beside(wording: Wording) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What makes a number before or behind it a part of a formula, a date or a choice: "3.5/7", "3 × 10^6", "10 to 12"."""
    between = "|".join(re.escape(respelt(key(word), wording.grammar)) for word in wording.grammar.up_to)
    joining = f"(?:{_OPERATORS}|(?i:{joins(wording)}|{between or r'(?!)'}))"
    counted = r"[^\W\d_]{0,4}"
    return (
        re.compile(rf"\d{counted} ?{joining} ?-?\Z|[/⁄^]\Z|\d[:–]\Z"),
        re.compile(rf"{counted} ?{joining} ?-?\d|\^|[:–]\d"),
    )


def _multiplied(text: str, found: list[tuple[int, str]], reply: Text) -> str | None:
    """The value of the first of some numbers in a text, with its magnitude and the parts that belong to it.

    "3 million", "3万", "milioni 3", "۱۲/۵" in Persian; "2 millones 300 mil" and "1億2500万" are one number in parts.
    """
    value, factor, end = _part(text, found[0], reply)
    if value is None or factor == 1:
        return value
    total = Decimal(value) * factor
    for place, token in found[1:]:
        more, less, behind = _part(text, (place, token), reply)
        if more is None or not _continues(text[end:place], (factor, less), more, reply):
            break
        total, factor, end = total + Decimal(more) * less, less, behind
    return plain_number(total)


def _continues(between: str, factors: tuple[int, int], more: str, reply: Text) -> bool:
    """True where a number is a further part of the one before: smaller, and with nothing but "and" between them.

    Without a magnitude it must be on the one before ("3万5000") or fill up its thousand ("50 mil 300").
    """
    factor, less = factors
    if less >= factor or not more.isdecimal() or int(more) * less >= factor:
        return False
    if less == 1 and between and (factor, len(more)) != (1000, 3):
        return False
    joined = between.strip(" ,")
    return len(between) <= _LONGEST_JOIN and (not joined or fold(joined) in _joins(reply.reader.wording))


def _part(text: str, found: tuple[int, str], reply: Text) -> tuple[str | None, int, int]:
    """Value of a number in its text, the magnitude that multiplies it, and where both end."""
    place, token = found
    end = place + len(token)
    wording = reply.reader.wording
    before, behind = _beside(wording)
    alone = before.search(text, max(0, place - LONGEST), place) is None and behind.match(text, end) is None
    value, factor = (value_of(token, reply.reader.language) if alone else None), 1
    if wording.grammar.magnitude_first and (match := _magnitude_before(wording).search(text[:place])):
        return value, _factor(wording, match), end
    while value is not None and (match := _magnitudes(wording).match(text, end)):
        factor *= _factor(wording, match)
        end = match.end()
    return value, factor, end


def _begins(text: str, found: list[tuple[int, str]], reply: Text) -> int:
    """Place among some numbers of the first part of the last one: of "2 millones" in "2 millones 300 mil"."""
    first = len(found) - 1
    more, less, _ = _part(text, found[first], reply)
    while first > 0 and more is not None:
        before, factor, end = _part(text, found[first - 1], reply)
        if not _continues(text[end : found[first][0]], (factor, less), more, reply):
            break
        first, more, less = first - 1, before, factor
    return first


@lru_cache(maxsize=256)
def _joins(wording: Wording) -> frozenset[str]:
    """Words that may join the parts of a number: "2 million and 5 thousand"."""
    return frozenset(fold(respelt(key(word), wording.grammar)) for word in wording.grammar.joins)


@lru_cache(maxsize=256)
def _factors(wording: Wording) -> Mapping[str, int]:
    """Magnitudes without their stars, and their factors."""
    return {
        fold(respelt(key(word.rstrip("*")), wording.grammar)): int(factor)
        for word, factor in wording.grammar.magnitudes.items()
    }


def _factor(wording: Wording, match: re.Match[str]) -> int:
    """Factor of the magnitude that a pattern found: its one group that took part."""
    return _factors(wording)[fold(next(word for word in match.groups() if word))]


@lru_cache(maxsize=256)
def _stems(wording: Wording) -> frozenset[str]:
    starred = (word.rstrip("*") for word in wording.grammar.magnitudes if word.endswith("*"))
    return frozenset(fold(respelt(key(word), wording.grammar)) for word in starred)


@lru_cache(maxsize=256)
def _magnitudes(wording: Wording) -> re.Pattern[str]:
    # Behind a number a word begins with or without a blank ("3million", "3 million"): only its end needs a boundary.
    found = _alternatives(wording, endings=endings(wording), left=False)
    return re.compile(rf"[ \u00a0-]?{found}")


@lru_cache(maxsize=256)
def _magnitude_before(wording: Wording) -> re.Pattern[str]:
    return re.compile(rf"{_alternatives(wording)}[ -]\Z")


def _alternatives(wording: Wording, *, endings: str = "", left: bool = True) -> str:
    """Pattern of the magnitudes, longest first; a star represents any ending and belongs to no group."""
    words = sorted(_factors(wording), key=lambda word: (-len(word), word))
    whole = [word for word in words if word not in _stems(wording)]
    stems = [word for word in words if word in _stems(wording)]
    found = [bounded(f"({re.escape(word)})", word, endings=endings, left=left) for word in whole]
    found += [rf"({re.escape(word)})[^\W\d_]*" for word in stems]
    return f"(?i:{'|'.join(found)})" if found else r"(?!)"


def boxed_number(reply: Text) -> str | None:
    r"""The first number in the last LaTeX box: `\boxed{42}`."""
    boxes = _BOXED.findall(plain_digits(reply.text)) if "boxed" in reply.text else []
    inner = re.sub(r"\\[,;! ]|\{,\}", "", boxes[-1]) if boxes else ""
    found = numbers_in(inner)
    return _multiplied(inner, found, reply) if found else None


def corrected_number(reply: Text) -> str | None:
    """What a short reply puts in place of a number that it gave before: "12. Sorry, 15."."""
    return corrected(reply, (cue_number, _short_number))


def _short_number(reply: Text) -> str | None:
    """The one number of very few words."""
    found = numbers_in(plain_digits(reply.text))
    few = len(reply.text.split()) <= _FEW and len(reply.text) <= LONGEST
    dense = sum(is_dense(letter) for letter in reply.text)
    return last_number(reply) if found and few and dense <= _FEW_UNSPACED else None


def cue_number(reply: Text) -> str | None:
    """The number behind the last cue in its sentence; behind the last equals sign if there is one."""
    said = _in_digits(reply)
    places = [cue.end() for cue in _cues_in(reply, said)]
    if not places:
        return None
    rest = said[places[-1] :]
    if reply.reader.wording.grammar.prefixes:
        # The hyphen of "ngu-15" is no minus.
        rest = rest.removeprefix("-")
    sentence = SENTENCE_END.split(rest.lstrip(" :\n"), maxsplit=1)[0]
    told = unexplained(sentence, reply).rpartition("=")[2]
    found = claimed(told, undenied(told, reply), reply)
    return _multiplied(told, found, reply) if found else None


def last_number(reply: Text) -> str | None:
    """The last number of the reply that nothing denies: "42, not 24" is 42.

    What follows words of regret is no answer ("12. Sorry, I only have 3 sources."), nor what a reply mentions that
    declines.
    """
    said = _in_digits(reply)
    found = claimed(said, undenied(said, reply), reply)
    found = found[: _before_regret(said, found, reply)] if len(found) > 1 else found
    if not found or _only_mentioned(said, found, reply) or _only_a_year(said, found[-1], reply):
        return None
    place, token = found[-1]
    if len(found) > 1 and in_other_case(said, reply.around, place, place + len(token)):
        return None
    return _multiplied(said, found[_begins(said, found, reply) :], reply)


def _before_regret(said: str, found: list[tuple[int, str]], reply: Text) -> int:
    """How many numbers are in the first sentence, if the second regrets something and does not end with a number.

    None of them counts if a word of correction is in what follows.
    """
    end = found[0][0] + len(found[0][1])
    last = found[-1][0] + len(found[-1][1])
    sentence = SENTENCE_END.search(said, end)
    for place in (end, *([sentence.end()] if sentence else ())):
        rest = fold(said[place:])
        ending = reply.around.endings.match(rest)
        rest = rest[ending.end() if ending else 0 :].lstrip(f"{PUNCTUATION} \n")
        if reply.around.regrets.begin(rest) and peel(said[last:]):
            rest = reply.around.regrets.cut(rest, rest)
            corrects = reply.around.corrections.stand_in(rest)
            return 0 if corrects else sum(start < place for start, _ in found)
    return len(found)


def _only_mentioned(said: str, found: list[tuple[int, str]], reply: Text) -> bool:
    """True where a short reply declines, guesses nothing, and no number begins it or is a clause of its own."""
    if len(said) > _LONGEST_DECLINING or not declines(reply) or guesses(reply):
        return False
    place, token = found[-1]
    return peel(said[: found[0][0]]) != "" and not own_clause(said, reply.around, place, place + len(token))


def _only_a_year(said: str, found: tuple[int, str], reply: Text) -> bool:
    """True where a short reply says that what was asked is not in a text, and only mentions a year."""
    place, token = found
    if len(said) > _LONGEST_DECLINING or _YEAR.fullmatch(token) is None:
        return False
    # The hyphen of "ngo-1987" sets nothing apart.
    alone = not said[:place].endswith("-") and own_clause(said, reply.around, place, place + len(token))
    return not alone and reply.around.unsaid.stand_in(reply.folded)


@lru_cache(maxsize=2)
def _in_digits(reply: Text) -> str:
    """The reply with plain digits, also where it is nothing but a number in words, or ends with one behind a cue."""
    said = plain_digits(reply.text)
    if _DIGIT.search(said) is not None or (number := final_number(said, reply.reader.wording)) is None:
        return said
    place, value = number
    before = said[:place]
    behind_cue = any(not said[cue.end() : place].strip(" :\n\"'") for cue in _cues_in(reply, before))
    return f"{before}{value}" if behind_cue or not peel(before) else said


def whole_number(reply: Text) -> str | None:
    """The whole reply is one number."""
    return number_of(reply.text, reply.reader.language)


def _cues_in(reply: Text, said: str) -> Iterator[re.Match[str]]:
    """The cues in the text of a reply, or in its beginning."""
    pattern, needles = _cues(reply.reader.wording)
    if not needles.triggers.stand_in(reply.folded, words_of(reply.folded)[2]):
        return iter(())
    return needles.matches(pattern, said, fold(said))


@lru_cache(maxsize=64)
def _cues(wording: Wording) -> tuple[re.Pattern[str], Needles]:
    stems = sorted(
        {stem for cue in wording.cues if (stem := respelt(key(cue), wording.grammar))},
        key=lambda stem: (-len(stem), stem),
    )
    pattern = alternatives((re.escape(stem).replace(r"\ ", r"\s"), edges(stem)) for stem in stems)
    triggers = cue_triggers((fold(stem) for stem in stems), wording)
    needles = Needles(triggers, None, whole_words((fold(stem), edges(stem)) for stem in stems))
    return re.compile(f"(?i:{pattern})"), needles


RULES: Mapping[str, Callable[[Text], str | None]] = MappingProxyType(
    {
        "boxed number": boxed_number,
        "corrected number": corrected_number,
        "cue number": cue_number,
        "last number": last_number,
        "whole number": whole_number,
    }
)
"""Rules for numbers by the name that is in `Answer.rule`."""
