"""Grading short answers by a model, each pair in both orders."""

from __future__ import annotations

from collections.abc import Sequence

from hesperus.evaluators.compared_texts import Texts
from hesperus.evaluators.equivalence.grading import Grade
from hesperus.evaluators.judging import (
    TRIES,
    Ask,
    Question,
    Settled,
    UnreadableReply,
    fenced,
    prompt_texts,
    settle,
    strict_json,
)
from hesperus.fingerprint import JSON, fingerprint
from hesperus.types import Prompt

GRADES = {"same": 1.0, "partly": 0.5, "different": 0.0}
"""What a grader may say."""

_PROMPT, _QUESTION, _AGAIN = prompt_texts("grade", "grade_question", "grade_again")

PROMPTS = fingerprint([_PROMPT, _QUESTION, _AGAIN])
"""Hash of all wording."""


class ModelGrader:
    """Asks any model, through the callable that it is given, each pair in both orders.

    The grade is the mean of both; whether the two agree says how far the order alone decides.

    Args:
        name: ``provider/name``, for tables and the signature.
        ask: See hesperus.evaluators.judging.
    """

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask

    def signature(self) -> dict[str, JSON]:
        """Its name, the hash of its prompts and how often it is asked."""
        return {"grader": self.name, "prompts": PROMPTS, "tries": TRIES}

    def grade(self, pairs: Sequence[Texts]) -> list[Grade]:
        """The grade of each pair; None if a reply to either order could not be read."""
        questions = [
            Question(grade_prompt(pair, exchanged=exchanged), read_grade, _AGAIN)
            for exchanged in (False, True)
            for pair in pairs
        ]
        settled = settle(questions, self._ask)
        halves = zip(settled[: len(pairs)], settled[len(pairs) :], strict=True)
        return [_joined(first, second) for first, second in halves]


def grade_prompt(pair: Texts, *, exchanged: bool = False) -> Prompt:
    """Ask how far two answers say the same."""
    reference, candidate = pair.reference or "", pair.candidate or ""
    first, second = (candidate, reference) if exchanged else (reference, candidate)
    material = fenced(first, also=f"{second}\n{pair.prompt or ''}")
    question = _QUESTION.format(question=material.around(pair.prompt)) if pair.prompt else ""
    return Prompt(
        _PROMPT.format(mark=material.mark, question=question, first=material, second=material.around(second))
    )


def read_grade(text: str) -> float:
    """Read a reply to the grade prompt."""
    document = strict_json(text)
    if not isinstance(document, dict) or set(document) != {"verdict"}:
        raise UnreadableReply("no JSON object with a verdict alone")
    said = document["verdict"]
    verdict = said.strip().casefold() if isinstance(said, str) else ""
    if verdict not in GRADES:
        raise UnreadableReply("a verdict that is none of the three")
    return GRADES[verdict]


def _joined(first: Settled[float], second: Settled[float]) -> Grade:
    asked = first.readability + second.readability
    if first.value is None or second.value is None:
        return Grade(None, first.reason or second.reason, None, asked)
    return Grade((first.value + second.value) / 2, "", first.value == second.value, asked)
