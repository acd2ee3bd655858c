"""What a reader of any measure must be told next to it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from hesperus.analysis.answered import Coverage, coverage, together
from hesperus.analysis.registry import noted_summary
from hesperus.analysis.reply_language import language_notes
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.run_notes import gold_notes, nothing_of, pack_notes, summary_notes, task_notes
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.table import Table


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
