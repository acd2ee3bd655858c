"""Thai and Lao, which write a blank where a sentence ends, and also where it does not.

What is on the two sides of a blank, and how long the sentence is already, are signs for an end or against one. Each
has its points; a blank ends a sentence when they come to more than nothing. The points were fitted (a logistic
regression) to sentences of known ends, and rounded; those of signs that hardly occur there are judgement.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hesperus.translation.segmentation.brackets import closed_pairs
from hesperus.translation.segmentation.words import THAI_LAO


def _any(words: str) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words.split(), key=len, reverse=True)))})"


_OPENERS = {
    name: re.compile(_any(THAI_LAO[name]))
    for name in (
        "connective", "contrast", "condition", "time", "circumstance", "subject", "joining", "noun", "predicate", "in",
    )
}  # fmt: skip
"""What a piece begins with, in the order in which it is looked for."""

_POINTS: Mapping[str, float] = MappingProxyType(
    {
        "particle": 3.0, "question": 1.0, "two blanks": 1.5, "full stops": -2.0,
        "connective": 1.0, "condition": 1.5, "time": 1.0, "subject": 0.5, "noun": 0.5, "this": 0.5,
        "contrast": -0.5, "in": -0.5, "predicate": -1.5, "joining": -2.5, "circumstance": 0.0,
        "clause before": 0.5, "copulas": 1.0, "adverbial before": -1.5, "list": -2.5,
        "number before": -3.0, "amount before": -1.0, "repetition mark": -2.0,
        "Latin before": -1.5, "Latin after": -1.0, "quotation after": -0.5, "last words": -0.5,
    }
)  # fmt: skip
_LENGTH, _USUAL = 0.8, 40
"""Points for a sentence e times as long as one that has none for its length, and how many characters that one has."""

_BLANK = re.compile(r"[ \u00a0\t]+(?=[^\s\d$€£฿%ๆໆฯ(\[)\]”»,.:;–+=/-])")
_AFTER_NOTHING = frozenset("([“«,:;+=/–-$")
_LETTER = re.compile(r"[\u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4]")
_PARTICLE, _QUESTION, _HANGING = (
    re.compile(f"{_any(THAI_LAO[name])}$") for name in ("particle", "question", "hanging")
)
_VERB, _COPULA, _AND = (re.compile(_any(THAI_LAO[name])) for name in ("verb", "copula", "coordinator"))
_CLAUSE = re.compile(_any(f"{THAI_LAO['copula']} มี ມີ"))
_THIS = re.compile(r"\S{0,14}?(?:นี้|นั้น|ดังกล่าว|ນີ້|ນັ້ນ|ດັ່ງກ່າວ)")
_NUMBER = re.compile(r"(?P<amount>[$€£฿]\s?|(?:ปี|ພ\.ສ\.|ຄ\.ສ\.|พ\.ศ\.|ค\.ศ\.|ປີ)\s*)?[\d,.¼½¾]+(?P<share>%)?$")
_STOP = re.compile(r"\.(?=\s|$)")
_STOP_EVERY = 400
"""A text with a full stop every so many characters ends its sentences with them as a rule."""

_NEAR, _LISTED, _LAST, _SEEN, _ADVERB = 16, 16, 12, 240, 22


@dataclass(frozen=True, slots=True)
class _Blank:
    """A blank where a sentence may end.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        piece: Where the piece before it begins: what is since the last blank, numbers and their units counted in.
        later: The blanks after it, three at most.
    """

    start: int
    end: int
    piece: int
    later: tuple[tuple[int, int], ...]


def unspaced_ends(text: str) -> Iterator[int]:
    """Offsets of blanks' ends at which a Thai or Lao sentence is taken to end."""
    if not _LETTER.search(text):
        return
    start = 0
    stopped = len(text) <= _STOP_EVERY * len(_STOP.findall(text))
    for blank in _blanks(text):
        if text[blank.start - 1] in "?!":
            start = blank.end
            continue
        points = sum(_POINTS[sign] for sign in _signs(text, start, blank))
        if stopped:
            points += _POINTS["full stops"]
        if points + _LENGTH * math.log((blank.start - start) / _USUAL) > 0:
            yield blank.end
            start = blank.end


def _blanks(text: str) -> Iterator[_Blank]:
    """Blanks with Thai or Lao near both sides, outside quotations, not after what must go on."""
    found = [
        m.span() for m in _BLANK.finditer(text) if m.start() and text[m.start() - 1] not in _AFTER_NOTHING
    ]
    whole = [span for span in found if not _after_number(text, span[0])]
    kept = closed_pairs(text)
    inside = before = 0
    for start, end in found:
        while inside < len(kept) and kept[inside][1] <= start:
            inside += 1
        while before < len(whole) and whole[before][0] < start:
            before += 1
        near = text[max(0, start - _NEAR) : start]
        if (
            (inside < len(kept) and kept[inside][0] < start)
            or not (_LETTER.search(near) and _LETTER.search(text[end : end + _NEAR]))
            or (_HANGING.search(near) and not _QUESTION.search(near))
        ):
            continue
        following = before + ((start, end) in whole[before : before + 1])
        yield _Blank(
            start, end, whole[before - 1][1] if before else 0, tuple(whole[following : following + 3])
        )


def _after_number(text: str, at: int) -> bool:
    """Whether a number is there that may want a unit."""
    number = _NUMBER.search(text[max(0, at - _NEAR) : at])
    return number is not None and not number["amount"] and not number["share"]


def _signs(text: str, start: int, blank: _Blank) -> Iterator[str]:
    piece = text[max(blank.piece, start) : blank.start]
    after = text[blank.end : blank.later[0][0] if blank.later else len(text)][:_SEEN]
    opener = _opener(after)
    if opener:
        yield opener
    if opener not in ("connective", "time") and _THIS.match(after):
        yield "this"
    near = text[max(start, blank.start - _NEAR) : blank.start]
    if _PARTICLE.search(near):
        yield "particle"
    elif _is_adverbial(piece):
        yield "adverbial before"
    if _QUESTION.search(near):
        yield "question"
    if near.endswith(("ๆ", "ໆ")):
        yield "repetition mark"
    if number := _NUMBER.search(near):
        yield "amount before" if number["amount"] or number["share"] else "number before"
    if near[-1:].isascii() and near[-1:].isalpha():
        yield "Latin before"
    if after[:1].isascii() and after[:1].isalpha():
        yield "Latin after"
    if after[:1] in '"“«':
        yield "quotation after"
    if blank.end - blank.start > 1:
        yield "two blanks"
    if len(text) - blank.end < _LAST:
        yield "last words"
    if _VERB.search(text[max(start + 2, blank.start - _SEEN) : blank.start]):
        yield "clause before"
    if _CLAUSE.search(piece[:_SEEN], 3) and _COPULA.search(after, 3):
        yield "copulas"
    if not _VERB.search(after) and _is_listed(text, blank):
        yield "list"


def _opener(piece: str) -> str | None:
    return next((name for name, words in _OPENERS.items() if words.match(piece)), None)


def _is_adverbial(piece: str) -> bool:
    """Whether a piece says when or if, so that what it belongs to is still to come."""
    opener = _opener(piece)
    return opener in ("condition", "circumstance", "time", "in") or (
        opener == "connective" and len(piece) < _ADVERB
    )


def _is_listed(text: str, blank: _Blank) -> bool:
    """Whether short pieces follow, the last of them after "and"."""
    place = blank.end
    for start, end in blank.later:
        if start - place > _LISTED:
            return False
        if _AND.match(text, end):
            return True
        place = end
    return False
