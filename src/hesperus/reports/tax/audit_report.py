"""An audit, measured: its tables, checklist, figures and page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from hesperus.analysis.measure_names import TAX_ESTIMATORS
from hesperus.analysis.table import Table
from hesperus.analysis.tax.evidence import Evidence, Origin, tax_tables
from hesperus.errors import UsageError
from hesperus.records import Run
from hesperus.reports.blocks import Page
from hesperus.reports.drawing import Drawing
from hesperus.reports.tax.checklist import Checklist, checklist_of
from hesperus.reports.tax.page import TaxPage
from hesperus.reports.tax.tax_figures import drawings


@dataclass(frozen=True, slots=True, eq=False)
class TaxReport:
    """What the page of an audit shows.

    Attributes:
        evidence: What the audit has.
        tables: Every table that can be made of it, by name.
        checklist: The checklist and the card, filled in.
        items: Texts of the items; None if they are not kept.
    """

    evidence: Evidence
    tables: Mapping[str, Table]
    checklist: Checklist
    items: pl.DataFrame | None = None

    def drawings(self) -> list[Drawing]:
        """Every figure for which there is something to draw."""
        return drawings(self.tables, self.evidence)

    def page(self, run: Run) -> Page:
        """The page.

        Args:
            run: The run of the study and signature that are shown; its records are not looked at.
        """
        return TaxPage(self.evidence, self.tables, self.checklist, self.items).page(run)


def _to_share(origin: Origin) -> Origin:
    """A page is passed on: of an absolute path its commands have the last name alone."""

    def last(word: str) -> str:
        return Path(word).name if Path(word).is_absolute() else word

    run = None if origin.run is None else last(origin.run)
    return replace(origin, run=run, flags=tuple(map(last, origin.flags)))


def tax_report(evidence: Evidence, *, items: pl.DataFrame | None = None) -> TaxReport:
    """Make every table of an audit, and fill in the checklist.

    Args:
        evidence: What the audit has.
        items: Texts of the items, as a run folder keeps them, for the items that are shown for reading.

    Raises:
        UsageError: No two conditions can be compared, so that there is no estimate.
        DataError: What it has breaks its contract (see the tables).
    """
    evidence = replace(evidence, origin=_to_share(evidence.origin))
    makers = tax_tables(evidence)
    if not makers.keys() & {*TAX_ESTIMATORS}:
        senses = ", ".join(evidence.records["input"].unique().sort().to_list())
        raise UsageError(
            f"no two conditions to compare among the senses {senses}: an audit needs the original items and their "
            "back-translation, or translated items and native or rewritten ones; name them with --original, --back, "
            "--translated, --natural, --native"
        )
    tables = {name: make() for name, make in makers.items()}
    return TaxReport(evidence, tables, checklist_of(evidence, tables), items)
