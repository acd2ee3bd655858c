"""Information consistency of pairs of texts: claims of each, checked against the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hesperus.evaluators.information.judges import Check, Extracted, Judge, Judged, Verified, no_answer
from hesperus.evaluators.information.results import Information, Key, Side, scored
from hesperus.evaluators.judging import Readability


class Pair(NamedTuple):
    """Two answers to one prompt, in one language.

    Attributes:
        key: Owner, such as (model, language, item); each pair has its own.
        reference: The answer that the other is compared with; None if it was refused, blocked or never came.
        candidate: The other answer; None likewise.
    """

    key: Key
    reference: str | None
    candidate: str | None


def information_consistency(pairs: Sequence[Pair], judge: Judge) -> Information:
    """Score how much of each text's information the other holds.

    Hand in all pairs of a run at once: a text that is in many pairs is read once, and each of the two stages is a
    single batch. Texts that give no answer are never shown to the judge; the rule scores them (see results.RULE).

    Args:
        pairs: Texts in one language, mostly English and translated into it.
        judge: Takes claims and verifies them.

    Raises:
        ValueError: Two pairs have the same key, or the judge gives another number of results than it was given tasks.

    Reference: Gupta, Mehta, Xu and Srikumar, Found in Translation, section 3.1.
    """
    given = [Pair(*pair) for pair in pairs]
    _refuse_repeated([pair.key for pair in given])
    texts = list(dict.fromkeys(text for pair in given for text in pair[1:] if not no_answer(text)))
    spoken = [text for text in texts if text is not None]
    extracted = judge.claims(spoken)
    _refuse_miscounted("texts", spoken, extracted)
    claims = dict(zip(spoken, extracted, strict=True))
    checks = _checks(given, claims)
    verified = judge.verify(list(checks))
    _refuse_miscounted("checks", list(checks), verified)
    verdicts = dict(zip(checks, verified, strict=True))
    scores = tuple(
        scored(
            pair.key,
            _side(pair.candidate, pair.reference, claims, verdicts),
            _side(pair.reference, pair.candidate, claims, verdicts),
        )
        for pair in given
    )
    asked = sum(
        (*(found.readability for found in extracted), *(found.readability for found in verified)),
        Readability(),
    )
    return Information(scores, asked, judge.signature())


def _checks(pairs: Sequence[Pair], claims: Mapping[str, Extracted]) -> dict[Check, None]:
    """Every check that needs a judge, once: both texts must have claims, or their pair is scored by the rule."""
    needed: dict[Check, None] = {}
    for _, reference, candidate in pairs:
        if no_answer(reference) or no_answer(candidate) or reference is None or candidate is None:
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
) -> Side:
    """The claims of a text, judged against the other text of its pair."""
    if text is None or no_answer(text):
        return Side(silent="no answer")
    found = claims[text]
    if found.claims is None:
        return Side(reason=f"claims: {found.reason}")
    if not found.claims:
        return Side(silent="no claims")
    verified = verdicts.get(Check(found.claims, other)) if other is not None else None
    if verified is not None:
        return Side(verified.judged)
    unread = other is not None and not no_answer(other) and claims[other].claims is None
    if unread:
        return Side(
            tuple(Judged(claim, None, "the other text's claims are unread") for claim in found.claims)
        )
    rule = "the other text says nothing"
    return Side(tuple(Judged(claim, "not supported", rule) for claim in found.claims))


def _refuse_repeated(keys: Sequence[Key]) -> None:
    seen: set[Key] = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"two pairs have the key {key}")
        seen.add(key)


def _refuse_miscounted(what: str, given: Sequence[object], found: Sequence[object]) -> None:
    if len(given) != len(found):
        raise ValueError(f"the judge was given {len(given)} {what} and gave {len(found)} results")
