"""The numbers that the page of a run claims, as a block of it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings
    from hesperus.evidence.page import PageClaims

CLAIMED = (
    "summary", "consistency", "decomposition", "means", "contrasts", "scores", "back_translation", "naturalisation", "bounds",
)  # fmt: skip
"""Measures whose tables a page claims, where the run has them: what its text and main tables show."""


def page_claims_of(run: Path, given: GivenSettings | None = None, *, is_of_run: bool = True) -> PageClaims:
    """What the page of a run claims; `hesperus verify PAGE` checks it.

    Args:
        run: Run folder or records file.
        given: What was asked for.
        is_of_run: Whether the page shows nothing that rests on other files than those of the run.

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
    tables = claimed(run, settings, CLAIMED)[0]
    return PageClaims(tables, settings, __version__, is_of_run and wanted.keys() == settings.keys())
