"""What an audit has in hand, gathered from run folders and the files that the flags of `hesperus tax` name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.api.tax_beside import (
    agreement,
    alignment,
    beside,
    dropped,
    origin,
    rated,
    rereadings,
)
from hesperus.api.tax_runs import (
    Given,
    declared,
    fresh_repeat,
    items_of,
    records_of,
    scores_of,
)

if TYPE_CHECKING:
    import polars as pl

    from hesperus.analysis.tax.evidence import Evidence
    from hesperus.analysis.tax.tax_settings import QualityThreshold, TaxSettings
    from hesperus.reports.tax.audit_report import TaxReport


def evidence_of(given: Given, settings: TaxSettings, quality: QualityThreshold) -> Evidence:
    """Everything that is there; a file next to a single run folder is found by its name.

    Raises:
        UsageError: A file is missing, or it is not plain which sense or task is meant.
        DataError: A file breaks its contract.
        UnknownNameError: A sense, task, reader or model of a group that does not exist.
    """
    from hesperus.analysis.tax.conditions import Senses, conditions_of
    from hesperus.analysis.tax.evidence import Evidence
    from hesperus.analysis.views import narrowed
    from hesperus.wording import own_senses

    everything = records_of(given.runs, given.exclude)
    audited = narrowed(everything, tasks=given.tasks)
    senses = conditions_of(audited["input"].unique().to_list(), Senses(**given.senses))
    records, native = _with_native(everything, audited, given, senses.original)
    _check_groups(settings.groups, records)
    strata = given.strata or beside(given.runs, "strata.json")
    picked, task, repeat, reused = _strata(records, strata, senses.translated, given)
    verdicts = given.verdicts or beside(given.runs, "verdicts.parquet")
    passed, looked = _checked(verdicts, given.checks, given.runs)
    _check_overlap(looked, picked)
    back = senses.back or ""
    return Evidence(
        records, senses, settings, quality, native,
        scores=scores_of(given.runs, given.scores, records, back, quality),
        strata=picked, strata_task=task, repeat=repeat, reused=reused, passed=passed, checked=looked,
        ratings=rated(given),
        agreement=agreement(given, settings), rereadings=rereadings(records, given),
        alignment=alignment(given.alignment), dropped=dropped(given.runs), origin=origin(records, given),
        own=own_senses(declared(given.runs), items_of(given.runs)),
    )  # fmt: skip


def found_beside(given: Given) -> Given:
    """The same with what people and the alignment audit left in the one run folder, by the names that docs give it."""
    from hesperus.reports.tax.commands import ALIGNMENT_FILE, CHECKS_FILE, RATINGS_FILE

    checks = beside(given.runs, CHECKS_FILE)
    return replace(
        given,
        alignment=given.alignment or beside(given.runs, ALIGNMENT_FILE),
        ratings=given.ratings or beside(given.runs, RATINGS_FILE),
        checks=given.checks or ((checks,) if checks is not None else ()),
    )


def report_of(given: Given, settings: TaxSettings, quality: QualityThreshold) -> TaxReport:
    """The page of what was given, as yet unwritten.

    Raises:
        UsageError: As evidence_of, or no two conditions can be compared.
        DataError: As evidence_of.
        UnknownNameError: As evidence_of.
    """
    from hesperus.reports.tax.audit_report import tax_report

    return tax_report(evidence_of(given, settings, quality), items=items_of(given.runs))


def _check_groups(groups: Mapping[str, Sequence[str]], records: pl.DataFrame) -> None:
    """Every model of a group must have answered something: a misspelt one would silently be one of the others.

    Raises:
        UnknownNameError: A model that no record has.
    """
    from hesperus.errors import UnknownNameError

    known = records["model"].unique().to_list()
    for group, models in groups.items():
        for model in models:
            if model not in known:
                raise UnknownNameError(f"model of the group {group!r}", model, known)


def _with_native(
    everything: pl.DataFrame, audited: pl.DataFrame, given: Given, original: str | None
) -> tuple[pl.DataFrame, str | None]:
    """The audited records with those of the native task, and its name; None if absent."""
    import polars as pl

    from hesperus.errors import UsageError
    from hesperus.records import conform

    tasks = audited["task"].unique().sort().to_list()
    chosen: str | None
    if given.native is not None:
        added = records_of([given.native], None)
        chosen = _native_task(given, added)
        if given.native not in given.runs:
            if chosen in tasks:
                raise UsageError(f"the native items and the translated ones both are the task {chosen!r}")
            kept = added.filter(pl.col("task") == chosen)
            return conform(pl.concat([audited, kept], how="diagonal_relaxed")), chosen
    elif given.native_task is not None:
        chosen = _native_task(given, everything)
    else:
        chosen = _only_without(everything, original, given.tasks)
    if chosen is None:
        return audited, None
    if chosen in given.tasks:
        raise UsageError(f"the native items and the translated ones both are the task {chosen!r}")
    return everything.filter(pl.col("task").is_in([*tasks, chosen])), chosen


def _only_without(records: pl.DataFrame, original: str | None, audited: Sequence[str]) -> str | None:
    """The one task that is not audited and has no items in the source language; None if none or several are."""
    import polars as pl

    if original is None:
        return None
    with_original = records.filter(pl.col("input") == original)["task"].unique().to_list()
    others = [task for task in records["task"].unique() if task not in (*with_original, *audited)]
    return str(others[0]) if len(others) == 1 else None


def _native_task(given: Given, records: pl.DataFrame) -> str:
    from hesperus.errors import UnknownNameError, UsageError

    tasks = records["task"].unique().sort().to_list()
    chosen = given.native_task or (tasks[0] if len(tasks) == 1 else None)
    if chosen is None:
        raise UsageError(
            f"{given.native} has {len(tasks)} tasks: {', '.join(tasks[:8])}; name one (--native-task)"
        )
    if chosen not in tasks:
        raise UnknownNameError("task of the native records", chosen, tasks)
    return str(chosen)


def _strata(
    records: pl.DataFrame, file: Path | None, translated: str | None, given: Given
) -> tuple[Mapping[str, Sequence[str]] | None, str | None, int, bool]:
    import polars as pl

    from hesperus.errors import DataError
    from hesperus.studies.translation_tax.strata import read_strata

    picked = read_strata(file) if file is not None else None
    if picked is None or (given.strata is None and given.tasks and picked.task not in given.tasks):
        return None, None, given.repeat or 1, False
    asked = records.filter(pl.col("task") == picked.task)
    if asked.is_empty():
        raise DataError(f"holds strata of the task {picked.task!r}, which no record has", file=file)
    rule = picked.rule
    chosen = given.repeat or fresh_repeat(asked, translated or rule.translated, rule.repeat)
    reused = rule.anchor == "translated" and (translated, chosen) == (rule.translated, rule.repeat)
    return picked.items, picked.task, chosen, reused


def _checked(
    verdicts: Path | None, checks: Sequence[Path], runs: Sequence[Path]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    from hesperus.studies.translation_tax.verifying import StrictPass, looked_at, passes

    said = (declared(runs).get("naturalise") or {}).get("strict") or {}
    return passes(verdicts, checks, StrictPass(**said)), looked_at(verdicts, checks)


def _check_overlap(looked: Mapping[str, frozenset[str]], strata: Mapping[str, Sequence[str]] | None) -> None:
    """Whoever checked anything must have checked items of the strata.

    Raises:
        DataError: Somebody checked only what is no item of them.
    """
    from hesperus.errors import DataError

    chosen = {item for ids in (strata or {}).values() for item in ids}
    for who, items in looked.items():
        if chosen and items and not items & chosen:
            raise DataError(
                f"none of the {len(items)} units that {who} checked is an item of the strata; units are called "
                f"{', '.join(sorted(items)[:3])}, items {', '.join(sorted(chosen)[:3])}"
            )
