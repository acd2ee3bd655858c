"""The numbers that the page of a run claims, as a block of it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings
    from hesperus.evidence.claims import Document
    from hesperus.evidence.page import PageClaims
    from hesperus.reports.html import Report

CLAIMED = (
    "summary", "consistency", "decomposition", "means", "contrasts", "scores", "back_translation", "naturalisation", "bounds",
)  # fmt: skip
"""Measures whose tables a page claims, where the run has them: what its text and main tables show. Of a multisense study these
are the first three, which its page has measured already."""
_NOT_OF_SIMILARITY = ("consistency", "decomposition")
"""Those of which a page of similarity shows nothing: with 20 models they would be a sixth of it."""


def page_claims_of(
    run: Path,
    given: GivenSettings | None = None,
    *,
    is_of_run: bool = True,
    made: Report | None = None,
) -> PageClaims:
    """What the page of a run claims; `hesperus verify PAGE` checks it.

    Args:
        run: Run folder or records file.
        given: What was asked for.
        is_of_run: Whether the page shows nothing that rests on other files than those of the run.
        made: What the page shows, of which tables that are claimed are not measured again.

    Raises:
        UsageError: There is no such run.
        DataError: The records break their contract.
    """
    from hesperus.api.bundling import SETTINGS, claimed
    from hesperus.evidence.page import PageClaims
    from hesperus.version import __version__

    asked = {field.name: getattr(given, field.name) for field in fields(given)} if given is not None else {}
    wanted = {name: value for name, value in asked.items() if value is not None}
    settings = {name: wanted[name] for name in SETTINGS if name in wanted}
    tables = _held(run, given, made)
    if not tables:
        left = _NOT_OF_SIMILARITY if _is_of_similarity(made) else ()
        tables = claimed(run, settings, [name for name in CLAIMED if name not in left])[0]
    return PageClaims(tables, settings, __version__, is_of_run and wanted.keys() == settings.keys())


def _is_of_similarity(made: Report | None) -> bool:
    from hesperus.reports.similarity.similarity_report import SimilarityReport

    return isinstance(made, SimilarityReport)


def _held(run: Path, given: GivenSettings | None, made: Report | None) -> dict[str, Document]:
    """Tables of the page of a multisense study as `measure` makes them; none of another page."""
    from hesperus.analysis.settings import NOTHING_GIVEN, resolve_settings
    from hesperus.analysis.short_signature import with_short
    from hesperus.api.tables_of_records import run_description
    from hesperus.reports.multisense_page import MultisenseReport

    if not isinstance(made, MultisenseReport):
        return {}
    given = given or NOTHING_GIVEN
    decided = resolve_settings(given, run_description(run).study)
    # Of groups the page shows nothing.
    if decided.by or (decided.a, decided.b) != (None, None):
        return {}
    found = {
        "summary": made.summary,
        "consistency": made.findings.consistency,
        "decomposition": made.findings.decomposition,
    }
    return {name: with_short(table, given, name).document() for name, table in found.items()}
