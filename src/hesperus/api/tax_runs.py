"""What an audit's run folders and records say: study, groups, quality, records, scores, items."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.errors import HesperusWarning

if TYPE_CHECKING:
    import polars as pl

    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.tax.tax_settings import QualityThreshold, TaxSettings


@dataclass(frozen=True, slots=True)
class Given:
    """What the flags name; None (or nothing) where they do not.

    Attributes:
        runs: Run folders or records files of the audited benchmark.
        senses: Sense codes of original, translated, back and natural.
        native: Run folder or records file of the native benchmark.
        native_task: Its task; otherwise the task that has no items in the source language.
        scores: Item scores of the back-translations.
        strata: File of strata.
        repeat: Repeat of the translated items that E4 compares with.
        verdicts: Verdicts of the verifying model.
        checks: People's checks of rewritten items.
        ratings: People's ratings of cues.
        scale: Lowest and highest of these ratings.
        parsers: Readers that read the same replies again.
        parser_task: Task by whose labels they do.
        exclude: List of items to leave out.
        alignment: What `hesperus audit --format json` printed.
        tasks: The audited tasks; all but the native one where none is named.
    """

    runs: Sequence[Path]
    senses: Mapping[str, str | None]
    native: Path | None = None
    native_task: str | None = None
    scores: Path | None = None
    strata: Path | None = None
    repeat: int | None = None
    verdicts: Path | None = None
    checks: Sequence[Path] = ()
    ratings: Path | None = None
    scale: tuple[float, float] = (1.0, 5.0)
    parsers: Sequence[str] = ()
    parser_task: str | None = None
    exclude: Path | None = None
    alignment: Path | None = None
    tasks: Sequence[str] = ()


def declared(runs: Sequence[Path]) -> Mapping[str, Any]:
    """What the study of the first run folder says, where it is an audit of a translated benchmark."""
    from hesperus.records import read_run

    for run in runs:
        if run.is_dir() and (run / "study.yaml").is_file():
            study = read_run(run, in_part=True).study
            if study.get("study") == "translation_tax":
                return study
    return {}


def settings_of(
    group: list[str] | None = None,
    given: GivenSettings | None = None,
    min_valid: float | None = None,
    *,
    runs: Sequence[Path] = (),
    exact: bool = False,
) -> TaxSettings:
    """Groups, bootstrap and least share of valid answers as the flags give them, else as the run's study does, else the defaults."""
    from hesperus.analysis.settings import resolve, resolve_bootstrap
    from hesperus.analysis.tax.tax_settings import TaxSettings, parse_groups

    said, default = declared(runs), TaxSettings()

    groups = parse_groups(group or ())
    if not groups:
        groups = {str(name): tuple(models) for name, models in said.get("groups", {}).items()}
    drawn = resolve_bootstrap(given, said, default.bootstrap)
    return TaxSettings(groups, drawn, resolve(min_valid, said.get("min_valid"), default.min_valid), exact)


def quality_of(metric: str | None, threshold: float | None, *, runs: Sequence[Path] = ()) -> QualityThreshold:
    """The quality threshold as the flags give it; that of the run's study where they do not."""
    from hesperus.analysis.settings import resolve
    from hesperus.analysis.tax.tax_settings import QualityThreshold

    said, default = declared(runs).get("quality", {}), QualityThreshold()
    return QualityThreshold(
        resolve(metric, said.get("metric"), default.metric),  # type: ignore[arg-type]  # checked by the quality threshold itself
        resolve(threshold, said.get("threshold"), default.threshold),
    )


def records_of(
    runs: Sequence[Path], exclude: Path | None, tasks: Sequence[str] | None = None
) -> pl.DataFrame:
    """The records of all runs together, of some tasks, without what a list of exclusions leaves out.

    Raises:
        UnknownNameError: A task that no record has.
        DataError: The list leaves a task without items.
    """
    import polars as pl

    from hesperus.analysis.views import narrowed
    from hesperus.errors import DataError
    from hesperus.records import conform, read_records
    from hesperus.studies.asked.exclusions import excluded_items, without_records

    frames = [read_records(run) for run in runs]
    together = frames[0] if len(frames) == 1 else conform(pl.concat(frames, how="diagonal_relaxed"))
    asked = set(together["task"])
    together, left_out = without_records(together, excluded_items(exclude))
    if emptied := sorted(asked - set(together["task"])):
        raise DataError(f"leaves no item of {', '.join(emptied)}: there is nothing to compare", file=exclude)
    if left_out is not None:
        warnings.warn(str(left_out), HesperusWarning, stacklevel=2)
    return narrowed(together, tasks=tasks or ())


def scores_of(
    runs: Sequence[Path], given: Path | None, records: pl.DataFrame, back: str, quality: QualityThreshold
) -> pl.DataFrame | None:
    """Item scores next to the runs, or those that were given; None if absent."""
    import polars as pl

    from hesperus.analysis.tax.paired_records import quality_scores
    from hesperus.annotation import read_frame

    files = [given] if given is not None else [run / "scores.parquet" for run in runs]
    tasks = records["task"].unique().sort().to_list()
    parts = [
        quality_scores(read_frame(file), back, tasks, metric=quality.metric, file=file)
        for file in files
        if given is not None or file.is_file()
    ]
    return pl.concat(parts) if parts else None


def items_of(runs: Sequence[Path]) -> pl.DataFrame | None:
    """The items of the run folders, for parsers that look at option texts."""
    import polars as pl

    from hesperus.records import read_run

    frames = [
        held for run in runs if run.is_dir() and (held := read_run(run, in_part=True).items) is not None
    ]
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def fresh_repeat(records: pl.DataFrame, sense: str, used: int) -> int:
    """A repeat of the translated items that the strata did not look at, if there is one."""
    import polars as pl

    repeats = records.filter(pl.col("input") == sense)["repeat"].unique().sort().to_list()
    return next((int(repeat) for repeat in repeats if repeat != used), used)
