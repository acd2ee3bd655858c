"""Phrases of a language, looked for in folded text as whole words.

A star at the end represents any ending ("estoy segur*"), an ellipsis for a few words between two parts ("kan … niet
helpen"). Scripts without blanks between words have no boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import compress

from hesperus.answers.needles import Finder
from hesperus.answers.scripts import in_word, is_unspaced
from hesperus.answers.spelling import SENTENCE_END
from hesperus.answers.triggers import SIGNS, Part, longest, stands, whole_words

_GAP = 48
"""Characters that an ellipsis represents at most; they hold no end of a sentence."""
_ELLIPSIS = re.compile(" ?… ?")


@dataclass(frozen=True, slots=True)
class Words:
    """Words without star or ellipsis, sorted by how they are looked for.

    Attributes:
        plain: Words without a blank in them.
        several: Words with one.
        unspaced: Words of scripts that write no blanks.
    """

    plain: frozenset[str]
    several: tuple[str, ...]
    unspaced: tuple[str, ...]

    @property
    def phrases(self) -> tuple[tuple[Part, ...], ...]:
        """The words as phrases of one part."""
        return tuple(
            ((word.strip(), False),) for word in (*sorted(self.plain), *self.several, *self.unspaced)
        )

    @classmethod
    def of(cls, words: Iterable[str]) -> Words:
        """Sort folded words."""
        known = tuple(dict.fromkeys(words))
        spaced = [word for word in known if not is_unspaced(word)]
        return cls(
            frozenset(word for word in spaced if " " not in word),
            tuple(f" {word} " for word in spaced if " " in word),
            tuple(word for word in known if is_unspaced(word)),
        )

    def close(self, text: str) -> bool:
        """Whether one is in a folded text, or at its end where no blanks are written."""
        return text.rstrip().endswith(self.unspaced) or self._stand_in(text)

    def anywhere(self, text: str) -> bool:
        """Whether one is in a folded text."""
        return stands(self.unspaced, text) or self._stand_in(text)

    def end(self, text: str) -> bool:
        """Whether a folded text ends with one, blanks behind it aside."""
        text = text.rstrip()
        return (
            text.endswith(self.unspaced)
            or f" {text} ".endswith(self.several)
            or text.rpartition(" ")[2] in self.plain
        )

    def hold(self, words: Iterable[str]) -> bool:
        """Whether one of some single folded words is one of these."""
        return any(word in self.plain or word in self.unspaced for word in words)

    def are(self, text: str) -> bool:
        """Whether a folded text is one of the words of a script with blanks."""
        return text in self.plain or f" {text} " in self.several

    def begin(self, text: str) -> bool:
        """Whether a folded text without leading blanks begins with one, and goes on."""
        return (
            text.startswith(self.unspaced)
            or f" {text}".startswith(self.several)
            or (" " in text and text.split(" ", 1)[0] in self.plain)
        )

    def _stand_in(self, text: str) -> bool:
        words = SIGNS.sub(" ", text).split()
        return not self.plain.isdisjoint(words) or stands(self.several, f" {' '.join(words)} ")


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """Phrases, each in the parts that are in this order.

    Attributes:
        phrases: The phrases.
        starts: Finds where one of them may begin.
        begun: For each key of `starts.held` the phrases that begin with it.
        by_word: Phrases by the longest of the words that are in every text in which they are, with all of these.
        others: The phrases without such a word; None without one.
    """

    phrases: tuple[tuple[Part, ...], ...]
    starts: Finder
    begun: Mapping[str, tuple[tuple[Part, ...], ...]]
    by_word: Mapping[str, tuple[tuple[frozenset[str], tuple[Part, ...]], ...]]
    others: Phrases | None

    @classmethod
    def of(cls, phrases: Iterable[str], folded: Callable[[str], str]) -> Phrases:
        """Take apart phrases as a pack writes them.

        Args:
            phrases: The phrases, with star and ellipsis.
            folded: How a part is spelt for comparison.
        """
        found = (
            tuple((folded(part.rstrip("*")), part.endswith("*")) for part in _ELLIPSIS.split(phrase))
            for phrase in phrases
        )
        return cls._of(tuple(dict.fromkeys(found)))

    @classmethod
    def _of(cls, known: tuple[tuple[Part, ...], ...]) -> Phrases:
        starts = Finder(parts[0][0] for parts in known)
        begun = {
            start: tuple(parts for parts in known if parts[0][0] in held)
            for start, held in starts.held.items()
        }
        by_word: dict[str, tuple[tuple[frozenset[str], tuple[Part, ...]], ...]] = {}
        others = []
        for parts in known:
            if words := whole_words(parts):
                by_word[longest(words)] = (*by_word.get(longest(words), ()), (words, parts))
            else:
                others.append(parts)
        # Where none has such a word the phrases are their own others.
        rest = cls._of(tuple(others)) if others and by_word else None
        return cls(known, starts, begun, by_word, rest)

    def stand_in(self, text: str) -> bool:
        """Whether one of the phrases is in a folded text."""
        return next(self._places(text), None) is not None

    def among(self, text: str, words: frozenset[str]) -> bool:
        """Whether one of the phrases is in a folded text, of which the words are known (see `words_of`)."""
        if not self.by_word:
            return self.stand_in(text)
        for word in self.by_word.keys() & words:
            for held, parts in self.by_word[word]:
                if held <= words and _span(parts, text, 0) is not None:
                    return True
        return self.others is not None and self.others.stand_in(text)

    def begin(self, text: str) -> bool:
        """Whether a folded text begins with one of the phrases."""
        start = self.starts.begins(text)
        if start is None:
            return False
        spans = (_span(parts, text, 0) for parts in self.begun[start] if text.startswith(parts[0][0]))
        return any(span is not None and span[0] == 0 for span in spans)

    def place(self, text: str) -> int | None:
        """Where the first of the phrases that are in a folded text begins."""
        return min(self._places(text), default=None)

    def _places(self, text: str) -> Iterator[int]:
        for place, start in self.starts.places(text):
            for parts in self.begun[start]:
                if text.startswith(parts[0][0], place):
                    span = _span(parts, text, place)
                    if span is not None and span[0] == place:
                        yield place

    def end(self, text: str) -> int | None:
        """Where the last of the phrases that are in a folded text ends."""
        if not self.starts.stand_in(text):
            return None
        ends = []
        for parts in self.phrases:
            span = _span(parts, text, 0)
            while span is not None:
                ends.append(span[1])
                span = _span(parts, text, span[1])
        return max(ends, default=None)

    def cut(self, text: str, folded: str) -> str:
        """The text without the phrases and what ends their words (a star).

        Args:
            text: The text.
            folded: The same folded, of the same length.
        """
        kept = bytearray(b"\1" * len(text))
        for parts in self.phrases:
            span = _span(parts, folded, 0)
            while span is not None:
                begin, end = span
                while (
                    parts[-1][1]
                    and end < len(folded)
                    and in_word(folded[end])
                    and not is_unspaced(folded[end])
                ):
                    end += 1
                kept[begin:end] = bytes(end - begin)
                span = _span(parts, folded, end)
        return "".join(compress(text, kept))


def _span(parts: tuple[Part, ...], text: str, start: int) -> tuple[int, int] | None:
    first, rest = parts[0], parts[1:]
    begin = _place(first, text, start)
    while begin is not None:
        end: int | None = begin + len(first[0])
        for part in rest:
            end = _follows(part, text, end) if end is not None else None
        if end is not None:
            return begin, end
        begin = _place(first, text, begin + 1)
    return None


def _follows(part: Part, text: str, end: int) -> int | None:
    """End of a part that is a few words behind a place of the same sentence."""
    place = _place(part, text, end, end + _GAP + len(part[0]))
    if place is None or SENTENCE_END.search(text, end, place):
        return None
    return place + len(part[0])


def _place(part: Part, text: str, start: int, stop: int | None = None) -> int | None:
    """Where a part occurs as whole words, from a place on and wholly before another."""
    word, stem = part
    place = text.find(word, start, stop)
    while place >= 0:
        after = text[place + len(word) : place + len(word) + 1]
        open_left = place == 0 or not in_word(text[place - 1]) or is_unspaced(text[place - 1])
        if open_left and (stem or not in_word(after) or is_unspaced(word)):
            return place
        place = text.find(word, place + 1, stop)
    return None
