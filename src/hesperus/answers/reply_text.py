"""A reply as the rules see it: cleaned, with the words and the grammar that it is read with."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hesperus.answers.context import Context, context
from hesperus.answers.lexicon import Lexicon, lexicon
from hesperus.answers.phrases import Phrases
from hesperus.answers.reader import Reader
from hesperus.answers.spelling import fold, respelt, unmixed
from hesperus.answers.triggers import words_of
from hesperus.normalization import peel

_LONE = re.compile(r"(?<!\w)\w(?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A cleaned reply next to what it is read with.

    Attributes:
        cleaned: The cleaned reply, as it is spelt.
        text: The same in the one spelling in which words are compared.
        reader: How it is read.
        words: What is looked for.
        around: What turns an answer round.
        folded: The text without case, on one line.
        lines: The same with its lines.
        is_bare: Whether the text holds no word of the reader in any role.
        denies: Whether anything in the text can deny an answer in it.
        supposes: Whether anything in it can make a case of an answer.
    """

    cleaned: str
    text: str
    reader: Reader
    words: Lexicon
    around: Context
    folded: str
    lines: str
    is_bare: bool
    denies: bool
    supposes: bool

    @classmethod
    def of(cls, text: str, reader: Reader) -> Text:
        """Join a cleaned text and a reader; spellings that count as one become one."""
        cleaned, words = text, lexicon(reader)
        text = respelt(unmixed(cleaned), reader.wording.grammar)
        if words.telling is not None and words.telling.search(text) is not None:
            text = _LONE.sub(lambda match: words.recounted.get(match[0], match[0]), text)
        lines, around = fold(text), context(reader.wording)
        folded = lines.replace("\n", " ")
        said = words_of(folded)[2]
        bare = not words.anywhere.stand_in(text, lines, folded, said) and "_" not in text
        denies = not bare and around.deniers.stand_in(folded, said)
        supposes = not bare and around.supposers.stand_in(folded, said)
        return cls(cleaned, text, reader, words, around, folded, lines, bare, denies, supposes)

    def without(self, phrases: Phrases) -> Text | None:
        """The reply without phrases; None if folding changes its length, so that they cannot be cut from it."""
        folded = fold(self.text)
        if len(folded) != len(self.text):
            return None
        return Text.of(peel(phrases.cut(self.text, folded)), self.reader)
