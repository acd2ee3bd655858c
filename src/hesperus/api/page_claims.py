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
