"""`hesperus annotate export`: what raters said, for measures and for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.annotation import RatingStore


Store = Annotated[Path, typer.Argument(help="Rating store (.sqlite) that `create` made.", show_default=False)]


def tell(*lines: str) -> None:
    """Say something next to the data; what is in a line may come from raters."""
    from hesperus.untrusted import visible

    for line in lines:
        say(visible(line))


def export(
    store: Store,
    out: Annotated[
        Path,
        typer.Option(help="File: .csv, .jsonl or .parquet; for label-studio a folder.", show_default=False),
    ],
    what: Annotated[
        str, typer.Option(help="ratings, wide, decisions, log, overrides or label-studio.")
    ] = "ratings",
    question: Annotated[str | None, typer.Option(help="For ratings and wide: only this question.")] = None,
    role: Annotated[str, typer.Option(help="For ratings and wide: rater or adjudicator.")] = "rater",
) -> None:
    """Export ratings for `hesperus measure raters`, decisions, the whole log, or files for other tools.

    `ratings` has a row per unit, rater and question; `wide` a row per unit and rater with a column per question;
    `decisions` what raters agreed on or an adjudicator decided; `overrides` what `hesperus reread` takes.

    For example:

        hesperus annotate export rate.sqlite --question cue --out cue.csv

        hesperus annotate export readings.sqlite --what overrides --out reviewed.csv

        hesperus annotate export rate.sqlite --what label-studio --out label-studio
    """
    from hesperus.annotation import RatingStore
    from hesperus.errors import UnknownNameError

    kinds = {
        "ratings": lambda opened: _ratings(opened, out, question, role, wide=False),
        "wide": lambda opened: _ratings(opened, out, question, role, wide=True),
        "decisions": lambda opened: _decisions(opened, out),
        "log": lambda opened: _log(opened, out),
        "overrides": lambda opened: _overrides(opened, out),
        "label-studio": lambda opened: _label_studio(opened, out),
    }
    if what not in kinds:
        raise UnknownNameError("kind of export", what, kinds)
    with RatingStore(store) as opened:
        tell(kinds[what](opened))


def _ratings(store: RatingStore, out: Path, question: str | None, role: str, *, wide: bool) -> str:
    from hesperus.annotation import ratings_table
    from hesperus.annotation.store import as_role
    from hesperus.records.exporters import write_table

    made = ratings_table(store, question=question, shape="wide" if wide else "long", role=as_role(role))
    write_table(made.frame, out)
    return (
        f"{out}: {made.frame.height:,} rows; {made.rated:,} ratings, {made.cannot_judge:,} times cannot judge, "
        f"{made.open:,} not answered yet"
    )


def _decisions(store: RatingStore, out: Path) -> str:
    from hesperus.annotation import decisions_table
    from hesperus.records.exporters import write_table

    frame = decisions_table(store)
    write_table(frame, out)
    return f"{out}: {frame.height:,} rows, {frame['decision'].null_count():,} without a decision (see basis and reason)"


def _log(store: RatingStore, out: Path) -> str:
    from hesperus.annotation import log_table
    from hesperus.records.exporters import write_table

    frame = log_table(store)
    write_table(frame, out)
    return f"{out}: {frame.height:,} judgements"


def _overrides(store: RatingStore, out: Path) -> str:
    from hesperus.annotation import write_corrections
    from hesperus.answers import reply_hash

    made = write_corrections(store, out, reply_hash)
    left = "".join(f"; excluded: {count:,} ({reason})" for reason, count in made.open.items())
    return f"{out}: {made.written:,} readings, {made.changed:,} other than before{left}"


def _label_studio(store: RatingStore, out: Path) -> str:
    from hesperus.annotation import write_label_studio

    write_label_studio(store.sheet, out)
    return f"{out}: config.xml (labelling interface) and tasks.json ({len(store.sheet.units):,} tasks)"
