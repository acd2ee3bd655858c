"""Units from a table: CSV, TSV, JSON lines or Parquet, or a frame that was made from records."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.annotation.scheme import Scheme
from hesperus.annotation.units import Scalar, Text, Unit
from hesperus.errors import DataError, UnknownNameError, UsageError, refuse_unknown
from hesperus.languages import normalise
from hesperus.tables import read_table, row_line

ANSWER_COLUMNS = frozenset({"model", "outcome", "answer", "probs", "reply", "rule"})
"""Columns of the records that tell what a model answered: a blind scheme shows none of them."""

_UNIT, _LABELS = "unit", "labels"


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which column is what.

    Attributes:
        columns: PART=COLUMN: the columns that a shown text, unit, labels or TEXT.language comes from. Several columns make a
            unit's id together, joined by ``|``. What is not mapped is looked for under its own name.
        languages: TEXT=TAG: the language of a shown text, where no column tells it.
        labels: For replies: an answer to choose from, where no column tells them.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """How many units to take.

    Attributes:
        n: Units to draw; with ``by``, of each stratum (default: all).
        by: Column of the strata.
        seed: Seed of the draw; of a store also that of the cuts and the raters' orders.
    """

    n: int | None = None
    by: str | None = None
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse a draw that takes nothing."""
        if self.n is not None and self.n < 1:
            raise UsageError("a sample has at least 1 unit")
        if self.by is not None and self.n is None:
            raise UsageError("strata need a number: how many units of each")


def read_frame(path: Path | str) -> pl.DataFrame:
    """Read a table that has rows; see hesperus.tables.read_table."""
    frame = read_table(path)
    if frame.is_empty():
        raise DataError("the file holds no rows", file=path)
    return frame


def first_line(path: object) -> int:
    """Number of the line that holds a file's first row."""
    return row_line(0, path)


def units_from_frame(
    frame: pl.DataFrame, scheme: Scheme, mapped: Mapped | None = None, *, file: object = None
) -> tuple[Unit, ...]:
    """Make a unit of every row.

    Columns that are not shown are kept with the unit for exports and never sent to a rater; a blind scheme refuses a
    shown text from a column of answers.
    """
    mapped = mapped or Mapped()
    _check_names(mapped, scheme)
    columns = _columns(frame, scheme, mapped, file)
    _check_blind(columns, scheme)
    ids = columns[_UNIT]
    used = {name for role, names in columns.items() if role != _UNIT for name in names}
    kept = [name for name in frame.columns if name not in used or name in ids or name in ANSWER_COLUMNS]
    units, seen = [], dict[str, int]()
    for number, row in enumerate(frame.iter_rows(named=True), start=first_line(file)):
        parts = ["" if row[name] is None else str(row[name]) for name in ids]
        if not any(part.strip() for part in parts):
            raise DataError("the id of the unit is empty", file=file, line=number, field=ids[0])
        id_ = "|".join(parts)
        if id_ in seen:
            raise DataError(
                f"the same id as line {seen[id_]}; where several columns make the id, map each: unit=COLUMN",
                file=file,
                line=number,
                item=id_,
            )
        seen[id_] = number
        texts = _texts(row, scheme, columns, mapped=mapped, place=(file, number))
        units.append(
            Unit(id_, texts, _labels(row, columns, mapped), {name: scalar(row[name]) for name in kept})
        )
    return tuple(units)


def drawn(units: Sequence[Unit], draw: Draw) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    """Draw units, seeded: each has a rank from a hash of seed and id, and the lowest ranks are taken.

    The drawn units keep their old order; a note says of each stratum that had fewer than were asked for.
    """
    if draw.n is None:
        return tuple(units), ()
    strata: dict[str, list[Unit]] = {}
    for unit in units:
        if draw.by is not None and draw.by not in unit.columns:
            raise UnknownNameError("column of the units", draw.by, unit.columns)
        strata.setdefault("" if draw.by is None else str(unit.columns[draw.by]), []).append(unit)
    taken: set[str] = set()
    notes = []
    for name, members in strata.items():
        taken |= {unit.id for unit in sorted(members, key=lambda unit: _rank(unit.id, draw.seed))[: draw.n]}
        if len(members) < draw.n:
            stratum = f"stratum {draw.by}={name}: " if draw.by is not None else ""
            notes.append(f"{stratum}{draw.n} units were asked for, there are {len(members)}; all are taken")
    return tuple(unit for unit in units if unit.id in taken), tuple(notes)


def scalar(value: Any) -> Scalar:
    """A cell as JSON can keep it: lists and mappings as JSON text, NaN as nothing."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _rank(id_: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed}\x00{id_}".encode(), digest_size=16).digest()


def _check_names(mapped: Mapped, scheme: Scheme) -> None:
    names = [shown.name for shown in scheme.shows]
    known = [_UNIT, _LABELS, *names, *(f"{name}.language" for name in names)]
    refuse_unknown(f"part of {scheme.name}", mapped.columns, known)
    refuse_unknown(f"text of {scheme.name}", mapped.languages, names)


def _columns(frame: pl.DataFrame, scheme: Scheme, mapped: Mapped, file: object) -> dict[str, tuple[str, ...]]:
    """Part of a unit to the columns it comes from; parts without a column are left out."""
    found: dict[str, tuple[str, ...]] = {}
    for role, names in mapped.columns.items():
        refuse_unknown(f"column of {file}" if file else "column", names, frame.columns)
        if len(names) > 1 and role != _UNIT:
            raise UsageError(f"{role} comes from one column, not from {', '.join(names)}")
        found[role] = tuple(names)
    texts = [name for shown in scheme.shows for name in (shown.name, f"{shown.name}.language")]
    for role in (*texts, _LABELS):
        if role not in found and role in frame.columns:
            found[role] = (role,)
    missing = [shown.name for shown in scheme.shows if shown.required and shown.name not in found]
    if _UNIT not in found:
        known = [name for name in (_UNIT, "item", "id") if name in frame.columns]
        missing += [] if known else [_UNIT]
        found |= {_UNIT: (known[0],)} if known else {}
    if missing:
        raise DataError(
            f"no column for {', '.join(missing)}; map them: {missing[0]}=COLUMN (there are {', '.join(frame.columns)})",
            file=file,
        )
    return found


def _check_blind(columns: Mapping[str, Sequence[str]], scheme: Scheme) -> None:
    if not scheme.blind:
        return
    for shown in scheme.shows:
        for name in columns.get(shown.name, ()):
            if name in ANSWER_COLUMNS:
                raise UsageError(
                    f"{scheme.name} is blind to what models answered, and {shown.name!r} would show the column "
                    f"{name!r}; map another column, or write a scheme with `blind: false`"
                )


def _texts(
    row: Mapping[str, Any],
    scheme: Scheme,
    columns: Mapping[str, Sequence[str]],
    *,
    mapped: Mapped,
    place: tuple[object, int],
) -> tuple[Text, ...]:
    texts = []
    for shown in scheme.shows:
        names = columns.get(shown.name)
        value = row[names[0]] if names else None
        text = "" if value is None else str(scalar(value))
        if not text.strip() and shown.required:
            # An empty reply is a reply, and a person should say so; an empty text under judgement is a fault.
            if shown.name != "reply" or value is None:
                raise DataError(
                    "nothing to show; leave the row out or fill it",
                    file=place[0],
                    line=place[1],
                    field=names[0] if names else shown.name,
                )
        elif not text.strip():
            continue
        told = columns.get(f"{shown.name}.language")
        tag = row[told[0]] if told else mapped.languages.get(shown.name)
        texts.append(Text(shown.name, text, normalise(str(tag)) if tag else None))
    return tuple(texts)


def _labels(row: Mapping[str, Any], columns: Mapping[str, Sequence[str]], mapped: Mapped) -> tuple[str, ...]:
    value = row[columns[_LABELS][0]] if _LABELS in columns else None
    if value is None:
        return tuple(mapped.labels)
    if isinstance(value, str):
        return tuple(_listed(value))
    return tuple(map(str, value))


def _listed(text: str) -> list[str]:
    """A list in a cell: JSON, or words with commas between them."""
    if text.lstrip().startswith("["):
        try:
            return [str(value) for value in json.loads(text)]
        except ValueError:
            raise DataError(f"no JSON list: {text[:60]!r}", field=_LABELS) from None
    return [part.strip() for part in text.split(",") if part.strip()]
