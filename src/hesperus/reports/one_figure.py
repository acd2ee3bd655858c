"""One figure of a run by its name, for the command line and for notebooks, as a file of any kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import polars as pl

from hesperus.analysis.multisense_findings import multisense_findings
from hesperus.analysis.run_kinds import study_kind, whole_senses
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.similarity.measured import BETWEEN, PIVOT, WITHIN
from hesperus.analysis.similarity.orders import ORDERS, Order
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings, similarity_findings
from hesperus.analysis.similarity.similarity_settings import columns_of, similarity_settings
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import PairStatistic
from hesperus.records import Run
from hesperus.records.files import write_content
from hesperus.reports.blocks import Page
from hesperus.reports.drawing import Drawing
from hesperus.reports.html_page import html
from hesperus.reports.multisense_drawings import FIGURES, drawings
from hesperus.reports.similarity import similarity_figures as similar
from hesperus.reports.similarity.similarity_figures import SIMILARITY_FIGURES
from hesperus.reports.theme import FIGURE_FORMATS, render

FIGURE_NAMES = (*SIMILARITY_FIGURES, *FIGURES)
"""Every figure that can be asked for."""

FILE_FORMATS = (*FIGURE_FORMATS, "html")
"""Endings of the files that a figure can be written as."""

_NEEDS: Mapping[str, str] = {
    "runs": "it takes three runs that can be compared: models or languages",
    "languages": "it takes a model in two or more languages: `hesperus import` or `hesperus run similarity`",
    "models": "it takes two or more models in one language: `hesperus import` or `hesperus run similarity`",
    "groups": "it takes a column of records: --by COLUMN",
    "densities": "it takes pairs of runs that have a value: `hesperus measure similarity` says why they have none",
    "correlations": "it takes three or more models, or languages of two or more models; sizes of models and numbers of "
    "languages stand under `comparison` in study.yaml: `hesperus run similarity`",
    "map": "it takes two or more models, and three or more senses that were made from another",
    "overview": "it takes senses that were made from another (`hesperus run multisense`), and at most eight models",
    "translation": "it takes scores of translations: `hesperus score RUN` writes them",
    "outcomes": "every reply could be read",
    "labels": "the answers are of one label, or of too many for a picture",
}
_SENSES = "it takes senses that were made from another: `hesperus run multisense`"


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """What of a run is drawn, and how.

    Attributes:
        models: Which; all where empty.
        languages: Maps of models: in which languages (sense codes).
        task: Which; None if there is one.
        order: Of languages or models in a map; None takes that of the figure.
        statistic: The measure of pairs, in place of the study's.
        by: Column for ``groups``, in place of the study's.
        beside: Relations: what means are compared with (``accuracy``, ``log size``, …).
        score: Translation: which score.
        given: How it is measured; the study decides what is not given.
    """

    models: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    task: str | None = None
    order: Order | None = None
    statistic: str | None = None
    by: str | None = None
    beside: tuple[str, ...] = ()
    score: str | None = None
    given: GivenSettings | None = None


def one_figure(
    what: str, run: Run, choice: FigureChoice | None = None, *, scores: pl.DataFrame | None = None
) -> Drawing:
    """Draw a figure of a run.

    Raises:
        UnknownNameError: No such figure, order, measure, model, language, task or column.
        DataError: The run has nothing for it; the message says which command makes it.
        UsageError: A choice that the figure cannot follow.
    """
    choice = choice or FigureChoice()
    _known("figure", [what], FIGURE_NAMES)
    if study_kind(run) == "translate_then_evaluate":
        raise UsageError(
            f"{what} is about labels, and open answers have none; `hesperus report RUN --figures FOLDER` draws theirs"
        )
    _known("order", [choice.order] if choice.order else [], ORDERS)
    _known("measure of pairs", [choice.statistic] if choice.statistic else [], get_args(PairStatistic))
    if run.records.is_empty():
        raise DataError("the table has no records")
    records = _chosen(run.records, choice)
    chosen = Run(records, run.items, run.study, run.signature)
    if what in SIMILARITY_FIGURES:
        return _of_similarity(what, chosen, choice)
    return _of_senses(what, chosen, choice, scores)


def _chosen(records: pl.DataFrame, choice: FigureChoice) -> pl.DataFrame:
    """The records of the chosen task; the chosen models and languages are among them."""
    task = (choice.task,) if choice.task else ()
    _known("task", task, records["task"].unique().sort().to_list())
    _known("language", choice.languages, records["input"].unique().sort().to_list())
    records = records.filter(pl.col("task").is_in(task)) if task else records
    _known("model", choice.models, records["model"].unique().sort().to_list())
    return records


def _known(kind: str, names: Sequence[str], known: Collection[str], hint: str = "") -> None:
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known, hint)


def _of_similarity(what: str, run: Run, choice: FigureChoice) -> Drawing:
    settings = similarity_settings(run, choice.given)
    if choice.statistic is not None:
        settings = replace(settings, statistic=choice.statistic)  # type: ignore[arg-type]  # checked above
    records = run.records if run.study.get("study") == "similarity" else whole_senses(run.records)
    tasks = records["task"].unique().sort().to_list()
    if len(tasks) > 1:
        raise UsageError(
            f"the run has {len(tasks)} tasks, a figure is of one: --task {' or --task '.join(tasks[:6])}"
        )
    by = (
        (choice.by,)
        if choice.by
        else tuple(name for name in columns_of(run.study) if name in records.columns)
    )
    # The tests permute thousands of times, and no figure shows them.
    only = ("similarity", "means", *(("correlations",) if what == "correlations" else ()))
    found = similarity_findings(records, settings, by=by if what == "groups" else (), only=only)
    pairs = found.tables["similarity"].rows
    if pairs and all(row["value"] is None for row in pairs):
        raise DataError(f"this run has nothing for the figure {what!r}: {_NEEDS['densities']}")
    drawing = _DRAWN[what](found, choice)
    if drawing.chart is None:
        raise DataError(f"this run has nothing for the figure {what!r}: {_NEEDS[what]}")
    return replace(drawing, table="")


def _groups(found: SimilarityFindings, choice: FigureChoice) -> Drawing:
    if not found.by:
        raise UsageError(f"this run has nothing for the figure 'groups': {_NEEDS['groups']}")
    return similar.groups_drawing(found, found.by[0], choice.models)


def _relations(found: SimilarityFindings, choice: FigureChoice) -> Drawing:
    known = {str(row["with"]) for row in found.tables["correlations"].rows}
    _known("number beside similarity", choice.beside, known, _NEEDS["correlations"])
    designs = (WITHIN, PIVOT, BETWEEN) if choice.beside else (WITHIN, BETWEEN)
    return similar.relations_drawing(found, designs, choice.beside)


_DRAWN: Mapping[str, Callable[[SimilarityFindings, FigureChoice], Drawing]] = {
    "runs": lambda found, _: similar.runs_drawing(found),
    "languages": lambda found, of: similar.languages_drawing(found, of.models, of.order or "family"),
    "models": lambda found, of: similar.models_drawing(found, of.languages, of.order or "alphabet"),
    "groups": _groups,
    "densities": lambda found, of: similar.densities_drawing(found, of.models),
    "correlations": _relations,
}


def _of_senses(what: str, run: Run, choice: FigureChoice, scores: pl.DataFrame | None) -> Drawing:
    records, decided = run.records, resolve_settings(choice.given, run.study)
    if choice.models:
        records = records.filter(pl.col("model").is_in(choice.models))
    found = multisense_findings(
        records,
        invalid=decided.invalid,
        bootstrap=decided.bootstrap,
        scores=scores if what == "translation" else None,
    )
    made = [drawing for drawing in drawings(found) if drawing.kind == what]
    if choice.score is not None and what == "translation":
        names = [drawing.name for drawing in made]
        made = [drawing for drawing in made if drawing.name == f"translation-{choice.score}"]
        if names and not made:
            held = [
                name.removeprefix("translation-")
                for name in names
                if not name.startswith("translation-mean-")
            ]
            raise UnknownNameError("score", choice.score, held, "`hesperus score` writes them")
    if not made:
        raise DataError(
            f"this run has nothing for the figure {what!r}: {found.unscored or _NEEDS.get(what, _SENSES)}"
        )
    if what == "pairs" and len(made) > 1:
        models = records["model"].unique().sort().to_list()
        raise UsageError(
            f"the run has {len(models)} models, this figure is of one: --model {models[0]}, or another"
        )
    return made[0]


def write_figure(drawing: Drawing, out: Path | str) -> Path:
    """Write a figure as its file's ending says: .svg, .png, .pdf, or .html (a page that loads nothing).

    Raises:
        UnknownNameError: Another ending.
        UsageError: The file cannot be written.
    """
    out = Path(out)
    ending = file_format(out)
    written = (
        html(Page(drawing.caption, blocks=(drawing,))).encode()
        if ending == "html"
        else render(drawing.chart, ending)  # type: ignore[arg-type]  # checked by file_format
    )
    write_content(out, written, "the figure")
    return out


def file_format(out: Path) -> str:
    """The format that a file's ending names.

    Raises:
        UnknownNameError: None of FILE_FORMATS.
    """
    ending = out.suffix.removeprefix(".").lower()
    if ending not in FILE_FORMATS:
        raise UnknownNameError(
            "ending of a figure's file", out.suffix or out.name, [f".{one}" for one in FILE_FORMATS]
        )
    return ending
