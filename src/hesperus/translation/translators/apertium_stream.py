"""Text to Apertium's stream and back, so that nothing of the text is taken for a mark of the stream.

Outside superblanks (``[…]``) the stream gives many characters a meaning, and its stages do not escape all of them on the
way out; a literal ``*`` could not be told from the mark of an unknown word. So every such character goes through as a
numbered superblank, which no stage looks into, and all that comes back outside superblanks is words, spaces and marks.

Reference:
    "Apertium stream format", Apertium wiki: reserved characters, superblanks, null flush.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Addresses whole, for a part of one would be translated; what no dictionary holds and the analyser would need minutes
# for, its time growing with the square of a word's length; then what the stream reserves, line breaks, runs of blanks and
# control characters.
_KEPT = re.compile(
    r"\S{300,}|(?:https?://|www\.)[^\s<>\"]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|[][\\/@<>^${}*#+~\x00-\x1f\x7f-\x9f\u2028\u2029]+(?:\s*[][\\/@<>^${}*#+~\x00-\x1f\x7f-\x9f\u2028\u2029]+)*"
    r"|[ \u00a0]{2,}"
)
_BLANK = re.compile(r"\[(\d+)\]")
_MARK = re.compile(r"\\?([*@#])")
# The stages take a text without a full stop for unfinished; Apertium's own deformatter adds this one to every text.
_END = ".[]"


@dataclass(frozen=True, slots=True)
class Read:
    """What came back.

    Attributes:
        text: The translation, without marks.
        unknown: Words that the dictionaries do not hold; they are in the text as they were.
        lost: Superblanks that did not come back; put at the end.
    """

    text: str
    unknown: int
    lost: int


@dataclass(frozen=True, slots=True)
class Streamed:
    """A text as the stream carries it.

    Attributes:
        stream: What is sent, without the closing NUL.
        kept: What the numbered superblanks represent.
        before: White space before the text, which the stages would drop.
        after: White space after it.
    """

    stream: str
    kept: tuple[str, ...]
    before: str
    after: str

    @staticmethod
    def whole(stream: str) -> bool:
        """Whether what came back reaches to the end of the text; when the input of a stage ends, half a text comes out too."""
        return stream.rstrip(" ").endswith("[]")

    def read(self, stream: str) -> Read:
        """The translation in what came back for this text."""
        body = stream.removesuffix(_END) if stream.endswith(_END) else stream.replace("[]", "")
        outside = _BLANK.split(body.strip(" "))
        missing = set(range(len(self.kept)))
        unknown, parts = 0, []
        for place, part in enumerate(outside):
            if place % 2:
                number = int(part)
                missing.discard(number)
                parts.append(self.kept[number] if number < len(self.kept) else "")
                continue
            unknown += sum(mark in "*@" for mark in _MARK.findall(part))
            parts.append(_MARK.sub("", part))
        parts += [self.kept[number] for number in sorted(missing)]
        return Read(self.before + "".join(parts) + self.after, unknown, len(missing))


def streamed(text: str) -> Streamed:
    """Make a text, which holds more than white space, safe to send."""
    body = text.strip()
    start = text.index(body)
    kept: list[str] = []

    def blank(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"[{len(kept) - 1}]"

    return Streamed(_KEPT.sub(blank, body) + _END, tuple(kept), text[:start], text[start + len(body) :])
