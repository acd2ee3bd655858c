"""Where a line break ends a sentence whatever is before it, and where it is only a wrapped line."""

from __future__ import annotations

import re
from collections.abc import Sequence

LIST_MARKER = re.compile(
    r"(?:[-*+•‣⁃◦▪●○■□–—]|[-•⁃]?\d{1,3}[.)、．։]|\(?[a-zA-Z][.)]|[(（]\d{1,3}[)）]|[一二三四五六七八九十]{1,3}、)(?=\s|$)"
    r"|[(（]?[一二三四五六七八九十\d]{1,3}[)）、]|[•‣⁃▪●]"
)
"""The mark of a list item at the beginning of a line."""

_MARKED = re.compile(rf"\s*(?:{LIST_MARKER.pattern}|#{{1,6}}\s|[>|]|```|~~~)")
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|$)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_COLON = re.compile(r"[:：፡៖]\W*$")
_JAPANESE_PARTICLE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff][のをにがへと]$")
_NARROWEST, _WIDEST = 40, 120
"""Characters of a line that a machine may have wrapped."""


def blocks(text: str) -> list[tuple[int, int]]:
    """Cut a text at the line breaks that end a sentence; each block keeps the breaks that follow it.

    A break is only a wrap, and no end, where the next line begins in lower case, where one blank is before it (as
    texts taken from pages have it), or where the lines are full: the next word would not have fitted.

    Given back are start and end of every block, in order, without gaps.
    """
    lines = [(m.start(), m.end()) for m in _LINE.finditer(text) if m.end() > m.start()]
    if not lines:
        return []
    written = [text[start:end] for start, end in lines]
    widths = _widths(written)
    cuts = [0]
    for number in range(1, len(lines)):
        if _ends(written, number, widths[number - 1]):
            cuts.append(lines[number][0])
    cuts.append(len(text))
    return _without_blank(text, cuts)


def _without_blank(text: str, cuts: Sequence[int]) -> list[tuple[int, int]]:
    """Blocks between cuts, where blank ones are put to the one before, or after at the beginning."""
    found: list[tuple[int, int]] = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        blank = not text[start:end].strip()
        if found and (blank or not text[found[0][0] : found[0][1]].strip()):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _widths(lines: Sequence[str]) -> list[int]:
    """For every line, the width of the widest line of its paragraph, without blanks at its end."""
    found: list[int] = []
    paragraph: list[int] = []
    for line in lines:
        width = len(line.rstrip())
        if width:
            paragraph.append(width)
        else:
            found += [max(paragraph, default=0)] * len(paragraph) + [0]
            paragraph = []
    return found + [max(paragraph, default=0)] * len(paragraph)


def _ends(lines: Sequence[str], number: int, width: int) -> bool:
    before, after = lines[number - 1], lines[number]
    if not before.strip() or not after.strip() or _MARKED.match(after) or _HEADING.match(before):
        return True
    line = before.rstrip("\r\n")
    if not any(map(str.isalnum, line)) or _COLON.search(line.rstrip()) or line.lstrip().startswith("|"):
        return True
    first = after.lstrip()[0]
    if first.islower() or (line.endswith(" ") and not line.endswith("  ")):
        return False
    if _JAPANESE_PARTICLE.search(line):
        return False
    word = after.split(maxsplit=1)[0]
    if not _NARROWEST <= width <= _WIDEST:
        return True
    return len(line.rstrip()) + 1 + min(len(word), width // 4) <= width
