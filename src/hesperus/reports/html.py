"""The report: one HTML file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from hesperus.analysis.run_notes import nothing_answered
from hesperus.analysis.scores import run_scores
from hesperus.analysis.settings import NOTHING_GIVEN, GivenSettings, resolve_settings
from hesperus.item_views.missing_parts import limits
from hesperus.records import Run, read_any_run
from hesperus.records.files import write_content
from hesperus.reports.blocks import Page
from hesperus.reports.html_page import html
from hesperus.reports.layouts import further_blocks
from hesperus.reports.overview import outcomes_report
from hesperus.reports.study_pages import PageInputs, Report, page_for


def report_findings(
    run: Run,
    *,
    given: GivenSettings = NOTHING_GIVEN,
    scores: pl.DataFrame | None = None,
    folder: Path | None = None,
) -> Report:
    """Measure all that the report of a run shows: which tables depends on the study (see hesperus.reports.study_pages).

    A run in which no question was answered, or no answer is a label, gets a page that says so. The folder is where the
    evaluations of open answers are.

    Raises:
        DataError: The run has no records, or no two runs of a model that can be compared.
        UsageError: The study's comparison cannot be used; or the run is one of open answers and its folder is not known, or
            an audit of a translated benchmark: its page needs more than its records (see hesperus.reports.tax.tax_report).
    """
    if nothing_answered(run.records):
        return outcomes_report(run, resolve_settings(given, run.study))
    return page_for(run)(PageInputs(run, given, scores, folder))


def write_report(
    run: Run | Path | str,
    out: Path | str,
    *,
    given: GivenSettings = NOTHING_GIVEN,
    found: Report | None = None,
    sign: Callable[[str], str] | None = None,
) -> Path:
    """Write the report of a run as one HTML file.

    Args:
        run: A run, its folder, or a records file.
        out: The file to write; its folder is made.
        given: How it is measured.
        found: What it shows, where that has been measured before.
        sign: Gives the page with what it claims (see hesperus.evidence.page.PageClaims.written_on); None: it claims nothing.

    Returns:
        The file.

    Raises:
        UsageError: No such run, or the file cannot be written.
        DataError: A file breaks its contract, or holds no records.
    """
    opened = run if isinstance(run, Run) else read_any_run(run)
    if found is None and not isinstance(run, Run):
        folder = Path(run) if Path(run).is_dir() else None
        found = report_findings(opened, given=given, scores=run_scores(run), folder=folder)
    text = report_html(opened, given=given, found=found)
    text = sign(text) if sign is not None else text
    out = Path(out)
    write_content(out, text, "the report")
    return out


def report_page(
    run: Run,
    *,
    given: GivenSettings = NOTHING_GIVEN,
    found: Report | None = None,
) -> Page:
    """The report of a run as blocks.

    Raises:
        DataError: The run has no records.
    """
    found = found or report_findings(run, given=given)
    return found.page(run).with_limits(limits(run)).with_blocks(further_blocks(run, given))


def report_html(
    run: Run,
    *,
    given: GivenSettings = NOTHING_GIVEN,
    found: Report | None = None,
) -> str:
    """The report of a run as text; the same run gives the same text.

    Raises:
        DataError: The run has no records.
    """
    return html(report_page(run, given=given, found=found))
