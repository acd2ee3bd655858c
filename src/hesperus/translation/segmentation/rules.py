"""Own rules on where sentences end: marks that the library misses, and ends of its that are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hesperus.translation.segmentation.brackets import closed_pairs
from hesperus.translation.segmentation.lines import LIST_MARKER
from hesperus.translation.segmentation.words import (
    MAY_END,
    NEVER_END,
    OPENERS,
    ORDINAL_DOT,
    TIBETAN_CONNECTIVES,
)

_CLOSERS = "\"'”’»›」』）)\\]】》〉〕］｝}｣"
_MARK = re.compile(rf"(?:[。｡！？‼⁇⁈⁉।॥۔؟።፧፨៕។။։᙮᠃᠉᱾᱿꯫߹꓿꛳꘎]+[{_CLOSERS}]*|[།༎]+(?=\s)|[།༎]{{2,}})\s*")
"""Marks that end a sentence wherever they stand, with what closes after them."""

_KHMER_AND_SO_ON = re.compile(r"។\s*ល\s*។$|។\s*ល$")
_TIBETAN_SYLLABLE = re.compile(r"[་།\s]+")
_QUOTED = re.compile(rf"[{_CLOSERS}]$")
_GOES_ON_CJK = re.compile(r"[、，,；;：:」』）)…—的とっはがをにのもでやへ]|って|など")
_NUMBER_STOP = re.compile(r"(?:^|[\s(–-])(\d{1,4}|[IVXLC]+)\.\s*$")
_NUMBER_BEFORE = re.compile(r"^\d+[-–]?(?=[^\W\d])")
_BARE_NUMBER = re.compile(r"(?:^|\s)\d{1,2}\.$")
_NEXT_WORD = re.compile(r"[\"'“„«(\[¿¡]*(\w+)")
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_TAIL = re.compile(
    r"(?:[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufe0f]"
    r"|\s*[\u203c\u2049\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]+(?![^\s\u200d\ufe0f])"
    r"|\[\d{1,3}\])*\s*"
)
_OPENING = "\"'“”„«([{‘¿¡/–—"
_NEAR = 48
_LIST_MARK = re.compile(r"(?:(?<=\s)|^)[-•⁃]?(?:(\d{1,3})[.)]|\(?([a-z])[.)])(?=\s+\S)")


def marked_ends(text: str) -> Iterator[int]:
    """Offsets after marks that always end a sentence, but for those inside short brackets or quotations."""
    kept = closed_pairs(text)
    inside = 0
    for mark in _MARK.finditer(text):
        while inside < len(kept) and kept[inside][1] <= mark.start():
            inside += 1
        if inside < len(kept) and kept[inside][0] < mark.start() and mark.end() <= kept[inside][1]:
            continue
        if _ends_there(text, mark):
            yield mark.end()


def _ends_there(text: str, mark: re.Match[str]) -> bool:
    first = text[mark.start()]
    if first == "។":
        before, after = text[max(0, mark.start() - 6) : mark.start() + 1], text[mark.end() : mark.end() + 3]
        return not after.lstrip().startswith("ល") or bool(_KHMER_AND_SO_ON.search(before))
    if first == "۔":
        return not (
            text[max(0, mark.start() - 1) : mark.start()].isdecimal()
            and text[mark.end() : mark.end() + 1].isdecimal()
        )
    return True


def moved(text: str, end: int) -> int:
    """The end of a sentence after the marks of direction, symbols, citations and blanks that belong to it."""
    found = _TAIL.match(text, end)
    return found.end() if found else end


def refused(text: str, end: int, language: str) -> bool:
    """Whether a sentence does not end here although a mark says so."""
    before = _INVISIBLE.sub("", text[max(0, end - _NEAR) : end])
    after = text[end : end + _NEAR]
    stripped = before.rstrip()
    if stripped.endswith("།") and _TIBETAN_SYLLABLE.split(stripped.rstrip("་། "))[-1] in TIBETAN_CONNECTIVES:
        return True
    if stripped.endswith(("၊", "၏")) or (_BARE_NUMBER.search(before) and after[:1].isalpha()):
        return True
    if _QUOTED.search(stripped) and _GOES_ON_CJK.match(after) and before == stripped:
        return True
    if not stripped.endswith("."):
        return False
    if _word_before_stop(stripped) in NEVER_END.get(language, ()):
        return True
    return bool(_NUMBER_STOP.search(before)) and _is_ordinal(before, after, language)


def _word_before_stop(text: str) -> str:
    """The last word of a text, without the full stop at its end and what opens before it, case folded.

    Of an abbreviation after a number (``1956-ж.``, ``70კმ.``) the number is left out.
    """
    words = text[:-1].split()
    return _NUMBER_BEFORE.sub("", words[-1].lstrip(_OPENING)).casefold() if words else ""


def _is_ordinal(before: str, after: str, language: str) -> bool:
    following = _NEXT_WORD.match(after)
    if after[:1] in "-–":
        return True
    if following is None:
        return False
    if following[1][0].islower():
        return language in ORDINAL_DOT or after[:1].isalpha()
    return language == "de" and following[1] not in OPENERS["de"] and not following[1][0].isdecimal()


def missed_ends(text: str, language: str) -> Iterator[int]:
    """Offsets after abbreviations where a word follows that opens a sentence."""
    openers = OPENERS.get(language)
    if not openers:
        return
    for stop in re.finditer(r"\.[)”\"’»]?\s+(?=[^\W\d_a-z])", text):
        word = _word_before_stop(text[max(0, stop.start() - _NEAR) : stop.start() + 1])
        following = _NEXT_WORD.match(text, stop.end())
        if following and word in MAY_END and following[1] in openers:
            yield stop.end()


def listed(text: str) -> tuple[set[int], set[int]]:
    """Items of a list within one line, told by their marks, which count up from the first.

    Given back are offsets where items begin, and offsets just after the marks, which end nothing.
    """
    marks = list(_LIST_MARK.finditer(text))
    opening = LIST_MARKER.match(text.lstrip())
    after = {len(text) - len(text.lstrip()) + opening.end()} if opening else set()
    if not marks or text[: marks[0].start()].strip():
        return set(), {_next(text, at) for at in after}
    run = [marks[0]]
    for mark in marks[1:]:
        if _order(mark) == _order(run[-1]) + 1 and (mark[1] is None) == (run[0][1] is None):
            run.append(mark)
    begins = {mark.start() for mark in run[1:]} if len(run) > 1 else set()
    return begins, {_next(text, at) for at in after | {mark.end() for mark in run}}


def _order(mark: re.Match[str]) -> int:
    return int(mark[1]) if mark[1] else ord(mark[2])


def _next(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
