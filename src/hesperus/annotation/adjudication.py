"""Where raters differ, and what was decided: agreed, adjudicated, one rater's word, or open."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from hesperus.annotation.scheme import COMMENT
from hesperus.annotation.store import Entry, RatingStore, Role
from hesperus.fingerprint import fingerprint

Basis = Literal["agreed", "adjudicated", "single", "open"]

Ratings = dict[str, dict[str, dict[str, Entry]]]
"""Code of the unit, question, rater's name: the judgement that counts."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What holds for a question of a unit.

    Attributes:
        unit: Code of the unit.
        question: Name of the question.
        value: The choice; None if the matter is open or cannot be judged.
        basis: ``agreed`` (two raters or more, all the same), ``adjudicated``, ``single`` (one rater), ``open``.
        raters: How many raters said something.
        reason: Why it is open, or the adjudicator's remark; empty otherwise.
    """

    unit: str
    question: str
    value: str | None
    basis: Basis
    raters: int
    reason: str = ""


def ratings(store: RatingStore) -> Ratings:
    """What raters said (adjudicators left out), comments among the questions."""
    found: Ratings = {}
    for (rater, unit, question), entry in store.current("rater").items():
        found.setdefault(unit, {}).setdefault(question, {})[rater] = entry
    return found


def differing(store: RatingStore) -> dict[str, tuple[str, ...]]:
    """Unit's code to the questions on which two raters said different things; "cannot judge" differs from a rating."""
    said = ratings(store)
    found = {}
    for code in store.sheet.by_code:
        questions = tuple(
            question.name
            for question in store.sheet.scheme.questions
            if len({entry.judgement.value for entry in said.get(code, {}).get(question.name, {}).values()})
            > 1
        )
        if questions:
            found[code] = questions
    return found


def anonymous(store: RatingStore, said: Ratings, unit: str) -> dict[str, list[dict[str, str | None]]]:
    """The ratings of a unit without names.

    Raters are numbered anew in each unit, so that nobody's manner can be followed from one to the next.

    Question to ``rater`` ("1", "2", …), ``state``, ``value`` and ``comment``.
    """
    by_question = said.get(unit, {})
    names = sorted({name for question, by in by_question.items() if question != COMMENT for name in by})
    random.Random(fingerprint([store.sheet.fingerprint, unit, "anonymous"])).shuffle(names)
    remarks = by_question.get(COMMENT, {})
    return {
        question: [
            {
                "rater": str(names.index(name) + 1),
                "state": by[name].judgement.state,
                "value": by[name].judgement.value,
                "comment": remarks[name].judgement.value if name in remarks else None,
            }
            for name in names
            if name in by
        ]
        for question, by in by_question.items()
        if question != COMMENT
    }


def decisions(store: RatingStore) -> tuple[Decision, ...]:
    """What holds for every question of every unit, in the order of the sheet."""
    said, decided = ratings(store), _decided(store)
    return tuple(
        _decision(code, question.name, said.get(code, {}).get(question.name, {}), decided.get(code, {}))
        for code in store.sheet.by_code
        for question in store.sheet.scheme.questions
    )


def _decided(store: RatingStore) -> dict[str, dict[str, Entry]]:
    """Unit's code and question to the last adjudication; of two adjudicators the later counts."""
    found: dict[str, dict[str, Entry]] = {}
    for (_, unit, question), entry in store.current("adjudicator").items():
        before = found.setdefault(unit, {}).get(question)
        if before is None or before.number < entry.number:
            found[unit][question] = entry
    return found


def _decision(unit: str, question: str, said: Mapping[str, Entry], decided: Mapping[str, Entry]) -> Decision:
    ruling = decided.get(question)
    if ruling is not None:
        remark = decided[COMMENT].judgement.value or "" if COMMENT in decided else ""
        reason = remark or ("cannot be judged" if ruling.judgement.state == "cannot_judge" else "")
        return Decision(unit, question, ruling.judgement.value, "adjudicated", len(said), reason)
    if not said:
        return Decision(unit, question, None, "open", 0, "nobody has rated it")
    values = {entry.judgement.value for entry in said.values()}
    if len(values) > 1:
        return Decision(unit, question, None, "open", len(said), "raters differ")
    value = values.pop()
    reason = "" if value is not None else "cannot be judged"
    return Decision(unit, question, value, "agreed" if len(said) > 1 else "single", len(said), reason)


@dataclass(frozen=True, slots=True)
class Progress:
    """One rater and one question.

    Attributes:
        rater: Name.
        role: Rater or adjudicator.
        question: Name.
        assigned: Units that the rater has; for an adjudicator those in which raters differ on this question.
        rated: With a value.
        cannot_judge: Where the rater said that there can be none.
        open: Not answered yet.
        begun: Whether the rater has answered anything at all.
        last: When the rater last answered anything, ISO 8601 in UTC by the store's clock; None before that.
    """

    rater: str
    role: Role
    question: str
    assigned: int
    rated: int
    cannot_judge: int
    open: int
    begun: bool
    last: str | None


def progress(store: RatingStore) -> tuple[Progress, ...]:
    """How far everybody is, question by question."""
    current, apart = store.current(), differing(store)
    last: dict[str, float] = {}
    for entry in store.log():
        last[entry.rater.name] = max(entry.server_time, last.get(entry.rater.name, 0.0))
    rows = []
    for rater in store.raters():
        for question in store.sheet.scheme.questions:
            codes = store.assigned(rater)
            states = {
                code: current[key].judgement.state
                for code in codes
                if (key := (rater.name, code, question.name)) in current
            }
            if rater.role == "adjudicator":
                codes = tuple(
                    code for code in codes if code in states or question.name in apart.get(code, ())
                )
            said = list(states.values())
            rows.append(
                Progress(
                    rater=rater.name,
                    role=rater.role,
                    question=question.name,
                    assigned=len(codes),
                    rated=said.count("rated"),
                    cannot_judge=said.count("cannot_judge"),
                    open=len(codes) - len(said),
                    begun=rater.name in last,
                    last=_shown(last.get(rater.name)),
                )
            )
    return tuple(rows)


def _shown(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
