"""What must be in a text before a rule can find anything there: plain searches that cost microseconds.

Most replies without an answer hold none of the words that a rule looks for, and a long alternation needs a hundred
times as long to say so. Nothing here decides a reading: where a needle is found the rule's own pattern is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hesperus.answers.scripts import Edges, is_unspaced
from hesperus.answers.spelling import fold
from hesperus.answers.triggers import Triggers
from hesperus.languages.letters import RANGES, script_of

_LOOKBEHIND = re.compile(r"\(\?<!\[[^]]*\]'?\)")
_LATIN_CORE = "A-Za-zªºÀ-ÖØ-öø-ÿ"
_NO_LATIN_BEFORE = f"(?<![0-9{_LATIN_CORE}])"


@dataclass(frozen=True, slots=True)
class Needles:
    """Of these at least one is in every text in which a word can be found.

    Attributes:
        triggers: What tells by the words of a text whether one of them can be in it.
        letters: A letter that is alone, in the text as it is; None if no answer is one letter.
        whole: The words with their edges; None without words.
    """

    triggers: Triggers
    letters: re.Pattern[str] | None = None
    whole: re.Pattern[str] | None = None

    def stand_in(self, text: str, lines: str, folded: str, words: frozenset[str]) -> bool:
        """Whether there is anything to look for in a text.

        Args:
            text: The text.
            lines: The same folded, with its lines.
            folded: The same on one line.
            words: The words of the folded text (see `hesperus.answers.triggers.words_of`).
        """
        if self.letters is not None and self.letters.search(text) is not None:
            return True
        if not self.triggers.stand_in(folded, words):
            return False
        return self.whole is not None and self.whole.search(lines) is not None

    def matches(self, pattern: re.Pattern[str], text: str, folded: str) -> Iterator[re.Match[str]]:
        """What `pattern.finditer(text)` gives, for a pattern that begins with one of these words; tried only at them.

        Args:
            pattern: The pattern.
            text: The text.
            folded: The same folded, with its lines.
        """
        if len(folded) != len(text):
            # Words are keys, in which "ß" is "ss": none of them holds a letter that folding makes two.
            odd = {ord(each): "\0" for each in set(text) if not each.isascii() and len(fold(each)) != 1}
            folded = fold(text.translate(odd))
        end = 0
        for place in self._places(text, folded):
            if place >= end and (match := pattern.match(text, place)) is not None:
                end = match.end()
                yield match

    def _places(self, text: str, folded: str) -> Iterable[int]:
        places = [] if self.letters is None else [match.start() for match in self.letters.finditer(text)]
        if self.whole is None:
            return places
        match, alone = self.whole.search(folded), not places
        while match is not None:
            places.append(match.start())
            match = self.whole.search(folded, match.start() + 1)
        return places if alone else sorted(places)


class Finder:
    """Where one of many words may begin in a folded text: one pattern with branches that share what they begin with.

    Places inside words are left out as far as a pattern that is made in no time can tell: whoever asks looks again. A
    word that begins with another of them is found by that one; `held` says which words those are.
    """

    __slots__ = ("_patterns", "held")

    def __init__(self, words: Iterable[str]) -> None:
        held: dict[str, list[str]] = {}
        for word in sorted({word for word in words if word}):
            start = next((word[:end] for end in range(1, len(word)) if word[:end] in held), word)
            held.setdefault(start, []).append(word)
        self.held = {start: tuple(found) for start, found in held.items()}
        spaced = [start for start in held if not is_unspaced(start)]
        unspaced = [start for start in held if is_unspaced(start)]
        self._patterns = tuple(
            re.compile(before + branches(starts))
            for before, starts in ((_NO_LATIN_BEFORE, spaced), ("", unspaced))
            if starts
        )

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Places in a text, and which key of `held` occurs there; in order, but first of spaced scripts."""
        for pattern in self._patterns:
            match = pattern.search(text)
            while match is not None:
                yield match.start(), match[0]
                match = pattern.search(text, match.start() + 1)

    def begins(self, text: str) -> str | None:
        """Which key of `held` a text begins with."""
        for pattern in self._patterns:
            if (match := pattern.match(text)) is not None:
                return match[0]
        return None

    def stand_in(self, text: str) -> bool:
        """Whether there is any such place."""
        return any(pattern.search(text) is not None for pattern in self._patterns)


def outermost(words: Iterable[str]) -> list[str]:
    """The words that begin with no other of them: where one begins, so does one of these."""
    found: list[str] = []
    for word in sorted(words):
        if not found or not word.startswith(found[-1]):
            found.append(word)
    return found


def branches(words: list[str]) -> str:
    """A pattern that matches some words, none of them the beginning of another."""
    ends: dict[str, list[str]] = {}
    for word in words:
        ends.setdefault(word[0], []).append(word[1:])
    found = [
        re.escape(first) + (branches(rest) if len(rest) > 1 else re.escape(rest[0]))
        for first, rest in sorted(ends.items())
    ]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def whole_words(words: Iterable[tuple[str, Edges]]) -> re.Pattern[str] | None:
    """A pattern of folded words, each with its edges; None without words.

    Each word comes first and what may not precede it is looked at behind: so the search jumps from word to word. Of a
    class of edges only the core counts, of which a pattern is made in a twentieth of the time: what is found too often
    is told apart by the rule.
    """
    found = {}
    for word, (before, behind) in words:
        spelt = re.escape(word).replace(r"\ ", r"\s")
        held = "".join(f"{edge[:-1]}{spelt})" for edge in _LOOKBEHIND.findall(before)) + behind
        found[word] = spelt + held.replace(RANGES["Latn"], _LATIN_CORE)
    longest_first = sorted(found, key=lambda word: (-len(word), word))
    return re.compile("|".join(found[word] for word in longest_first)) if found else None


def lone_letters(letters: Iterable[str], endings: str, *, small: bool) -> re.Pattern[str] | None:
    """A pattern for single letters bounded as `hesperus.answers.scripts.bounded` wants it.

    Args:
        letters: The letters, one character each.
        endings: Pattern of the endings that belong to a word, as for `bounded`.
        small: Whether a letter in the other case counts too.
    """
    members: dict[str | None, set[str]] = {}
    for letter in letters:
        members.setdefault(None if is_unspaced(letter) else script_of(letter), set()).update(
            _cases(letter) if small else letter
        )
    return (
        re.compile("|".join(_alone(script, chosen, endings) for script, chosen in members.items()))
        if members
        else None
    )


def _cases(letter: str) -> Iterator[str]:
    yield from (case for case in (letter, letter.lower(), letter.upper()) if len(case) == 1)
    if letter in "iI":
        yield from "İı"


def _alone(script: str | None, letters: set[str], endings: str) -> str:
    # The class comes first and what may not precede it is looked at behind: so the search jumps from letter to letter.
    chosen = f"[{re.escape(''.join(sorted(letters)))}]"
    if script is None:
        return chosen
    return f"{chosen}(?<![{RANGES[script]}0-9_]{chosen})(?={endings}(?![{RANGES[script]}0-9_]))"
