"""The words that make an answer hold in one case only: "if it rains", "unless …", "雨が降れば"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hesperus.answers.scripts import alternatives, edges
from hesperus.answers.triggers import Part

_LONGEST_GAP = 40
"""Characters that an ellipsis represents at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """How a clause begins, or ends, that names a case.

    Attributes:
        start: Such a beginning of a folded clause, behind a word for "but" or none.
        ends: How such a clause ends; a blank before one wants a word before it.
        phrases: What begins such a clause, as phrases that are in its text.
    """

    start: re.Pattern[str]
    ends: tuple[str, ...]
    phrases: tuple[tuple[Part, ...], ...]

    @classmethod
    def of(cls, phrases: Iterable[str], but: Iterable[str], folded: Callable[[str], str]) -> Cases:
        """Sort the phrases of a pack.

        Args:
            phrases: Words that begin a clause, with a star for any ending; with a star before them, what ends one.
            but: Folded words that may be before them: "but only if".
            folded: How a word is spelt for comparison.
        """
        starts: list[tuple[list[str], bool]] = []
        ends: list[str] = []
        for phrase in phrases:
            parts = [folded(part) for part in phrase.strip("*").split("…")]
            if phrase.startswith("*"):
                # The blank of a word of its own, or the hyphen of Czech "-li", without which "byli" ends so.
                ends.append((phrase[1] if phrase[1] in " -" else "") + parts[0])
            else:
                starts.append((parts, phrase.endswith("*")))
        starts.sort(key=lambda start: (-sum(map(len, start[0])), start))
        turns = "".join(f"{_spelt([word])}[ ,]*|" for word in sorted(but, key=len, reverse=True))
        found = alternatives(
            (_spelt(parts), ("", "") if stem else edges(parts[-1], left=False)) for parts, stem in starts
        )
        return cls(
            re.compile(rf"(?:{turns}){found}" if starts else r"(?!)"),
            tuple(ends),
            tuple(_phrase(parts, stem=stem) for parts, stem in starts),
        )

    def end_of(self, clause: str) -> int | None:
        """Where the words that name a case end, in a folded clause that begins with some; None if none do."""
        match = self.start.match(clause)
        return match.end() if match is not None else None

    def close(self, clause: str) -> bool:
        """Whether a folded clause ends as one that names a case does."""
        return clause.rstrip(" \"')]").endswith(self.ends)


def _phrase(parts: list[str], *, stem: bool) -> tuple[Part, ...]:
    """The parts of a phrase, of which only the first begins with a whole word: what is between them has no edges."""
    first, *others = parts
    found: list[Part] = [(first, stem or bool(others))]
    return (*found, *((" ".join(other.split(" ")[1:]), True) for other in others))


def _spelt(parts: Iterable[str]) -> str:
    """A pattern of the folded parts of a phrase, words between them; a comma may be before each word but the first."""
    return f"[^,]{{1,{_LONGEST_GAP}}}".join(re.escape(part).replace(r"\ ", ",? ") for part in parts)
