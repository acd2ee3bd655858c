"""What is measured of a run: its tables by the names of measures, of a large file some models at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from inspect import signature
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.analysis.answered import with_answered
from hesperus.analysis.measure_names import (
    MEASURES,
    OF_RATINGS,
    OF_RUNS,
    SIMILARITY,
    TAX_TABLES,
    TRANSLATION,
    offered_measures,
)
from hesperus.analysis.open_answers.open_measures import refuse_labels
from hesperus.analysis.registry import measure_columns, measure_of, measure_table
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.short_signature import with_short
from hesperus.analysis.table import Table
from hesperus.analysis.tax.tax_settings import AuditInputs
from hesperus.analysis.views import joined_views
from hesperus.api.measured_run import Chosen, Source, run_description, run_parts
from hesperus.api.rating_measures import measure_ratings
from hesperus.api.told import Told
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records.packed import is_numbered
from hesperus.records.parts import model_parts


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
            those of hesperus.analysis.tax.tax_settings.AuditInputs. Of ratings: the arguments of
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
            table = _audit_table(what, run, given, picked, told, audit)
        elif audit:
            raise UsageError(f"{_flags(audit)} is for an audit of a translated benchmark, not for {what}")
        else:
            table = tables_of((what,), run, given, chosen=picked, scores=place, told=told)[what]
        # What a run folder alone decides can be made again from its line.
        made = table if audit else with_short(table, given, what, models=picked[0], tasks=picked[1])
    return made.only("statistic", tuple(statistics)) if statistics and made.rows else made


def tables_of(
    measures: Sequence[str],
    run: Source,
    given: GivenSettings,
    *,
    chosen: Chosen = ((), ()),
    scores: Path | None = None,
    told: Told | None = None,
) -> dict[str, Table]:
    """Measure a run: one measure for a person, several for a check. What a table rests on is read once for all of them.

    Of several measures, those that take no rule for invalid answers are made without. `told` gathers
    what a reader must be told next to the tables.
    """
    if not isinstance(run, pl.DataFrame | Path | str) and run.run.scan is not None:
        if all(map(_of_packed, measures)):
            try:
                return _tables_of(measures, run, given, chosen, scores, told)
            except DataError:
                if not is_numbered(run.run.records):
                    raise  # else of the folder again: it shall name an item by its id
        run = run.folder
    return _tables_of(measures, run, given, chosen, scores, told)


_OF_PAIRS = tuple(what for what in SIMILARITY if what != "all_languages")
"""Tables that a similarity study alone has."""


def _of_packed(what: str) -> bool:
    """Whether packed records, whose items may be numbers, tell all of a measure (see hesperus.records.packed)."""
    declared = measure_of(what) if what in MEASURES else None
    return what in SIMILARITY or (declared is not None and not declared.of_replies)


def _tables_of(
    measures: Sequence[str],
    run: Source,
    given: GivenSettings,
    chosen: Chosen,
    scores: Path | None,
    told: Told | None,
) -> dict[str, Table]:
    said, found = run_description(run), dict[str, Table]()
    if told is not None:
        told.begin(given, said)
    for what in measures:
        if made := _of_its_own(what, run, given, said, chosen, told, is_alone=len(measures) == 1):
            found[what] = made
    rest = [what for what in measures if what not in found]
    if rest:
        columns = tuple(dict.fromkeys(name for what in rest for name in measure_columns(what, given, said)))
        parts = run_parts(run, columns, chosen, by_models=_within_models(rest, given))
        found |= _of_parts(rest, parts, given, said, scores, told)
    return found


def _of_its_own(
    what: str,
    run: Source,
    given: GivenSettings,
    said: Described,
    chosen: Chosen,
    told: Told | None,
    *,
    is_alone: bool,
) -> Table | None:
    """The table of a measure that reads a run in its own way; None if it takes the same records as others."""
    if what in TAX_TABLES:
        return _audit_table(what, run, given if is_alone else replace(given, invalid=None), chosen, told)
    refuse_labels(what, said)
    if what != TRANSLATION and (given.threshold, given.comet_threshold) != (None, None):
        raise UsageError(f"--threshold and --comet-threshold are for translation, not for {what}")
    if not isinstance(run, Path | str):
        return None
    if what in _OF_PAIRS and not any(chosen):
        return _similarity_of_file(what, Path(run), given, said, told)
    return _agreement_of_file(Path(run), given, said, chosen, told) if what == "agreement" else None


def _audit_table(
    what: str,
    run: Source,
    given: GivenSettings,
    chosen: Chosen,
    told: Told | None = None,
    more: Mapping[str, Any] | None = None,
) -> Table:
    """A table of an audit of a translated benchmark, of a run and what else `more` names (fields of AuditInputs)."""
    from hesperus.api.tax_evidence import tax_measure

    if isinstance(run, pl.DataFrame):
        raise UsageError(f"{what} is measured of a run folder or a records file, not of a frame")
    place = Path(run) if isinstance(run, Path | str) else run.folder
    more = dict(more or {})
    runs = [place, *map(Path, more.pop("runs", ()))]
    found = tax_measure(what, AuditInputs(runs, tasks=chosen[1], **more), given, chosen[0])
    if told is not None:
        for part in run_parts(run, (), chosen, by_models=False):
            told.take(part, None)
    return found


def _similarity_of_file(
    what: str, run: Path, given: GivenSettings, described: Described, told: Told | None
) -> Table | None:
    """A table of a similarity study from a large file, with its text never in memory as a whole; None for any other file."""
    parts = model_parts(run)
    if parts is None or given.a is not None:
        return None
    from hesperus.analysis.similarity.all_pairs import similarity_table

    found = with_answered(similarity_table(what, run, given, described), parts.scan)
    if told is not None:
        for records in parts:
            told.take(records, None)
    return found


def _agreement_of_file(
    run: Path, given: GivenSettings, described: Described, chosen: Chosen, told: Told | None
) -> Table | None:
    """Agreement of all models of a large file, of which only answers are in memory at once; None for any other file."""
    parts = model_parts(run, given.by or (), models=chosen[0], tasks=chosen[1])
    if parts is None:
        return None
    from hesperus.analysis.agreement import agreement_of, agreement_table

    settings = resolve_settings(given, described.study, agreement_table.takes)

    def read() -> Iterator[pl.DataFrame]:
        for records in parts:
            yield records
            if told is not None:
                told.take(records, None)

    found = agreement_of(joined_views(read(), by=settings.by, probs=True), settings)
    return with_answered(found, parts.scan, settings.by)


def _within_models(measures: Iterable[str], given: GivenSettings) -> bool:
    """Whether measures are the same of some models at a time; a pair of cells is looked for among those of all."""
    return given.a is None and all((one := measure_of(what)) and one.within_models for what in measures)


def _of_parts(
    measures: Sequence[str],
    parts: Iterable[pl.DataFrame],
    given: GivenSettings,
    said: Described,
    scores: Path | None,
    told: Told | None,
) -> dict[str, Table]:
    found: dict[str, list[Table]] = {what: [] for what in measures}
    for records in parts:
        for what, tables in found.items():
            if what == TRANSLATION:
                tables.append(_translation(records, said, given, scores))
            else:
                tables.append(measure_table(what, records, given, described=said))
        if told is not None:
            told.take(records, found["summary"][-1] if "summary" in found else None)
    return {
        what: tables[0]
        if len(tables) == 1
        else replace(tables[0], rows=tuple(row for one in tables for row in one.rows))
        for what, tables in found.items()
    }


def _translation(records: pl.DataFrame, said: Described, given: GivenSettings, scores: Path | None) -> Table:
    """How consistency goes with the quality of the translations."""
    from hesperus.analysis.scores import read_scores, translation_table
    from hesperus.translation.kept_scores import how_scored

    settings = resolve_settings(given, said.study)
    if settings.a is not None:
        raise UsageError("translation takes no pair of cells; it looks at every made input")
    file = scores or (said.folder / "scores.parquet" if said.folder else None)
    if file is None or not file.is_file():
        raise UsageError(
            "the run has no item scores of translations; `hesperus score RUN` writes them, --scores FILE names them"
        )
    found = translation_table(records, read_scores(file), settings)
    return replace(found, signature={**found.signature, "scores": how_scored(file)})


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
