"""The report of a similarity study: every task measured, its figures, its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.kinds import whole_senses
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings, columns_of, settings_of
from hesperus.errors import DataError
from hesperus.records import Run
from hesperus.reports.drawing import Drawing
from hesperus.reports.grids import Grid
from hesperus.reports.overview import Overview, overview
from hesperus.reports.pages import Figure, figure, page, signature_text, study_text
from hesperus.reports.similarity import grids, story
from hesperus.reports.similarity.drawings import SIMILARITY_FIGURES, similarity_drawings
from hesperus.reports.similarity.findings import SimilarityFindings, similarity_findings
from hesperus.reports.similarity.heat_maps import statistic_name


@dataclass(frozen=True, slots=True)
class SimilarityReport:
    """What a report shows.

    Attributes:
        parts: Every task that has runs to compare.
        skipped: Task to why it could not be compared.
        overview: The summary of the run.
    """

    parts: tuple[SimilarityFindings, ...]
    skipped: Mapping[str, str]
    overview: Overview

    def drawings(self) -> list[Drawing]:
        """Every figure; where there are several tasks, their names carry the number of the task."""
        several = len(self.parts) > 1
        return [
            replace(drawing, name=f"{drawing.name}-task-{number}", caption=f"{found.task}. {drawing.caption}")
            if several
            else drawing
            for number, found in enumerate(self.parts, start=1)
            for drawing in similarity_drawings(found)
        ]

    def html(self, run: Run) -> str:
        """The page, as text; the same run gives the same text."""
        several = len(self.parts) > 1
        left = [f"{task}: not compared: {why}." for task, why in self.skipped.items()]
        first = self.parts[0]
        return page(
            "similarity.html.j2",
            title=story.title(self.parts),
            overview=self.overview,
            compared=story.compared(self.parts),
            headlines=[line for found in self.parts for line in story.headlines(found, several=several)],
            asides=[*story.asides(self.parts, run.study), *left],
            caveats=story.caveats(self.parts),
            measure=statistic_name(first.statistic),
            parts=[_part(number, found) for number, found in enumerate(self.parts, start=1)],
            several=several,
            settings=_described(first),
            study=study_text(run.study),
            signature=signature_text(run.signature, first.tables["similarity"].signature),
        )


@dataclass(frozen=True, slots=True)
class Part:
    """A task on the page.

    Attributes:
        number: From 1; its anchors carry it.
        task: Name.
        figures: Kind to figures.
        grids: Name to table.
        groups: Tables by columns.
    """

    number: int
    task: str
    figures: Mapping[str, list[Figure]]
    grids: Mapping[str, Grid | None]
    groups: list[Grid]


def similarity_report(run: Run, *, given: GivenSettings | None = None) -> SimilarityReport:
    """Measure every task of a run.

    Args:
        run: A run of a similarity study, or any run with several languages or models.
        given: What was asked for; it wins over the study.

    Raises:
        DataError: No task has two runs to compare.
        UsageError: The study's comparison cannot be used.
    """
    settings = similarity_settings(run, given)
    records = run.records if run.study.get("study") == "similarity" else whole_senses(run.records)
    by = tuple(name for name in columns_of(run.study) if name in records.columns)
    parts, skipped = [], {}
    for task in records["task"].unique().sort():
        try:
            parts.append(similarity_findings(records, settings, by=by, task=task))
        except DataError as error:
            skipped[str(task)] = str(error)
    if not parts:
        raise DataError(
            "; ".join(f"{task}: {why}" for task, why in skipped.items()) or "the table has no records"
        )
    head = overview(records, resolve_settings(given, run.study), signature=run.signature)
    return SimilarityReport(tuple(parts), skipped, head)


def similarity_settings(run: Run, given: GivenSettings | None = None) -> SimilaritySettings:
    """The comparison of a run's study; of agreement beyond chance where a right answer is known, else of agreement.

    Args:
        run: The run.
        given: What was asked for; it wins over the study.

    Raises:
        UsageError: The study's comparison cannot be used.
    """
    settings = settings_of(run.study, given)
    if not run.study.get("comparison") and not run.records.select(pl.col("gold").is_not_null().any()).item():
        settings = replace(settings, statistic="raw")
    return settings


def _part(number: int, found: SimilarityFindings) -> Part:
    drawn: dict[str, list[Figure]] = {kind: [] for kind in SIMILARITY_FIGURES}
    for drawing in similarity_drawings(found):
        drawn[drawing.kind].append(figure(replace(drawing, name=f"{drawing.name}-task-{number}")))
    return Part(number, found.task, drawn, grids.all_grids(found), list(grids.group_grids(found)))


def _described(found: SimilarityFindings) -> str:
    settings: Any = found.settings
    boot = settings.bootstrap
    return (
        f"Measure: {statistic_name(found.statistic)}. {interval_text(boot)} Mantel's test: {settings.permutations:,} permutations. Unreadable answers: "
        f"{settings.invalid}. Pivot: {settings.pivot}."
    )
