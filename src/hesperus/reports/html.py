"""The report: one HTML file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import polars as pl

from hesperus.analysis.open_answers.evidence import gathered
from hesperus.analysis.run_kinds import study_kind
from hesperus.analysis.run_notes import nothing_answered
from hesperus.analysis.scores import run_scores
from hesperus.analysis.settings import NOTHING_GIVEN, GivenSettings, resolve_settings
from hesperus.analysis.table import Table
from hesperus.errors import UsageError
from hesperus.item_views.missing_parts import limits
from hesperus.records import Run, read_any_run
from hesperus.records.files import write_content
from hesperus.reports.blocks import Page
from hesperus.reports.drawing import Drawing
from hesperus.reports.html_page import html
from hesperus.reports.layouts import offered_blocks
from hesperus.reports.multisense_page import multisense_report
from hesperus.reports.overview import is_single, outcomes_report


class Report(Protocol):
    """The measured report of a run, with its figures and its page."""

    @property
    def claims(self) -> tuple[str, ...]:
        """Measures whose tables the page claims, where the run has them: what its text and main tables show."""

    @property
    def measured(self) -> Mapping[str, Table]:
        """Tables among them that have been measured, by measure: each as `measure` makes it of all records of the run."""

    def drawings(self) -> list[Drawing]:
        """Every figure for which there is something to draw."""

    def page(self, run: Run) -> Page:
        """The page."""


def report_findings(
    run: Run,
    *,
    given: GivenSettings = NOTHING_GIVEN,
    scores: pl.DataFrame | None = None,
    folder: Path | None = None,
) -> Report:
    """Measure all that the report of a run shows: which tables depends on the study (see study_kind).

    A run in which no question was answered, or no answer is a label, gets a page that says so. The folder is where the
    evaluations of open answers are.

    Raises:
        DataError: The run has no records, or no two runs of a model that can be compared.
        UsageError: The study's comparison cannot be used; or the run is one of open answers and its folder is not known, or
            an audit of a translated benchmark: its page needs more than its records (see hesperus.reports.tax.tax_report).
    """
    kind = study_kind(run)
    is_scored = kind == "translate_then_evaluate" and not nothing_answered(run.records)
    evidence = gathered(folder, run) if is_scored and folder is not None else None
    if not is_scored or (evidence is not None and not evidence.evaluations):
        is_alone = kind == "similarity" and is_single(run.records)
        settings = resolve_settings(given, run.study)
        told = outcomes_report(run, settings, unscored=is_scored, is_alone=is_alone)
        if told is not None:
            return told
    if kind == "translation_tax":
        raise UsageError(
            "the page of an audit is made of its records and of what stands beside them (strata, verdicts, ratings): "
            "`hesperus report RUN` and hesperus.report(folder) gather it"
        )
    if kind == "translate_then_evaluate":
        if evidence is None:
            raise UsageError(
                "open answers are compared by the evaluations that stand in the run folder: give the folder, not the run or its "
                "records alone"
            )
        if given.invalid is not None:
            raise UsageError("the rule for invalid answers is about labels, and open answers have none")
        from hesperus.reports.open_answers.open_report import open_answers_report

        return open_answers_report(run, evidence, given=given)
    if kind == "multisense":
        return multisense_report(run, given=given, scores=scores)
    # Its tests and its clustering need scipy, which the other report does not.
    from hesperus.reports.similarity.similarity_report import similarity_report

    return similarity_report(run, given=given)


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
    scores: pl.DataFrame | None = None,
) -> Page:
    """The report of a run as blocks.

    Raises:
        DataError: The run has no records.
    """
    found = found or report_findings(run, given=given, scores=scores)
    return found.page(run).with_limits(limits(run)).with_blocks(offered_blocks(run, given))


def report_html(
    run: Run,
    *,
    given: GivenSettings = NOTHING_GIVEN,
    found: Report | None = None,
    scores: pl.DataFrame | None = None,
) -> str:
    """The report of a run as text; the same run gives the same text.

    Raises:
        DataError: The run has no records.
    """
    return html(report_page(run, given=given, found=found, scores=scores))
