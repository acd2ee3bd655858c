"""Corrected readings as an overrides file, which `hesperus reread --overrides` applies."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hesperus.annotation.adjudication import Decision, decisions
from hesperus.annotation.scheme import Question
from hesperus.annotation.store import RatingStore
from hesperus.annotation.units import Unit
from hesperus.errors import DataError, UsageError
from hesperus.records.files import write_content
from hesperus.records.schema import KEY
from hesperus.spreadsheets import guarded
from hesperus.types import OUTCOMES

_COLUMNS = (*KEY, "reply_hash", "label", "outcome", "note")
_NOTES = {"adjudicated": "adjudicated", "agreed": "{raters} raters agree", "single": "read by one rater"}


@dataclass(frozen=True, slots=True)
class Corrections:
    """What was written.

    Attributes:
        written: Readings in the file.
        changed: Those that differ from the answer that the record had.
        open: Units left out because nothing was decided: reason to count.
    """

    written: int
    changed: int
    open: Mapping[str, int]


def write_corrections(store: RatingStore, path: Path | str, reply_hash: Callable[[str], str]) -> Corrections:
    """Write what people read as an overrides file.

    Args:
        store: Ratings under a scheme that shows ``reply`` and has one question with ``labels``.
        path: CSV to write, whole or not at all.
        reply_hash: Hash by which an override names the very reply that was read (see hesperus.answers.overrides).

    Returns:
        Counts; what is open or cannot be judged is left out and counted.

    Raises:
        UsageError: The scheme reads no replies, or the file cannot be written.
        DataError: A unit does not name its record.
    """
    path, question = Path(path), _reading(store)
    rows: list[dict[str, str]] = []
    changed, left = 0, dict[str, int]()
    for made in decisions(store):
        if made.question != question.name:
            continue
        if made.value is None:
            reason = made.reason or "cannot be judged"
            left[reason] = left.get(reason, 0) + 1
            continue
        unit = store.sheet.by_code[made.unit]
        rows.append(_row(unit, made, question, reply_hash))
        changed += unit.columns.get("answer") != (rows[-1]["label"] or None)
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: guarded(cell) for name, cell in row.items()} for row in rows)

    write_content(path, written.getvalue())
    return Corrections(len(rows), changed, left)


def _reading(store: RatingStore) -> Question:
    scheme = store.sheet.scheme
    found = [question for question in scheme.questions if question.labels]
    if len(found) != 1 or "reply" not in [shown.name for shown in scheme.shows]:
        raise UsageError(
            f"{scheme.name} reads no replies: overrides need a scheme that shows 'reply' and has one question with "
            "labels, such as 'readings'"
        )
    return found[0]


def _row(unit: Unit, made: Decision, question: Question, reply_hash: Callable[[str], str]) -> dict[str, str]:
    missing = [name for name in KEY if unit.columns.get(name) in (None, "") and name != "repeat"]
    if missing:
        raise DataError(f"does not name its record: no {', '.join(missing)}", item=unit.id)
    reply = next((text.text for text in unit.texts if text.name == "reply"), "")
    value = made.value or ""
    is_label = value in unit.labels
    if not is_label and value not in OUTCOMES:
        raise DataError(
            f"{value!r} is neither a label of the unit nor an outcome", field=question.name, item=unit.id
        )
    return {
        **{name: str(unit.columns.get(name) or ("1" if name == "repeat" else "")) for name in KEY},
        "reply_hash": reply_hash(reply),
        "label": value if is_label else "",
        "outcome": "" if is_label else value,
        "note": made.reason or _NOTES[made.basis].format(raters=made.raters),
    }
