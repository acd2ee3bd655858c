"""`hesperus report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.flags import MEASURED, FigureFormat, Figures, Flags, RunPath, takes_flags


@takes_flags
def command(
    run: RunPath,
    out: Annotated[
        Path | None, typer.Option(help="The HTML file (default: report.html in the run folder).")
    ] = None,
    figures: Figures = None,
    figure_format: FigureFormat = "svg",
    card: Annotated[
        Path | None, typer.Option(help="Also write the GenBench card: Markdown, or JSON if the name ends so.")
    ] = None,
    consistency_card: Annotated[
        Path | None,
        typer.Option(
            help="Also write the consistency card, a line a language (accuracy, consistency, answered, refused, tokens): HTML, "
            "Markdown or JSON by its ending."
        ),
    ] = None,
    *,
    given: Annotated[Any, Flags(MEASURED, "invalid resamples seed interval")],
) -> None:
    """Write the report of a run: one HTML file that needs no network and no other file.

    Where senses were made from others, it says how consistent the models are; where the same questions were asked in
    several languages or of several models (a similarity study, an import, any records), how alike they answer; of open
    answers, how much of the English answer each language keeps, below which ceiling, and which claims are lost; of an
    audit of a translated benchmark, its checklist and estimates (`hesperus tax report` takes what lies elsewhere, and
    records). Each shows the figures, the tables with intervals, what was excluded and why, and how it was measured.

    For example:

        hesperus report runs/atlas

        hesperus report records.parquet --out report.html --figures figures --figure-format pdf

        hesperus report runs/atlas --consistency-card card.md
    """
    from hesperus.api.pages import consistency_card_text, write_page
    from hesperus.reports.drawing import write_drawings

    target = out or (run / "report.html" if run.is_dir() else run.with_suffix(".html"))
    page = write_page(run, target, given)
    typer.echo(target)
    if figures is not None:
        for file in write_drawings(page.found.drawings(), figures, format=figure_format):  # type: ignore[arg-type]  # checked by its flag
            typer.echo(file)
    if card is not None:
        _put(card, page.card.json() if card.suffix == ".json" else page.card.markdown())
    if consistency_card is not None:
        _put(consistency_card, consistency_card_text(page.run, given, consistency_card.suffix))


def _put(card: Path, text: str) -> None:
    from hesperus.records.files import write_content

    write_content(card, text, "the card")
    typer.echo(card)
