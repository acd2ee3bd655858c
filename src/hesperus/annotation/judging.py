"""One judgement, and whether it may be taken: known unit, known question, on the scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from hesperus.annotation.scheme import COMMENT
from hesperus.annotation.units import Sheet
from hesperus.errors import DataError, UnknownNameError

State = Literal["rated", "cannot_judge", "withdrawn"]
"""A value was given; the rater says that none can be; an earlier judgement was taken back."""

STATES: tuple[State, ...] = get_args(State)

LONGEST_COMMENT = 4000
"""Characters of a remark."""

_LONGEST_KEY = 64
_KEYS = ("key", "unit", "question", "state", "value", "client_time")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a rater said about one question of one unit.

    Attributes:
        unit: Code of the unit.
        question: Name of the question, or ``comment``.
        state: See STATES.
        value: A choice of the question or the text of a comment; None unless rated.
        key: Made where the judgement was made, so that one that is sent twice counts once.
        client_time: Seconds since 1970 by the rater's clock. Kept, never used to order.
    """

    unit: str
    question: str
    state: State
    value: str | None
    key: str
    client_time: float | None = None


def judgement_from(entry: object) -> Judgement:
    """Read a judgement as the page sends it.

    Raises:
        DataError: A key is missing, unknown or holds something of the wrong kind.
    """
    if not isinstance(entry, Mapping):
        raise DataError("a judgement is an object with key, unit, question, state and value")
    for name in entry:
        if name not in _KEYS:
            raise DataError(str(UnknownNameError("key of a judgement", str(name)[:60], _KEYS)))
    for name in ("key", "unit", "question", "state"):
        if not isinstance(entry.get(name), str):
            raise DataError("expected text", field=name)
    value, said = entry.get("value"), entry.get("client_time")
    if value is not None and not isinstance(value, str):
        raise DataError(f"expected text or null, found {type(value).__name__}", field="value")
    if said is not None and (
        isinstance(said, bool) or not isinstance(said, int | float) or not math.isfinite(said)
    ):
        raise DataError("expected seconds since 1970", field="client_time")
    if not 8 <= len(entry["key"]) <= _LONGEST_KEY or not entry["key"].isprintable():
        raise DataError(f"expected 8 to {_LONGEST_KEY} characters", field="key")
    for state in STATES:
        if entry["state"] == state:
            return Judgement(entry["unit"], entry["question"], state, value, entry["key"], said)
    raise DataError(str(UnknownNameError("state", entry["state"][:60], STATES)), field="state")


def check_judgement(judgement: Judgement, sheet: Sheet) -> None:
    """Refuse what the sheet does not ask or the scale does not have.

    Raises:
        DataError: Naming the unit's id is for the owner of the sheet, so the message names the code alone.
    """
    unit = sheet.by_code.get(judgement.unit)
    if unit is None:
        raise DataError("there is no such unit on this sheet", item=judgement.unit[:40])
    given = judgement.value
    if (given is not None) != (judgement.state == "rated"):
        raise DataError(
            f"a value belongs to the state 'rated' and to no other, found {judgement.state!r}",
            field=judgement.question,
            item=judgement.unit,
        )
    if judgement.question == COMMENT:
        _check_comment(judgement)
        return
    names = [question.name for question in sheet.scheme.questions]
    if judgement.question not in names:
        raise DataError(
            str(UnknownNameError("question", judgement.question[:60], names)), item=judgement.unit
        )
    question = sheet.scheme.question(judgement.question)
    if judgement.state == "cannot_judge" and not question.cannot_judge:
        raise DataError(
            "this question must be answered; 'cannot judge' is not offered",
            field=question.name,
            item=judgement.unit,
        )
    values = question.values(unit.labels)
    if given is not None and given not in values:
        raise DataError(
            f"{given[:60]!r} is not on the scale; expected one of {', '.join(values)}",
            field=question.name,
            item=judgement.unit,
        )


def _check_comment(judgement: Judgement) -> None:
    if judgement.state == "cannot_judge":
        raise DataError("a comment is text, or withdrawn", field=COMMENT, item=judgement.unit)
    if judgement.value is not None and not 1 <= len(judgement.value) <= LONGEST_COMMENT:
        raise DataError(
            f"a comment has 1 to {LONGEST_COMMENT:,} characters, this one {len(judgement.value):,}",
            field=COMMENT,
            item=judgement.unit,
        )
    if judgement.value is not None and any(
        "\ud800" <= character <= "\udfff" for character in judgement.value
    ):
        raise DataError("half of a surrogate pair is no text", field=COMMENT, item=judgement.unit)
