"""What the flags of `hesperus tax` name, where it lies, and what is known there besides records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.cli.tax_inputs import declared, items_of

if TYPE_CHECKING:
    import polars as pl

    from hesperus.reports.tax.evidence import Origin

_FOUND = ("audit.json", "ratings.csv", "checks.csv", "strata.json", "verdicts.parquet")
"""Files of a run folder that are found without a flag."""


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
        readers: Readers that read the same replies again.
        reader_task: Task by whose labels they do.
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
    readers: Sequence[str] = ()
    reader_task: str | None = None
    exclude: Path | None = None
    alignment: Path | None = None
    tasks: Sequence[str] = ()


def origin_of(records: pl.DataFrame, given: Given) -> Origin:
    """Where the records lie, and what can be done from there."""
    from hesperus.reports.tax.evidence import Origin
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
        can_reread=_can_reread(records, given),
        rewriter=(study.get("naturalise") or {}).get("rewriter"),
        flags=_flags(given),
    )


def _flags(given: Given) -> tuple[str, ...]:
    """What `hesperus tax checklist` was or would be called with, beside the run."""
    import shlex

    paths = {"--native": given.native, "--strata": given.strata, "--verdicts": given.verdicts,
             "--exclude": given.exclude, "--audit": given.alignment, "--ratings": given.ratings}  # fmt: skip
    beside = {run / name for run in given.runs for name in _FOUND}
    pairs = [(flag, path) for flag, path in paths.items() if path is not None and path not in beside]
    pairs += [("--checks", path) for path in given.checks if path not in beside]
    named = [("--task", task) for task in given.tasks]
    return tuple(f"{flag} {shlex.quote(str(value))}" for flag, value in [*pairs, *named])


def _can_reread(records: pl.DataFrame, given: Given) -> bool:
    """Whether some reply can be read again: a row of each task is tried."""
    from hesperus.errors import HesperusError
    from hesperus.studies.reread import reread

    tried = records.filter(records["reply"].is_not_null()).unique("task", keep="first", maintain_order=True)
    try:
        return bool(len(tried)) and bool(reread(tried, reader="strict", task=given.reader_task)[1].read.any())
    except HesperusError:
        return False


def alignment_of(file: Path | None) -> dict[str, int] | None:
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


def dropped_of(runs: Sequence[Path]) -> dict[str, int] | None:
    """Why items were left out before anything was asked, from the signatures of the runs; None where none says."""
    from hesperus.records import read_run

    counts: dict[str, int] = {}
    said = False
    for run in runs:
        dropped = read_run(run).signature.get("dropped") if run.is_dir() else None
        if isinstance(dropped, list):
            said = True
            for one in dropped:
                reason = str(one.get("reason", "no reason given")) if isinstance(one, dict) else str(one)
                counts[reason] = counts.get(reason, 0) + 1
    return counts if said else None
