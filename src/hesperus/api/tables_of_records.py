"""Tables of records, and what must be told next to them: of all records at once, or of a large file some models at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from hesperus.analysis.answered import with_answered
from hesperus.analysis.coverage import Coverage, coverage, together
from hesperus.analysis.description import Described
from hesperus.analysis.gold_notes import gold_notes
from hesperus.analysis.pack_notes import pack_notes
from hesperus.analysis.registry import measure_of, measure_table, noted_summary
from hesperus.analysis.reply_language import language_notes
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.summary_table import nothing_of, summary_notes, task_notes
from hesperus.analysis.table import Table
from hesperus.analysis.views import joined_views, narrowed
from hesperus.records import conform, read_records
from hesperus.records.parts import model_parts

Chosen = tuple[Sequence[str], Sequence[str]]
"""Models and tasks that are looked at; none: all."""


class RecordParts:
    """The records of a run: whole, or in parts where that gives the same tables.

    Args:
        run: Records, a run folder, or a records file.
        columns: Columns that are wanted besides those of the contract.
        chosen: Models and tasks that are looked at.
        measures: What is measured.
        given: How.
    """

    def __init__(
        self,
        run: pl.DataFrame | Path,
        columns: Sequence[str],
        chosen: Chosen,
        *,
        measures: Collection[str],
        given: GivenSettings,
    ) -> None:
        self._parts: Iterable[pl.DataFrame] | None = None
        # A pair of cells is looked for among those of all models.
        if isinstance(run, Path) and given.a is None and all(map(_within_models, measures)):
            self._parts = model_parts(run, columns, models=chosen[0], tasks=chosen[1])
        if self._parts is None:
            whole = conform(run) if isinstance(run, pl.DataFrame) else read_records(run, columns=columns)
            self._parts = (narrowed(whole, models=chosen[0], tasks=chosen[1]),)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        yield from self._parts or ()


def similarity_of_file(
    what: str, run: Path, given: GivenSettings, described: Described, told: Told | None
) -> Table | None:
    """A table of a similarity study from a large file, with its text never in memory as a whole; None for any other file."""
    parts = model_parts(run)
    if parts is None or given.a is not None:
        return None
    from hesperus.analysis.similarity.named import similarity_table

    found = with_answered(similarity_table(what, run, given, described=described), parts.scan)
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
    """What a reader of any measure of a run must be told in words, gathered from its parts.

    Args:
        given: What was asked for.
        described: What the run says of itself.
    """

    def __init__(self, given: GivenSettings, described: Described) -> None:
        self._given, self._described = given.of_whole(), described
        self._counts: list[Coverage] = []
        self._summaries: list[Table] = []
        self._of_records: dict[str, None] = {}
        self._rules: list[pl.DataFrame] = []

    def take(self, records: pl.DataFrame, summary: Table | None) -> None:
        """Note a part.

        Args:
            records: Its records.
            summary: Its summary, where that is what is measured.
        """
        self._counts.append(coverage(records).get((), Coverage()))
        self._summaries.append(summary or noted_summary(records, self._given, self._described))
        self._of_records |= dict.fromkeys([*language_notes(records), *gold_notes(records)])
        rules = [name for name in ("instruction", "rule") if name in records.columns]
        self._rules.append(records.select(rules).unique(maintain_order=True))

    def nothing(self) -> str:
        """The sentence in place of every number if no question was answered; empty if one was."""
        return nothing_of(together(self._counts))

    def notes(self) -> list[str]:
        """The notes of all parts, as run_notes has them of a whole."""
        rows = [row for one in self._summaries for row in one.rows]
        whole = replace(self._summaries[0], rows=tuple(sorted(rows, key=lambda row: str(row["task"]))))
        of_packs = pack_notes(pl.concat(self._rules))
        return [
            *summary_notes(whole),
            *self._of_records,
            *of_packs,
            *task_notes(self._described.signature),
        ]


def tables_of(
    measures: Sequence[str],
    parts: Iterable[pl.DataFrame],
    given: GivenSettings,
    described: Described,
    told: Told | None = None,
) -> Mapping[str, Table]:
    """Make tables of the same records.

    Args:
        measures: Names of measures, as measure_table takes them.
        parts: The records.
        given: What was asked for.
        described: What the run says of itself.
        told: Gathers what must be told; None if nobody reads it.

    Raises:
        UnknownNameError: See measure_table.
        UsageError: See measure_table.
        DataError: See measure_table.
    """
    found: dict[str, list[Table]] = {what: [] for what in measures}
    for records in parts:
        for what, tables in found.items():
            tables.append(measure_table(what, records, given, described=described))
        if told is not None:
            told.take(records, found["summary"][-1] if "summary" in found else None)
    return {
        what: tables[0]
        if len(tables) == 1
        else replace(tables[0], rows=tuple(row for one in tables for row in one.rows))
        for what, tables in found.items()
    }
