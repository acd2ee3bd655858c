"""What is on the page of a run, whichever study it is of."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hesperus.analysis.settings import GivenSettings
    from hesperus.api.measured_run import Held
    from hesperus.evidence.claims import Document
    from hesperus.evidence.page import PageClaims
    from hesperus.records import Run
    from hesperus.reports.card import Card
    from hesperus.reports.study_pages import Report
    from hesperus.reports.theme import FigureFormat


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a run, as yet unwritten.

    Attributes:
        run: The run of the study and signature that it shows.
        given: How it is measured.
        found: What it shows.
        card: The evaluation card that belongs to it.
        is_of_run: Whether it rests on no other files than those of the run.
    """

    run: Run
    given: GivenSettings
    found: Report
    card: Card
    is_of_run: bool = True

    def claims(self, places: Sequence[Path]) -> Callable[[str], str] | None:
        """Writes on a page what it claims; None without a record, and so without a number.

        Of several runs the page claims no table.
        """
        from hesperus.evidence.page import PageClaims
        from hesperus.version import __version__

        if self.run.records.is_empty():
            return None
        if len(places) > 1:
            return PageClaims({}, {}, __version__, is_of_run=False).written_on
        return page_claims_of(places[0], self.found, self.given, is_of_run=self.is_of_run).written_on


def report(
    runs: Sequence[Path | str] | Path | str | Held,
    out: Path | str | None = None,
    *,
    figures: Path | str | None = None,
    figure_format: FigureFormat = "svg",
    card: Path | str | None = None,
    consistency_card: Path | str | None = None,
    wrote: Callable[[Path], object] = Path,
    **settings: Any,
) -> Path:
    """Write the HTML report of a run, of whatever study, or of records: what `hesperus report` does.

    A run of `translation_tax`, and any records with a setting of an audit, get the page of an audit: what people and other
    commands left in a single run folder is found there by its usual name.

    Args:
        runs: Run folder or records file (Parquet, CSV, JSON lines); of an audit also several.
        out: The HTML file (default: report.html in the run folder, or next to the records file by its name).
        figures: Also write every figure as a file into this folder.
        figure_format: svg, png or pdf.
        card: Also write the GenBench card: Markdown, or JSON if the name ends so.
        consistency_card: Also write the consistency card, a line a language (accuracy, consistency, answered, refused,
            tokens): HTML, Markdown or JSON by its ending.
        wrote: Called with each file that was written.
        settings: Fields of hesperus.analysis.settings.GivenSettings; of an audit also of hesperus.analysis.tax.tax_settings.AuditInputs.

    Returns:
        Where the page is.

    Raises:
        UsageError: No such run, a setting that the study does not take, or several runs that are no audit or have no `out`.
        DataError: A file breaks its contract.
        UnknownNameError: A sense, task, parser or model of a group that does not exist, or no such format.
    """
    from hesperus.reports.drawing import write_drawings
    from hesperus.reports.html import write_report
    from hesperus.reports.theme import FIGURE_FORMATS

    if figure_format not in FIGURE_FORMATS:
        raise UnknownNameError("figure format", figure_format, FIGURE_FORMATS)
    one = runs.folder if hasattr(runs, "folder") else runs
    places = [Path(one)] if isinstance(one, Path | str) else [Path(place) for place in one]
    target = _target(places, out)
    page = page_of(places, **settings)
    write_report(page.run, target, given=page.given, found=page.found, sign=page.claims(places))
    wrote(target)
    if figures is not None:
        for file in write_drawings(page.found.drawings(), figures, format=figure_format):
            wrote(file)
    if card is not None:
        _put(Path(card), page.card.json() if Path(card).suffix == ".json" else page.card.markdown(), wrote)
    if consistency_card is not None:
        ending = Path(consistency_card).suffix
        _put(Path(consistency_card), consistency_card_text(page.run, page.given, ending), wrote)
    return target


def _target(places: Sequence[Path], out: Path | str | None) -> Path:
    if len(places) > 1 and out is None:
        raise UsageError(f"{len(places)} runs in one page: say where it goes (--out FILE.html)")
    first = places[0]
    return Path(out) if out else first / "report.html" if first.is_dir() else first.with_suffix(".html")


def _put(card: Path, text: str, wrote: Callable[[Path], object]) -> None:
    from hesperus.records.files import write_content

    write_content(card, text, "the card")
    wrote(card)


def page_of(places: Sequence[Path], **settings: Any) -> Page:
    """Measure all that the page of a run shows."""
    from hesperus.analysis.run_kinds import study_kind
    from hesperus.analysis.run_notes import nothing_answered
    from hesperus.analysis.scores import run_scores
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.tax.tax_settings import AuditInputs
    from hesperus.records.packed import packed_run
    from hesperus.reports.card import card_of
    from hesperus.reports.html import report_findings
    from hesperus.wording import own_senses

    theirs = {field.name for field in fields(AuditInputs)} & settings.keys()
    inputs = AuditInputs(places, **{name: settings.pop(name) for name in theirs})
    given, place = GivenSettings.of(**settings), places[0]
    run = packed_run(place) if len(places) == 1 and not theirs else None
    if run is None or study_kind(run) not in ("multisense", "similarity"):
        run = _together(places)
    is_audit = bool(theirs) or len(places) > 1 or study_kind(run) == "translation_tax"
    if is_audit and not nothing_answered(run.records):
        if given.invalid is not None:
            raise UsageError(
                "an audit compares valid answers and says how far the others could move it; --invalid does not apply"
            )
        from hesperus.api.tax_evidence import evidence_of, found_beside
        from hesperus.api.tax_runs import items_of
        from hesperus.reports.tax.tax_report import tax_report

        audited = tax_report(evidence_of(found_beside(inputs), given), items=items_of(places))
        return Page(run, given, audited, audited.found.checklist.card, is_of_run=not theirs)
    folder = place if place.is_dir() else None
    found = report_findings(run, given=given, scores=run_scores(place), folder=folder)
    return Page(run, given, found, card_of(run.records, own_senses(run.study, run.items)))


def _together(runs: Sequence[Path]) -> Run:
    """The run that the page is of; of several, the study and signature of each by the name of its folder."""
    from hesperus.records import Run, read_any_run, read_records

    if len(runs) == 1:
        return read_any_run(runs[0])
    opened = {run.name: read_any_run(run) for run in runs if run.is_dir()}
    studies = {name: run.study for name, run in opened.items() if run.study}
    signatures = {name: run.signature for name, run in opened.items() if run.signature}
    return Run(read_records(runs[0]), None, studies, signatures)


def page_claims_of(
    run: Path, made: Report, given: GivenSettings | None = None, *, is_of_run: bool = True
) -> PageClaims:
    """What the page of a run claims; `hesperus verify PAGE` checks it.

    What `made` has measured already is not measured again.
    """
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.short_signature import with_short
    from hesperus.api.bundling import SETTINGS, claimed
    from hesperus.evidence.page import PageClaims
    from hesperus.version import __version__

    asked = {field.name: getattr(given, field.name) for field in fields(given)} if given is not None else {}
    wanted = {name: value for name, value in asked.items() if value is not None}
    settings = {name: wanted[name] for name in SETTINGS if name in wanted}
    signed = GivenSettings.of(**settings)
    tables: dict[str, Document] = {
        name: with_short(table, signed, name).document()
        for name, table in (made.measured if is_of_run else {}).items()
    }
    rest = [name for name in made.claims if name not in tables]
    tables |= claimed(run, settings, rest)[0] if rest else {}
    ordered = {name: tables[name] for name in made.claims if name in tables}
    return PageClaims(ordered, settings, __version__, is_of_run and wanted.keys() == settings.keys())


def consistency_card_text(run: Run, given: GivenSettings, ending: str) -> str:
    """The consistency card of a run: per language the numbers that an auditor needs.

    `ending` is ``.html``, ``.md`` or ``.json``.
    """
    from hesperus.analysis.run_kinds import study_kind
    from hesperus.analysis.settings import resolve_settings
    from hesperus.records.packed import unpacked
    from hesperus.reports.html_page import html
    from hesperus.reports.overview import consistency_card
    from hesperus.reports.page_files import page_json, page_markdown

    written = {".html": html, ".md": page_markdown, ".json": page_json}
    if ending not in written:
        raise UnknownNameError("ending of a card's file", ending, written)
    labels = study_kind(run) != "translate_then_evaluate"
    # It looks at the language of every reply.
    return written[ending](consistency_card(unpacked(run), resolve_settings(given, run.study), labels=labels))
