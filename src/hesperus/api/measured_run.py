"""A run as measures take it, wherever it lies: what it says of itself, and its records, of a large file some models at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import polars as pl

from hesperus import records
from hesperus.analysis.run_kinds import Described, described
from hesperus.analysis.views import narrowed
from hesperus.records import Run
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

Chosen = tuple[Sequence[str], Sequence[str]]
"""Models and tasks that are looked at; none: all."""


def run_description(run: Source) -> Described:
    """What a run says of itself."""
    if isinstance(run, pl.DataFrame):
        return Described()
    if isinstance(run, Path | str):
        return described(Path(run))
    return Described(run.run.study, run.run.signature, run.folder if run.folder.is_dir() else None)


def run_parts(
    run: Source, columns: Sequence[str], chosen: Chosen, *, by_models: bool
) -> Iterable[pl.DataFrame]:
    """The records of a run with these columns besides those of the contract: whole, or some models at a time.

    `by_models`: whether what is measured is the same of some models at a time.
    """
    models, tasks = chosen
    if isinstance(run, Path | str):
        parts = model_parts(Path(run), columns, models=models, tasks=tasks) if by_models else None
        if parts is not None:
            return parts
        whole = records.read_records(Path(run), columns=columns)
    elif isinstance(run, pl.DataFrame):
        whole = records.conform(run)
    else:
        # What is laid out of many records goes with them (see hesperus.analysis.views).
        whole = run.run.records if run.run.scan is None else run.run.records.clone()
    return (narrowed(whole, models=models, tasks=tasks),)


def read_records(run: pl.DataFrame | Path | str) -> pl.DataFrame:
    """Records from a run folder or file; a frame is checked against the contract and returned.

    Raises:
        UsageError: No such file.
        DataError: The records break their contract.
    """
    return records.conform(run) if isinstance(run, pl.DataFrame) else records.read_records(Path(run))
