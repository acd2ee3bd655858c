"""What compares the two texts of a pair, as a study sees it: pairs in, a score or a state for each out.

Every evaluator gives one value or two for a pair (`parts`), in [0, 1]; a pair that it could not judge has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hesperus.evaluators import (
    Asker,
    Grader,
    Judge,
    Pair,
    ShortPair,
    answer_equivalence,
    information_consistency,
    no_answer,
)
from hesperus.fingerprint import JSON
from hesperus.types import Estimate

Key = tuple[str, ...]

INFORMATION, EQUIVALENCE = "information", "equivalence"


class Texts(NamedTuple):
    """Two answers to one prompt in one language; None if there is no answer.

    Attributes:
        key: Owner of the texts.
        reference: The answer that the other is compared with.
        candidate: The other.
        prompt: What was asked, in the same language, where it is known.
        outcomes: Outcomes of the replies of both.
    """

    key: Key
    reference: str | None
    candidate: str | None
    prompt: str | None = None
    outcomes: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Compared:
    """What an evaluator found.

    Attributes:
        scores: A row for each pair: `state`, the evaluator's parts, `reason`, and what else it knows of the pair.
        details: Rows to read: a claim each, or a pair each.
        validity: Share of the evaluator's replies that could be read.
        signature: All that decides its scores.
        replies: Replies of the judge that came from the store, and those that it gave now.
    """

    scores: Mapping[Key, Mapping[str, JSON]]
    details: Sequence[Mapping[str, JSON]] = ()
    validity: Estimate = field(default_factory=lambda: Estimate(None, reason="the evaluator asks nothing"))
    signature: Mapping[str, JSON] = field(default_factory=dict)
    replies: tuple[int, int] = (0, 0)


class Evaluator(Protocol):
    """Compares texts.

    Attributes:
        what: Its name: `information`, `equivalence` or a property.
        parts: Names of its values for a pair.
        needs_prompts: Whether it must be told what was asked.
    """

    @property
    def what(self) -> str:
        """Name of what is compared."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the values of a pair."""

    @property
    def needs_prompts(self) -> bool:
        """Whether prompts must be handed in."""

    def compare(self, pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        """Compare all pairs of a run at once; `names` are those of the parts of a key."""


@dataclass(frozen=True, slots=True)
class InformationEvaluator:
    """Claims of each text, verified against the other."""

    judge: Judge
    what: str = INFORMATION
    parts: tuple[str, ...] = ("precision", "recall")
    needs_prompts: bool = False
    asker: Asker | None = None

    def compare(self, pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        """See Evaluator."""
        found = information_consistency([Pair(*pair[:3]) for pair in pairs], self.judge)
        scores: dict[Key, Mapping[str, JSON]] = {
            score.key: {
                "state": score.state,
                "precision": score.precision,
                "recall": score.recall,
                "reason": score.reason,
                "candidate_claims": len(score.candidate.claims),
                "reference_claims": len(score.reference.claims),
            }
            for score in found.scores
        }
        return Compared(
            scores, found.claim_rows(names), found.validity, found.signature(), replies_of(self.asker)
        )


@dataclass(frozen=True, slots=True)
class EquivalenceEvaluator:
    """Whether two short answers say the same."""

    grader: Grader
    what: str = EQUIVALENCE
    parts: tuple[str, ...] = ("agreement",)
    needs_prompts: bool = False
    asker: Asker | None = None

    def compare(self, pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        """See Evaluator."""
        given = [ShortPair(pair.key, pair.reference, pair.candidate, pair.prompt or "") for pair in pairs]
        found = answer_equivalence(given, self.grader)
        scores: dict[Key, Mapping[str, JSON]] = {
            pair.key: {
                "state": silence(pair.reference, pair.candidate)
                or ("compared" if grade.grade is not None else "unreadable"),
                "agreement": grade.grade,
                "reason": grade.reason if grade.grade is None else "",
            }
            for pair, grade in zip(found.pairs, found.grades, strict=True)
        }
        return Compared(scores, found.rows(names), found.validity, found.signature(), replies_of(self.asker))


def replies_of(asker: Asker | None) -> tuple[int, int]:
    """Replies of a judge that came from the store, and those that it gave now; none if no model is asked."""
    return (0, 0) if asker is None else (asker.stored, asker.fresh)


def silence(reference: str | None, candidate: str | None) -> str:
    """The state of a pair with a side that gives no answer; empty where both do."""
    quiet = no_answer(reference), no_answer(candidate)
    return {
        (True, True): "both_silent",
        (True, False): "reference_silent",
        (False, True): "candidate_silent",
    }.get(quiet, "")
