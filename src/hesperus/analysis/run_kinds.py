"""What a run is: which report it gets, and what its folder says of it without its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus import plugins
from hesperus.declared_studies import declared_studies
from hesperus.records import Run
from hesperus.records.runs import SIGNATURE_FILE, STUDY_FILE, mapping_in
from hesperus.wording import parsed


def study_kind(run: Run) -> str:
    """The study that its study file names; of records of another origin, the one with the page that fits them."""
    named = run.study.get("study")
    if isinstance(named, str) and (
        named in declared_studies() or named in plugins.names("hesperus.studies", {})
    ):
        return named
    return kind_of_records(run.records)


def kind_of_records(records: pl.DataFrame) -> str:
    """The study with the page that fits records.

    Where a sense was made from another, the report of senses compares what was made with what it was made from. Where
    nothing was made, and a model was asked in several languages, or several models in one, they are compared as in a
    similarity study.
    """
    codes = {*records["instruction"].unique(), *records["input"].unique()}
    if any((sense := parsed(code)) is not None and not sense.is_original for code in codes):
        return "multisense"
    return "similarity" if _comparable(whole_senses(records)) else "multisense"


def whole_senses(records: pl.DataFrame) -> pl.DataFrame:
    """The records with instruction and input in one sense."""
    return records.filter(pl.col("instruction") == pl.col("input"))


def _comparable(whole: pl.DataFrame) -> bool:
    """Whether a model was asked in two senses, or two models in one, within a task."""
    runs = whole.select("task", "model", "input").unique()
    return runs.height > runs.select("task", "model").n_unique() or (
        runs.height > runs.select("task", "input").n_unique()
    )


@dataclass(frozen=True, slots=True)
class Described:
    """A run's study and signature.

    Attributes:
        study: The `study.yaml`; empty for a records file.
        signature: The `signature.json`; likewise.
        folder: The run folder; None for a records file.
    """

    study: Mapping[str, object] = field(default_factory=dict)
    signature: Mapping[str, object] = field(default_factory=dict)
    folder: Path | None = None


def described(run: Path) -> Described:
    """Read what a run folder says of itself; nothing where `run` is a records file, or a folder says nothing.

    Raises:
        DataError: A file cannot be read or holds no mapping; or a key of the study is refused (check_study).
    """
    folder = run if run.is_dir() else None
    study, signature = (
        mapping_in(file) if file.is_file() else {} for file in (run / STUDY_FILE, run / SIGNATURE_FILE)
    )
    return Described(study, signature, folder)
