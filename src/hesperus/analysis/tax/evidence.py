"""All that an audit has in hand, and the tables that can be made of it; what is not there gives no table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from hesperus.analysis.table import Table
from hesperus.analysis.tax.back_translation import back_translation_table
from hesperus.analysis.tax.conditions import Senses
from hesperus.analysis.tax.native_control import native_control_table
from hesperus.analysis.tax.naturalisation import naturalisation_table
from hesperus.analysis.tax.paired_records import PairedAnswers, Side, compared
from hesperus.analysis.tax.rating import rating_table
from hesperus.analysis.tax.tax_settings import QualityThreshold, TaxSettings
from hesperus.analysis.tax.validity import RECORDED, bounds_table, validity_table


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the records lie and what else is known there, for the commands that go on from them.

    Attributes:
        run: The one run folder or records file, as the user named it; None if absent or several.
        is_folder: Whether it is a folder.
        is_study: Whether the folder's study can be run again.
        texts: Senses with texts in the folder.
        known_task: The audited task, where the catalogue has it.
        can_reread: Whether replies can be read again.
        rewriter: The model that rewrote, where the study names one.
        flags: Flags that led to this audit, as words of a command.
    """

    run: str | None = None
    is_folder: bool = False
    is_study: bool = False
    texts: frozenset[str] = frozenset()
    known_task: str | None = None
    can_reread: bool = False
    rewriter: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What an audit has.

    Attributes:
        records: Answers, of the audited tasks and the native one.
        senses: What represents which condition.
        settings: Groups, bootstrap, least share of valid answers.
        quality: Which back-translations count.
        native: Task of the native items, or None.
        scores: Item scores of the back-translations, or None.
        strata: Stratum to ids, or None.
        strata_task: Task of their items; None if only one was audited.
        repeat: Repeat of the translated items that E4 compares with.
        reused: Whether that repeat picked the strata.
        passed: Checker to the rewritten items that it passed; ``verifier`` is the model.
        checked: Checker to the items that it looked at.
        ratings: Cue ratings, long, or None.
        agreement: Tables of the raters' agreement, by what was rated.
        rereadings: Reader to the records as it read them.
        alignment: What the alignment audit found: kind to items; None if none was made.
        dropped: Items left out before anything was asked: reason to items; None if this is not known.
        origin: Where the records lie.
        own: Senses that are known to be made by the answering models themselves.
    """

    records: pl.DataFrame
    senses: Senses
    settings: TaxSettings = TaxSettings()
    quality: QualityThreshold = QualityThreshold()
    native: str | None = None
    scores: pl.DataFrame | None = None
    strata: Mapping[str, Sequence[str]] | None = None
    strata_task: str | None = None
    repeat: int = 1
    reused: bool = False
    passed: Mapping[str, Collection[str]] = field(default_factory=dict)
    checked: Mapping[str, Collection[str]] = field(default_factory=dict)
    ratings: pl.DataFrame | None = None
    agreement: Mapping[str, Table] = field(default_factory=dict)
    rereadings: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    alignment: Mapping[str, int] | None = None
    dropped: Mapping[str, int] | None = None
    origin: Origin = Origin()
    own: frozenset[str] = frozenset()

    @property
    def of_strata(self) -> pl.DataFrame:
        """The audited records of the task that the strata are of."""
        audited = self.audited
        return audited if self.strata_task is None else audited.filter(pl.col("task") == self.strata_task)

    @property
    def audited(self) -> pl.DataFrame:
        """The records without those of the native task."""
        return self.records if self.native is None else self.records.filter(pl.col("task") != self.native)


def tax_tables(evidence: Evidence) -> dict[str, Callable[[], Table]]:
    """Name of each table that can be made, to what makes it: those of TAX_MEASURES, rating, validity."""
    senses, settings, found = evidence.senses, evidence.settings, dict[str, Callable[[], Table]]()
    original, translated, back, natural = senses.original, senses.translated, senses.back, senses.natural
    if original is not None and back is not None:
        found["back_translation"] = lambda: back_translation_table(
            evidence.audited,
            Side(original),
            Side(back),
            scores=evidence.scores,
            quality=evidence.quality,
            settings=settings,
        )
    if translated is not None and evidence.native is not None:
        side = Side(translated)
        native = evidence.records.filter(pl.col("task") == evidence.native)
        found["native_control"] = lambda: native_control_table(
            evidence.audited, native, (side, side), settings=settings
        )
    if natural is not None and translated is not None and evidence.strata is not None:
        sides, strata = (Side(natural), Side(translated, evidence.repeat)), evidence.strata
        found["naturalisation"] = lambda: naturalisation_table(
            evidence.of_strata,
            sides,
            strata,
            passed=evidence.passed,
            reused=evidence.reused,
            settings=settings,
        )
    if original is not None and back is not None and (ratings := evidence.ratings) is not None:
        found["rating"] = lambda: rating_table(_back(evidence, original, back), ratings, settings=settings)
    found["validity"] = lambda: validity_table(
        {RECORDED: evidence.records, **evidence.rereadings}, settings=settings
    )
    comparisons: dict[str, Callable[[], PairedAnswers]] = {}
    if original is not None and back is not None:
        comparisons["E1: original − back-translation"] = lambda: _back(evidence, original, back)
    if natural is not None and translated is not None:
        comparisons["E4: natural − translated"] = lambda: _natural(evidence, natural, translated)
    if comparisons:
        found["bounds"] = lambda: bounds_table(
            {name: make() for name, make in comparisons.items()}, settings=settings
        )
    return found


def _back(evidence: Evidence, original: str, back: str) -> PairedAnswers:
    quality = evidence.quality if evidence.scores is not None else None
    return compared(evidence.audited, Side(original), Side(back), scores=evidence.scores, quality=quality)


def _natural(evidence: Evidence, natural: str, translated: str) -> PairedAnswers:
    """The items of the strata, as E4 compares them; all rewritten ones if there are no strata."""
    records, sides = evidence.of_strata, (Side(natural), Side(translated, evidence.repeat))
    if evidence.strata is not None:
        records = records.filter(pl.col("item").is_in([i for ids in evidence.strata.values() for i in ids]))
    return compared(records, *sides)
