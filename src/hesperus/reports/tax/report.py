"""The page of an audit: its tables, checklist, figures, items for reading, and the HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import Table
from hesperus.analysis.tax.back_translation import NOTES as BACK_NOTES
from hesperus.analysis.tax.evidence import Evidence, tax_tables
from hesperus.analysis.tax.native_control import LIMITS
from hesperus.analysis.tax.naturalisation import NOTES as NATURAL_NOTES
from hesperus.analysis.tax.naturalisation import REUSED
from hesperus.analysis.tax.rating import NOTES as RATING_NOTES
from hesperus.analysis.tax.sides import Compared, Side, compared
from hesperus.analysis.tax.validity import TOLERANCE, fragile_cells, unchecked_cells
from hesperus.errors import UsageError
from hesperus.records import Run
from hesperus.reports.drawing import Drawing
from hesperus.reports.overview import overview
from hesperus.reports.pages import Figure, figure, page, signature_text, study_text
from hesperus.reports.tax import story
from hesperus.reports.tax.checklist import NOT_DONE, Checklist, checklist_of
from hesperus.reports.tax.commands import ALIGNMENT_FILE, CHECKS_FILE, RATINGS_FILE, remedies, steps_of
from hesperus.reports.tax.drawings import TAX_FIGURES, drawings
from hesperus.reports.tax.grids import agreement_grids, all_grids
from hesperus.reports.tax.residue import residue_items
from hesperus.rounding import cell


@dataclass(frozen=True, slots=True, eq=False)
class TaxReport:
    """What the page of an audit shows.

    Attributes:
        evidence: What the audit has.
        tables: Every table that can be made of it, by name.
        checklist: The checklist and the card, filled in.
        items: Texts of the items; None where they are not kept.
    """

    evidence: Evidence
    tables: Mapping[str, Table]
    checklist: Checklist
    items: pl.DataFrame | None = None

    def drawings(self) -> list[Drawing]:
        """Every figure for which there is something to draw."""
        return drawings(self.tables, self.evidence)

    def html(self, run: Run) -> str:
        """The page, as text; the same evidence gives the same text.

        Args:
            run: Whose study and signature are shown; its records are not looked at.
        """
        drawn: dict[str, Figure | None] = dict.fromkeys(TAX_FIGURES)
        drawn |= {drawing.kind: figure(drawing) for drawing in self.drawings()}
        numbers = {name: found.signature for name, found in self.tables.items()}
        fragile = fragile_cells(self.tables["validity"])
        given = self._back()
        return page(
            "tax.html.j2",
            title=story.title(self.evidence),
            overview=overview(self.evidence.records, self._settings(), signature=run.signature),
            audited=story.audited(self.evidence, run.study),
            headlines=story.verdict(self.evidence, self.tables),
            hangs_on=story.hangs_on(self.evidence, self.tables),
            asides=story.asides(self.evidence, self.tables),
            checks=_checks(self.checklist.table),
            done=sum(row["status"] != NOT_DONE for row in self.checklist.table.rows),
            remedies={
                item: (steps_of(one.command), one.needs) for item, one in remedies(self.evidence).items()
            },
            files=(ALIGNMENT_FILE, RATINGS_FILE, CHECKS_FILE),
            figures=drawn,
            grids=all_grids(self.tables, self.evidence),
            agreement=agreement_grids(self.evidence.agreement),
            alignment=self.evidence.alignment,
            in_the_records=None if given is None else story.in_the_records(given),
            strata=self.evidence.strata,
            gate=self.tables["e1"].signature["gate"] if "e1" in self.tables else None,
            scored=self.evidence.scores is not None,
            fragile=fragile,
            unchecked=unchecked_cells(self.tables["validity"]),
            has_replies=self.evidence.records["reply"].null_count() < len(self.evidence.records),
            floor=cell(self.evidence.settings.floor, "share"),
            tolerance=TOLERANCE,
            readers=self.tables["validity"].signature["readers"],
            limits=self._limits(),
            residue=None if given is None else residue_items(self.evidence, given, self.items),
            settings=self._described(),
            study=study_text(run.study),
            signature=signature_text(run.signature, numbers),
            card=self.checklist.card,
        )

    def _settings(self) -> MeasureSettings:
        return MeasureSettings(bootstrap=self.evidence.settings.bootstrap)

    def _limits(self) -> dict[str, list[str]]:
        """What each estimator cannot tell."""
        natural = [*NATURAL_NOTES, *([REUSED] if self.evidence.reused else [])]
        return {"e1": [BACK_NOTES[0]], "e3": list(LIMITS), "e4": natural, "rating": list(RATING_NOTES)}

    def _back(self) -> Compared | None:
        """The original against what came back; None where nothing did."""
        evidence, senses = self.evidence, self.evidence.senses
        if senses.original is None or senses.back is None:
            return None
        gate = evidence.gate if evidence.scores is not None else None
        sides = Side(senses.original), Side(senses.back)
        return compared(evidence.audited, *sides, scores=evidence.scores, gate=gate)

    def _described(self) -> str:
        boot = self.evidence.settings.bootstrap
        return (
            f"{interval_text(boot)} A model is often unreadable where fewer than "
            f"{cell(self.evidence.settings.floor, 'share')} of its answers on a side could be read."
        )


@dataclass(frozen=True, slots=True)
class Check:
    """A line of the checklist on the page."""

    item: str
    status: str
    done: bool
    warned: bool
    finding: str
    commands: tuple[str, ...]


def _checks(found: Table) -> list[tuple[str, list[Check]]]:
    """The checklist by section."""
    sections: dict[str, list[Check]] = {}
    for row in found.rows:
        status = str(row["status"])
        done = status != NOT_DONE
        steps = tuple(steps_of(str(row["command"])))
        check = Check(str(row["item"]), status, done, done and status != "done", str(row["finding"]), steps)
        sections.setdefault(str(row["section"]), []).append(check)
    return list(sections.items())


def tax_report(evidence: Evidence, *, items: pl.DataFrame | None = None) -> TaxReport:
    """Make every table of an audit, and fill in the checklist.

    Args:
        evidence: What the audit has.
        items: Texts of the items, as a run folder keeps them, for the items that are shown for reading.

    Raises:
        UsageError: No two conditions can be compared, so that there is no estimate.
        DataError: What it has breaks its contract (see the tables).
    """
    makers = tax_tables(evidence)
    if not makers.keys() & {"e1", "e3", "e4"}:
        senses = ", ".join(evidence.records["input"].unique().sort().to_list())
        raise UsageError(
            f"no two conditions to compare among the senses {senses}: an audit needs the original items and their "
            "back-translation, or translated items and native or rewritten ones; name them with --original, --back, "
            "--translated, --natural, --native"
        )
    tables = {name: make() for name, make in makers.items()}
    return TaxReport(evidence, tables, checklist_of(evidence, tables), items)
