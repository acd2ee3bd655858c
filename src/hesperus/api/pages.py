"""What is on the page of a run, whichever study it is of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings
    from hesperus.api.measuring import Held
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
    from hesperus.analysis.summary_table import nothing_answered
    from hesperus.reports.card import card_of
    from hesperus.reports.html import open_run, report_findings, scores_of
    from hesperus.wording import own_senses

    run = open_run(place)
    if study_kind(run) == "translation_tax" and not nothing_answered(run.records):
        from hesperus.api.tax_evidence import run_report

        if given.invalid is not None:
            raise UsageError(
                "an audit compares valid answers and says how far the others could move it; --invalid does not apply"
            )
        audited = run_report(place, given)
        return Page(run, given, audited, audited.checklist.card)
    folder = place if place.is_dir() else None
    found = report_findings(run, given=given, scores=scores_of(place), folder=folder)
    return Page(run, given, found, card_of(run.records, own_senses(run.study, run.items)))


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
    from hesperus.reports.consistency_card import consistency_card
    from hesperus.reports.html_page import html
    from hesperus.reports.page_files import page_json, page_markdown

    written = {".html": html, ".md": page_markdown, ".json": page_json}
    if ending not in written:
        raise UnknownNameError("ending of a card's file", ending, written)
    labels = study_kind(run) != "translate_then_evaluate"
    return written[ending](consistency_card(run, resolve_settings(given, run.study), labels=labels))
