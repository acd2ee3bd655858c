"""The dispatch of measures: tables of a run by their names, and what must be told next to them.

Records are measured all at once, or of a large file some models at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from hesperus.analysis.answered import Coverage, coverage, together, with_answered
from hesperus.analysis.measure_names import MEASURES, SIMILARITY, TAX_TABLES, TRANSLATION
from hesperus.analysis.open_answers.open_measures import refuse_labels
from hesperus.analysis.registry import measure_columns, measure_of, measure_table, noted_summary
from hesperus.analysis.reply_language import language_notes
from hesperus.analysis.run_kinds import Described, described
from hesperus.analysis.run_notes import gold_notes, nothing_of, pack_notes, summary_notes, task_notes
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.table import Table
from hesperus.analysis.views import joined_views, narrowed
from hesperus.api.audit_inputs import AuditInputs
from hesperus.errors import DataError, UsageError
from hesperus.records import Run, conform, read_records
from hesperus.records.packed import is_numbered
from hesperus.records.parts import model_parts


class Held(Protocol):
    """A run in memory, such as hesperus.run gives."""

    @property
    def run(self) -> Run:
        """Records, items, study and signature."""

    @property
    def folder(self) -> Path:
        """Where it lies."""


Source = Held | pl.DataFrame | Path | str
"""A run: what a study gave, records, a run folder, or a records file."""

OF_PAIRS = tuple(what for what in SIMILARITY if what != "all_languages")
"""Tables that a similarity study alone has."""

Chosen = tuple[Sequence[str], Sequence[str]]
"""Models and tasks that are looked at; none: all."""


def similarity_of_file(
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


def agreement_of_file(
    run: Path, given: GivenSettings, described: Described, chosen: Chosen, told: Told | None
) -> Table | None:
    """Agreement of all models of a large file, of which only answers are in memory at once; None for any other file."""
    parts = model_parts(run, given.by or (), models=chosen[0], tasks=chosen[1])
    if parts is None:
        return None
    from hesperus.analysis.agreement import agreement_of, agreement_table

    settings = agreement_table.taken(resolve_settings(given, described.study))

    def read() -> Iterator[pl.DataFrame]:
        for records in parts:
            yield records
            if told is not None:
                told.take(records, None)

    found = agreement_of(joined_views(read(), by=settings.by, probs=True), settings)
    return with_answered(found, parts.scan, settings.by)


def _within_models(what: str) -> bool:
    declared = measure_of(what)
    return declared is not None and declared.within_models


class Told:
    """What a reader of any measure of a run must be told in words, gathered from its parts."""

    def __init__(self) -> None:
        self._given, self._described = GivenSettings(), Described()
        self._counts: list[Coverage] = []
        self._summaries: list[Table] = []
        self._of_records: dict[str, None] = {}
        self._rules: list[pl.DataFrame] = []

    def begin(self, given: GivenSettings, described: Described) -> None:
        """Note how a run is measured, and what it says of itself."""
        self._given, self._described = given.of_whole(), described

    def take(self, records: pl.DataFrame, summary: Table | None) -> None:
        """Note a part."""
        self._counts.append(coverage(records).get((), Coverage()))
        self._summaries.append(summary or noted_summary(records, self._given, self._described))
        self._of_records |= dict.fromkeys([*language_notes(records), *gold_notes(records)])
        rules = [name for name in ("instruction", "rule") if name in records.columns]
        self._rules.append(records.select(rules).unique(maintain_order=True))

    def nothing(self) -> str:
        """The sentence in place of every number if no question was answered; empty if one was."""
        return nothing_of(together(self._counts)) if self._counts else ""

    def notes(self, table: Table) -> list[str]:
        """The notes of all parts, as run_notes has them of a whole, but for what is about numbers that a table does not have."""
        if not self._counts:
            return []
        rows = [row for one in self._summaries for row in one.rows]
        whole = replace(self._summaries[0], rows=tuple(sorted(rows, key=lambda row: str(row["task"]))))
        of_packs = pack_notes(pl.concat(self._rules))
        return [
            *summary_notes(whole, set(table.column("statistic") if "statistic" in table.columns else ())),
            *self._of_records,
            *of_packs,
            *task_notes(self._described.signature),
        ]


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
        if set(measures) <= _OF_PACKED:
            try:
                return _tables_of(measures, run, given, chosen, scores, told)
            except DataError:
                if not is_numbered(run.run.records):
                    raise  # else of the folder again: it shall name an item by its id
        run = run.folder
    return _tables_of(measures, run, given, chosen, scores, told)


_OF_PACKED = {*SIMILARITY, *MEASURES} - {"language", "tokens"}
"""Measures that packed records tell all of, whose items may be numbers (see hesperus.records.packed)."""


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
        found |= _of_parts(rest, _parts(run, columns, rest, given, chosen), given, said, scores, told)
    return found


def run_description(run: Source) -> Described:
    """What a run says of itself."""
    if isinstance(run, pl.DataFrame):
        return Described()
    if isinstance(run, Path | str):
        return described(Path(run))
    return Described(run.run.study, run.run.signature, run.folder if run.folder.is_dir() else None)


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
        return audit_table(what, run, given if is_alone else replace(given, invalid=None), chosen, told)
    refuse_labels(what, said)
    if what != TRANSLATION and (given.threshold, given.comet_threshold) != (None, None):
        raise UsageError(f"--threshold and --comet-threshold are for translation, not for {what}")
    if not isinstance(run, Path | str):
        return None
    if what in OF_PAIRS and not any(chosen):
        return similarity_of_file(what, Path(run), given, said, told)
    return agreement_of_file(Path(run), given, said, chosen, told) if what == "agreement" else None


def audit_table(
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
    more = {"threshold": given.threshold, **(more or {})}
    runs = [place, *map(Path, more.pop("runs", ()))]
    found = tax_measure(what, AuditInputs(runs, tasks=chosen[1], **more), given, chosen[0])
    for part in () if told is None else _parts(run, (), (what,), given, chosen):
        told.take(part, None)  # type: ignore[union-attr]  # the loop is empty without it
    return found


def _parts(
    run: Source, columns: Sequence[str], measures: Sequence[str], given: GivenSettings, chosen: Chosen
) -> Iterable[pl.DataFrame]:
    """The records of a run with these columns besides those of the contract: whole, or in parts where that gives the same."""
    models, tasks = chosen
    if isinstance(run, Path | str):
        # A pair of cells is looked for among those of all models.
        if given.a is None and all(map(_within_models, measures)):
            parts = model_parts(Path(run), columns, models=models, tasks=tasks)
            if parts is not None:
                return parts
        whole = read_records(Path(run), columns=columns)
    else:
        whole = conform(run) if isinstance(run, pl.DataFrame) else run.run.records
        if not isinstance(run, pl.DataFrame) and run.run.scan is not None:
            whole = (
                whole.clone()
            )  # what is laid out of many records goes with it (see hesperus.analysis.views)
    return (narrowed(whole, models=models, tasks=tasks),)


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
