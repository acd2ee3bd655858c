"""The runs that are open, and their matrices by reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TypeVar

import polars as pl

from hesperus.analysis.item_filter import matching_rows, sorted_rows
from hesperus.analysis.item_matrix import ItemMatrix, item_matrix
from hesperus.analysis.kinds import study_kind
from hesperus.analysis.open_answers.evidence import reply_translations
from hesperus.errors import UsageError
from hesperus.explorer.addresses import View
from hesperus.explorer.first_page import ModelSummary, RunFacts, lost_counts, run_facts, summaries
from hesperus.records import KEY, Run
from hesperus.wording import own_senses

_MOST_REFERENCES = 4
T = TypeVar("T")


@dataclass(frozen=True)
class OpenRuns:
    """Runs by name, and what is made of them when it is first asked for."""

    runs: Mapping[str, Run]
    _matrices: dict[str, ItemMatrix] = field(default_factory=dict)
    _summaries: dict[str, tuple[ModelSummary, ...]] = field(default_factory=dict)
    _frequent: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, runs: Sequence[tuple[str, Run]]) -> OpenRuns:
        """Runs with their names; a name that two have is numbered.

        Raises:
            UsageError: There is no run.
        """
        if not runs:
            raise UsageError("give at least one run folder or file of records")
        named: dict[str, Run] = {}
        for base, run in runs:
            name, number = base, 2
            while name in named:
                name, number = f"{base} ({number})", number + 1
            named[name] = run
        return cls(named)

    @property
    def is_empty(self) -> bool:
        """Whether no run has a record."""
        return all(run.records.is_empty() for run in self.runs.values())

    @cached_property
    def facts(self) -> tuple[RunFacts, ...]:
        """What each run is and holds."""
        return tuple(
            run_facts(name, run, study_kind(run).replace("_", " ") if len(run.records) else "empty")
            for name, run in self.runs.items()
        )

    def matrix(self, view: View) -> ItemMatrix:
        """The matrix of a view: its senses, compared with its reference.

        Raises:
            UnknownNameError: The reference is no sense.
        """
        with self._lock:
            found = self._matrices.get(view.reference)
            if found is None:
                found = item_matrix(self.runs, reference=view.reference or None)
                if len(self._matrices) >= _MOST_REFERENCES:
                    self._matrices.pop(next(iter(self._matrices)))
                self._matrices[view.reference] = found
        return found if view.senses == "all" else found.whole

    def summaries(self, view: View) -> tuple[ModelSummary, ...]:
        """Every model by sense; counted once for each reference."""
        matrix = self.matrix(view.with_(senses="whole"))
        return self._kept(self._summaries, view.reference, lambda: summaries(matrix))

    def lost_counts(self, view: View) -> tuple[tuple[str, int], ...]:
        """The senses in which most questions are lost, by key, with how many; counted once for each reference."""
        matrix = self.matrix(view.with_(senses="whole"))
        return self._kept(self._frequent, view.reference, lambda: lost_counts(matrix))

    def _kept(self, held: dict[str, T], key: str, make: Callable[[], T]) -> T:
        found = held.get(key)
        if found is None:
            found = make()
            with self._lock:
                if len(held) >= _MOST_REFERENCES:
                    held.pop(next(iter(held)))
                held[key] = found
        return found

    def rows(self, view: View) -> pl.DataFrame:
        """The rows of a view, in its order."""
        matrix = self.matrix(view)
        rows = matching_rows(matrix, view.wanted)
        return sorted_rows(rows, view.sort, matrix) if view.sort else rows

    def own(self, run: str) -> frozenset[str]:
        """Senses that the models of a run made themselves."""
        return own_senses(self.runs[run].study, self.runs[run].items)


def with_translations(run: Run, folder: Path) -> Run:
    """A run; its records have the translations of their replies if the run folder has them.

    Raises:
        DataError: An evaluation in the folder is broken.
    """
    texts = reply_translations(folder, run.study) if folder.is_dir() else None
    if texts is None or "reply_translation" in run.records.columns:
        return run
    return replace(run, records=run.records.join(texts, on=KEY, how="left", maintain_order="left"))
