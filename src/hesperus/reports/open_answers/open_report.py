"""The report of open answers: every evaluator measured, its figures, its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from hesperus.analysis.open_answers.evidence import OpenEvidence, gathered
from hesperus.analysis.open_answers.open_findings import OpenFindings, open_findings
from hesperus.analysis.open_answers.open_tables import of_evaluations, settings_of
from hesperus.analysis.open_answers.pair_scores import with_scores
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.summary import summary_table
from hesperus.analysis.table import Table
from hesperus.errors import DataError, UsageError
from hesperus.records import Run
from hesperus.reports.blocks import Block, Facts, Page, Section, Sentences, fold, headline, note
from hesperus.reports.drawing import Drawing, by_kind
from hesperus.reports.item_section import items_blocks
from hesperus.reports.open_answers import open_grids as grids
from hesperus.reports.open_answers import open_story as story
from hesperus.reports.open_answers.open_figures import drawings
from hesperus.reports.open_answers.readings import given_up, losses_blocks, repairs_grid
from hesperus.reports.overview import overview, unscored_report
from hesperus.reports.provenance import closing
from hesperus.reports.study_pages import PageInputs, Report, study_page
from hesperus.wording import property_names


@dataclass(frozen=True, slots=True, eq=False)
class OpenAnswersReport:
    """What a report shows.

    Attributes:
        parts: Every evaluator.
        overview: What became of the questions; empty for ready answers, of which that is not known.
        replies: The answers as they were given: the columns of the key, and `reply`.
        prompts: How the prompts came back from their translation, where some were translated.
        readability: How many of each judge's replies could be read.
        measured: See hesperus.reports.study_pages.Report.
    """

    parts: tuple[OpenFindings, ...]
    overview: tuple[Block | None, ...] = ()
    replies: pl.DataFrame | None = None
    prompts: pl.DataFrame | None = None
    readability: pl.DataFrame | None = None
    measured: Mapping[str, Table] = field(default_factory=dict)

    @property
    def claims(self) -> tuple[str, ...]:
        """See hesperus.reports.study_pages.Report."""
        return ("summary", "scores")

    def drawings(self) -> list[Drawing]:
        """Every figure; if there are several evaluators, their names begin with the evaluator's number."""
        return [
            drawing for number, found in self._numbered() for drawing in drawings(found, self._prefix(number))
        ]

    def page(self, run: Run) -> Page:
        """The page."""
        first, several = self.parts[0], len(self.parts) > 1
        told = (
            [" ".join(story.verdict(found, several=True)) for found in self.parts]
            if several
            else story.verdict(first, several=False)
        )
        drawn = [by_kind(drawings(found, self._prefix(number))) for number, found in self._numbered()]
        lead = (
            headline(told),
            Sentences.of(
                line for found in self.parts if several for line in story.models_told(found, several=several)
            ),
            *drawn[0]["scores"],
            Section("What was asked", "asked"),
            Facts(tuple(story.asked(self.parts, run.study, run.signature))),
            *self.overview,
            Sentences.of(story.asides(self.parts, self.readability), "aside"),
        )
        blocks = (
            *(
                block
                for number, found in self._numbered()
                for block in self._part(number, found, run, drawn[number - 1])
            ),
            Section("What became of the answers", "answers", listed="Answers"),
            grids.outcomes_grid(first),
            Section(
                "Translations, their repair, and what was given up", "translations", listed="Translations"
            ),
            *_repaired(first.evaluated.sentences, first.reference),
            Section("Prompts", "prompts", 3, ""),
            grids.prompts_grid(self.prompts),
            *_items(run, first.evaluated.pairs),
            Section("Limits", "caveats"),
            Sentences.of(story.caveats(self.parts)),
            *closing(run, self._signed(run), Sentences.of(story.measured(self.parts)), _SOURCES),
        )
        return Page.of(story.title(self.parts), lead, blocks)

    def _signed(self, run: Run) -> dict[str, object]:
        """How the numbers were made, besides what the run's own signature says already."""
        if "evaluations" in run.signature:
            return {"bootstrap": self.parts[0].scores.signature.get("bootstrap")}
        return {found.what: found.scores.signature for found in self.parts}

    def _numbered(self) -> list[tuple[int, OpenFindings]]:
        return list(enumerate(self.parts, start=1))

    def _prefix(self, number: int) -> str:
        return f"{number}-" if len(self.parts) > 1 else ""

    def _part(
        self, number: int, found: OpenFindings, run: Run, drawn: Mapping[str, Sequence[Drawing]]
    ) -> Iterator[Block | None]:
        """The sections of an evaluator; if there are several, below its name."""
        several = len(self.parts) > 1

        def section(anchor: str, title: str, listed: str) -> Section:
            return Section(title, f"{anchor}-{number}", 3 if several else 2, "" if several else listed)

        name = property_names(found.what).capitalize() if several else "Scores"
        yield Section(name, "summary" if number == 1 else f"part-{number}")
        yield from drawn["scores"] if number > 1 else ()  # that of the first stands at the head of the page
        yield grids.scores_grid(found)
        yield grids.ceilings_grid(found)
        yield from drawn["sides"]
        yield from drawn["properties"]
        yield grids.properties_grid(found)
        yield section("groups", "Groups of languages", "Groups of languages")
        groups = grids.group_grids(found)
        yield from drawn["groups"] if groups else ()
        yield from groups
        yield section("silence", "With and without missing answers", "")
        yield grids.silence_grid(found)
        yield section("losses", "What loses most", "What loses most")
        yield from losses_blocks(found, self.replies, run.items)


_SOURCES = (
    "Method: Ashim Gupta, Maitrey Mehta, Zhichao Xu, Vivek Srikumar. Found in Translation: Measuring Multilingual LLM "
    "Consistency as Simple as Translate then Evaluate. Claims and their verification go back to Sewon Min et al. FActScore. "
    "EMNLP 2023. Families of languages: Glottolog."
)


def _items(run: Run, pairs: pl.DataFrame) -> Iterator[Block]:
    """The item matrix; ready answers without what became of the questions have none."""
    if {"outcome", "options"} <= set(run.records.columns):
        yield from items_blocks(replace(run, records=with_scores(run.records, pairs)))


def _repaired(sentences: pl.DataFrame, reference: str) -> Iterator[Block | None]:
    repairs = repairs_grid(sentences)
    if repairs is None:
        yield note(
            "No answer was translated here: the texts were compared as they are, or looked up as a whole."
        )
        return
    yield repairs
    shown, lost = given_up(sentences, reference)
    yield fold(f"{len(shown)} of {lost:,} sentences that were given up", *shown)


@study_page("translate_then_evaluate")
def open_answers_page(of: PageInputs) -> Report:
    """The page of open answers, or one that says that they are not evaluated yet.

    Raises:
        UsageError: The folder with the evaluations is not known, or there is a rule for invalid answers.
    """
    if of.folder is None:
        raise UsageError(
            "open answers are compared by the evaluations that stand in the run folder: give the folder, not the run or its "
            "records alone"
        )
    evidence = gathered(of.folder, of.run)
    if not evidence.evaluations:
        return unscored_report(of.run, resolve_settings(of.given, of.run.study))
    if of.given.invalid is not None:
        raise UsageError("the rule for invalid answers is about labels, and open answers have none")
    return open_answers_report(of.run, evidence, given=of.given)


def open_answers_report(
    run: Run, evidence: OpenEvidence, *, given: GivenSettings | None = None
) -> OpenAnswersReport:
    """Measure all that the page shows.

    What was asked for wins over the study.

    Raises:
        DataError: An evaluation has no pairs, or its table is no table of pairs.
    """
    settings = settings_of({"trained_on": evidence.trained_on, **run.study}, given)
    for one in evidence.evaluations:
        if one.pairs.is_empty():
            raise DataError(f"the evaluation {one.what} has no pairs, so there is nothing to show")
    parts = tuple(open_findings(one, settings) for one in evidence.evaluations)
    decided, measured = replace(resolve_settings(given, run.study), by=()), dict[str, Table]()
    head: tuple[Block | None, ...] = ()
    if {"outcome", "options"} <= set(run.records.columns):
        measured["summary"] = summary_table(run.records, settings=decided, labels=False)
        head = overview(run.records, run.signature, decided, labels=False, summary=measured["summary"])
    named = run.study.get("evaluate")
    if isinstance(named, list) and named == [found.what for found in parts]:
        measured["scores"] = of_evaluations("scores", {found.what: found.scores for found in parts})
    return OpenAnswersReport(parts, head, evidence.replies, evidence.prompts, evidence.readability, measured)
