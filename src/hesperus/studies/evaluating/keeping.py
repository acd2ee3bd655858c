"""What an evaluation leaves on disk: pairs, details, sentences, tables, and how they were made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from hesperus.errors import UsageError
from hesperus.fingerprint import plain
from hesperus.records.files import write_content
from hesperus.records.writing import write_parquet
from hesperus.studies.evaluating.evaluation import Evaluation

PAIRS, DETAILS, SENTENCES, SIGNATURE = (
    "pairs.parquet",
    "details.parquet",
    "sentences.parquet",
    "signature.json",
)
_VERSION = {"hesperus.open_answers": "1"}


def write_evaluation(
    evaluation: Evaluation, folder: Path, *, tables: Mapping[str, pl.DataFrame] | None = None
) -> Path:
    """Write FOLDER/WHAT/: each file appears whole, the signature last.

    Gives the folder of this evaluation; `tables` are made from it, by the name of their file.
    """
    home = folder / evaluation.what.replace("/", "_").strip(".")
    for place in (folder, home):
        if place.exists() and not place.is_dir():
            raise UsageError(f"{place}: is a file, evaluations need a folder")
    (home / SIGNATURE).unlink(missing_ok=True)
    _write(evaluation.pairs, home / PAIRS)
    _write(evaluation.details, home / DETAILS)
    _write(evaluation.sentences, home / SENTENCES)
    for name, frame in (tables or {}).items():
        _write(frame, home / f"{name}.parquet")
    said = json.dumps(
        plain(evaluation.signature), ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False
    )
    write_content(home / SIGNATURE, f"{said}\n")
    return home


def _write(frame: pl.DataFrame, path: Path) -> None:
    # A column without any value has no type of its own.
    typed = frame.with_columns(pl.col(pl.Null).cast(pl.String))
    write_parquet(typed, path, _VERSION)
