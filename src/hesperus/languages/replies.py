"""The language of replies: which was asked for, and which came."""

from __future__ import annotations

import re
from functools import lru_cache

from hesperus.errors import UnknownNameError
from hesperus.languages.identification import TextLanguage, text_language
from hesperus.languages.tags import language
from hesperus.normalization import without_thoughts
from hesperus.types import Sense

_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*(?![A-Za-z0-9])")


_SHORTEST = 7
"""Characters below which no reply has enough letters in any script; most replies are a label."""

_NOTHING = TextLanguage(None)


@lru_cache(maxsize=4096)
def compared_reply(reply: str, asked: str) -> TextLanguage:
    """A reply, without the thinking before it, compared with the language that was asked for.

    Args:
        reply: What the model sent.
        asked: Tag of the language of the instruction, which answers follow.

    Raises:
        UnknownNameError: No such language.
    """
    return text_language(without_thoughts(reply) or "", asked) if len(reply) >= _SHORTEST else _NOTHING


def reply_language(reply: str | None, asked: str | None) -> str | None:
    """Tag of the language of a reply, for the column `reply_language`; None if it cannot be told.

    Args:
        reply: What the model sent.
        asked: Tag of the language of the instruction.
    """
    return compared_reply(reply, asked).language if reply and asked else None


def language_asked(instruction: str) -> str | None:
    """The language of an instruction by its sense code, lenient about what follows it; None if it names none."""
    try:
        tag = Sense.parse(instruction).language
    except ValueError:
        match = _TAG.match(instruction.replace("_", "~", 1))
        if match is None:
            return None
        tag = match[0]
    try:
        return language(tag).tag
    except UnknownNameError:
        return None
