"""Answers corrected by hand: an overrides file next to the records, which `hesperus reread --overrides` takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.answers.overrides import KEYS, Override, Overrides, RecordKey, load_overrides, reply_hash
from hesperus.errors import UsageError
from hesperus.records.files import write_whole
from hesperus.records.schema import KEY
from hesperus.tables import write_table
from hesperus.types import OUTCOMES, Answer, Outcome

BY_HAND = tuple(outcome for outcome in OUTCOMES if outcome not in ("answered", "error"))
"""Outcomes that a person can give to a reply; ``answered`` goes with a label."""

LONGEST_NOTE = 2000
_FILE = "overrides.csv"


def corrections_file(place: Path) -> Path:
    """Where the corrections of a run are: in its folder, or next to its records file."""
    return place / _FILE if place.is_dir() else place.with_name(f"{place.stem}.{_FILE}")


@dataclass(frozen=True, slots=True)
class Decision:
    """How a person reads a reply: a label, or an outcome without one, and why."""

    label: str | None
    outcome: str
    note: str

    def answer(self) -> Answer:
        """As an answer.

        Raises:
            UsageError: No reason, or an outcome that no person can give.
        """
        if not self.note.strip() or len(self.note) > LONGEST_NOTE:
            raise UsageError(f"say in up to {LONGEST_NOTE:,} characters why the answer is read so")
        if self.label is not None:
            return Answer("answered", self.label, "override")
        found: Outcome | None = next((one for one in BY_HAND if one == self.outcome), None)
        if found is None:
            raise UsageError(f"an outcome is one of {', '.join(BY_HAND)}, not {self.outcome[:40]!r}")
        return Answer(found, None, "override")


def read_corrections(file: Path) -> Overrides:
    """The corrections of a file; none if there is no file."""
    return load_overrides(file) if file.is_file() else Overrides(str(file), {})


def corrected_file(file: Path, key: RecordKey, reply: str, decision: Decision | None) -> Overrides:
    """Write the corrections of a file with those of a record put in or taken out.

    None takes a correction out; the file is made if it is missing, and removed with its last correction.
    """
    held = {name: one for name, one in read_corrections(file).by_key.items() if name != key}
    if decision is not None:
        held[key] = Override(key, reply_hash(reply), decision.answer(), decision.note.strip(), 0)
    try:
        if held:
            write_whole(file, lambda partial: write_table(_frame(held.values()), partial, "csv"))
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {file.name} next to the records: {error.strerror}") from None
    return read_corrections(file)


def _frame(corrections: Iterable[Override]) -> pl.DataFrame:
    rows = [
        {
            **dict(zip(KEYS, one.key, strict=True)),
            "reply_hash": one.reply_hash,
            "label": one.answer.label or "",
            "outcome": "" if one.answer.label is not None else one.answer.outcome,
            "note": one.note,
        }
        for one in sorted(corrections, key=lambda one: one.key)
    ]
    return pl.DataFrame(rows).select(*KEYS, "reply_hash", "label", "outcome", "note")


def with_corrections(records: pl.DataFrame, corrections: Mapping[RecordKey, Override]) -> pl.DataFrame:
    """Records with the answers of the corrections that were made for the very same reply."""
    if not corrections or "reply" not in records.columns:
        return records
    held = _frame(corrections.values()).cast({"repeat": records.schema["repeat"]})
    numbered = records.with_row_index("_at")
    met = numbered.select("_at", *KEY, "reply").join(held, on=list(KEY), how="inner")
    same = [reply_hash(text or "") == seen for text, seen in met.select("reply", "reply_hash").iter_rows()]
    changes = met.filter(pl.Series(same, dtype=pl.Boolean)).select(
        "_at",
        _outcome=pl.when(pl.col("outcome") == "").then(pl.lit("answered")).otherwise(pl.col("outcome")),
        _label=pl.when(pl.col("label") != "").then(pl.col("label")),
    )
    joined = numbered.join(changes, on="_at", how="left", maintain_order="left")
    by_hand = pl.col("_outcome").is_not_null()
    return joined.with_columns(
        outcome=pl.coalesce("_outcome", "outcome"),
        answer=pl.when(by_hand).then("_label").otherwise("answer"),
    ).drop("_at", "_outcome", "_label")
