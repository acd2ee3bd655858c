"""A judgement, and whether it may be taken: known unit, known question, on the scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from hesperus.annotation.scheme import COMMENT
from hesperus.annotation.unit_tables import first_line, read_frame
from hesperus.annotation.units import Sheet
from hesperus.errors import DataError, UnknownNameError, UsageError

LONG = ("unit", "rater", "question", "rating")
"""What a long table of ratings must have; ``item`` may be next to ``unit``, where one item has several units."""

_KEY = ["unit", "rater", "question"]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A table of numbers on the scale.

    Attributes:
        frame: The rows of the file. ``rating`` is text, or null where nothing was said.
        repeated: Rows that said once more what the same rater had said of the same question and unit; left out.
    """

    frame: pl.DataFrame
    repeated: int


def read_scaled(path: Path | str, scale: tuple[float, float]) -> Scaled:
    """Read a long table of ratings and refuse it as a whole where a rating is not on the scale.

    A question without a single number is answered in words: it has no scale and is left as it is. `scale` is the
    lowest and highest rating that there can be; an error names row, column, rater and item.
    """
    low, high = scale
    if not low < high:
        raise UsageError(f"a scale has a lowest and a highest rating, not {low:g} to {high:g}")
    frame = read_frame(path)
    for name in LONG:
        if name not in frame.columns:
            raise DataError(f"no column {name!r}; there are {', '.join(frame.columns)}", file=path)
    for name in _KEY:
        empty = frame[name].is_null().arg_true()
        if len(empty):
            raise DataError("is empty", file=path, line=int(empty[0]) + first_line(path), field=name)
    rows = frame.with_row_index("__row").with_columns(
        pl.col("rating").cast(pl.String).str.strip_chars().replace("", None), pl.col(_KEY).cast(pl.String)
    )
    rows = rows.with_columns(pl.col("rating").cast(pl.Float64, strict=False).alias("__number"))
    given = rows.filter(pl.col("rating").is_not_null())
    numbered = given.filter(pl.col("__number").is_not_null().any().over("question"))
    off = numbered.filter(~pl.col("__number").is_between(low, high).fill_null(False))
    if len(off):
        row = off.row(0, named=True)
        raise _refused(
            row, path, f"{row['rating'][:60]!r} is not on the scale from {low:g} to {high:g}; mend it, or name the scale"
        )  # fmt: skip
    # 4 and 4.0 are one rating.
    said = pl.coalesce(pl.col("__number").cast(pl.String), pl.col("rating")).alias("__said")
    different = given.with_columns(said).unique([*_KEY, "__said"], keep="first", maintain_order=True)
    twice = different.filter(~pl.struct(_KEY).is_first_distinct())
    if len(twice):
        row = twice.row(0, named=True)
        raise _refused(
            row, path, "the same rater gave this question of this unit another rating before; keep one"
        )
    repeated = set(given["__row"]) - set(different["__row"])
    kept = rows.filter(~pl.col("__row").is_in(sorted(repeated)))
    return Scaled(kept.drop("__row", "__number"), len(repeated))


def _refused(row: dict[str, Any], path: Path | str, why: str) -> DataError:
    """An error that names all of: file, row, column, rater, question and item."""
    item = str(row.get("item") or row["unit"])
    place = int(row["__row"]) + first_line(path)
    return DataError(
        f"rater {str(row['rater'])!r}, question {str(row['question'])!r}: {why}",
        file=path, line=place, field="rating", item=item,
    )  # fmt: skip


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
    """Read a judgement as the page sends it."""
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

    The message names the code alone: the unit's id is for the owner of the sheet.
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


def scale_of(text: str) -> tuple[float, float]:
    """LOW:HIGH as two numbers."""
    low, _, high = text.partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise UsageError(f"--scale is LOW:HIGH, such as 1:5, not {text!r}") from None
    if not ends[0] < ends[1]:
        raise UsageError(f"--scale begins with its lowest rating, not {text!r}")
    return ends
