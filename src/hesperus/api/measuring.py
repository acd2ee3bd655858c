"""What is measured of a run, and the figures that show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hesperus import records
from hesperus.analysis.measure_names import OF_RATINGS, OF_RUNS, TAX_TABLES, offered_measures
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.short_signature import with_short
from hesperus.api.audit_inputs import AuditInputs
from hesperus.api.rating_measures import measure_ratings
from hesperus.api.tables_of_records import Source, Told, audit_table, tables_of
from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.analysis.similarity.orders import Order
    from hesperus.analysis.table import Table


def measure(
    what: str,
    run: Source,
    *,
    statistics: Sequence[str] = (),
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    scores: Path | str | None = None,
    told: Told | None = None,
    **settings: Any,
) -> Table:
    """Compute a measure: what `hesperus measure` prints, as a table with `rows`, `frame()` and its `signature`.

    Args:
        what: `summary`, `consistency`, `accuracy`, `agreement`, `validity`, `labels`, `outcomes`, …; of a similarity
            study also `means`, `similarity`, `contrasts`, `correlations`, `scoring`; of open answers `scores`, `groups`, …; of
            an audit of a translated benchmark `back_translation`, `native_control`, `naturalisation`, `bounds`, `rating`,
            `parsers`; of a long table of ratings `raters` or `categories`.
        run: What a study gave, records, a run folder, or a records file; of ratings their file.
        statistics: Only this statistic.
        models: Only this model.
        tasks: Only this task.
        scores: For translation, and the quality threshold of an audit: item scores (default: scores.parquet of the run).
        told: Gathers what a reader must be told next to the table; None if nobody is.
        settings: Fields of hesperus.analysis.settings.GivenSettings (`by`, `invalid`, `resamples`, `seed`, …); `a` and `b`
            may be text such as `"instruction=en,input=en"`. What is not given is as the run's study says. Of an audit also
            those of hesperus.api.audit_inputs.AuditInputs. Of ratings: the arguments of
            hesperus.api.rating_measures.measure_ratings.

    Returns:
        The table, its signature on one line among its own (see hesperus.analysis.short_signature).

    Raises:
        UnknownNameError: No such measure, cell or setting.
        UsageError: The run has not what the measure needs, or a setting that it does not take.
        DataError: The records break their contract.
    """
    chosen = {"models": models, "tasks": tasks, "scores": scores}
    if what in OF_RATINGS:
        _refuse_choice(what, {**chosen, **settings})
        if not isinstance(run, Path | str):
            raise UsageError(f"{what} measures the file of a long table of ratings, not {type(run).__name__}")
        made = measure_ratings(run, what, **settings)
    else:
        known = tuple(dict.fromkeys((*OF_RUNS, *TAX_TABLES, *OF_RATINGS, *offered_measures())))
        if what not in known:
            raise UnknownNameError("measure", what, known)
        _refuse_ratings(what, settings)
        audit = {name: settings.pop(name) for name in _OF_AUDITS if name in settings}
        given, picked = GivenSettings.of(**settings), (tuple(models), tuple(tasks))
        place = None if scores is None else Path(scores)
        if what in TAX_TABLES:
            audit |= {} if place is None else {"scores": place}
            table = audit_table(what, run, given, picked, told, audit)
        elif audit:
            raise UsageError(f"{_flags(audit)} is for an audit of a translated benchmark, not for {what}")
        else:
            table = tables_of((what,), run, given, chosen=picked, scores=place, told=told)[what]
        # What a run folder alone decides can be made again from its line.
        made = table if audit else with_short(table, given, what, models=picked[0], tasks=picked[1])
    return made.only("statistic", tuple(statistics)) if statistics and made.rows else made


_OF_AUDITS = tuple(
    field.name for field in fields(AuditInputs) if field.name not in ("tasks", "scores", "threshold", "audit")
)
"""Settings that only audits of translated benchmarks have, but for what their checklist alone takes."""


def _refuse_ratings(what: str, settings: Mapping[str, Any]) -> None:
    """Refuse settings of a table of ratings."""
    shared = ("by", "settings", "level", *(("scale", "ratings") if what == "rating" else ("ratings",)))
    theirs = {name for name in signature(measure_ratings).parameters if name not in shared}
    named = [
        name for name in settings if name in theirs or (name == "level" and isinstance(settings[name], str))
    ]
    if named:
        raise UsageError(f"{_flags(named)} belongs to `measure raters`, not to {what}")


def _refuse_choice(what: str, settings: Mapping[str, Any]) -> None:
    """Refuse settings of records."""
    of_records = ("models", "tasks", "scores", "a", "b", "invalid", "threshold", "comet_threshold")
    named = [name for name in of_records if settings.get(name) not in (None, ())]
    if named:
        raise UsageError(
            f"{_flags(named)} chooses among records, and {what} measures a table of ratings; keep the rows you want "
            "in the table, or measure groups apart (--by COLUMN)"
        )


def _flags(names: Iterable[str]) -> str:
    singular = ("models", "tasks", "questions", "runs", "parsers", "groups")
    flags = (name.removesuffix("s") if name in singular else name for name in names)
    return ", ".join(f"--{name.replace('_', '-')}" for name in flags)


def figure(
    what: str,
    run: Path | str,
    out: Path | str,
    *,
    models: Sequence[str] = (),
    languages: Sequence[str] = (),
    task: str | None = None,
    order: Order | None = None,
    statistic: str | None = None,
    by: str | None = None,
    beside: Sequence[str] = (),
    score: str | None = None,
    **settings: Any,
) -> Path:
    """Draw one figure of a run into a file.

    Args:
        what: `languages`, `models`, `groups`, `densities` or `correlations` (similarity); `overview`, `map`, `causes`,
            `consistency`, `pairs`, `accuracy`, `labels`, `directions`, `outcomes` or `translation` (senses).
        run: Run folder or records file (Parquet, CSV, JSON lines).
        out: The file: .svg, .png, .pdf, or .html (loads and runs nothing).
        models: Only this model.
        languages: For models: only in this language.
        task: Which task, where the run has several.
        order: Of a map: `family`, `cluster` (alike ones side by side) or `alphabet`.
        statistic: Measure of pairs: `kappa_p`, `raw`, `cohen_kappa`, `scott_pi`, `error_consistency` or `rank_consistency`
            (default: the study's, else `kappa_p`).
        by: For groups: column of the records, e.g. `subject`.
        beside: For correlations: `accuracy`, `size`, `log size`, or a table of the study.
        score: For translation: `bleu`, `chrf`, … (default: the first).
        settings: `resamples`, `seed`, `level`, `interval`.

    Raises:
        UnknownNameError: No such figure, model, language or format.
        UsageError: The run has not what the figure shows.
    """
    from hesperus.analysis.scores import run_scores
    from hesperus.records import read_any_run
    from hesperus.reports.one_figure import FigureChoice, file_format, one_figure, write_figure

    file_format(Path(out))
    choice = FigureChoice(
        tuple(models),
        tuple(languages),
        task,
        order,
        statistic,
        by,
        tuple(beside),
        score,
        GivenSettings.of(**settings),
    )
    scores = run_scores(Path(run)) if what == "translation" else None
    return write_figure(one_figure(what, read_any_run(Path(run)), choice, scores=scores), Path(out))


def read_records(run: pl.DataFrame | Path | str) -> pl.DataFrame:
    """Records from a run folder or file; a frame is checked against the contract and returned.

    Raises:
        UsageError: No such file.
        DataError: The records break their contract.
    """
    return records.conform(run) if isinstance(run, pl.DataFrame) else records.read_records(Path(run))
