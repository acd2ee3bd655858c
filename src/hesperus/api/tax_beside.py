"""What people, judges and other audits left next to the runs of an audit, and what can be done from there."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.api.tax_runs import declared, items_of
from hesperus.errors import HesperusWarning

if TYPE_CHECKING:
    import polars as pl

    from hesperus.analysis.table import Table
    from hesperus.analysis.tax.evidence import Origin
    from hesperus.analysis.tax.tax_settings import TaxSettings
    from hesperus.api.tax_runs import Given

FOUND = ("audit.json", "ratings.csv", "checks.csv", "strata.json", "verdicts.parquet")
"""Files of a run folder that are found without a flag."""


def rated(given: Given) -> pl.DataFrame | None:
    """People's ratings, every number of them on the scale; a row that says again what was said is left out and counted."""
    from hesperus.annotation import read_scaled

    if given.ratings is None:
        return None
    found = read_scaled(given.ratings, given.scale)
    if found.repeated:
        warnings.warn(
            f"{given.ratings}: {found.repeated} rows repeat a rating of the same rater; left out",
            HesperusWarning,
            stacklevel=2,
        )
    return found.frame


def agreement(given: Given, settings: TaxSettings) -> dict[str, Table]:
    """Agreement of the raters by what they rated, for each question; a single rater agrees with nobody.

    A table that does not declare the level of a question has a scale where all its ratings are numbers, else names.
    """
    import polars as pl

    from hesperus.analysis.raters import raters_table
    from hesperus.analysis.rating_tables import LEVEL, RaterSettings
    from hesperus.tables import read_table

    found: dict[str, Table] = {}
    number = pl.col("rating").cast(pl.Float64, strict=False)
    scaled = (number.is_not_null() | pl.col("rating").is_null()).all().over("question")
    guessed = pl.when(scaled).then(pl.lit("ordinal")).otherwise(pl.lit("nominal"))
    asked = RaterSettings(("unit",), "rater", "rating", bootstrap=settings.bootstrap)
    for name, files in (("ratings of cues", [given.ratings]), ("checks of rewritten items", given.checks)):
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


def rereadings(records: pl.DataFrame, given: Given) -> dict[str, pl.DataFrame]:
    """The records read again by each parser that was named."""
    from hesperus.analysis.tax.validity import NO_REPLIES, READ_AGAIN
    from hesperus.records import conform
    from hesperus.studies.reread.rereading import reread

    items = items_of(given.runs) if given.parsers else None
    if given.parsers and records["reply"].null_count() == len(records):
        warnings.warn(f"{NO_REPLIES}: --parser changes nothing", HesperusWarning, stacklevel=2)
        return {}
    found = {}
    for name in given.parsers:
        again, counts = reread(records, parser=name, task=given.parser_task, items=items)
        found[name] = conform(again.with_columns(counts.read.alias(READ_AGAIN)))
    return found


def origin(records: pl.DataFrame, given: Given) -> Origin:
    """Where the records lie, and what can be done from there."""
    from hesperus.analysis.tax.evidence import Origin
    from hesperus.tasks import tasks

    study = declared(given.runs)
    items = items_of(given.runs)
    names = records["task"].unique().to_list()
    audited = given.tasks[0] if len(given.tasks) == 1 else names[0] if len(names) == 1 else study.get("task")
    column = "" if items is None else "input" if "input" in items.columns else "language"
    one = given.runs[0] if len(given.runs) == 1 else None
    return Origin(
        None if one is None else str(one),
        is_folder=one is not None and one.is_dir(),
        is_study=one is not None and one.is_dir() and bool(study),
        texts=frozenset(items[column].drop_nulls().unique().to_list() if items is not None else ()),
        known_task=audited if audited in tasks() else None,
        can_reread=can_reread(records, given),
        rewriter=(study.get("naturalise") or {}).get("rewriter"),
        flags=flags(given),
    )


def flags(given: Given) -> tuple[str, ...]:
    """What `hesperus tax checklist` was or would be called with, besides the run."""
    import shlex

    paths = {"--native": given.native, "--strata": given.strata, "--verdicts": given.verdicts,
             "--exclude": given.exclude, "--audit": given.alignment, "--ratings": given.ratings}  # fmt: skip
    beside = {run / name for run in given.runs for name in FOUND}
    pairs = [(flag, path) for flag, path in paths.items() if path is not None and path not in beside]
    pairs += [("--checks", path) for path in given.checks if path not in beside]
    named = [("--task", task) for task in given.tasks]
    return tuple(f"{flag} {shlex.quote(str(value))}" for flag, value in [*pairs, *named])


def can_reread(records: pl.DataFrame, given: Given) -> bool:
    """Whether some reply can be read again: a row of each task is tried."""
    from hesperus.errors import HesperusError
    from hesperus.studies.reread.rereading import reread

    tried = records.filter(records["reply"].is_not_null()).unique("task", keep="first", maintain_order=True)
    try:
        return bool(len(tried)) and bool(reread(tried, parser="strict", task=given.parser_task)[1].read.any())
    except HesperusError:
        return False


def alignment(file: Path | None) -> dict[str, int] | None:
    """Kind of finding to items, from the JSON of `hesperus audit`."""
    import json

    from hesperus.errors import DataError, UsageError

    if file is None:
        return None
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        rows = [(str(row["kind"]), str(row["item"])) for row in document["rows"]]
    except OSError as error:
        raise UsageError(f"cannot read the audit {file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise DataError("not what `hesperus audit … --format json` prints", file=file) from None
    return {
        kind: len({item for own, item in rows if own == kind}) for kind in dict.fromkeys(k for k, _ in rows)
    }


def dropped(runs: Sequence[Path]) -> dict[str, int] | None:
    """Why items were left out before anything was asked, from the signatures of the runs; None if none says."""
    from hesperus.records import read_run

    counts: dict[str, int] = {}
    said = False
    for run in runs:
        dropped = read_run(run, in_part=True).signature.get("dropped") if run.is_dir() else None
        if isinstance(dropped, list):
            said = True
            for one in dropped:
                reason = str(one.get("reason", "no reason given")) if isinstance(one, dict) else str(one)
                counts[reason] = counts.get(reason, 0) + 1
    return counts if said else None


def beside(runs: Sequence[Path], name: str) -> Path | None:
    """The file of that name in the one run folder, if there is one."""
    found = [run / name for run in runs if run.is_dir() and (run / name).is_file()]
    return found[0] if len(found) == 1 else None
