"""What an audit's run folders and records say: study, groups, quality, records, scores, items."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.analysis.raters import raters_table
from hesperus.analysis.rating_tables import LEVEL, RaterSettings
from hesperus.analysis.run_kinds import described
from hesperus.analysis.table import Table
from hesperus.analysis.tax.audit_evidence import Origin
from hesperus.analysis.tax.paired_records import quality_scores
from hesperus.analysis.tax.tax_settings import AuditInputs, TaxSettings
from hesperus.analysis.tax.validity import NO_REPLIES, READ_AGAIN
from hesperus.analysis.views import narrowed
from hesperus.annotation import read_frame
from hesperus.annotation.scales import read_scaled, scale_of
from hesperus.errors import DataError, HesperusError, HesperusWarning
from hesperus.records import conform, read_records
from hesperus.records.runs import read_items
from hesperus.studies.asked.exclusions import excluded_items, without_records
from hesperus.studies.reread.rereading import reread
from hesperus.tables import read_table
from hesperus.tasks import tasks
from hesperus.text_files import read_json


def declared(runs: Sequence[Path]) -> Mapping[str, Any]:
    """What the study of the first run folder says, where it is an audit of a translated benchmark."""
    for run in runs:
        study = described(run).study
        if study.get("study") == "translation_tax":
            return study
    return {}


def records_of(
    runs: Sequence[Path], exclude: Path | None, tasks: Sequence[str] | None = None
) -> pl.DataFrame:
    """The records of all runs together, of some tasks, without what a list of exclusions leaves out."""
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
    runs: Sequence[Path], given: Path | None, records: pl.DataFrame, back: str, metric: str
) -> pl.DataFrame | None:
    """Item scores next to the runs, or those that were given; None if absent."""
    files = [given] if given is not None else [run / "scores.parquet" for run in runs]
    tasks = records["task"].unique().sort().to_list()
    parts = [
        quality_scores(read_frame(file), back, tasks, metric=metric, file=file)
        for file in files
        if given is not None or file.is_file()
    ]
    return pl.concat(parts) if parts else None


def items_of(runs: Sequence[Path]) -> pl.DataFrame | None:
    """The items of the run folders, for parsers that look at option texts."""
    frames = [held for run in runs if (held := read_items(run)) is not None]
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def fresh_repeat(records: pl.DataFrame, sense: str, used: int) -> int:
    """A repeat of the translated items that the strata did not look at, if there is one."""
    repeats = records.filter(pl.col("input") == sense)["repeat"].unique().sort().to_list()
    return next((int(repeat) for repeat in repeats if repeat != used), used)


FOUND = ("audit.json", "ratings.csv", "checks.csv", "strata.json", "verdicts.parquet")
"""Files of a run folder that are found without a flag."""


def rated(inputs: AuditInputs) -> pl.DataFrame | None:
    """People's ratings, every number of them on the scale; a row that says again what was said is excluded and counted."""
    if inputs.ratings is None:
        return None
    found = read_scaled(inputs.ratings, scale_of(inputs.scale))
    if found.repeated:
        warnings.warn(
            f"{inputs.ratings}: {found.repeated} rows repeat a rating of the same rater; excluded",
            HesperusWarning,
            stacklevel=2,
        )
    return found.frame


def agreement(inputs: AuditInputs, settings: TaxSettings) -> dict[str, Table]:
    """Agreement of the raters by what they rated, for each question; a single rater agrees with nobody.

    A table that does not declare the level of a question has a scale where all its ratings are numbers, else names.
    """
    found: dict[str, Table] = {}
    number = pl.col("rating").cast(pl.Float64, strict=False)
    scaled = (number.is_not_null() | pl.col("rating").is_null()).all().over("question")
    guessed = pl.when(scaled).then(pl.lit("ordinal")).otherwise(pl.lit("nominal"))
    asked = RaterSettings(("unit",), "rater", "rating", bootstrap=settings.bootstrap)
    for name, files in (("ratings of cues", [inputs.ratings]), ("checks of rewritten items", inputs.checks)):
        frames = [read_table(file).cast({"rating": pl.String}) for file in files if file is not None]
        if not frames:
            continue
        frame = pl.concat(frames, how="diagonal_relaxed")
        if frame["rater"].n_unique() < 2:
            continue
        frame = frame.with_columns(pl.col("rating").str.strip_chars().replace("", None))
        declared_level = pl.col(LEVEL) if LEVEL in frame.columns else pl.lit(None, dtype=pl.String)
        frame = frame.with_columns(pl.coalesce(declared_level, guessed).alias(LEVEL))
        found[name] = raters_table(frame, asked)
    return found


def rereadings(records: pl.DataFrame, inputs: AuditInputs) -> dict[str, pl.DataFrame]:
    """The records read again by each parser that was named."""
    items = items_of(inputs.runs) if inputs.parsers else None
    if inputs.parsers and records["reply"].null_count() == len(records):
        warnings.warn(f"{NO_REPLIES}: --parser changes nothing", HesperusWarning, stacklevel=2)
        return {}
    found = {}
    for name in inputs.parsers:
        again, counts = reread(records, parser=name, task=inputs.parser_task, items=items)
        found[name] = conform(again.with_columns(counts.read.alias(READ_AGAIN)))
    return found


def origin(records: pl.DataFrame, inputs: AuditInputs) -> Origin:
    """Where the records lie, and what can be done from there."""
    study = declared(inputs.runs)
    items = items_of(inputs.runs)
    names = records["task"].unique().to_list()
    audited = (
        inputs.tasks[0] if len(inputs.tasks) == 1 else names[0] if len(names) == 1 else study.get("task")
    )
    column = "" if items is None else "input" if "input" in items.columns else "language"
    one = inputs.runs[0] if len(inputs.runs) == 1 else None
    return Origin(
        None if one is None else str(one),
        is_folder=one is not None and one.is_dir(),
        is_study=one is not None and one.is_dir() and bool(study),
        texts=frozenset(items[column].drop_nulls().unique().to_list() if items is not None else ()),
        known_task=audited if audited in tasks() else None,
        can_reread=can_reread(records, inputs),
        rewriter=(study.get("naturalise") or {}).get("rewriter"),
        flags=flags(inputs),
    )


def flags(inputs: AuditInputs) -> tuple[str, ...]:
    """What `hesperus tax checklist` was or would be called with, besides the run."""
    paths = {"--native": inputs.native, "--strata": inputs.strata, "--verdicts": inputs.verdicts,
             "--exclude": inputs.exclude, "--audit": inputs.audit, "--ratings": inputs.ratings}  # fmt: skip
    beside = {run / name for run in inputs.runs for name in FOUND}
    pairs = [(flag, path) for flag, path in paths.items() if path is not None and path not in beside]
    pairs += [("--checks", path) for path in inputs.checks if path not in beside]
    named = [("--task", task) for task in inputs.tasks]
    return tuple(f"{flag} {shlex.quote(str(value))}" for flag, value in [*pairs, *named])


def can_reread(records: pl.DataFrame, inputs: AuditInputs) -> bool:
    """Whether some reply can be read again: a row of each task is tried."""
    tried = records.filter(records["reply"].is_not_null()).unique("task", keep="first", maintain_order=True)
    try:
        return bool(len(tried)) and bool(
            reread(tried, parser="strict", task=inputs.parser_task)[1].read.any()
        )
    except HesperusError:
        return False


def alignment(file: Path | None) -> dict[str, int] | None:
    """Kind of finding to items, from the JSON of `hesperus audit`."""
    if file is None:
        return None
    try:
        rows = [
            (str(row["kind"]), str(row["item"]))
            for row in read_json(file, "output of `hesperus audit … --format json`")["rows"]
        ]
    except (KeyError, TypeError):
        raise DataError("not what `hesperus audit … --format json` prints", file=file) from None
    return {
        kind: len({item for own, item in rows if own == kind}) for kind in dict.fromkeys(k for k, _ in rows)
    }


def dropped(runs: Sequence[Path]) -> dict[str, int] | None:
    """Why items were excluded before anything was asked, from the signatures of the runs; None if none says."""
    counts: dict[str, int] = {}
    said = False
    for run in runs:
        dropped = described(run).signature.get("dropped")
        if isinstance(dropped, list):
            said = True
            for one in dropped:
                reason = str(one.get("reason", "no reason given")) if isinstance(one, dict) else str(one)
                counts[reason] = counts.get(reason, 0) + 1
    return counts if said else None


def run_file(runs: Sequence[Path], name: str) -> Path | None:
    """The file of that name in the one run folder, if there is one."""
    found = [run / name for run in runs if run.is_dir() and (run / name).is_file()]
    return found[0] if len(found) == 1 else None
