"""Information consistency of pairs of texts: claims of each, checked against the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.evaluators.compared_texts import Compared, Evaluator, Texts, refuse_repeated
from hesperus.evaluators.information.judges import Check, Extracted, Judge, Judged, Verified, no_answer
from hesperus.evaluators.judging import Asker, Readability, validity
from hesperus.fingerprint import JSON

INFORMATION = "information"

RULE = (
    "precision: claims of the candidate that the reference supports; recall: claims of the reference that the candidate "
    "supports; a claim without a readable verdict counts on neither side; no claims on one side: both 0; on both sides: "
    "both 1; a pair whose claims or verdicts could not be read is left out"
)
"""The rule of every score, in the words that are in the signature."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The claims of one text of a pair, judged against the other text.

    Attributes:
        claims: With verdicts, in the order of the text.
        is_silent: Whether the text is absent, or the judge found no claim in it.
        reason: Why its claims could not be read; empty otherwise.
    """

    claims: tuple[Judged, ...] = ()
    is_silent: bool = False
    reason: str = ""

    @property
    def share(self) -> float | None:
        """Supported of judged claims; None if none is judged."""
        verdicts = [claim.verdict for claim in self.claims if claim.verdict is not None]
        return verdicts.count("supported") / len(verdicts) if verdicts else None


def information_evaluator(judge: Judge, asker: Asker | None = None) -> Evaluator:
    """Claims of each text, verified against the other."""
    return Evaluator(
        INFORMATION,
        ("precision", "recall"),
        lambda pairs, names: information_consistency(pairs, judge, names),
        asker=asker,
    )


def information_consistency(pairs: Sequence[Texts], judge: Judge, names: Sequence[str]) -> Compared:
    """Score how much of each text's information the other holds.

    Hand in all pairs of a run at once: a text that is in many pairs is read once, and each of the two stages is a
    single batch. Texts that give no answer are never shown to the judge; the RULE scores them.

    Args:
        pairs: Texts in one language, mostly English and translated into it.
        judge: Takes claims and verifies them.
        names: Names of the parts of a key.

    Returns:
        `precision` and `recall` of each pair, and a row for each claim with the judge's verdict.

    Raises:
        ValueError: Two pairs have the same key, a key has another number of parts, or the judge gives another number of
            results than it was given tasks.

    Reference: Gupta, Mehta, Xu and Srikumar, Found in Translation, section 3.1.
    """
    refuse_repeated(pairs)
    both = (text for pair in pairs for text in (pair.reference, pair.candidate))
    spoken = list(dict.fromkeys(text for text in both if text is not None and not no_answer(text)))
    extracted = judge.claims(spoken)
    _refuse_miscounted("texts", spoken, extracted)
    claims = dict(zip(spoken, extracted, strict=True))
    checks = _checks(pairs, claims)
    verified = judge.verify(list(checks))
    _refuse_miscounted("checks", list(checks), verified)
    verdicts = dict(zip(checks, verified, strict=True))
    scores: dict[tuple[str, ...], Mapping[str, JSON]] = {}
    details: list[Mapping[str, JSON]] = []
    for pair in pairs:
        candidate = _side(pair.candidate, pair.reference, claims, verdicts)
        reference = _side(pair.reference, pair.candidate, claims, verdicts)
        scores[pair.key] = _scored(candidate, reference)
        details += _claim_rows(dict(zip(names, pair.key, strict=True)), candidate, reference)
    asked = sum(
        (*(found.readability for found in extracted), *(found.readability for found in verified)),
        Readability(),
    )
    return Compared(scores, details, {**judge.signature(), "rule": RULE}, validity(asked))


def _checks(pairs: Sequence[Texts], claims: Mapping[str, Extracted]) -> dict[Check, None]:
    """Every check that needs a judge, once: both texts must have claims, or their pair is scored by the rule."""
    needed: dict[Check, None] = {}
    for pair in pairs:
        reference, candidate = pair.reference, pair.candidate
        if pair.silence or reference is None or candidate is None:
            continue
        ours, theirs = claims[candidate].claims, claims[reference].claims
        if ours and theirs:
            needed[Check(ours, reference)] = None
            needed[Check(theirs, candidate)] = None
    return needed


def _side(
    text: str | None,
    other: str | None,
    claims: Mapping[str, Extracted],
    verdicts: Mapping[Check, Verified],
) -> _Side:
    """The claims of a text, judged against the other text of its pair."""
    if text is None or no_answer(text):
        return _Side(is_silent=True)
    found = claims[text]
    if found.claims is None:
        return _Side(reason=f"claims: {found.reason}")
    if not found.claims:
        return _Side(is_silent=True)
    verified = verdicts.get(Check(found.claims, other)) if other is not None else None
    if verified is not None:
        return _Side(verified.judged)
    unread = other is not None and not no_answer(other) and claims[other].claims is None
    if unread:
        return _Side(
            tuple(Judged(claim, None, "the other text's claims are unread") for claim in found.claims)
        )
    rule = "the other text says nothing"
    return _Side(tuple(Judged(claim, "not supported", rule) for claim in found.claims))


def _scored(candidate: _Side, reference: _Side) -> Mapping[str, JSON]:
    """State, scores and numbers of claims of a pair, by the RULE."""
    precision, recall = candidate.share, reference.share
    state, reason = "compared", ""
    if unread := candidate.reason or reference.reason:
        state, reason = "unreadable", f"{'candidate' if candidate.reason else 'reference'}: {unread}"
    elif candidate.is_silent and reference.is_silent:
        state, precision, recall = "both_silent", 1.0, 1.0
    elif candidate.is_silent or reference.is_silent:
        state = "candidate_silent" if candidate.is_silent else "reference_silent"
        precision = recall = 0.0
    elif precision is None or recall is None:
        side = candidate if precision is None else reference
        state, reason = "unreadable", f"verdicts: {side.claims[0].reason}"
    if state == "unreadable":
        precision = recall = None
    return {
        "state": state,
        "precision": precision,
        "recall": recall,
        "reason": reason,
        "candidate_claims": len(candidate.claims),
        "reference_claims": len(reference.claims),
    }


def _claim_rows(key: Mapping[str, str], candidate: _Side, reference: _Side) -> Iterator[Mapping[str, JSON]]:
    """A row for each claim of a pair: which text it is from, and what the judge said of it."""
    for name, side in (("candidate", candidate), ("reference", reference)):
        for number, claim in enumerate(side.claims, 1):
            yield {
                **key,
                "side": name,
                "number": number,
                "claim": claim.claim,
                "verdict": claim.verdict,
                "reason": claim.reason,
            }


def _refuse_miscounted(what: str, given: Sequence[object], found: Sequence[object]) -> None:
    if len(given) != len(found):
        raise ValueError(f"the judge was given {len(given)} {what} and gave {len(found)} results")
