"""What raters said, for measures and for other tools."""

from __future__ import annotations

from pathlib import Path

from hesperus.annotation import (
    RatingStore,
    decisions_table,
    log_table,
    ratings_table,
    write_corrections,
    write_label_studio,
)
from hesperus.annotation.exporting import Shape
from hesperus.annotation.store import as_role
from hesperus.answers import reply_hash
from hesperus.errors import UnknownNameError
from hesperus.records.exporters import write_table

KINDS = ("ratings", "wide", "decisions", "log", "overrides", "label-studio")


def export_judgements(
    store: Path | str,
    out: Path | str,
    *,
    what: str = "ratings",
    question: str | None = None,
    role: str = "rater",
) -> str:
    """Write what a rating store holds: what `hesperus annotate export` does.

    Args:
        store: Rating store (.sqlite).
        out: File: .csv, .jsonl or .parquet; for label-studio a folder.
        what: ratings, wide, decisions, log, overrides or label-studio.
        question: For ratings and wide: only this question.
        role: For ratings and wide: rater or adjudicator.

    Returns:
        What was written, as a line for people.

    Raises:
        UnknownNameError: No such kind, question or role.
        StoreError: The store cannot be read.
        UsageError: The file cannot be written.
    """
    if what not in KINDS:
        raise UnknownNameError("kind of export", what, KINDS)
    target = Path(out)
    with RatingStore(Path(store)) as opened:
        if what == "overrides":
            made = write_corrections(opened, target, reply_hash)
            left = "".join(f"; excluded: {count:,} ({reason})" for reason, count in made.open.items())
            return f"{out}: {made.written:,} readings, {made.changed:,} other than before{left}"
        if what == "label-studio":
            write_label_studio(opened.sheet, target)
            units = len(opened.sheet.units)
            return f"{out}: config.xml (labelling interface) and tasks.json ({units:,} tasks)"
        if what == "decisions":
            frame = decisions_table(opened)
            without = frame["decision"].null_count()
            told = f"{frame.height:,} rows, {without:,} without a decision (see basis and reason)"
        elif what == "log":
            frame = log_table(opened)
            told = f"{frame.height:,} judgements"
        else:
            shape: Shape = "wide" if what == "wide" else "long"
            rated = ratings_table(opened, question=question, shape=shape, role=as_role(role))
            frame = rated.frame
            told = (
                f"{frame.height:,} rows; {rated.rated:,} ratings, {rated.cannot_judge:,} times cannot judge, "
                f"{rated.open:,} not answered yet"
            )
    write_table(frame, target)
    return f"{out}: {told}"
