"""Grades of pairs of short answers, by a grader with or without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hesperus.evaluators.compared_texts import Compared, Evaluator, Key, Texts, refuse_repeated
from hesperus.evaluators.judging import Asker, Readability, validity
from hesperus.fingerprint import JSON

EQUIVALENCE = "equivalence"

RULE = "1: the same answer, 0: different answers; no answer on one side: 0; on both sides: 1"
"""The rule of every grade, in the words that are in the signature."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How far two answers say the same.

    Attributes:
        grade: In [0, 1]; None if the grader gave none.
        reason: Why it is absent, or the rule that gave it.
        orders_agree: Whether the grader said the same with the answers exchanged; None if it was not asked.
        readability: What was asked for it.
    """

    grade: float | None
    reason: str = ""
    orders_agree: bool | None = None
    readability: Readability = Readability()


@runtime_checkable
class Grader(Protocol):
    """Takes batches of pairs with both answers."""

    @property
    def name(self) -> str:
        """Name for tables."""

    def grade(self, pairs: Sequence[Texts]) -> Sequence[Grade]:
        """The grade of each pair, in order."""

    def signature(self) -> dict[str, JSON]:
        """All that decides its grades."""


def equivalence_evaluator(grader: Grader, asker: Asker | None = None) -> Evaluator:
    """Whether two short answers say the same."""
    return Evaluator(
        EQUIVALENCE,
        ("agreement",),
        lambda pairs, names: answer_equivalence(pairs, grader, names),
        asker=asker,
    )


def answer_equivalence(pairs: Sequence[Texts], grader: Grader, names: Sequence[str]) -> Compared:
    """Grade how far short answers say the same; pairs without an answer are graded by the RULE, unseen.

    Args:
        pairs: Answers in one language, with the questions where the grader reads them.
        grader: EmbeddedGrader or ModelGrader.
        names: Names of the parts of a key.

    Returns:
        `agreement` of each pair, and a row for each with whether both orders got one verdict.

    Raises:
        ValueError: Two pairs have the same key, a key has another number of parts, or the grader gives another number of
            grades than it was given pairs.
    """
    refuse_repeated(pairs)
    answered = [pair for pair in pairs if not pair.silence]
    found = grader.grade(answered)
    if len(found) != len(answered):
        raise ValueError(f"the grader was given {len(answered)} pairs and gave {len(found)} grades")
    graded = iter(found)
    grades = [_by_rule(pair) if pair.silence else next(graded) for pair in pairs]
    scores: dict[Key, Mapping[str, JSON]] = {}
    details = []
    for pair, grade in zip(pairs, grades, strict=True):
        is_read = grade.grade is not None
        scores[pair.key] = {
            "state": pair.silence or ("compared" if is_read else "unreadable"),
            "agreement": grade.grade,
            "reason": "" if is_read else grade.reason,
        }
        details.append(
            {
                **dict(zip(names, pair.key, strict=True)),
                "question": pair.prompt or "",
                "reference": pair.reference,
                "candidate": pair.candidate,
                "grade": grade.grade,
                "orders_agree": grade.orders_agree,
                "reason": grade.reason,
            }
        )
    asked = sum((grade.readability for grade in grades), Readability())
    return Compared(scores, details, {**grader.signature(), "rule": RULE}, validity(asked))


def _by_rule(pair: Texts) -> Grade:
    both = pair.silence == "both_silent"
    return Grade(float(both), "no answer on both sides" if both else "no answer on one side")
