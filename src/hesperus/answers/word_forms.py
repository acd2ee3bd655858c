"""Words of a language in the forms that a pack gives: whole, or only how they begin or end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hesperus.answers.needles import stands
from hesperus.answers.scripts import is_unspaced


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Words to look for among the words of a folded sentence.

    Attributes:
        whole: Words as they are.
        beginnings: Words by their beginning ("judg*").
        ends: Words by their end ("*yorum").
        several: Words with a blank in them, with a blank on each side that needs a boundary.
        unspaced: Words of scripts that write no blanks.
    """

    whole: frozenset[str]
    beginnings: tuple[str, ...]
    ends: tuple[str, ...]
    several: tuple[str, ...]
    unspaced: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str], folded: Callable[[str], str]) -> Forms:
        """Sort words as a pack writes them.

        Args:
            words: The words; a star represents any beginning or ending.
            folded: How a word is spelt for comparison, without stars.
        """
        whole, beginnings, ends, several, unspaced = (
            set[str](),
            set[str](),
            set[str](),
            set[str](),
            set[str](),
        )
        for word in words:
            plain = folded(word.strip("*"))
            if not plain:
                continue
            open_left, open_right = word.startswith("*"), word.endswith("*")
            if is_unspaced(plain):
                unspaced.add(plain)
            elif " " in plain or (open_left and open_right):
                several.add(f"{'' if open_left else ' '}{plain}{'' if open_right else ' '}")
            else:
                (ends if open_left else beginnings if open_right else whole).add(plain)
        return cls(
            frozenset(whole), tuple(sorted(beginnings)), tuple(sorted(ends)), tuple(sorted(several)), tuple(sorted(unspaced)),
        )  # fmt: skip

    def among(self, words: Sequence[str], sentence: str) -> bool:
        """Whether one of the words is in a sentence.

        Args:
            words: The sentence's words, folded.
            sentence: The same words with one blank before and behind each.
        """
        if not self.whole.isdisjoint(words):
            return True
        if self.beginnings or self.ends:
            for word in words:
                if word.startswith(self.beginnings) or word.endswith(self.ends):
                    return True
        return stands(self.several, sentence) or stands(self.unspaced, sentence)
