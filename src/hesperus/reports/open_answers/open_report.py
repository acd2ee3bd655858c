"""The report of open answers: every evaluator measured, its figures, its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

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

Parts = tuple[OpenFindings, ...]
"""Every evaluator."""


def _drawn(parts: Parts) -> list[list[Drawing]]:
    """The figures of each evaluator; if there are several, their names begin with its number."""
    return [drawings(found, f"{number}-" * (len(parts) > 1)) for number, found in enumerate(parts, start=1)]


def _page(run: Run, *, parts: Parts, head: tuple[Block | None, ...], evidence: OpenEvidence) -> Page:
    """The page; `head` says what became of the questions, and is empty for ready answers, of which that is not known."""
    first, several = parts[0], len(parts) > 1
    each = [" ".join(story.verdict(found, several=True)) for found in parts if several]
    drawn = list(map(by_kind, _drawn(parts)))
    lead = (
        headline(each or story.verdict(first, several=False)),
        Sentences.of(line for found in parts if several for line in story.models_told(found, several=True)),
        *drawn[0]["scores"],
        Section("What was asked", "asked"),
        Facts(tuple(story.asked(parts, run.study, run.signature))),
        *head,
        Sentences.of(story.asides(parts, evidence.readability), "aside"),
    )
    blocks = (
        *chain.from_iterable(
            _part(number, found, figures, (evidence.replies, run.items), several=several)
            for number, (found, figures) in enumerate(zip(parts, drawn, strict=True), start=1)
        ),
        Section("What became of the answers", "answers", listed="Answers"),
        grids.outcomes_grid(first),
        Section("Translations, their repair, and what was given up", "translations", listed="Translations"),
        *_repaired(first.evaluated.sentences, first.reference),
        Section("Prompts", "prompts", 3, ""),
        grids.prompts_grid(evidence.prompts),
        *_items(run, first.evaluated.pairs),
        Section("Limits", "caveats"),
        Sentences.of(story.caveats(parts)),
        *closing(run, _signed(run, parts), Sentences.of(story.measured(parts)), _SOURCES),
    )
    return Page.of(story.title(parts), lead, blocks)


def _signed(run: Run, parts: Parts) -> dict[str, object]:
    """How the numbers were made, besides what the run's own signature says already."""
    if "evaluations" in run.signature:
        return {"bootstrap": parts[0].scores.signature.get("bootstrap")}
    return {found.what: found.scores.signature for found in parts}


def _part(
    number: int,
    found: OpenFindings,
    drawn: Mapping[str, Sequence[Drawing]],
    texts: tuple[pl.DataFrame | None, pl.DataFrame | None],
    *,
    several: bool,
) -> Iterator[Block | None]:
    """The sections of an evaluator, with the replies and the items; if there are several, below its name."""

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
    yield from losses_blocks(found, *texts)


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


def open_answers_report(run: Run, evidence: OpenEvidence, *, given: GivenSettings | None = None) -> Report:
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
    page = partial(_page, parts=parts, head=head, evidence=evidence)
    return Report(page, lambda: [*chain.from_iterable(_drawn(parts))], measured, ("summary", "scores"), parts)
