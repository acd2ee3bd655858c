"""An audit, measured: its tables, checklist and figures, and its page with the sections in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.measure_names import TAX_ESTIMATORS, TAX_MEASURES
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import Table
from hesperus.analysis.tax.audit_evidence import Evidence, Origin, tax_tables
from hesperus.analysis.tax.back_translation import NOTES as BACK_NOTES
from hesperus.analysis.tax.native_control import LIMITS as NATIVE_NOTES
from hesperus.analysis.tax.naturalisation import NO_GAIN, REUSED
from hesperus.analysis.tax.naturalisation import NOTES as NATURAL_NOTES
from hesperus.analysis.tax.rating import NOTES as RATING_NOTES
from hesperus.analysis.tax.tax_settings import ALIGNMENT_FILE, CHECKS_FILE, RATINGS_FILE
from hesperus.analysis.tax.validity import TOLERANCE, sensitive_cells, unchecked_cells
from hesperus.errors import UsageError
from hesperus.records import Run
from hesperus.reports.blocks import Block, Page, Section, Sentences, note
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid
from hesperus.reports.item_section import items_blocks
from hesperus.reports.overview import overview
from hesperus.reports.provenance import card_blocks, closing
from hesperus.reports.study_pages import PageInputs, Report, study_page
from hesperus.reports.tax import checklist as points
from hesperus.reports.tax import tax_grids as grids
from hesperus.reports.tax import tax_story as story
from hesperus.reports.tax.checklist import FilledChecklist, checklist_of
from hesperus.reports.tax.residue import residue_blocks
from hesperus.reports.tax.tax_figures import drawings
from hesperus.reports.translation_figures import worst_translations_blocks
from hesperus.rounding import cell

Blocks = Iterator[Block | None]
_NOTES = (
    "No single number is the translation tax. E1 compares the original with what came back; E3 the translated items with "
    "others that were written in the language; E4 the translated items with the same ones rewritten; E2 asks people what "
    "they see. Each rests on an assumption of its own, which stands beside it. Pairs count where both answers could be read "
    "and the quality threshold was passed; the primary estimates resample items with all their models, since models of one item are not "
    "independent.",
    "Method: The Translation Tax Is Not a Scalar: A Counterfactual Audit of English-Source Cue Inheritance in Chinese "
    "Multilingual Benchmarks. Card: Dieuwke Hupkes et al. A taxonomy and review of generalization research in NLP. Nature "
    "Machine Intelligence 5, 2023.",
)


@dataclass(frozen=True, eq=False)
class Audited:
    """What the page of an audit shows.

    Attributes:
        evidence: What the audit has.
        tables: Every table that can be made of it, by name.
        checklist: The checklist and the card, filled in.
        items: Texts of the items; None if they are not kept.
    """

    evidence: Evidence
    tables: Mapping[str, Table]
    checklist: FilledChecklist
    items: pl.DataFrame | None = None

    def drawings(self) -> list[Drawing]:
        """Every figure for which there is something to draw."""
        return drawings(self.tables, self.evidence)

    @cached_property
    def _drawn(self) -> Mapping[str, Drawing]:
        return {one.kind: one for one in self.drawings()}

    @property
    def _first(self) -> str:
        """The figure that is at the head of the page."""
        order = ("back_translation", "naturalisation", "native_control")
        return next((name for name in order if name in self._drawn), "")

    def page(self, run: Run) -> Page:
        """The page. Of the run the study and signature are shown; its records are not looked at."""
        evidence = self.evidence
        settings = MeasureSettings(bootstrap=evidence.settings.bootstrap)
        lead = (
            Sentences.of(story.verdict(evidence, self.tables), "lead"),
            self._drawn.get(self._first),
            Sentences.of(story.hangs_on(evidence, self.tables)),
            Section("What was audited", "audited"),
            Sentences.of(story.audited(evidence, run.study)),
            *overview(evidence.records, run.signature, settings),
            Sentences.of(story.asides(evidence, self.tables), "aside"),
        )
        numbers = {name: found.signature for name, found in self.tables.items()}
        blocks = (
            *self._checklist(),
            *self._alignment(),
            *self._way_back(),
            *self._validity(),
            *self._native(),
            *self._natural(),
            *self._ratings(),
            *items_blocks(replace(run, records=evidence.records, items=self.items)),
            Section("Items for reading", "residue"),
            *residue_blocks(evidence, evidence.back_pairs, self.items),
            *card_blocks(self.checklist.card),
            *closing(run, numbers, note(self._described()), _NOTES[0], self._tests(), _NOTES[1]),
        )
        return Page.of(story.title(evidence), lead, blocks)

    def _tests(self) -> str:
        """How one model is tested, and what an interval of the chosen kind does not say."""
        settings = self.evidence.settings
        told = f"The sign test of one model is {'exact' if settings.exact else 'by the weights of the interval'}, on its discordant pairs."
        if settings.bootstrap.interval == "bayesian":
            return told
        return f"{told} An interval without width, where no pair or only a few items differ, is no certainty."

    def _checklist(self) -> Blocks:
        every = self.checklist.every
        done = sum(point.state != "open" for _, point in every)
        names = ", ".join((ALIGNMENT_FILE, RATINGS_FILE, CHECKS_FILE))
        yield Section("Checklist", "summary")
        yield note(
            f"{done} of {len(every)} points done. Differences are percentage points. RUN stands for the run folder; "
            f"the files {names} are found in it by their names."
        )
        yield self.checklist.points

    def _alignment(self) -> Blocks:
        yield Section("Alignment: is it the same question on every side?", "alignment", listed="Alignment")
        if self.evidence.alignment is None:
            yield self.checklist.point(points.ALIGNED)
        elif not self.evidence.alignment:
            yield note("The alignment audit found nothing.")
        if self.evidence.back_pairs is not None:
            yield note(story.in_the_records(self.evidence.back_pairs))
        yield grids.alignment_grid(self.evidence.alignment)

    def _estimator(
        self, head: Section, point: str, table: Grid | None, notes: Sequence[str], *said: Block | None
    ) -> Blocks:
        """An estimator: what it compares and cannot tell, its figure and table; without a table what would make one.

        The anchor of its section is the name of its figure; `point` is its point of the checklist.
        """
        yield head
        if table is None:
            yield self.checklist.point(point)
            return
        yield from said
        yield Sentences.of((f"{note[0].upper()}{note[1:]}." for note in notes), "aside")
        yield None if head.anchor == self._first else self._drawn.get(head.anchor)
        yield table

    def _way_back(self) -> Blocks:
        found = self.tables.get("back_translation")
        quality = "" if found is None else grids.quality_text(str(found.signature["quality"]))
        yield from self._estimator(
            Section("E1: what the way back costs", "back_translation", listed="E1 back-translation"),
            points.BACK,
            grids.models_grid(found, "back_translation"),
            BACK_NOTES[:1],
            note(
                "Accuracy on the original minus accuracy on what came back from the translation: same model, same items. "
                f"Quality threshold: {quality}."
            ),
            self.checklist.point(points.QUALITY) if self.evidence.scores is None else None,
        )
        if found is None:
            return
        yield Section("What it depends on", "back_translation-depends-on", 3, "")
        yield self._drawn.get("back_translation-without")
        yield grids.pooled_grid(found, "back_translation")
        yield Section("The quality threshold", "back_translation-quality", 3, "")
        yield self._drawn.get("quality")
        yield from worst_translations_blocks(self.evidence.scores, self.items)

    def _validity(self) -> Blocks:
        found = self.tables["parsers"]
        parsers: list[str] = list(found.signature["parsers"])  # type: ignore[call-overload]  # names, by its own table
        unchecked, floor = unchecked_cells(found), cell(self.evidence.settings.min_valid, "share")
        sensitive, who = sensitive_cells(found), ", ".join(parsers)
        yield Section("Validity: how much rests on the reading of replies", "validity", listed="Validity")
        if sensitive:
            yield note(
                f"Parser-sensitive (as {who}): fewer than {floor} readable, or accuracies that differ by more than "
                f"{TOLERANCE} between parsers."
            )
            yield Sentences.of(sensitive)
        else:
            differ = (
                f", and accuracies differ by at most {TOLERANCE} between parsers" if len(parsers) > 1 else ""
            )
            what = "short of valid answers" if unchecked else "parser-sensitive"
            yield note(
                f"No cell is {what} (as {who}): at least {floor} of every cell's answers could be read{differ}."
            )
        replies = self.evidence.records["reply"]
        if replies.null_count() == len(replies):
            yield note("The records hold no replies, so that no second parser could read them.")
        elif len(parsers) < 2:
            yield self.checklist.point(points.PARSERS)
        elif unchecked:
            yield note(f"{unchecked} cells hold no reply that a second parser could read.")
        yield grids.validity_grid(found)
        yield Section("Bounds from invalid answers", "bounds", 3, "")
        bounds = grids.bounds_grid(self.tables.get("bounds"))
        if bounds is None:
            yield self.checklist.point(points.BOUNDS)
        elif "bounds" not in self._drawn:
            yield note(
                "Every answer of the compared pairs could be read, so the bounds are the estimates themselves."
            )
        else:
            yield self._drawn["bounds"]
            yield bounds

    def _native(self) -> Blocks:
        return self._estimator(
            Section(
                "E3: against items that were written in the language",
                "native_control",
                listed="E3 native control",
            ),
            points.NATIVE,
            grids.native_grid(self.tables.get("native_control")),
            NATIVE_NOTES,
        )

    def _natural(self) -> Blocks:
        found, strata = self.tables.get("naturalisation"), self.evidence.strata or {}
        sizes = ", ".join(f"{name} {len(ids)}" for name, ids in strata.items())
        noted = str(found.signature["notes"]) if found else ""
        yield from self._estimator(
            Section("E4: the same items, rewritten naturally", "naturalisation", listed="E4 naturalisation"),
            points.NATURAL,
            grids.models_grid(found, "naturalisation"),
            [*NATURAL_NOTES, *(said for said in (REUSED, NO_GAIN) if said in noted)],
            note(
                "Accuracy on the rewritten items minus accuracy on the translated ones. Strata, fixed before any rewriting: "
                f"{sizes} items."
            ),
        )
        if found is None:
            yield None if strata else self.checklist.point(points.STRATA)
            return
        yield self._drawn.get("naturalisation-models")
        yield grids.pooled_grid(found, "naturalisation")
        yield Section("Is it still the same question?", "naturalisation-checked", 3, "")
        passed = grids.passed_grid(found)
        if passed is None:
            yield note("Nobody checked the rewritten items.")
            yield self.checklist.point(points.VERIFIED)
            yield self.checklist.point(points.CHECKED)
        yield passed

    def _ratings(self) -> Blocks:
        yield from self._estimator(
            Section("E2: what bilingual people see", "rating", listed="E2 ratings"),
            points.RATED,
            grids.rating_grid(self.tables.get("rating")),
            RATING_NOTES,
        )
        agreement = grids.agreement_grids(self.evidence.agreement)
        if agreement:
            yield Section("Agreement of the raters", "raters", 3, "")
            yield from agreement
        else:
            yield note("No agreement of raters: that takes two people who rated the same items.")

    def _described(self) -> str:
        settings = self.evidence.settings
        return (
            f"{interval_text(settings.bootstrap)} A model is often without a valid answer where fewer than "
            f"{cell(settings.min_valid, 'share')} of its answers on a side could be read."
        )


def _to_share(origin: Origin) -> Origin:
    """A page is passed on: of an absolute path its commands have the last name alone."""

    def last(word: str) -> str:
        return Path(word).name if Path(word).is_absolute() else word

    run = None if origin.run is None else last(origin.run)
    return replace(origin, run=run, flags=tuple(map(last, origin.flags)))


@study_page("translation_tax")
def tax_page(of: PageInputs) -> Report:
    """Refuse a run by itself: an audit is shown with what stands beside it, of which tax_report makes the page.

    Raises:
        UsageError: Always.
    """
    raise UsageError(
        "the page of an audit is made of its records and of what stands beside them (strata, verdicts, ratings): "
        "`hesperus report RUN` and hesperus.report(folder) gather it"
    )


def tax_report(evidence: Evidence, *, items: pl.DataFrame | None = None) -> Report:
    """Make every table of an audit, and fill in the checklist.

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
    audited = Audited(evidence, tables, checklist_of(evidence, tables), items)
    # What people checked is in files of its own, which a measure of the run does not read.
    checked = any(who != "verifier" for who in evidence.passed)
    own = [name for name in TAX_MEASURES if not (checked and name == "naturalisation")]
    measured = {name: tables[name] for name in own if name in tables}
    return Report(audited.page, audited.drawings, measured, ("summary", *TAX_MEASURES), audited)
