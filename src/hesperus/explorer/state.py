"""The runs that are open, and their matrices by reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import polars as pl

from hesperus.analysis.item_filter import matching_rows, sorted_rows
from hesperus.analysis.item_matrix import ItemMatrix, item_matrix
from hesperus.analysis.item_ratings import read_ratings
from hesperus.analysis.model_summaries import ModelSummary, lost_counts, summaries
from hesperus.analysis.open_answers.evidence import Evaluated
from hesperus.analysis.open_answers.pair_scores import first_evaluation, with_scores
from hesperus.analysis.run_kinds import study_kind
from hesperus.analysis.scores import run_scores
from hesperus.analysis.settings import NOTHING_GIVEN, MeasureSettings, resolve_settings
from hesperus.answers.overrides import Override, Overrides, RecordKey, reply_hash
from hesperus.errors import UnknownNameError, UsageError
from hesperus.explorer.addresses import View
from hesperus.explorer.item_corrections import (
    Decision,
    corrected_file,
    corrections_file,
    read_corrections,
    with_corrections,
)
from hesperus.item_views.missing_parts import missing_parts
from hesperus.records import KEY, Run
from hesperus.wording import own_senses, parsed

_MOST_REFERENCES = 4
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run holds: counts, records without a reply, and answers corrected by hand.

    Attributes:
        missing: What it lacks, and how to get it.
        file: Name of the file of corrections.
    """

    name: str
    kind: str
    records: int
    items: int
    models: int
    errors: int
    missing: tuple[str, ...]
    corrected: int = 0
    file: str = ""


@dataclass(frozen=True)
class OpenRuns:
    """Runs by name, and what is made of them when it is first asked for.

    Attributes:
        runs: The runs as they are on disk.
        places: Name of a run to its folder or records file; a run that is on no disk has none.
    """

    runs: Mapping[str, Run]
    places: Mapping[str, Path] = field(default_factory=dict)
    _read: dict[tuple[str, str], Any] = field(default_factory=dict)
    _made: dict[str, dict[str, Any]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, runs: Sequence[tuple[str, Run]], places: Sequence[Path | None] = ()) -> OpenRuns:
        """Runs with their names; a name that two have is numbered.

        `places` are the folders or records files where corrections are kept.
        """
        if not runs:
            raise UsageError("give at least one run folder or file of records")
        named: dict[str, Run] = {}
        found: dict[str, Path] = {}
        for (base, run), place in zip_longest(runs, places):
            name, number = base, 2
            while name in named:
                name, number = f"{base} ({number})", number + 1
            named[name] = run
            if place is not None:
                found[name] = place
        return cls(named, found)

    def _of_folder(self, kind: str, run: str, read: Callable[[Path], T]) -> T | None:
        """What is read once from the folder of a run; None where the run has none."""
        place = self.places.get(run)
        if (kind, run) not in self._read:
            self._read[kind, run] = read(place) if place is not None and place.is_dir() else None
        return self._read[kind, run]  # type: ignore[no-any-return]

    def evaluated(self, run: str) -> Evaluated | None:
        """The first evaluation of the open answers of a run; None without one."""
        study = self.runs[run].study
        return self._of_folder("evaluated", run, lambda folder: first_evaluation(folder, study))

    def scores(self, run: str) -> pl.DataFrame | None:
        """Scores of the translations of a run, if hesperus score left them in its folder."""
        if run not in self.runs:
            raise UnknownNameError("run", run, self.runs)
        return self._of_folder("scores", run, run_scores)

    def ratings(self, run: str) -> pl.DataFrame | None:
        """What raters said about the questions of a run, if its folder holds it (see read_ratings)."""
        return self._of_folder("ratings", run, read_ratings)

    @cached_property
    def has_translations(self) -> bool:
        """Whether some run has a translated sense."""
        codes = {code for run in self.runs.values() for code in run.records["input"].unique()}
        return any((sense := parsed(code)) is not None and not sense.is_original for code in codes)

    def corrections(self, run: str) -> Overrides:
        """Answers of a run that were corrected by hand."""
        place = self.places.get(run)
        if ("corrections", run) not in self._read:
            held = Overrides("", {}) if place is None else read_corrections(corrections_file(place))
            self._read["corrections", run] = held
        return self._read["corrections", run]  # type: ignore[no-any-return]

    def correct(self, run: str, key: RecordKey, decision: Decision | None) -> None:
        """Put in or take out the correction of an answer; all numbers are counted again when they are next asked for."""
        place = self.places.get(run)
        reply = self._reply(run, key)
        if place is None or reply is None:
            raise UsageError("there is no such reply to read, or the run is on no disk")
        with self._lock:
            corrected = corrected_file(corrections_file(place), key, reply, decision)
            self._read["corrections", run] = corrected
            self._made.clear()

    def is_stale(self, run: str, correction: Override) -> bool:
        """Whether a correction was made for another reply than the one that is there."""
        return reply_hash(self._reply(run, correction.key) or "") != correction.reply_hash

    def _reply(self, run: str, key: RecordKey) -> str | None:
        records = self.runs[run].records if run in self.runs else pl.DataFrame()
        if "reply" not in records.columns:
            return None
        same = (pl.col(name) == value for name, value in zip(KEY, key, strict=True))
        found = records.filter(*same, pl.col("outcome") != "error")["reply"]
        return None if found.is_empty() else found[0]

    def _corrected(self) -> dict[str, Run]:
        return {
            name: replace(run, records=with_corrections(run.records, self.corrections(name).by_key))
            for name, run in self.runs.items()
        }

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

    @property
    def _settings(self) -> Mapping[str, MeasureSettings]:
        return {name: resolve_settings(NOTHING_GIVEN, run.study) for name, run in self.runs.items()}

    def matrix(self, view: View) -> ItemMatrix:
        """The matrix of a view: its senses, compared with its reference."""
        reference = view.reference or None
        found = self._kept("matrix", view, lambda: item_matrix(self._corrected(), reference=reference))
        return found if view.senses == "all" else found.whole

    def summaries(self, view: View) -> tuple[ModelSummary, ...]:
        """Every model by sense; counted once for each reference."""
        matrix = self.matrix(view.with_(senses="whole"))
        return self._kept("summaries", view, lambda: summaries(matrix, self._settings))

    def lost_counts(self, view: View) -> tuple[tuple[str, int], ...]:
        """The senses in which most questions are lost, by key, with how many; counted once for each reference."""
        matrix = self.matrix(view.with_(senses="whole"))
        return self._kept("lost", view, lambda: lost_counts(matrix))

    def _kept(self, kind: str, view: View, make: Callable[[], T]) -> T:
        """What is made once for each of the last references."""
        with self._lock:
            held = self._made.setdefault(kind, {})
            if view.reference not in held:
                if len(held) >= _MOST_REFERENCES:
                    held.pop(next(iter(held)))
                held[view.reference] = make()
            return held[view.reference]  # type: ignore[no-any-return]

    def rows(self, view: View) -> pl.DataFrame:
        """The rows of a view, in its order."""
        matrix = self.matrix(view)
        rows = matching_rows(matrix, view.wanted)
        return sorted_rows(rows, view.sort, matrix) if view.sort else rows

    def own(self, run: str) -> frozenset[str]:
        """Senses that the models of a run made themselves."""
        return own_senses(self.runs[run].study, self.runs[run].items)


def run_facts(name: str, run: Run, kind: str) -> RunFacts:
    """Count what a run holds."""
    records = run.records
    errors = int((records["outcome"] == "error").sum())
    return RunFacts(
        name, kind, len(records), records["item"].n_unique(), records["model"].n_unique(), errors, missing_parts(run)
    )  # fmt: skip


def with_scores_of(run: Run, folder: Path) -> Run:
    """A run with records that have the scores and translations of their replies, if the run folder has them."""
    found = first_evaluation(folder, run.study) if folder.is_dir() else None
    return run if found is None else replace(run, records=with_scores(run.records, found.pairs))
