"""The page of an audit: its sections, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import Table
from hesperus.analysis.tax.back_translation import NOTES as BACK_NOTES
from hesperus.analysis.tax.evidence import Evidence
from hesperus.analysis.tax.losing_items import back_pairs
from hesperus.analysis.tax.native_control import LIMITS
from hesperus.analysis.tax.naturalisation import NOTES as NATURAL_NOTES
from hesperus.analysis.tax.naturalisation import REUSED
from hesperus.analysis.tax.rating import NOTES as RATING_NOTES
from hesperus.analysis.tax.tax_settings import ALIGNMENT_FILE, CHECKS_FILE, RATINGS_FILE
from hesperus.analysis.tax.validity import TOLERANCE, sensitive_cells, unchecked_cells
from hesperus.records import Run
from hesperus.reports.blocks import Block, Check, Page, Section, Sentences, Step, note
from hesperus.reports.blocks import Checklist as ChecklistBlock
from hesperus.reports.drawing import Drawing
from hesperus.reports.item_matrix import items_blocks
from hesperus.reports.overview import overview
from hesperus.reports.provenance import card_blocks, cited, made
from hesperus.reports.tax import tax_grids as grids
from hesperus.reports.tax import tax_story as story
from hesperus.reports.tax.checklist import NOT_DONE, Checklist
from hesperus.reports.tax.commands import remedies, steps_of
from hesperus.reports.tax.residue import residue_blocks
from hesperus.reports.tax.tax_figures import drawings
from hesperus.reports.translation_grids import worst_translations_blocks
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


class TaxPage:
    """Makes the blocks of an audit.

    Args:
        evidence: What the audit has.
        tables: Every table that can be made of it, by name.
        checklist: The checklist and the card.
        items: Texts of the items; None if they are not kept.
    """

    def __init__(
        self,
        evidence: Evidence,
        tables: Mapping[str, Table],
        checklist: Checklist,
        items: pl.DataFrame | None,
    ) -> None:
        self.evidence, self.tables, self.checklist, self.items = evidence, tables, checklist, items
        self._drawn: dict[str, Drawing] = {one.kind: one for one in drawings(tables, evidence)}
        self._remedies = remedies(evidence)
        self._back = back_pairs(evidence)
        self._first = next(
            (
                name
                for name in ("back_translation", "naturalisation", "native_control")
                if name in self._drawn
            ),
            "",
        )

    def page(self, run: Run) -> Page:
        """The page.

        Args:
            run: The run of the study and signature that are shown; its records are not looked at.
        """
        evidence = self.evidence
        settings = MeasureSettings(bootstrap=evidence.settings.bootstrap)
        lead = (
            Sentences.of(story.verdict(evidence, self.tables), "lead"),
            self._drawn.get(self._first),
            Sentences.of(story.hangs_on(evidence, self.tables)),
            Section("What was audited", "audited"),
            Sentences.of(story.audited(evidence, run.study)),
            *overview(evidence.records, settings, signature=run.signature).blocks,
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
            *residue_blocks(evidence, self._back, self.items),
            *card_blocks(self.checklist.card),
            Section("How it was measured", "measured"),
            note(self._described()),
            *made(run, numbers),
            Section("Notes and citation", "notes", listed="Notes"),
            cited(*_NOTES[:1], self._tests(), *_NOTES[1:]),
        )
        return Page.of(story.title(evidence), lead, blocks)

    def _tests(self) -> str:
        """How one model is tested, and what an interval of the chosen kind does not say."""
        settings = self.evidence.settings
        told = f"The sign test of one model is {'exact' if settings.exact else 'the mid-p test'}, on its discordant pairs."
        if settings.bootstrap.interval == "bayesian":
            return told
        return f"{told} An interval without width, where no pair or only a few items differ, is no certainty."

    def _checklist(self) -> Blocks:
        found = self.checklist.table
        done = sum(row["status"] != NOT_DONE for row in found.rows)
        names = ", ".join((ALIGNMENT_FILE, RATINGS_FILE, CHECKS_FILE))
        yield Section("Checklist", "summary")
        yield note(
            f"{done} of {len(found.rows)} points done. Differences are percentage points. RUN stands for the run folder; "
            f"the files {names} are found in it by their names."
        )
        yield ChecklistBlock(_sections(found))

    def _alignment(self) -> Blocks:
        yield Section("Alignment: is it the same question on every side?", "alignment", listed="Alignment")
        if self.evidence.alignment is None:
            yield self._step("audit of ids, options and gold on every side")
        elif not self.evidence.alignment:
            yield note("The alignment audit found nothing.")
        if self._back is not None:
            yield note(story.in_the_records(self._back))
        yield grids.alignment_grid(self.evidence.alignment)

    def _way_back(self) -> Blocks:
        yield Section("E1: what the way back costs", "back_translation", listed="E1 back-translation")
        found = self.tables.get("back_translation")
        table = grids.models_grid(found, "back_translation")
        if found is None or table is None:
            yield self._step("E1 back-translation, clustered over items")
            return
        yield note(
            "Accuracy on the original minus accuracy on what came back from the translation: same model, same items. "
            f"Quality threshold: {found.signature['quality']}."
        )
        if self.evidence.scores is None:
            yield self._step("E1 quality threshold on the back-translations")
        yield _limits(BACK_NOTES[:1])
        yield self._below("back_translation")
        yield table
        yield Section("What it depends on", "back_translation-depends-on", 3, "")
        yield self._drawn.get("back_translation-without")
        yield grids.pooled_grid(found, "back_translation")
        yield Section("The quality threshold", "back_translation-quality", 3, "")
        yield self._drawn.get("quality")
        yield from worst_translations_blocks(self.evidence.scores, self.items)

    def _validity(self) -> Blocks:
        found = self.tables["validity"]
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
            yield self._step("cells that depend on the parser, by several parsers")
        elif unchecked:
            yield note(f"{unchecked} cells hold no reply that a second parser could read.")
        yield grids.validity_grid(found)
        yield Section("Bounds from invalid answers", "bounds", 3, "")
        bounds = grids.bounds_grid(self.tables.get("bounds"))
        if bounds is None:
            yield self._step("bounds on every estimate from invalid answers")
        elif "bounds" not in self._drawn:
            yield note(
                "Every answer of the compared pairs could be read, so the bounds are the estimates themselves."
            )
        yield self._drawn.get("bounds")
        yield bounds

    def _native(self) -> Blocks:
        yield Section(
            "E3: against items that were written in the language",
            "native_control",
            listed="E3 native control",
        )
        table = grids.native_grid(self.tables.get("native_control"))
        if table is None:
            yield self._step("E3 native control")
            return
        yield _limits(LIMITS)
        yield self._below("native_control")
        yield table

    def _natural(self) -> Blocks:
        yield Section("E4: the same items, rewritten naturally", "naturalisation", listed="E4 naturalisation")
        found = self.tables.get("naturalisation")
        table = grids.models_grid(found, "naturalisation")
        strata = self.evidence.strata or {}
        if table is None:
            yield self._step("E4 naturalisation, same items")
            if not strata:
                yield self._step("strata fixed before rewriting, with a fingerprint")
            return
        sizes = ", ".join(f"{name} {len(ids)}" for name, ids in strata.items())
        yield note(
            "Accuracy on the rewritten items minus accuracy on the translated ones. Strata, fixed before any rewriting: "
            f"{sizes} items."
        )
        yield _limits([*NATURAL_NOTES, *([REUSED] if self.evidence.reused else [])])
        yield self._below("naturalisation")
        yield table
        yield self._drawn.get("naturalisation-models")
        yield grids.pooled_grid(found, "naturalisation")
        yield Section("Is it still the same question?", "naturalisation-checked", 3, "")
        passed = grids.passed_grid(found)
        if passed is None:
            yield note("Nobody checked the rewritten items.")
            yield self._step("rewritten items verified by another model")
            yield self._step("rewritten items checked by people")
        yield passed

    def _ratings(self) -> Blocks:
        yield Section("E2: what bilingual people see", "e2", listed="E2 ratings")
        table = grids.rating_grid(self.tables.get("rating"))
        if table is None:
            yield self._step("E2 rating of cues against the tax of items")
        else:
            yield _limits(RATING_NOTES)
            yield self._drawn.get("rating")
            yield table
        agreement = grids.agreement_grids(self.evidence.agreement)
        if agreement:
            yield Section("Agreement of the raters", "raters", 3, "")
            yield from agreement
        else:
            yield note("No agreement of raters: that takes two people who rated the same items.")

    def _below(self, kind: str) -> Drawing | None:
        """A figure, but for the one that is at the head of the page."""
        return None if kind == self._first else self._drawn.get(kind)

    def _step(self, what: str) -> Step:
        remedy = self._remedies[what]
        return Step(what, tuple(steps_of(remedy.command)), remedy.needs)

    def _described(self) -> str:
        settings = self.evidence.settings
        return (
            f"{interval_text(settings.bootstrap)} A model is often without a valid answer where fewer than "
            f"{cell(settings.min_valid, 'share')} of its answers on a side could be read."
        )


def _limits(notes: tuple[str, ...] | list[str]) -> Sentences:
    """What an estimator cannot tell."""
    return Sentences.of((f"{note[0].upper()}{note[1:]}." for note in notes), "aside")


def _sections(found: Table) -> tuple[tuple[str, tuple[Check, ...]], ...]:
    """The checklist by section."""
    sections: dict[str, list[Check]] = {}
    for row in found.rows:
        status = str(row["status"])
        state = "open" if status == NOT_DONE else "done" if status == "done" else "warned"
        steps = tuple(steps_of(str(row["command"])))
        check = Check(str(row["item"]), status, state, str(row["finding"]), steps)  # type: ignore[arg-type]
        sections.setdefault(str(row["section"]), []).append(check)
    return tuple((f"{name[0].upper()}{name[1:]}", tuple(points)) for name, points in sections.items())
