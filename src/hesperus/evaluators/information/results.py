"""What a comparison of texts found: claims with verdicts per pair, scores, and the estimates over pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from hesperus.evaluators.information.judges import Judged
from hesperus.evaluators.judging import Readability
from hesperus.fingerprint import JSON
from hesperus.measures import Bootstrap, estimates, information_statistics, wilson
from hesperus.types import Estimate

Key = tuple[str, ...]
"""What a pair belongs to, such as model, language, item."""

State = Literal["compared", "reference_silent", "candidate_silent", "both_silent", "unreadable"]
"""What became of a pair."""

STATES: tuple[State, ...] = get_args(State)

Silence = Literal["", "no answer", "no claims"]
"""Why a text says nothing: there is none, or a judge found no claim in it. Both count as silent."""

RULE = (
    "precision: claims of the candidate that the reference supports; recall: claims of the reference that the candidate "
    "supports; a claim without a readable verdict counts on neither side; no claims on one side: both 0; on both sides: "
    "both 1; a pair whose claims or verdicts could not be read is left out"
)
"""The rule of every score, in the words that are in the signature."""


@dataclass(frozen=True, slots=True)
class Side:
    """The claims of one text of a pair, judged against the other text.

    Attributes:
        claims: With verdicts, in the order of the text.
        silent: Why it is absent, where the text says nothing; empty otherwise.
        reason: Why its claims could not be read; empty otherwise.
    """

    claims: tuple[Judged, ...] = ()
    silent: Silence = ""
    reason: str = ""

    @property
    def supported(self) -> int:
        """Claims that the other text supports."""
        return sum(claim.verdict == "supported" for claim in self.claims)

    @property
    def judged(self) -> int:
        """Claims with a readable verdict."""
        return sum(claim.verdict is not None for claim in self.claims)

    @property
    def share(self) -> float | None:
        """Supported of judged; None if none is judged."""
        return self.supported / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class PairScore:
    """A pair of texts, scored.

    Attributes:
        key: Owner of the pair.
        candidate: The claims of the candidate, judged against the reference.
        reference: The claims of the reference, judged against the candidate.
        state: What became of the pair.
        precision: In [0, 1]; None if the pair is unreadable.
        recall: Likewise.
        reason: Why it is unreadable; empty otherwise.
    """

    key: Key
    candidate: Side
    reference: Side
    state: State
    precision: float | None
    recall: float | None
    reason: str = ""

    @property
    def f(self) -> float | None:
        """Harmonic mean of precision and recall; 0 where both are 0."""
        if self.precision is None or self.recall is None:
            return None
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def scored(key: Key, candidate: Side, reference: Side) -> PairScore:
    """Score a pair by the RULE."""
    for name, side in (("candidate", candidate), ("reference", reference)):
        if side.reason:
            return PairScore(key, candidate, reference, "unreadable", None, None, f"{name}: {side.reason}")
    if candidate.silent or reference.silent:
        if candidate.silent and reference.silent:
            return PairScore(key, candidate, reference, "both_silent", 1.0, 1.0)
        state: State = "candidate_silent" if candidate.silent else "reference_silent"
        return PairScore(key, candidate, reference, state, 0.0, 0.0)
    precision, recall = candidate.share, reference.share
    if precision is None or recall is None:
        side = candidate if precision is None else reference
        reason = f"verdicts: {side.claims[0].reason}"
        return PairScore(key, candidate, reference, "unreadable", None, None, reason)
    return PairScore(key, candidate, reference, "compared", precision, recall)


@dataclass(frozen=True, slots=True)
class Information:
    """What was found of all pairs.

    Attributes:
        scores: Each pair, in the order in which it was given.
        readability: Prompts that the judge was asked, and how many of its replies could be read.
        judge: The judge's signature.
    """

    scores: tuple[PairScore, ...]
    readability: Readability
    judge: Mapping[str, JSON]

    def estimates(
        self,
        bootstrap: Bootstrap | None = None,
        *,
        keys: Collection[Key] | None = None,
        answered_only: bool = False,
        items: Mapping[Key, str] | None = None,
    ) -> dict[str, Estimate]:
        """`precision`, `recall`, `f_of_means` and `mean_f`, each over the same pairs.

        Args:
            bootstrap: How to resample items; None leaves intervals out.
            keys: Only these pairs.
            answered_only: Leave out pairs with a silent side, rather than scoring them by the rule.
            items: The item of each pair, where several pairs belong to one: they are resampled together.

        Returns:
            Estimates by name; `n` counts pairs, `excluded` and `reason` say what was left out and why.

        Raises:
            KeyError: `items` lacks a pair.
        """
        chosen = self.of(keys)
        unread = [score for score in chosen if score.state == "unreadable"]
        silent = [score for score in chosen if "silent" in score.state] if answered_only else []
        dropped = {id(score) for score in (*unread, *silent)}
        kept = [score for score in chosen if id(score) not in dropped]
        reasons = [f"{len(unread)} unreadable"] if unread else []
        reasons += [f"{len(silent)} without claims on both sides"] if silent else []
        places: dict[str, int] = {}
        if items is not None:
            for score in kept:
                places.setdefault(items[score.key], len(places))
        statistics = information_statistics(
            [score.precision or 0.0 for score in kept],
            [score.recall or 0.0 for score in kept],
            items=None if items is None else [places[items[score.key]] for score in kept],
            excluded=len(dropped),
            reason="; ".join(reasons),
        )
        return dict(zip(statistics, estimates(statistics.values(), bootstrap), strict=True))

    def of(self, keys: Collection[Key] | None) -> list[PairScore]:
        """The scores of these pairs; of all where None."""
        if keys is None:
            return list(self.scores)
        wanted = frozenset(keys)
        return [score for score in self.scores if score.key in wanted]

    def counts(self, keys: Collection[Key] | None = None) -> dict[str, int]:
        """How many pairs are in each state, how many texts gave no answer, and how many claims have no verdict."""
        chosen = self.of(keys)
        states = Counter(score.state for score in chosen)
        sides = [side for score in chosen for side in (score.candidate, score.reference)]
        return {
            "pairs": len(chosen),
            **{state: states[state] for state in STATES},
            "no_answer": sum(side.silent == "no answer" for side in sides),
            "no_claims": sum(side.silent == "no claims" for side in sides),
            "claims": sum(len(side.claims) for side in sides),
            "claims_unread": sum(len(side.claims) - side.judged for side in sides),
        }

    @property
    def validity(self) -> Estimate:
        """Share of the judge's replies that could be read; undefined for a judge that asks nothing."""
        return validity(self.readability)

    def claim_rows(self, names: Sequence[str]) -> list[dict[str, JSON]]:
        """A row for each claim of each pair: which text it is from, and what the judge said of it.

        Raises:
            ValueError: A key has another number of parts than there are names.
        """
        return [
            {
                **_named(score.key, names),
                "side": name,
                "number": number,
                "claim": claim.claim,
                "verdict": claim.verdict,
                "reason": claim.reason,
            }
            for score in self.scores
            for name, side in (("candidate", score.candidate), ("reference", score.reference))
            for number, claim in enumerate(side.claims, 1)
        ]

    def signature(self) -> dict[str, JSON]:
        """The judge's signature and the rule of the scores."""
        return {**self.judge, "rule": RULE}


def validity(readability: Readability) -> Estimate:
    """Share of the replies that could be read, with Wilson's interval; prompts without a reply are left out."""
    got = readability.prompts - readability.failed
    if not readability.prompts:
        return Estimate(None, reason="the judge asks nothing")
    share = wilson(readability.readable, got)
    reason = f"{readability.failed} prompts without a reply" if readability.failed else share.reason
    return replace(share, excluded=readability.failed, reason=reason)


def _named(key: Key, names: Sequence[str]) -> dict[str, JSON]:
    if len(key) != len(names):
        raise ValueError(f"the key {key} has {len(key)} parts, the names {tuple(names)} are {len(names)}")
    return dict(zip(names, key, strict=True))
