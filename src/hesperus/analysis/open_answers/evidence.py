"""What an evaluation of open answers left: pairs, claims with verdicts, sentences, and how it was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, first_line
from hesperus.records import Run
from hesperus.records.evaluated import refuse_changed
from hesperus.text_files import read_mapping

PAIRS, DETAILS, SENTENCES, SIGNATURE = (
    "pairs.parquet",
    "details.parquet",
    "sentences.parquet",
    "signature.json",
)
PROMPTS, READABILITY = "prompts.parquet", "readability.parquet"
"""Of a run folder: how the prompts came back from their translation; how many of a judge's replies could be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """One evaluation.

    Attributes:
        what: Name of the evaluator: `information`, `equivalence`, or a property.
        pairs: A row for each pair.
        details: A row for each claim with its verdict, or for each graded or classified pair.
        sentences: A row for each translated sentence.
        signature: How it was done.
    """

    what: str
    pairs: pl.DataFrame
    details: pl.DataFrame = field(default_factory=pl.DataFrame)
    sentences: pl.DataFrame = field(default_factory=pl.DataFrame)
    signature: Mapping[str, object] = field(default_factory=dict)


def homes(folder: Path, study: Mapping[str, object]) -> dict[str, Path]:
    """The folder of each evaluation of a run, by the name of its evaluator.

    Raises:
        DataError: The study names no evaluation, or the records are others than those that were evaluated.
    """
    named = study.get("evaluate")
    whats = [str(what) for what in named] if isinstance(named, list | tuple) else []
    if not whats:
        raise DataError("the study names no evaluation (evaluate)", file=folder / "study.yaml")
    found = {what: folder / "evaluations" / evaluation_folder(what) for what in whats}
    if any(home.is_dir() for home in found.values()):
        refuse_changed(folder)
    return found


def evaluation_folder(what: str) -> str:
    """Name of the folder of an evaluation: that of the evaluator, without what a folder's name cannot hold."""
    return what.replace("/", "_").strip(".")


def read_pairs(home: Path) -> tuple[pl.DataFrame, Mapping[str, object]]:
    """The pairs of an evaluation, of which every table is made, and its signature.

    Raises:
        DataError: The folder holds no whole evaluation.
    """
    pairs = _without_failed(read_frame(home / PAIRS))
    if not (home / SIGNATURE).is_file():
        raise DataError("holds no whole evaluation; run the study again", file=home)
    return pairs, read_mapping(home / SIGNATURE, "signature of the evaluation")


def _without_failed(pairs: pl.DataFrame) -> pl.DataFrame:
    """Evaluations of an earlier version scored a side without a reply (`error`) as silent: it is missing data."""
    sides = ("outcome", "reference_outcome")
    if not {"state", *sides} <= set(pairs.columns):
        return pairs
    failed = pl.any_horizontal((pl.col(side) == "error").fill_null(False) for side in sides)
    shown = pl.when(failed & (pl.col("state") != "absent")).then(pl.lit("failed")).otherwise(pl.col("state"))
    return pairs.with_columns(shown.alias("state"))


def read_evaluated(what: str, home: Path) -> Evaluated:
    """All that an evaluation left.

    Raises:
        DataError: The folder holds no whole evaluation.
    """
    pairs, signature = read_pairs(home)
    return Evaluated(what, pairs, read_frame(home / DETAILS), read_frame(home / SENTENCES), signature)


def read_frame(file: Path) -> pl.DataFrame:
    """A Parquet file of a run.

    Raises:
        DataError: It is missing or broken.
    """
    try:
        return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        said = first_line(error)
        raise DataError(f"cannot be read ({said}); run the study again", file=file) from None


@dataclass(frozen=True, slots=True, eq=False)
class OpenEvidence:
    """What a report of open answers is made of, besides the run.

    Attributes:
        evaluations: What each evaluator left.
        replies: The answers as they were given: the columns of the key, and `reply`.
        prompts: How the prompts came back from their translation, where some were translated.
        readability: How many of each judge's replies could be read.
        trained_on: Model to the languages that it was trained on.
    """

    evaluations: Sequence[Evaluated]
    replies: pl.DataFrame | None = None
    prompts: pl.DataFrame | None = None
    readability: pl.DataFrame | None = None
    trained_on: Mapping[str, Sequence[str]] = field(default_factory=dict)


def gathered(folder: Path, run: Run) -> OpenEvidence:
    """The evidence of a run folder; of a run that was not finished, as far as it got.

    Raises:
        DataError: The folder of a finished run lacks an evaluation, or any holds a broken one.
    """
    found = {what: home for what, home in homes(folder, run.study).items() if run.whole or home.is_dir()}
    evaluations = [read_evaluated(what, home) for what, home in found.items()]
    beside = {name: read_frame(folder / name) for name in (PROMPTS, READABILITY) if (folder / name).is_file()}
    return OpenEvidence(evaluations, run.records, beside.get(PROMPTS), beside.get(READABILITY))
