"""The numbers that the page of a run claims, as a block of it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings

CLAIMED = (
    "summary", "consistency", "decomposition", "designs", "tests", "scores", "back_translation", "naturalisation", "bounds",
)  # fmt: skip
"""Measures whose tables a page claims, where the run has them: what its text and main tables show."""


def page_numbers(run: Path, given: GivenSettings | None = None) -> str:
    """The block of numbers of a run's page (see hesperus.evidence.page); `hesperus verify PAGE` checks it.

    Args:
        run: Run folder or records file.
        given: What was asked for.

    Raises:
        UsageError: There is no such run.
        DataError: The records break their contract.
    """
    from hesperus.api.bundling import SETTINGS, claimed
    from hesperus.evidence.page import numbers_block
    from hesperus.version import __version__

    asked = {field.name: getattr(given, field.name) for field in fields(given)} if given is not None else {}
    settings = {name: asked[name] for name in SETTINGS if asked.get(name) is not None}
    return numbers_block(claimed(run, settings, CLAIMED)[0], settings, __version__)
