"""What an audit's run folder shows: its tables, its page, and its estimates as measures like others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.analysis.measure_names import TAX_MEASURES
from hesperus.api.tax_evidence import evidence_of, found_beside, report_of
from hesperus.api.tax_runs import Given, quality_of, settings_of
from hesperus.errors import UsageError

if TYPE_CHECKING:
    from hesperus.analysis.description import Described
    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.table import Table
    from hesperus.analysis.tax.evidence import Evidence
    from hesperus.reports.tax.audit_report import TaxReport


def run_report(folder: Path, given: GivenSettings | None = None) -> TaxReport:
    """The page of a run folder, made as was asked for, else as an audit makes it."""
    settings = settings_of(None, given, runs=[folder])
    return report_of(found_beside(Given([folder], {})), settings, quality_of(None, None, runs=[folder]))


def run_table(folder: Path, name: str, given: GivenSettings | None = None) -> Table:
    """A table of a run folder: e1, e3, e4, validity, bounds or checklist.

    Raises:
        UsageError: The run has not what the table needs.
    """
    from hesperus.analysis.tax.evidence import tax_tables
    from hesperus.reports.tax.checklist import checklist_of

    evidence = _of_run(folder, given)
    if name == "checklist":
        return checklist_of(evidence).table
    tables = tax_tables(evidence)
    if name not in tables:
        has = ", ".join(map(_both_names, tables))
        raise UsageError(
            f"the run has no {_both_names(name)}: its study asks for nothing that makes it; it has {has}"
        )
    return tables[name]()


def _both_names(table: str) -> str:
    """A table's name and, where it has another one, that of the measure it is."""
    measure = next((measure for measure, name in TAX_MEASURES.items() if name == table), table)
    return table if measure == table else f"{table} ({measure})"


def run_summary(folder: Path) -> Table:
    """What a run found, an estimate a line."""
    from hesperus.analysis.tax.estimates_overview import overview
    from hesperus.analysis.tax.evidence import tax_tables

    return overview(
        {name: make() for name, make in tax_tables(_of_run(folder)).items() if name in ("e1", "e3", "e4")}
    )


def tax_measure(
    what: str, said: Described, given: GivenSettings, chosen: tuple[Sequence[str], Sequence[str]]
) -> Table:
    """An estimate of an audit of a translated benchmark, as a measure of its run.

    Args:
        what: One of TAX_MEASURES.
        said: What the run folder says of itself.
        given: Resamples, seed and interval; an audit has no other setting of measures.
        chosen: Models and tasks that are shown; none: all.

    Raises:
        UsageError: The run has not what the estimate needs, or a setting is given that it does not take.
        UnknownNameError: A model or task that the table does not have.
    """
    if said.folder is None or said.study.get("study") != "translation_tax":
        raise UsageError(
            f"{what} is measured of a run folder of translation_tax; of other records `hesperus tax` estimates it"
        )
    refused = [name for name in ("a", "b", "by", "invalid") if getattr(given, name) is not None]
    if refused:
        raise UsageError(
            f"{what} takes no {', '.join(refused)}: an audit compares valid answers of its own conditions"
        )
    found = run_table(said.folder, TAX_MEASURES[what], given)
    for column, values in zip(("model", "task"), chosen, strict=True):
        if values:
            found = found.only(column, tuple(values))
    return replace(found, measure=what)


def _of_run(folder: Path, given: GivenSettings | None = None) -> Evidence:
    settings = settings_of(None, given, runs=[folder])
    return evidence_of(Given([folder], {}), settings, quality_of(None, None, runs=[folder]))
