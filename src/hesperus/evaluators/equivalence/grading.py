"""Grades of pairs of short answers, by a grader with or without a model, and their mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from hesperus.evaluators.information.judges import no_answer
from hesperus.evaluators.information.results import Key, validity
from hesperus.evaluators.judging import Readability
from hesperus.fingerprint import JSON
from hesperus.measures import Bootstrap, Statistic, estimate, wilson
from hesperus.measures.statistic import SHARE, ratio
from hesperus.types import Estimate

RULE = "1: the same answer, 0: different answers; no answer on one side: 0; on both sides: 1"
"""The rule of every grade, in the words that are in the signature."""


class ShortPair(NamedTuple):
    """Two short answers to one question.

    Attributes:
        key: Owner, such as (model, language, item).
        reference: An answer; None if it was refused, blocked or never came.
        candidate: The other.
        question: What was asked, for graders that read it.
    """

    key: Key
    reference: str | None
    candidate: str | None
    question: str = ""


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

    def grade(self, pairs: Sequence[ShortPair]) -> Sequence[Grade]:
        """The grade of each pair, in order."""

    def signature(self) -> dict[str, JSON]:
        """All that decides its grades."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The grades of all pairs.

    Attributes:
        pairs: As they were given.
        grades: One for each.
        grader: The grader's signature.
    """

    pairs: tuple[ShortPair, ...]
    grades: tuple[Grade, ...]
    grader: Mapping[str, JSON]

    def estimate(
        self,
        bootstrap: Bootstrap | None = None,
        *,
        keys: Collection[Key] | None = None,
        answered_only: bool = False,
    ) -> Estimate:
        """Mean grade.

        Args:
            bootstrap: How to resample pairs; None leaves the interval out.
            keys: Only these pairs.
            answered_only: Leave out pairs without an answer on both sides, rather than grading them by the rule.
        """
        wanted = None if keys is None else frozenset(keys)
        chosen = [
            (pair, grade)
            for pair, grade in zip(self.pairs, self.grades, strict=True)
            if wanted is None or pair.key in wanted
        ]
        silent = [answered_only and _is_silent(pair) for pair, _ in chosen]
        counted = np.array(
            [g.grade is not None and not s for (_, g), s in zip(chosen, silent, strict=True)], bool
        )
        grades = np.array([grade.grade or 0.0 for _, grade in chosen])
        unread = sum(grade.grade is None for _, grade in chosen)
        reasons = [f"{unread} without a readable grade"] if unread else []
        reasons += [f"{sum(silent)} without an answer on both sides"] if any(silent) else []
        return estimate(
            Statistic(
                columns=(np.where(counted, grades, 0.0), counted),
                reduce=ratio,
                corners=SHARE,
                n=int(counted.sum()),
                excluded=len(chosen) - int(counted.sum()),
                reason="; ".join(reasons),
                undefined="no pair of answers to grade",
            ),
            bootstrap,
        )

    @property
    def validity(self) -> Estimate:
        """Share of the grader's replies that could be read; undefined for a grader that asks nothing."""
        return validity(sum((grade.readability for grade in self.grades), Readability()))

    @property
    def orders_agree(self) -> Estimate:
        """Share of the pairs asked in both orders that got one verdict: how far position does not matter."""
        asked = [grade.orders_agree for grade in self.grades if grade.orders_agree is not None]
        return wilson(sum(asked), len(asked))

    def rows(self, names: Sequence[str]) -> list[dict[str, JSON]]:
        """A row for each pair, for a table.

        Args:
            names: Names of the parts of the key.

        Raises:
            ValueError: A key has another number of parts.
        """
        return [
            {
                **dict(zip(names, pair.key, strict=True)),
                "question": pair.question,
                "reference": pair.reference,
                "candidate": pair.candidate,
                "grade": grade.grade,
                "orders_agree": grade.orders_agree,
                "reason": grade.reason,
            }
            for pair, grade in zip(self.pairs, self.grades, strict=True)
        ]

    def signature(self) -> dict[str, JSON]:
        """The grader's signature and the rule."""
        return {**self.grader, "rule": RULE}


def answer_equivalence(pairs: Sequence[ShortPair], grader: Grader) -> Equivalence:
    """Grade how far short answers say the same; pairs without an answer are graded by the RULE, unseen.

    Args:
        pairs: Answers in one language.
        grader: EmbeddedGrader or ModelGrader.

    Raises:
        ValueError: The grader gives another number of grades than it was given pairs.
    """
    given = tuple(ShortPair(*pair) for pair in pairs)
    answered = [pair for pair in given if not _is_silent(pair)]
    found = grader.grade(answered)
    if len(found) != len(answered):
        raise ValueError(f"the grader was given {len(answered)} pairs and gave {len(found)} grades")
    graded = iter(found)
    grades = tuple(_by_rule(pair) if _is_silent(pair) else next(graded) for pair in given)
    return Equivalence(given, grades, grader.signature())


def _is_silent(pair: ShortPair) -> bool:
    return no_answer(pair.reference) or no_answer(pair.candidate)


def _by_rule(pair: ShortPair) -> Grade:
    both = no_answer(pair.reference) and no_answer(pair.candidate)
    return Grade(float(both), "no answer on both sides" if both else "no answer on one side")
