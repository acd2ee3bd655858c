"""How far raters are: a row for each rater and question, so that one who stopped half-way is seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from hesperus.annotation.adjudication import differing
from hesperus.annotation.store import RatingStore, Role


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
