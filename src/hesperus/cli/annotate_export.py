"""`hesperus annotate export`: what raters said, for measures and for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.flags import Flags, takes_flags
from hesperus.cli.said import say

Store = Annotated[Path, typer.Argument(help="Rating store (.sqlite) that `create` made.", show_default=False)]


def tell(*lines: str) -> None:
    """Say something next to the data; what is in a line may come from raters."""
    from hesperus.untrusted import visible

    for line in lines:
        say(visible(line))


@takes_flags
def export(
    store: Store,
    out: Annotated[
        Path,
        typer.Option(help="File: .csv, .jsonl or .parquet; for label-studio a folder.", show_default=False),
    ],
    **settings: Annotated[Any, Flags("hesperus.api.annotating:export_judgements")],
) -> None:
    """Export ratings for `hesperus measure raters`, decisions, the whole log, or files for other tools.

    `ratings` has a row per unit, rater and question; `wide` a row per unit and rater with a column per question;
    `decisions` what raters agreed on or an adjudicator decided; `overrides` what `hesperus reread` takes.

    For example:

        hesperus annotate export rate.sqlite --question cue --out cue.csv

        hesperus annotate export readings.sqlite --what overrides --out reviewed.csv

        hesperus annotate export rate.sqlite --what label-studio --out label-studio
    """
    from hesperus.api.annotating import export_judgements

    tell(export_judgements(store, out, **settings))
