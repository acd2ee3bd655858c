"""Ratings as tables: a row for each judgement that counts, a row for each rater and unit, what was decided, the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import polars as pl

from hesperus.annotation.adjudication import decisions
from hesperus.annotation.scheme import COMMENT, Scheme
from hesperus.annotation.store import Entry, RatingStore, Role
from hesperus.annotation.units import Scalar, Unit

Shape = Literal["long", "wide"]
"""Long: a row per unit, rater and question. Wide: a row per unit and rater, a column per question."""

_TEXT = pl.String()
_DECISION = {
    "unit": _TEXT,
    "question": _TEXT,
    "decision": _TEXT,
    "basis": _TEXT,
    "raters": pl.Int64(),
    "reason": _TEXT,
}
_LOG = {
    "number": pl.Int64(), "rater": _TEXT, "role": _TEXT, "unit": _TEXT, "question": _TEXT, "state": _TEXT,
    "value": _TEXT, "client_time": _TEXT, "server_time": _TEXT, "key": _TEXT,
}  # fmt: skip

Row = dict[str, Scalar]


@dataclass(frozen=True, slots=True)
class Exported:
    """A table, and what it does not hold.

    Attributes:
        frame: The table.
        rated: Judgements with a value.
        cannot_judge: Judgements without one: the rater said that there can be none. Their rating is null.
        open: Assigned questions that nobody has answered yet; they have no rating.
    """

    frame: pl.DataFrame
    rated: int
    cannot_judge: int
    open: int


def ratings_table(
    store: RatingStore, *, question: str | None = None, shape: Shape = "long", role: Role = "rater"
) -> Exported:
    """The ratings that count, as `hesperus measure raters` takes them.

    Args:
        store: Where they are.
        question: Only this one.
        shape: See Shape. In the wide one a column for each question is in place of ``question, rating, state``.
        role: Adjudicators are no raters: what they say is not mixed in.

    Returns:
        ``unit`` (the id), ``rater``, ``question``, ``rating`` (a whole number where every choice is one), ``state``,
        ``level`` (as the scheme declares it for the question), ``order`` (of the values of a scale that are no rising numbers),
        ``comment`` (the rater's remark on the unit), ``time`` (UTC, by the store's clock), then the unit's own columns;
        in the order of the sheet, raters in the order in which they were added.

    Raises:
        UnknownNameError: The scheme has no such question.
    """
    scheme = store.sheet.scheme
    names = (
        [scheme.question(question).name] if question is not None else [one.name for one in scheme.questions]
    )
    laid_out = _long if shape == "long" else _wide
    rows: list[Row] = []
    states = {"rated": 0, "cannot_judge": 0}
    for unit, rater, said in _by_unit(store, role):
        found = {name: said[name] for name in names if name in said}
        for entry in found.values():
            states[entry.judgement.state] += 1
        for row in laid_out(found, scheme, names):
            remark = said[COMMENT].judgement.value if COMMENT in said else None
            rows.append({"unit": unit.id, "rater": rater, "comment": remark, **row, **_own(unit)})
    assigned = sum(len(store.assigned(rater)) for rater in store.raters(role)) * len(names)
    schema = _schema(store, names, shape)
    return Exported(_frame(rows, schema, store), **states, open=assigned - sum(states.values()))


def decisions_table(store: RatingStore) -> pl.DataFrame:
    """What holds for every question of every unit (see adjudication.Decision), with the unit's own columns."""
    by_code = store.sheet.by_code
    rows: list[Row] = [
        {
            "unit": by_code[made.unit].id,
            "question": made.question,
            "decision": made.value,
            "basis": made.basis,
            "raters": made.raters,
            "reason": made.reason,
            **_own(by_code[made.unit]),
        }
        for made in decisions(store)
    ]
    return _frame(rows, _DECISION, store)


def log_table(store: RatingStore) -> pl.DataFrame:
    """Every judgement ever taken, in the order of the store: nothing was changed or taken out."""
    by_code = store.sheet.by_code
    rows = [
        {
            "number": entry.number,
            "rater": entry.rater.name,
            "role": entry.rater.role,
            "unit": by_code[entry.judgement.unit].id,
            "question": entry.judgement.question,
            "state": entry.judgement.state,
            "value": entry.judgement.value,
            "client_time": _time(entry.judgement.client_time),
            "server_time": _time(entry.server_time),
            "key": entry.judgement.key,
        }
        for entry in store.log()
    ]
    return pl.DataFrame(rows, schema=_LOG)


def _by_unit(store: RatingStore, role: Role) -> Iterator[tuple[Unit, str, Mapping[str, Entry]]]:
    """What each rater said of each unit; units of which nothing was said are left out."""
    said: dict[tuple[str, str], dict[str, Entry]] = {}
    for (name, code, question), entry in store.current(role).items():
        said.setdefault((code, name), {})[question] = entry
    for code, unit in store.sheet.by_code.items():
        for rater in store.raters(role):
            if (code, rater.name) in said:
                yield unit, rater.name, said[code, rater.name]


def _long(found: Mapping[str, Entry], scheme: Scheme, names: Sequence[str]) -> Iterator[Row]:
    for name in names:
        if name in found:
            said, asked = found[name].judgement, scheme.question(name)
            yield {
                "question": name,
                "rating": said.value,
                "state": said.state,
                "level": asked.level,
                "order": asked.order,
                "time": _time(found[name].server_time),
            }


def _wide(found: Mapping[str, Entry], _: Scheme, names: Sequence[str]) -> Iterator[Row]:
    if found:
        values = {name: found[name].judgement.value if name in found else None for name in names}
        yield {**values, "time": _time(max(entry.server_time for entry in found.values()))}


def _schema(store: RatingStore, names: Sequence[str], shape: Shape) -> dict[str, pl.DataType]:
    if shape == "wide":
        ratings = {name: _kind(store, [name]) for name in names}
        return {"unit": _TEXT, "rater": _TEXT, **ratings, "comment": _TEXT, "time": _TEXT}
    return {
        "unit": _TEXT, "rater": _TEXT, "question": _TEXT, "rating": _kind(store, names), "state": _TEXT,
        "level": _TEXT, "order": _TEXT, "comment": _TEXT, "time": _TEXT,
    }  # fmt: skip


def _kind(store: RatingStore, names: Sequence[str]) -> pl.DataType:
    """Whole numbers where every choice of these questions is one, else text."""
    questions = [store.sheet.scheme.question(name) for name in names]
    values = [choice.value for question in questions for choice in question.choices]
    plain = all(value.isascii() and value.isdecimal() and str(int(value)) == value for value in values)
    return pl.Int64() if plain and not any(question.labels for question in questions) else _TEXT


def _own(unit: Unit) -> Row:
    """The unit's columns, out of the way of those that every export has."""
    return {f"unit.{name}": value for name, value in unit.columns.items() if name != "unit"}


def _frame(rows: Sequence[Row], schema: Mapping[str, pl.DataType], store: RatingStore) -> pl.DataFrame:
    own = dict.fromkeys(name for unit in store.sheet.units for name in _own(unit))
    # A unit's column keeps its plain name wherever no column of the export has it.
    final = {name: plain if (plain := name.removeprefix("unit.")) not in schema else name for name in own}
    columns: dict[str, pl.Series] = {}
    for name, kind in schema.items():
        values = [row.get(name) for row in rows]
        if kind == pl.Int64():
            values = [None if value is None else int(value) for value in values]
        columns[name] = pl.Series(name, values, dtype=kind)
    for name in own:
        columns[final[name]] = pl.Series(final[name], _alike([row.get(name) for row in rows]))
    return pl.DataFrame(columns)


def _alike(values: Sequence[Scalar]) -> list[Scalar]:
    """Values of one kind; a column of many kinds becomes text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1:
        return list(values)
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]


def _time(seconds: float | None) -> str | None:
    """ISO 8601 in UTC; a rater's clock may say anything, and what is no time is left out."""
    try:
        return (
            None
            if seconds is None
            else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
        )
    except (OverflowError, OSError, ValueError):
        return None
