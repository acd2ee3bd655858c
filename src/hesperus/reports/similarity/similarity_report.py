"""The report of a similarity study: every task measured, its figures, its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.open_answers.open_measures import with_labels
from hesperus.analysis.run_kinds import whole_senses
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.similarity.all_pairs import signed_as_run
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings, similarity_findings
from hesperus.analysis.similarity.similarity_settings import (
    SimilaritySettings,
    columns_of,
    groups_of,
    settings_of,
    similarity_settings,
)
from hesperus.analysis.single import outcomes_table
from hesperus.analysis.summary import summary_table
from hesperus.analysis.table import Table
from hesperus.errors import DataError
from hesperus.records import Run
from hesperus.reports.blocks import Block, Page, Section, Sentences, headline, note
from hesperus.reports.columns import statistic_name
from hesperus.reports.drawing import Drawing, by_kind
from hesperus.reports.item_section import items_blocks
from hesperus.reports.overview import lone_report, overview, replies_blocks, unlabelled_report
from hesperus.reports.provenance import closing
from hesperus.reports.similarity import similarity_grids as grids
from hesperus.reports.similarity import similarity_story as story
from hesperus.reports.similarity.similarity_figures import similarity_drawings
from hesperus.reports.study_pages import PageInputs, Report, study_page
from hesperus.wording import language_label

_SOURCES = (
    "κp: Shashwat Goel et al. Great models think alike and this undermines AI oversight. 2025. Languages: Debangana Mishra et "
    "al. What if I ask in alia lingua? Measuring functional similarity across languages. 2025. AC3: Bin Wang et al. SeaEval "
    "for multilingual foundation models. NAACL 2024. α: Klaus Krippendorff. Computing Krippendorff's alpha-reliability. 2011. "
    "Permutation of runs: Nathan Mantel. The detection of disease clustering and a generalized regression approach. 1967. "
    "Families of languages: Glottolog."
)


Parts = Sequence[SimilarityFindings]
"""Every task that has runs to compare."""


def drawings_of(parts: Parts) -> list[Drawing]:
    """Every figure; if there are several tasks, their names carry the number of the task."""
    if len(parts) == 1:
        return similarity_drawings(parts[0])
    return [
        replace(drawing, name=f"{drawing.name}-task-{number}", caption=f"{found.task}. {drawing.caption}")
        for number, found in enumerate(parts, start=1)
        for drawing in similarity_drawings(found)
    ]


def _page(
    run: Run, *, parts: Parts, skipped: Mapping[str, str], head: tuple[Block | None, ...], outcomes: Table
) -> Page:
    """The page; `skipped` is a task to why it could not be compared, `head` the notes and the summary of the run."""
    several, first = len(parts) > 1, parts[0]
    left = [f"{task}: not compared: {why}." for task, why in skipped.items()]
    drawn = [
        by_kind(replace(one, name=f"{one.name}-task-{number}") for one in similarity_drawings(found))
        for number, found in enumerate(parts, start=1)
    ]
    lead = (
        headline([line for found in parts for line in story.headlines(found, several=several)]),
        *(() if several else drawn[0]["runs"]),
        Section("What was compared", "compared"),
        Sentences.of(story.compared(parts)),
        *head,
        Sentences.of([*story.asides(parts, run.study), *left], "aside"),
    )
    blocks = (
        *_summary(parts),
        *chain.from_iterable(
            _part(number, found, figures, several=several)
            for number, (found, figures) in enumerate(zip(parts, drawn, strict=True), start=1)
        ),
        *replies_blocks(outcomes),
        *items_blocks(run),
        Section("Caveats", "caveats"),
        Sentences.of(story.caveats(parts)),
        *closing(run, first.tables["similarity"].signature, note(_described(first)), _SOURCES),
    )
    return Page.of(story.title(parts), lead, blocks)


@study_page("similarity")
def similarity_page(of: PageInputs) -> Report:
    """The page of runs, or one that says that there are no two of them, or that no answer is a label."""
    settings = resolve_settings(of.given, of.run.study)
    told = lone_report(of.run, settings) or unlabelled_report(of.run, settings)
    return told or similarity_report(of.run, given=of.given)


def similarity_report(run: Run, *, given: GivenSettings | None = None) -> Report:
    """Measure every task of a run.

    What was asked for wins over the study.

    Raises:
        DataError: No task has two runs to compare.
        UsageError: The study's comparison cannot be used.
    """
    whole, run = run, replace(run, records=with_labels("the page", run.records))
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
    decided = replace(resolve_settings(given, run.study), by=())
    summary = summary_table(records, settings=decided)
    head = overview(records, run.signature, decided, summary=summary)
    is_whole = records.height == whole.records.height
    measured = {"summary": summary, **_as_measured(whole, settings, parts, given)} if is_whole else {}
    outcomes = outcomes_table(records, decided)
    page = partial(_page, parts=parts, skipped=skipped, head=head, outcomes=outcomes)
    return Report(page, partial(drawings_of, parts), measured, ("summary", "means", "contrasts"), parts)


def _as_measured(
    run: Run, settings: SimilaritySettings, parts: Sequence[SimilarityFindings], given: GivenSettings | None
) -> dict[str, Table]:
    """The tables of a run as `measure` makes them: of one task, compared and grouped as the study alone says."""
    if run.records["task"].n_unique() > 1 or settings != settings_of(run.study, given):
        return {}
    tables = parts[0].tables
    names = ("means", "contrasts") if columns_of(run.study) == groups_of(run.study) else ("contrasts",)
    return {name: signed_as_run(tables[name], run.signature) for name in names}


def _summary(parts: Sequence[SimilarityFindings]) -> Iterator[Block | None]:
    name = statistic_name(parts[0].statistic)
    beyond = (
        "takes out what accuracy alone makes two runs agree on: what is left says whether they err alike. 0 is chance, 1 is "
        "always the same."
    )
    yield Section("Summary", "summary")
    yield note(
        f"Two runs that are both mostly right mostly agree, even if they err in different ways. {name} {beyond}"
        if name.startswith("κp")
        else f"{name[:1].upper()}{name[1:]} is compared here."
    )
    for number, found in enumerate(parts, start=1):
        if len(parts) > 1:
            yield Section(found.task, f"summary-{number}", 3, "")
        yield grids.models_grid(found)


def _part(
    number: int, found: SimilarityFindings, drawn: Mapping[str, Sequence[Drawing]], *, several: bool
) -> Iterator[Block | None]:
    """The sections of a task; if there are several tasks, below its name."""

    def section(anchor: str, title: str, listed: str) -> Section:
        return Section(title, f"{anchor}-{number}", 3 if several else 2, "" if several else listed)

    if several:
        yield Section(found.task, f"task-{number}")
        yield from drawn["runs"]
    yield section("languages", "A model in two languages", "Languages")
    yield from drawn["languages"]
    yield section("models", "Two models in a language", "Models")
    yield from drawn["models"]
    yield grids.languages_grid(found)
    yield section("groups", "Groups of questions", "Groups of questions")
    groups = grids.group_grids(found)
    if groups:
        yield from drawn["groups"]
    yield from groups
    tests = grids.contrasts_grid(found.tables["contrasts"])
    yield section("contrasts", "Within models and between them", "Within and between")
    yield from drawn["densities"]
    yield tests or note(
        "There is nothing to test: that takes a model in two languages and two models in one."
    )
    yield grids.pairs_grid(found.tables["similarity"])
    yield section("correlations", "What goes with it", "What goes with it")
    relations = grids.correlations_grid(found.tables["correlations"])
    if relations is not None:
        yield from drawn["correlations"]
        yield relations
    yield section("all_languages", "All languages at once", "All at once")
    yield grids.all_languages_grid(found.tables["all_languages"])
    yield section("scoring", "Labels and probabilities", "Labels and probabilities")
    yield grids.scoring_grid(found.tables["scoring"]) if "scoring" in found.tables else None


def _described(found: SimilarityFindings) -> str:
    settings, boot = found.settings, found.settings.bootstrap
    return (
        f"Measure: {statistic_name(found.statistic)}. {interval_text(boot)} Mantel's test: {settings.permutations:,} permutations. Invalid answers: "
        f"{settings.invalid}. Pivot: {language_label(settings.pivot)}."
    )
