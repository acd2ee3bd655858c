"""The report: one HTML file that needs no network, no script and no other file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.kinds import study_kind
from hesperus.analysis.scores import read_scores
from hesperus.analysis.settings import NOTHING_GIVEN, GivenSettings, MeasureSettings, resolve_settings
from hesperus.errors import UsageError
from hesperus.records import Run, read_records, read_run
from hesperus.records.files import write_whole
from hesperus.reports import grids, story
from hesperus.reports.answer_figures import MOST_LABELS
from hesperus.reports.card import card_of
from hesperus.reports.drawing import Drawing
from hesperus.reports.drawings import FIGURES, drawings
from hesperus.reports.examples import inconsistent_examples
from hesperus.reports.findings import Findings, findings_of
from hesperus.reports.overview import nothing_report, overview
from hesperus.reports.pages import figure, page, signature_text, study_text
from hesperus.wording import own_senses


class Report(Protocol):
    """A measured report of a study other than multisense, with its own figures and page."""

    def drawings(self) -> list[Drawing]:
        """Every figure for which there is something to draw."""

    def html(self, run: Run) -> str:
        """The page, as text; the same run gives the same text."""


_SEVERAL = frozenset({"pairs", "translation"})
"""Kinds of which there may be several figures."""


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """How a report is made.

    Attributes:
        given: How it is measured; the run's study decides what is not given, then the defaults.
        each: Examples a model and sense.
        most: Examples in all.
    """

    given: GivenSettings = NOTHING_GIVEN
    each: int = 3
    most: int = 36


def open_run(path: Path | str) -> Run:
    """Read a run folder, or a records file as a run without items, study and signature.

    Raises:
        UsageError: There is no such folder or file.
        DataError: A file breaks its contract.
    """
    return read_run(path) if Path(path).is_dir() else Run(read_records(path))


def scores_of(path: Path | str) -> pl.DataFrame | None:
    """The item scores of translations that `hesperus score` left in a run folder; None where there are none.

    Raises:
        DataError: The file of scores breaks its contract.
    """
    file = Path(path) / "scores.parquet"
    return read_scores(file) if file.is_file() else None


def report_findings(
    run: Run,
    *,
    settings: ReportSettings | None = None,
    scores: pl.DataFrame | None = None,
    folder: Path | None = None,
) -> Findings | Report:
    """Measure all that the report of a run shows: which tables depends on the study (see study_kind).

    A run in which no question was answered gets a page that says so.

    Args:
        run: The run.
        settings: How; None takes the defaults.
        scores: Item scores of translations, where there are any.
        folder: The run's folder, in which the evaluations of open answers stand.

    Raises:
        DataError: The run has no records, or no two runs of a model that can be compared.
        UsageError: The study's comparison cannot be used; or the run is one of open answers and its folder is not known, or
            an audit of a translated benchmark, whose page needs more than its records (see hesperus.reports.tax.tax_report).
    """
    settings = settings or ReportSettings()
    nothing = nothing_report(run, resolve_settings(settings.given, run.study))
    if nothing is not None:
        return nothing
    kind = study_kind(run)
    if kind == "translation_tax":
        raise UsageError(
            "the page of an audit is made of its records and of what stands beside them (strata, verdicts, ratings): "
            "`hesperus report RUN` and hesperus.report(folder) gather it"
        )
    if kind == "translate_then_evaluate":
        if folder is None:
            raise UsageError(
                "open answers are compared by the evaluations that stand in the run folder: give the folder, not the run or its "
                "records alone"
            )
        if settings.given.invalid is not None:
            raise UsageError("the rule for unreadable answers is about labels, and open answers have none")
        from hesperus.reports.open_answers.report import gathered, open_answers_report

        return open_answers_report(run, gathered(folder, run), given=settings.given)
    if kind == "multisense":
        decided = resolve_settings(settings.given, run.study)
        return findings_of(run.records, invalid=decided.invalid, bootstrap=decided.bootstrap, scores=scores)
    # Its tests and its clustering need scipy, which the other report does not.
    from hesperus.reports.similarity.report import similarity_report

    return similarity_report(run, given=settings.given)


def report_drawings(found: Findings | Report) -> list[Drawing]:
    """Every figure of a report for which there is something to draw."""
    return drawings(found) if isinstance(found, Findings) else found.drawings()


def write_report(
    run: Run | Path | str,
    out: Path | str,
    *,
    settings: ReportSettings | None = None,
    found: Findings | Report | None = None,
) -> Path:
    """Write the report of a run as one HTML file.

    Args:
        run: A run, its folder, or a records file.
        out: The file to write; its folder is made.
        settings: How; None takes the defaults.
        found: The tables, where they have been made with these settings before.

    Returns:
        The file.

    Raises:
        UsageError: No such run, or the file cannot be written.
        DataError: A file breaks its contract, or holds no records.
    """
    opened = run if isinstance(run, Run) else open_run(run)
    if found is None and not isinstance(run, Run):
        folder = Path(run) if Path(run).is_dir() else None
        found = report_findings(opened, settings=settings, scores=scores_of(run), folder=folder)
    text = report_html(opened, settings=settings, found=found)
    out = Path(out)

    def write(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8", newline="\n")

    try:
        write_whole(out, write)
    except OSError as error:
        raise UsageError(f"cannot write the report {out}: {error.strerror}") from error
    return out


def report_html(
    run: Run,
    *,
    settings: ReportSettings | None = None,
    found: Findings | Report | None = None,
    scores: pl.DataFrame | None = None,
) -> str:
    """The report of a run as text; the same run gives the same text.

    Raises:
        DataError: The run has no records.
    """
    settings = settings or ReportSettings()
    found = found or report_findings(run, settings=settings, scores=scores)
    if not isinstance(found, Findings):
        return found.html(run)
    records, own = run.records, own_senses(run.study, run.items)
    decided = resolve_settings(settings.given, run.study)
    return page(
        "report.html.j2",
        title=story.title(records),
        overview=overview(records, decided, signature=run.signature),
        headlines=story.headlines(found, own),
        asides=story.asides(found, records),
        figures=_figures(found),
        grids=_grids(found),
        unscored=found.unscored,
        examples=inconsistent_examples(records, run.items, each=settings.each, most=settings.most, own=own),
        records=_held(records),
        settings=_described(decided),
        study=study_text(run.study),
        signature=signature_text(run.signature, found.consistency.signature),
        card=card_of(records, own),
    )


def _figures(found: Findings) -> dict[str, Any]:
    drawn: dict[str, Any] = {name: [] if name in _SEVERAL else None for name in FIGURES}
    for drawing in drawings(found):
        if drawing.kind in _SEVERAL:
            drawn[drawing.kind].append(figure(drawing))
        else:
            drawn[drawing.kind] = figure(drawing)
    return drawn


def _grids(found: Findings) -> dict[str, grids.Grid | None]:
    return {
        "summary": grids.summary_grid(found),
        "pairs": grids.pairs_grid(found),
        "split": grids.split_grid(found),
        "agreement": grids.agreement_grid(found),
        "accuracy": grids.accuracy_grid(found),
        "labels": grids.labels_grid(found, MOST_LABELS),
        "directions": grids.directions_grid(found, MOST_LABELS),
        "outcomes": grids.outcomes_grid(found),
        "bins": grids.bins_grid(found),
    }


def _held(records: pl.DataFrame) -> str:
    cells = records.select("model", "task", "instruction", "input", "repeat").n_unique()
    return (
        f"{records.height:,} answers by {_count(records, 'model')} to {_count(records, 'item')} of "
        f"{_count(records, 'task')}, in {cells:,} combinations of model, senses and repeat."
    )


def _count(records: pl.DataFrame, name: str) -> str:
    number = records[name].n_unique()
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def _described(settings: MeasureSettings) -> str:
    boot = settings.bootstrap
    rule = {
        "disagree": "an unreadable answer is the same as no other",
        "agree": "two unreadable answers are the same",
        "drop": "items with an unreadable answer are left out",
    }[settings.invalid]
    return f"{interval_text(boot)} Unreadable answers: {rule}."
