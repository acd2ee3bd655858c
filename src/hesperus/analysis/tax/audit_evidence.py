"""All that an audit has, the tables that can be made of it, the estimates that are reported, and the items that lose most."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from hesperus.analysis.table import ANSWER_COLUMNS, NewRow, Table
from hesperus.analysis.tax.back_translation import back_translation_table
from hesperus.analysis.tax.native_control import native_control_table
from hesperus.analysis.tax.naturalisation import naturalisation_table
from hesperus.analysis.tax.paired_records import PairedAnswers, Side, compared
from hesperus.analysis.tax.rating import mean_ratings, rating_table
from hesperus.analysis.tax.tax_settings import QualityThreshold, Senses, TaxSettings
from hesperus.analysis.tax.validity import RECORDED, bounds_table, validity_table
from hesperus.measures import item_signal


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


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def back_pairs(self) -> PairedAnswers | None:
        """The original against what came back; None if nothing did."""
        original, back = self.senses.original, self.senses.back
        if original is None or back is None:
            return None
        sides, by = (Side(original), Side(back)), self.settings.by
        return compared(self.audited, *sides, scores=self.scores, quality=self.quality, by=by)

    @cached_property
    def natural_pairs(self) -> PairedAnswers | None:
        """The items of the strata, rewritten and translated, as E4 compares them; all rewritten ones if there are no strata."""
        natural, translated = self.senses.natural, self.senses.translated
        if natural is None or translated is None:
            return None
        records = self.of_strata
        if self.strata is not None:
            records = records.filter(pl.col("item").is_in([i for ids in self.strata.values() for i in ids]))
        return compared(records, Side(natural), Side(translated, self.repeat), by=self.settings.by)


def tax_tables(evidence: Evidence) -> dict[str, Callable[[], Table]]:
    """Name of each table that can be made, to what makes it: those of TAX_TABLES."""
    senses, settings, found = evidence.senses, evidence.settings, dict[str, Callable[[], Table]]()
    original, translated, back, natural = senses.original, senses.translated, senses.back, senses.natural
    if original is not None and back is not None:
        found["back_translation"] = lambda: back_translation_table(_there(evidence.back_pairs), settings)
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
        found["rating"] = lambda: rating_table(_there(evidence.back_pairs), ratings, settings=settings)
    found["parsers"] = lambda: validity_table(
        {RECORDED: evidence.records, **evidence.rereadings}, settings=settings
    )
    if (original is not None and back is not None) or (natural is not None and translated is not None):
        found["bounds"] = lambda: bounds_table(_comparisons(evidence), settings=settings)
    return found


def _there(pairs: PairedAnswers | None) -> PairedAnswers:
    assert pairs is not None
    return pairs


def _comparisons(evidence: Evidence) -> dict[str, PairedAnswers]:
    named = {
        "E1: original − back-translation": evidence.back_pairs,
        "E4: natural − translated": evidence.natural_pairs,
    }
    return {name: pairs for name, pairs in named.items() if pairs is not None}


_DIFFERENCES = ("tax", "gap", "effect")
_REPORTED = ("clustered", "groups", "pooled", "stratum", "group")
"""Analyses whose rows are in the overview."""


def overview(tables: Mapping[str, Table]) -> Table:
    """The estimates to report of each estimator, a line each.

    Args:
        tables: Name of an estimator (one of TAX_ESTIMATORS) to its table.
    """
    rows: list[NewRow] = []
    for name, found in tables.items():
        for row in found.rows:
            place = row.get("stratum") or row.get("group") or ""
            is_reported = row.get("analysis", "clustered") in _REPORTED and row["statistic"] in _DIFFERENCES
            if is_reported and not (row.get("model") or (row.get("stratum") and row.get("group"))):
                shown = {key: row[key] for key in ("statistic", *ANSWER_COLUMNS, "p", "p_holm")}
                rows.append({"estimator": name, "of": str(place) or "all", **shown})
    columns = ("estimator", "of", "statistic", *ANSWER_COLUMNS, "p", "p_holm")
    return Table("translation tax", columns, tuple(rows), {})


_MISALIGNED = ("asked on one side only", "without gold", "gold differs between the sides")


@dataclass(frozen=True, slots=True)
class LosingItem:
    """An item, and what became of its answers on the way back.

    Attributes:
        task: Name of the task.
        item: Id.
        models: Models that are compared.
        lost: Those that are right on the original only.
        won: Those that are right on what came back only.
        is_high: Whether it is in the stratum ``high``.
        ratings: What was rated to its mean rating.
    """

    task: str
    item: str
    models: int
    lost: int
    won: int
    is_high: bool
    ratings: Mapping[str, float]


def misaligned_counts(found: PairedAnswers) -> dict[str, int]:
    """How many items cannot be compared, by why; reasons that no item has are left out."""
    causes = {name: int(mask.any(axis=0).sum()) for name, mask in found.causes.items() if name in _MISALIGNED}
    return {name: count for name, count in causes.items() if count}


def losing_items(evidence: Evidence, found: PairedAnswers) -> list[LosingItem]:
    """Items that lose right answers or are in the stratum ``high``: by loss, then by mean rating, then by id."""
    signal = np.nan_to_num(item_signal(found.pairs), nan=-1.0)
    high = set(evidence.strata.get("high", ())) if evidence.strata is not None else set()
    rated = mean_ratings(evidence.ratings) if evidence.ratings is not None else {}
    pairs = found.pairs
    placed = []
    for place, (task, item) in enumerate(found.items):
        if signal[place] <= 0 and item not in high:
            continue
        strict, first, second = (of[:, place] for of in (pairs.strict, pairs.first_right, pairs.second_right))
        lost, won = (int((a & ~b & strict).sum()) for a, b in ((first, second), (second, first)))
        ratings = {name: held[item] for name, held in rated.items() if held.get(item) is not None}
        mean = float(np.mean(list(ratings.values()))) if ratings else 0.0
        one = LosingItem(task, item, int(strict.sum()), lost, won, item in high, ratings)
        placed.append(((-float(signal[place]), -mean, task, item, place), one))
    return [one for _, one in sorted(placed, key=lambda pair: pair[0])]
