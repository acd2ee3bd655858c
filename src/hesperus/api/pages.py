"""What is on the page of a run, whichever study it is of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hesperus.analysis.settings import GivenSettings
    from hesperus.api.measuring import Held
    from hesperus.api.tax_runs import AuditInputs
    from hesperus.records import Run
    from hesperus.reports.card import Card
    from hesperus.reports.html import Report


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a run, as yet unwritten.

    Attributes:
        run: The run of the study and signature that it shows.
        given: How it is measured.
        found: What it shows.
        card: The evaluation card that belongs to it.
    """

    run: Run
    given: GivenSettings
    found: Report
    card: Card


def report(run: Held | Path | str, out: Path | str | None = None, **settings: Any) -> Path:
    """Write the HTML report of a run, of whatever study, or of a records file.

    Args:
        run: What a study gave, a run folder, or a records file.
        out: The file; `report.html` in the run folder where None.
        settings: Fields of hesperus.analysis.settings.GivenSettings.

    Returns:
        Where the page is.

    Raises:
        UsageError: No such run, or a setting that the study does not take.
        DataError: The run breaks its contract.
    """
    from hesperus.analysis.settings import GivenSettings

    place = Path(run) if isinstance(run, Path | str) else run.folder
    target = Path(out) if out else (place / "report.html" if place.is_dir() else place.with_suffix(".html"))
    write_page(place, target, GivenSettings.of(**settings))
    return target


def write_page(place: Path, target: Path, given: GivenSettings) -> Page:
    """Write the page of a run, with the numbers that it claims.

    Args:
        place: Run folder or records file.
        target: The HTML file.
        given: What was asked for; the run's study decides the rest.

    Raises:
        UsageError: As page_of; or the file cannot be written.
        DataError: As page_of.
    """
    from hesperus.api.page_claims import page_claims_of
    from hesperus.reports.html import write_report

    page = page_of(place, given)
    # Without a record there is no number to claim.
    sign = None if page.run.records.is_empty() else page_claims_of(place, given, made=page.found).written_on
    write_report(page.run, target, given=page.given, found=page.found, sign=sign)
    return page


def page_of(place: Path, given: GivenSettings) -> Page:
    """Measure all that the page of a run shows.

    Args:
        place: Run folder or records file.
        given: What was asked for; the run's study decides the rest.

    Raises:
        UsageError: No such run; or a rule for invalid answers is given, of an audit, which has none.
        DataError: The run breaks its contract, or holds nothing that can be compared.
    """
    from hesperus.analysis.kinds import study_kind
    from hesperus.analysis.scores import run_scores
    from hesperus.analysis.summary_table import nothing_answered
    from hesperus.records import read_any_run
    from hesperus.records.packed import packed_run
    from hesperus.reports.card import card_of
    from hesperus.reports.html import report_findings
    from hesperus.wording import own_senses

    run = packed_run(place)
    if run is None or study_kind(run) not in ("multisense", "similarity"):
        run = read_any_run(place)
    if study_kind(run) == "translation_tax" and not nothing_answered(run.records):
        from hesperus.api.tax_evidence import run_report

        if given.invalid is not None:
            raise UsageError(
                "an audit compares valid answers and says how far the others could move it; --invalid does not apply"
            )
        audited = run_report(place, given)
        return Page(run, given, audited, audited.checklist.card)
    folder = place if place.is_dir() else None
    found = report_findings(run, given=given, scores=run_scores(place), folder=folder)
    return Page(run, given, found, card_of(run.records, own_senses(run.study, run.items)))


def write_audit_page(
    inputs: AuditInputs, out: Path | str | None = None, given: GivenSettings | None = None
) -> tuple[Path, Report]:
    """Write the page of an audit, of a run folder or of any records with the files that the inputs name.

    Args:
        inputs: Runs, senses, groups, and what lies elsewhere; in a single run folder, what has its usual name is found.
        out: The file; None: report.html in the run folder, or next to the records file by its name.
        given: What was asked for; the run's study decides the rest.

    Returns:
        Where the page is, and what it shows.

    Raises:
        UsageError: Several runs and no `out`, no two conditions to compare, or the file cannot be written.
        DataError: A file breaks its contract.
        UnknownNameError: A sense, task, parser or model of a group that does not exist.
    """
    from hesperus.analysis.settings import MeasureSettings
    from hesperus.api.page_claims import page_claims_of
    from hesperus.api.tax_evidence import found_beside, report_of
    from hesperus.api.tax_runs import AuditInputs
    from hesperus.evidence.page import PageClaims
    from hesperus.reports.html import write_report
    from hesperus.reports.overview import outcomes_report
    from hesperus.version import __version__

    first, *others = inputs.runs
    if others and out is None:
        raise UsageError(f"{len(inputs.runs)} runs in one page: say where it goes (--out FILE.html)")
    run = _together(inputs.runs)
    # Where nothing was answered there is nothing to audit: the page says so, and what became of the questions.
    found = outcomes_report(run, MeasureSettings(bootstrap=inputs.settings(given).bootstrap))
    shown: Report = found or report_of(found_beside(inputs), given)
    # What the inputs name lies elsewhere: of such a page the tables are made again, not the whole.
    claims = PageClaims({}, {}, __version__, is_of_run=False)
    if not others:
        claims = page_claims_of(first, given, is_of_run=inputs == AuditInputs(inputs.runs))
    usual = first / "report.html" if first.is_dir() else first.with_suffix(".html")
    return write_report(run, out or usual, found=shown, sign=claims.written_on), shown


def _together(runs: Sequence[Path]) -> Run:
    """The study and signature that the page shows: the run's, or those of several by the names of their folders."""
    from hesperus.records import Run, read_any_run, read_records

    if len(runs) == 1:
        return read_any_run(runs[0])
    opened = {run.name: read_any_run(run) for run in runs if run.is_dir()}
    studies = {name: run.study for name, run in opened.items() if run.study}
    signatures = {name: run.signature for name, run in opened.items() if run.signature}
    return Run(read_records(runs[0]), None, studies, signatures)


def consistency_card_text(run: Run, given: GivenSettings, ending: str) -> str:
    """The consistency card of a run: per language the numbers that an auditor needs.

    Args:
        run: The run.
        given: What was asked for; the run's study decides the rest.
        ending: ``.html``, ``.md`` or ``.json``.

    Raises:
        UnknownNameError: Another ending.
        DataError: An item has different numbers of options in different senses.
    """
    from hesperus.analysis.kinds import study_kind
    from hesperus.analysis.settings import resolve_settings
    from hesperus.records.packed import unpacked
    from hesperus.reports.consistency_card import consistency_card
    from hesperus.reports.html_page import html
    from hesperus.reports.page_files import page_json, page_markdown

    written = {".html": html, ".md": page_markdown, ".json": page_json}
    if ending not in written:
        raise UnknownNameError("ending of a card's file", ending, written)
    labels = study_kind(run) != "translate_then_evaluate"
    # It looks at the language of every reply.
    return written[ending](consistency_card(unpacked(run), resolve_settings(given, run.study), labels=labels))
