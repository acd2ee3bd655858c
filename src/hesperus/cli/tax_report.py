"""`hesperus tax report`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.api.tax_runs import AuditInputs
from hesperus.cli.measure_flags import Resampling, takes_flags
from hesperus.cli.tax_inputs import EvidenceFlags, Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hesperus.records import Run


@takes_flags
def report_command(
    runs: Runs,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The HTML file (default: report.html in the run folder, or beside the records file by its name).",
            show_default=False,
        ),
    ] = None,
    flags: EvidenceFlags = AuditInputs(),
    figures: Annotated[
        Path | None, typer.Option(help="Also write every figure as a file into this folder.")
    ] = None,
    figure_format: Annotated[str, typer.Option(help="svg, png or pdf.")] = "svg",
    drawn: Resampling = Resampling(),
) -> None:
    """The page of an audit: checklist, estimates, figures, items for reading, in one HTML file that loads nothing.

    From a run folder of `hesperus run translation_tax`, or from any records with the files that the flags name. In a run
    folder audit.json, ratings.csv and checks.csv are found by their names, so that `hesperus report RUN` has them too.

    For example:

        hesperus tax report runs/tax-mmmlu-1a2b3c4d --parser strict --parser ohmer2023

        hesperus tax report answers.csv --scores bleu.csv --ratings cues.csv --group english=gpt-4o,gpt-4o-mini
    """
    from hesperus.analysis.settings import MeasureSettings
    from hesperus.api.page_claims import page_claims_of
    from hesperus.api.tax_evidence import found_beside, report_of
    from hesperus.errors import UnknownNameError
    from hesperus.evidence.page import PageClaims
    from hesperus.reports.drawing import write_drawings
    from hesperus.reports.html import write_report
    from hesperus.reports.overview import outcomes_report
    from hesperus.reports.theme import FIGURE_FORMATS
    from hesperus.version import __version__

    if figure_format not in FIGURE_FORMATS:
        raise UnknownNameError("figure format", figure_format, FIGURE_FORMATS)
    page = out or _page(runs)
    inputs = replace(flags, runs=runs)
    run = _run(runs)
    # Where nothing was answered there is nothing to audit: the page says so, and what became of the questions.
    found = outcomes_report(
        run, MeasureSettings(bootstrap=inputs.settings(drawn.given()).bootstrap)
    ) or report_of(found_beside(inputs), drawn.given())
    # What the flags name lies elsewhere: of such a page the tables are made again, not the whole
    claims = PageClaims({}, {}, __version__, is_of_run=False)
    if len(runs) == 1:
        claims = page_claims_of(runs[0], drawn.given(), is_of_run=flags == AuditInputs())
    typer.echo(write_report(run, page, found=found, sign=claims.written_on))
    if figures is not None:
        for file in write_drawings(found.drawings(), figures, format=figure_format):
            typer.echo(file)


def _page(runs: Sequence[Path]) -> Path:
    """Where the page of a run or a records file goes."""
    from hesperus.errors import UsageError

    if len(runs) > 1:
        raise UsageError(f"{len(runs)} runs in one page: say where it goes (--out FILE.html)")
    return runs[0] / "report.html" if runs[0].is_dir() else runs[0].with_suffix(".html")


def _run(runs: Sequence[Path]) -> Run:
    """The study and signature that the page shows: the run's, or those of several by the names of their folders."""
    from hesperus.records import Run, read_records
    from hesperus.reports.html import open_run

    if len(runs) == 1:
        return open_run(runs[0])
    opened = {run.name: open_run(run) for run in runs if run.is_dir()}
    return Run(
        read_records(runs[0]),
        None,
        {name: run.study for name, run in opened.items() if run.study},
        {name: run.signature for name, run in opened.items() if run.signature},
    )
