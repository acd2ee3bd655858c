"""What a judge does: it takes a text's claims, and says of claims whether a text supports them; and what is no answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

from hesperus.evaluators.judging import Readability
from hesperus.fingerprint import JSON

Verdict = Literal["supported", "not supported", "contradicted"]
"""What a text is to a claim. Only ``supported`` counts as support; ``contradicted`` is kept for reading."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Extracted:
    """The claims of a text.

    Attributes:
        claims: Each once, in the order of the text; None if they could not be read.
        reason: Why not; empty otherwise.
        readability: What the judge was asked for them.
    """

    claims: tuple[str, ...] | None
    reason: str = ""
    readability: Readability = Readability()


@dataclass(frozen=True, slots=True)
class Check:
    """Claims to be checked against a text."""

    claims: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim and what the judge said of it.

    Attributes:
        claim: The claim.
        verdict: None if there is no readable verdict.
        reason: Why it is absent, or by which rule it was given without asking; empty otherwise.
    """

    claim: str
    verdict: Verdict | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdicts of a check, one for each claim in order.

    Attributes:
        judged: The claims with their verdicts.
        readability: What the judge was asked for them.
    """

    judged: tuple[Judged, ...]
    readability: Readability = Readability()


@runtime_checkable
class Judge(Protocol):
    """Takes batches, so that a judge that asks a model can ask all at once."""

    @property
    def name(self) -> str:
        """Name for tables: ``embedded``, or ``provider/name`` of a model."""

    def claims(self, texts: Sequence[str]) -> Sequence[Extracted]:
        """The claims of each text, in order."""

    def verify(self, checks: Sequence[Check]) -> Sequence[Verified]:
        """The verdicts of each check, in order."""

    def signature(self) -> dict[str, JSON]:
        """All that decides its verdicts."""


NO_ANSWER = "No answer"
"""What is in the place of an answer that was refused, blocked or never came."""

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def no_answer(text: str | None) -> bool:
    """Whether a text represents no answer: None, nothing but blanks and marks, or NO_ANSWER.

    A refusal in words is an answer here, from which a judge takes no claims; who knows that a reply was refused or
    blocked hands in None.

    >>> no_answer(None), no_answer(" … "), no_answer("*No answer.*"), no_answer("No answer is known to this.")
    (True, True, True, False)
    """
    if text is None:
        return True
    said = _EDGES.sub("", unicodedata.normalize("NFKC", text[:1000]))
    if not said and len(text) > 1000:
        return not any(c.isalnum() for c in text)
    return not said or said.casefold() == NO_ANSWER.casefold()
