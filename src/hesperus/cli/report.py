"""`hesperus report`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hesperus.cli.flags import AUDIT, MEASURED, Flags, takes_flags


@takes_flags
def command(
    **settings: Annotated[
        Any,
        Flags("hesperus.api.pages:report", arguments="runs", options="out", without="wrote"),
        Flags(MEASURED, "invalid resamples seed interval"),
        Flags(AUDIT, without="exact runs", panel="Of an audit of a translated benchmark"),
    ],
) -> None:
    """Write the report of a run: one HTML file that needs no network and no other file.

    Where senses were made from others, it says how consistent the models are; where the same questions were asked in
    several languages or of several models (a similarity study, an import, any records), how alike they answer; of open
    answers, how much of the English answer each language keeps, below which ceiling, and which claims are lost; of an
    audit of a translated benchmark, its checklist and estimates. Each shows the figures, the tables with intervals, what was
    excluded and why, and how it was measured.

    Records with a flag of an audit get the page of an audit, whatever asked them. In a run folder audit.json, ratings.csv and
    checks.csv are found by their names.

    For example:

        hesperus report runs/atlas

        hesperus report records.parquet --out report.html --figures figures --figure-format pdf

        hesperus report runs/atlas --consistency-card card.md

        hesperus report runs/tax-mmmlu-1a2b3c4d --parser strict --parser ohmer2023

        hesperus report answers.csv --scores bleu.csv --ratings cues.csv --group english=gpt-4o,gpt-4o-mini
    """
    from hesperus.api.pages import report

    report(**settings, wrote=typer.echo)
