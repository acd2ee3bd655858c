"""A reply without what it doubts: "I don't think that it is A; the answer is B." gives B, and its first half nothing."""

from __future__ import annotations

import re

from hesperus.answers.found import label_of
from hesperus.answers.reply_text import Text
from hesperus.answers.spelling import SENTENCE_END, fold
from hesperus.answers.triggers import words_of
from hesperus.normalization import peel

_PART = re.compile(rf"(?:{SENTENCE_END.pattern}|[;؛])")
"""What ends the part of a sentence in which a doubt holds; a comma does not: "Ich glaube nicht, dass es A ist"."""
_COMMA = re.compile("[,،、፣၊]")


def undoubted(reply: Text) -> Text | None:
    """The reply without the parts of its sentences that a word of doubt governs.

    Returns:
        The reply itself where it doubts nothing; None where nothing else is in it.
    """
    if not reply.around.doubts.among(reply.folded, words_of(reply.folded)[2]):
        return reply
    ends = [0, *(match.end() for match in _PART.finditer(reply.text)), len(reply.text)]
    parts = (reply.text[start:end] for start, end in zip(ends, ends[1:], strict=False))
    kept = "".join(_certain(part, reply) for part in parts).strip()
    return Text.of(kept, reply.reader) if peel(kept) else None


def _certain(part: str, reply: Text) -> str:
    """What is before the clause with the doubt, and behind a "but" or a correction that follows it: "No, I don't think so"."""
    folded = fold(part)
    place = reply.around.doubts.place(folded)
    if place is None:
        return part
    if len(folded) != len(part):
        return ""
    before = max((match.end() for match in _COMMA.finditer(part, 0, place)), default=0)
    turns = (phrases.place(folded[place:]) for phrases in (reply.around.turns, reply.around.corrections))
    turn = min((turn for turn in turns if turn is not None), default=None)
    behind = part[place + turn :] if turn is not None else ""
    # Bulgarian "а" is "but" and a letter.
    return part[:before] + (behind if label_of(reply, behind) is None else "")
