"""Words of a language in the forms that a pack gives: whole, or only how they begin or end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hesperus.answers.needles import branches, outermost
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.triggers import stands


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Words to look for among the words of a folded sentence.

    Attributes:
        whole: Words as they are.
        ends: Words by their end ("*yorum").
        begun: Behind a blank: words by their beginning ("judg*"), and words with a blank in them; None without one.
        parts: Words with a blank that may begin inside another word, and those of scripts that write no blanks.
    """

    whole: frozenset[str]
    ends: tuple[str, ...]
    begun: re.Pattern[str] | None
    parts: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str], folded: Callable[[str], str]) -> Forms:
        """Sort words as a pack writes them.

        Args:
            words: The words; a star represents any beginning or ending.
            folded: How a word is spelt for comparison, without stars.
        """
        whole, ends, begun, parts = set[str](), set[str](), set[str](), set[str]()
        for word in words:
            plain = folded(word.strip("*"))
            if not plain:
                continue
            open_left, open_right = word.startswith("*"), word.endswith("*")
            if is_unspaced(plain):
                parts.add(plain)
            elif " " in plain or open_right:
                behind = plain if open_right else f"{plain} "
                (parts if open_left else begun).add(behind)
            else:
                (ends if open_left else whole).add(plain)
        return cls(
            frozenset(whole),
            tuple(sorted(ends)),
            re.compile(f" {branches(outermost(begun))}") if begun else None,
            tuple(sorted(parts)),
        )

    def among(self, words: Sequence[str], sentence: str) -> bool:
        """Whether one of the words is in a sentence.

        Args:
            words: The sentence's words, folded.
            sentence: The same words with one blank before and behind each.
        """
        if not self.whole.isdisjoint(words):
            return True
        if self.begun is not None and self.begun.search(sentence) is not None:
            return True
        if self.ends:
            for word in words:
                if word.endswith(self.ends):
                    return True
        return stands(self.parts, sentence)
