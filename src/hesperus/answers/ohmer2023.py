"""The procedure of Ohmer, Bruni and Hupkes (2023), as a second reader of the same replies.

Rebuilt from the description of their released labels: cut spaces and full stops, lower-case, drop the usual frames,
then take a quoted or bracketed template, one at the start, one as a word, a bare prefix, a bare suffix. Its quirks
are part of their published numbers (a bare prefix makes an "a" of "Aucune …"), which is why it is worth having next to
the default reader: a result that changes between the two rests on how replies are read.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hesperus.answers.reply_text import Text
from hesperus.answers.reply_words import Answers

_FRAMES = ("the correct answer is", "the answer is", "answer", "option")
_WRAPS = "[\"'“”‘’„«»(（\\[{]"
_UNWRAPS = "[\"'“”‘’«»)）\\]}]"


def rule(reply: Text) -> str | None:
    """Read a cleaned reply as the authors did; None is their -1."""
    return _read(reply.text, reply.reader.answers, reply.reader.language)


@lru_cache(maxsize=256)
def _patterns(words: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    either = "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    return (
        re.compile(rf"{_WRAPS}({either}){_UNWRAPS}"),
        re.compile(rf"({either})[.,;:!?)\n。，]"),
        re.compile(rf"\b({either})\b"),
        re.compile(rf"({either})"),
        re.compile(rf"({either})\Z"),
    )


def _read(text: str, answers: Answers, language: str) -> str | None:
    labels = {word.lower(): label for label, words in answers for word in words}
    if "否" in labels:
        labels.setdefault("不是", labels["否"])
    said = text.lower().strip(" .。\n")
    for frame in _FRAMES:
        said = said.replace(frame, "").strip(" .。:\n")
    if said in labels:
        return labels[said]
    wrapped, set_apart, word, prefix, suffix = _patterns(tuple(labels))
    if found := wrapped.match(said):
        return labels[found[1]]
    quoted = {labels[each] for each in wrapped.findall(said)}
    begun = set_apart.match(said)
    # Their Chinese replies that open with a template and quote the copula 是 later are read by the opening.
    if len(quoted) == 1 and not (begun and language.startswith("zh")):
        return quoted.pop()
    if begun:
        return labels[begun[1]]
    inside = {labels[each] for each in word.findall(said)}
    if len(inside) == 1:
        return inside.pop()
    if not language.startswith("zh"):
        found = prefix.match(said) or suffix.search(said)
        return labels[found[1]] if found else None
    return None
