"""The report of open answers: every evaluator measured, its figures, its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.analysis.open_answers.evidence import (
    PROMPTS,
    READABILITY,
    Evaluated,
    homes,
    read_evaluated,
    read_frame,
)
from hesperus.analysis.open_answers.run_tables import settings_of
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.errors import DataError
from hesperus.records import Run
from hesperus.reports.drawing import Drawing
from hesperus.reports.grids import Grid
from hesperus.reports.open_answers import grids, story
from hesperus.reports.open_answers.figures import OPEN_FIGURES, drawings
from hesperus.reports.open_answers.findings import OpenFindings, open_findings
from hesperus.reports.open_answers.losses import Losses, losses
from hesperus.reports.open_answers.repairs import given_up, repairs_grid
from hesperus.reports.overview import Overview, overview
from hesperus.reports.pages import Figure, figure, page, signature_text, study_text
from hesperus.wording import property_names


@dataclass(frozen=True, slots=True, eq=False)
class OpenAnswersReport:
    """What a report shows.

    Attributes:
        parts: Every evaluator.
        overview: What became of the questions; None of ready answers, of which that is not known.
        replies: The answers as they were given: the columns of the key, and `reply`.
        prompts: How the prompts came back from their translation, where some were translated.
        readability: How many of each judge's replies could be read.
    """

    parts: tuple[OpenFindings, ...]
    overview: Overview | None = None
    replies: pl.DataFrame | None = None
    prompts: pl.DataFrame | None = None
    readability: pl.DataFrame | None = None

    def drawings(self) -> list[Drawing]:
        """Every figure; where there are several evaluators, their names begin with the evaluator's number."""
        return [
            drawing for number, found in self._numbered() for drawing in drawings(found, self._prefix(number))
        ]

    def html(self, run: Run) -> str:
        """The page, as text; the same run gives the same text."""
        first = self.parts[0]
        sentences = first.evaluated.sentences
        shown, lost = given_up(sentences, first.reference)
        several = len(self.parts) > 1
        return page(
            "open_answers.html.j2",
            title=story.title(self.parts),
            overview=self.overview,
            headlines=[" ".join(story.verdict(found, several=True)) for found in self.parts]
            if several
            else story.verdict(first, several=False),
            models=[line for found in self.parts for line in story.models_told(found, several=several)],
            asked=story.asked(self.parts, run.study, run.signature),
            asides=story.asides(self.parts, self.readability),
            parts=[self._part(number, found, run) for number, found in self._numbered()],
            several=several,
            outcomes=grids.outcomes_grid(first),
            repairs=repairs_grid(sentences),
            given_up=shown,
            lost_sentences=lost,
            prompts=grids.prompts_grid(self.prompts),
            reference=first.reference_name,
            caveats=story.caveats(self.parts),
            settings=story.measured(self.parts),
            study=study_text(run.study),
            signature=signature_text(run.signature, self._signed(run)),
        )

    def _signed(self, run: Run) -> dict[str, object]:
        """How the numbers were made, beside what the run's own signature says already."""
        if "evaluations" in run.signature:
            return {"bootstrap": self.parts[0].scores.signature.get("bootstrap")}
        return {found.what: found.scores.signature for found in self.parts}

    def _numbered(self) -> list[tuple[int, OpenFindings]]:
        return list(enumerate(self.parts, start=1))

    def _prefix(self, number: int) -> str:
        return f"{number}-" if len(self.parts) > 1 else ""

    def _part(self, number: int, found: OpenFindings, run: Run) -> Part:
        drawn: dict[str, Figure | None] = dict.fromkeys(OPEN_FIGURES)
        drawn |= {one.kind: figure(one) for one in drawings(found, self._prefix(number))}
        tables = {
            "scores": grids.scores_grid(found),
            "ceilings": grids.ceilings_grid(found),
            "properties": grids.properties_grid(found),
            "silence": grids.silence_grid(found),
        }
        groups = grids.group_grids(found)
        return Part(number, property_names(found.what).capitalize(), drawn, tables, groups,
                    losses(found, self.replies, run.items))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """An evaluator on the page.

    Attributes:
        number: From 1; its anchors carry it.
        what: Its name.
        figures: Kind to figure, None where there is nothing to draw.
        grids: Name to table.
        groups: Tables of groups of languages.
        losses: The prompts that lose most.
    """

    number: int
    what: str
    figures: Mapping[str, Figure | None]
    grids: Mapping[str, Grid | None]
    groups: Sequence[Grid]
    losses: Losses


@dataclass(frozen=True, slots=True, eq=False)
class OpenEvidence:
    """What a report of open answers is made of, beside the run.

    Attributes:
        evaluations: What each evaluator left.
        replies: As in OpenAnswersReport.
        prompts: Likewise.
        readability: Likewise.
        trained_on: Model to the languages that it was trained on.
    """

    evaluations: Sequence[Evaluated]
    replies: pl.DataFrame | None = None
    prompts: pl.DataFrame | None = None
    readability: pl.DataFrame | None = None
    trained_on: Mapping[str, Sequence[str]] = field(default_factory=dict)


def gathered(folder: Path, run: Run) -> OpenEvidence:
    """The evidence of a run folder.

    Raises:
        DataError: The folder lacks an evaluation, or holds a broken one.
    """
    evaluations = [read_evaluated(what, home) for what, home in homes(folder, run.study).items()]
    beside = {name: read_frame(folder / name) for name in (PROMPTS, READABILITY) if (folder / name).is_file()}
    return OpenEvidence(evaluations, run.records, beside.get(PROMPTS), beside.get(READABILITY))


def open_answers_report(
    run: Run, evidence: OpenEvidence, *, given: GivenSettings | None = None
) -> OpenAnswersReport:
    """Measure all that the page shows.

    Args:
        run: A run of the study; of ready answers, one without a study.
        evidence: What its evaluations left.
        given: What was asked for; it wins over the study.

    Raises:
        DataError: An evaluation has no pairs, or its table is no table of pairs.
    """
    settings = settings_of({"trained_on": evidence.trained_on, **run.study}, given)
    for one in evidence.evaluations:
        if one.pairs.is_empty():
            raise DataError(f"the evaluation {one.what} has no pairs, so there is nothing to show")
    parts = tuple(open_findings(one, settings) for one in evidence.evaluations)
    decided = resolve_settings(given, run.study)
    told = {"outcome", "options"} <= set(run.records.columns)
    head = overview(run.records, decided, signature=run.signature, labels=False) if told else None
    return OpenAnswersReport(parts, head, evidence.replies, evidence.prompts, evidence.readability)
