"""What the commands of `hesperus tax` share: their flags, and how records, scores and groups are read."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.api.tax_runs import AuditInputs
from hesperus.cli.measure_flags import Only, named_values
from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.analysis.table import Table

Runs = Annotated[
    list[Path],
    typer.Argument(help="Run folders or records files, of one benchmark or several.", show_default=False),
]


_EVIDENCE = " ".join(one.name for one in fields(AuditInputs) if one.name not in ("runs", "exact"))
EvidenceFlags = Annotated[AuditInputs, Only(_EVIDENCE)]
"""The flags of all that an audit rests on, whose checklist and page are by the mid-p test."""


def numbers_of(flag: str, given: list[str] | None, *, whole: bool = False) -> dict[str, float]:
    """NAME=NUMBER flags.

    Raises:
        UsageError: One that is not so.
    """
    from hesperus.errors import UsageError

    form = f"NAME={'N, a whole number' if whole else 'NUMBER'}"
    found: dict[str, float] = {}
    for name, value in named_values(flag, given, form, last=True):
        try:
            found[name] = int(value) if whole else float(value)
        except ValueError:
            found[name] = float("nan")
        if found[name] != found[name]:
            raise UsageError(f"{flag} {name}={value}: write {form}")
    return found


def show(found: Table, format: str) -> None:
    """Print a table; for people narrow, with what was left out and what to keep in mind next to it."""
    from hesperus.reports.formats import print_table

    print_table(found, format)
    if format != "table":
        return
    for name in ("quality", "notes", "limits"):
        said = found.signature.get(name)
        if isinstance(said, str):
            say(f"{name}: {said}")
        for line in said if isinstance(said, list) else ():
            say(f"note: {line}")
