"""What every evaluator takes and gives: two texts of one prompt, and a score or a state for each pair.

An evaluator gives one value or two for a pair (`parts`), in [0, 1]; a pair that it could not judge has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hesperus.evaluators.information.judges import no_answer
from hesperus.evaluators.judging import Asker
from hesperus.fingerprint import JSON
from hesperus.types import Estimate

Key = tuple[str, ...]
"""Owner of a pair, such as model, language, item."""


class Texts(NamedTuple):
    """Two answers to one prompt, in one language.

    Attributes:
        key: Owner of the pair; each pair has its own.
        reference: The answer that the other is compared with; None if it was refused, blocked or never came.
        candidate: The other answer; None likewise.
        prompt: What was asked, in the same language, for evaluators that read it; None if it is not known.
        outcomes: Outcomes of both replies, such as ``refused``, where they are known; they decide about a side that gives no
            answer.
    """

    key: Key
    reference: str | None
    candidate: str | None
    prompt: str | None = None
    outcomes: tuple[str, str] = ("", "")

    @property
    def silence(self) -> str:
        """The state of a pair with a side that gives no answer; empty if both do."""
        quiet = no_answer(self.reference), no_answer(self.candidate)
        return {
            (True, True): "both_silent",
            (True, False): "reference_silent",
            (False, True): "candidate_silent",
        }.get(quiet, "")


@dataclass(frozen=True, slots=True)
class Compared:
    """What an evaluator found.

    Attributes:
        scores: Key of a pair to its `state` (compared, reference_silent, candidate_silent, both_silent, no_answer,
            unreadable), the evaluator's parts, `reason`, and what else it knows of the pair.
        details: Rows to read: a claim each, or a pair each.
        signature: All that decides the scores.
        validity: Share of the evaluator's replies that could be read.
    """

    scores: Mapping[Key, Mapping[str, JSON]]
    details: Sequence[Mapping[str, JSON]]
    signature: Mapping[str, JSON]
    validity: Estimate = field(default_factory=lambda: Estimate(None, reason="the evaluator asks nothing"))


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Compares texts.

    Attributes:
        what: Its name: `information`, `equivalence` or a property.
        parts: Names of its values for a pair.
        compare: Compares all pairs of a run at once; its second argument is the names of the parts of a key.
        needs_prompts: Whether it must be told what was asked.
        asker: Who asks its judge, where that is a model, and counts the replies; None if no model is asked.
    """

    what: str
    parts: tuple[str, ...]
    compare: Callable[[Sequence[Texts], Sequence[str]], Compared]
    needs_prompts: bool = False
    asker: Asker | None = None


def refuse_repeated(pairs: Sequence[Texts]) -> None:
    """Every pair has a key of its own."""
    seen: set[Key] = set()
    for pair in pairs:
        if pair.key in seen:
            raise ValueError(f"two pairs have the key {pair.key}")
        seen.add(pair.key)
