"""The embedded judge: claims are clauses, and a text supports one with words that are in one of its clauses.

Numbers and names must be there, too, and both sides be negated or neither. Names may be in the text's first clause
instead, which mostly says what it is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from hesperus.evaluators.embedded.clauses import Split, clauses, sentences, unmarked
from hesperus.evaluators.embedded.words import Words, words
from hesperus.evaluators.information.judges import Check, Extracted, Judged, Verdict, Verified
from hesperus.fingerprint import JSON, signature


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """When words overlap enough.

    Attributes:
        version: Of the word lists and rules; rises whenever a verdict may change.
        overlap: Weighted share of a claim's words that a clause must hold, in (0, 1].
        elsewhere: What a word counts, in [0, 1], that is in the text but not in that clause: mostly the subject,
            which texts name once. Below 2 · overlap − 1, so that of two words one alone is never enough.
    """

    version: int = 1
    overlap: float = 0.56
    elsewhere: float = 0.1


class EmbeddedJudge:
    """Judges without a model, by overlap. Quick, free and repeatable; it knows no synonyms and no meaning.

    Args:
        settings: When words overlap enough.
        split: Cuts a text into sentences; English rules of its own where None.
        splitter: Name of `split` for the signature.
    """

    name = "embedded"

    def __init__(
        self,
        settings: EmbeddedSettings = EmbeddedSettings(),  # noqa: B008
        *,
        split: Split | None = None,
        splitter: str = "",
    ) -> None:
        self.settings = settings
        self._split = split
        self._splitter = splitter or ("own" if split is None else "given")

    def signature(self) -> dict[str, JSON]:
        """Its settings, with the version of its rules."""
        return {"judge": self.name, "splitter": self._splitter, **signature(self.settings)}

    def claims(self, texts: Sequence[str]) -> list[Extracted]:
        """The clauses of each text that have a content word or a number, each once."""
        found = []
        for text in texts:
            kept: dict[Words, str] = {}
            for clause in clauses(text, self._split):
                if said := words(clause):
                    kept.setdefault(said, clause)
            found.append(Extracted(tuple(kept.values())))
        return found

    def verify(self, checks: Sequence[Check]) -> list[Verified]:
        """The verdict on each claim of each check."""
        read: dict[str, _Text] = {}
        verified = []
        for check in checks:
            if check.text not in read:
                read[check.text] = _read(check.text, self._split)
            text = read[check.text]
            verified.append(Verified(tuple(Judged(c, self._verdict(words(c), text)) for c in check.claims)))
        return verified

    def _verdict(self, claim: Words, text: _Text) -> Verdict:
        """The best clause decides; words that few clauses of the text hold weigh more, absent ones most."""
        verdict: Verdict = "not supported"
        for place in self._overlapping(claim, text):
            clause = text.clauses[place]
            if not claim.names <= clause.content | text.subject:
                continue
            if _other_word(claim, clause, text.subject):
                verdict = "contradicted"
                continue
            if not claim.numbers <= clause.numbers:
                # Another number in the same place says otherwise; no number at all says nothing.
                verdict = "contradicted" if clause.numbers and claim.content else verdict
            elif (claim.negations > 0) != (clause.negations > 0):
                verdict = "contradicted"
            else:
                return "supported"
        return verdict

    def _overlapping(self, claim: Words, text: _Text) -> list[int]:
        """Places of the clauses that hold enough of the claim's words; of all clauses where it has only numbers."""
        if not claim.content:
            return list(range(len(text.clauses))) if claim.numbers else []
        total = there = 0.0
        here: dict[int, float] = {}
        for word in claim.content:
            places = text.places.get(word, ())
            weight = log(1 + len(text.clauses) / (len(places) + 1))
            total += weight
            there += weight if places else 0.0
            for place in places:
                here[place] = here.get(place, 0.0) + weight
        share = self.settings.elsewhere
        enough = self.settings.overlap * total
        return [place for place, weight in here.items() if weight + share * (there - weight) >= enough]


def _other_word(claim: Words, clause: Words, subject: frozenset[str]) -> bool:
    """Whether the clause says the same of something else: as many other words as the claim's that it lacks."""
    missing = len(claim.content - clause.content - subject)
    others = clause.content - claim.content
    return missing > 0 and missing in (len(others), len(others - subject))


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that is checked against: its clauses, where each word is, and what its first clause names."""

    clauses: tuple[Words, ...]
    places: Mapping[str, tuple[int, ...]]
    subject: frozenset[str]


def _read(text: str, split: Split | None) -> _Text:
    """Whole sentences are next to their clauses: a clause may lack the subject that the one before it has."""
    stretches = [*clauses(text, split), *(split or sentences)(unmarked(text))]
    found = tuple(dict.fromkeys(said for stretch in stretches if (said := words(stretch))))
    places: dict[str, tuple[int, ...]] = {}
    for place, said in enumerate(found):
        for word in said.content:
            places[word] = (*places.get(word, ()), place)
    return _Text(found, places, found[0].content if found else frozenset())
