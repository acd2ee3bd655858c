"""What an audit has in hand, gathered from run folders and the files that flags name, and the tables made of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from hesperus.analysis.measure_names import TAX_ESTIMATORS, TAX_TABLES
from hesperus.analysis.settings import GivenSettings
from hesperus.analysis.table import Table
from hesperus.analysis.tax.audit_evidence import Evidence, overview, tax_tables
from hesperus.analysis.tax.tax_settings import (
    ALIGNMENT_FILE,
    CHECKS_FILE,
    RATINGS_FILE,
    AuditInputs,
    conditions_of,
)
from hesperus.analysis.tax.validity import sensitive_cells, unchecked_cells
from hesperus.analysis.views import narrowed
from hesperus.api.tax_runs import (
    agreement,
    alignment,
    declared,
    dropped,
    fresh_repeat,
    items_of,
    origin,
    rated,
    records_of,
    rereadings,
    run_file,
    scores_of,
)
from hesperus.errors import DataError, HesperusWarning, UnknownNameError, UsageError
from hesperus.records import conform
from hesperus.studies.translation_tax.strata import read_strata
from hesperus.studies.translation_tax.strict_pass import StrictPass
from hesperus.studies.translation_tax.verifying import looked_at, passes
from hesperus.tables import read_table
from hesperus.wording import own_senses


def evidence_of(
    inputs: AuditInputs, drawn: GivenSettings | None = None, *, what: str | None = None
) -> Evidence:
    """Everything that is there; a file next to a single run folder is found by its name.

    Of `what`, a table, only the conditions that it compares must be clear; None: those of all tables.
    """
    study = declared(inputs.runs)
    settings, quality = inputs.settings(study, drawn), inputs.quality(study, drawn)
    everything = records_of(inputs.runs, inputs.exclude)
    audited = narrowed(everything, tasks=inputs.tasks)
    needed = ("back", "natural") if what is None else TAX_TABLES[what].made
    senses = conditions_of(audited["input"].unique().to_list(), inputs.senses, needed=needed)
    records, native = _with_native(everything, audited, inputs, senses.original)
    _check_groups(settings.groups, records)
    strata = inputs.strata or run_file(inputs.runs, "strata.json")
    picked, task, repeat, reused = _strata(records, strata, senses.translated, inputs)
    verdicts = inputs.verdicts or run_file(inputs.runs, "verdicts.parquet")
    passed, looked = _checked(verdicts, inputs.checks, inputs.runs)
    _check_overlap(looked, picked)
    back = senses.back or ""
    return Evidence(
        records, senses, settings, quality, native,
        scores=scores_of(inputs.runs, inputs.scores, records, back, quality.metric),
        strata=picked, strata_task=task, repeat=repeat, reused=reused, passed=passed, checked=looked,
        ratings=rated(inputs),
        agreement=agreement(inputs, settings), rereadings=rereadings(records, inputs),
        alignment=alignment(inputs.audit), dropped=dropped(inputs.runs), origin=origin(records, inputs),
        own=own_senses(study, items_of(inputs.runs)),
    )  # fmt: skip


def found_beside(inputs: AuditInputs) -> AuditInputs:
    """The same with what people and the alignment audit left in the one run folder, by the names that docs give it."""
    checks = _rated_file(inputs.runs, CHECKS_FILE)
    return replace(
        inputs,
        audit=inputs.audit or run_file(inputs.runs, ALIGNMENT_FILE),
        ratings=inputs.ratings or _rated_file(inputs.runs, RATINGS_FILE),
        checks=inputs.checks or ((checks,) if checks is not None else ()),
    )


def _rated_file(runs: Sequence[Path], name: str) -> Path | None:
    """The ratings in the run folder; None, and a warning, for an export in which nobody has rated anything yet."""
    file = run_file(runs, name)
    frame = None if file is None else read_table(file)
    if frame is None or "rating" not in frame.columns or not frame["rating"].drop_nulls().is_empty():
        return file
    warnings.warn(f"{file}: there is no rating yet; not used", HesperusWarning, stacklevel=2)
    return None


def _check_groups(groups: Mapping[str, Sequence[str]], records: pl.DataFrame) -> None:
    """Every model of a group must have answered something: a misspelt one would silently be one of the others."""
    known = records["model"].unique().to_list()
    for group, models in groups.items():
        for model in models:
            if model not in known:
                raise UnknownNameError(f"model of the group {group!r}", model, known)


def _with_native(
    everything: pl.DataFrame, audited: pl.DataFrame, inputs: AuditInputs, original: str | None
) -> tuple[pl.DataFrame, str | None]:
    """The audited records with those of the native task, and its name; None if absent."""
    tasks = audited["task"].unique().sort().to_list()
    chosen: str | None
    if inputs.native is not None:
        added = records_of([inputs.native], None)
        chosen = _native_task(inputs, added)
        if inputs.native not in inputs.runs:
            if chosen in tasks:
                raise UsageError(f"the native items and the translated ones both are the task {chosen!r}")
            kept = added.filter(pl.col("task") == chosen)
            return conform(pl.concat([audited, kept], how="diagonal_relaxed")), chosen
    elif inputs.native_task is not None:
        chosen = _native_task(inputs, everything)
    else:
        chosen = _only_without(everything, original, inputs.tasks)
    if chosen is None:
        return audited, None
    if chosen in inputs.tasks:
        raise UsageError(f"the native items and the translated ones both are the task {chosen!r}")
    return everything.filter(pl.col("task").is_in([*tasks, chosen])), chosen


def _only_without(records: pl.DataFrame, original: str | None, audited: Sequence[str]) -> str | None:
    """The one task that is not audited and has no items in the source language; None if none or several are."""
    if original is None:
        return None
    with_original = records.filter(pl.col("input") == original)["task"].unique().to_list()
    others = [task for task in records["task"].unique() if task not in (*with_original, *audited)]
    return str(others[0]) if len(others) == 1 else None


def _native_task(inputs: AuditInputs, records: pl.DataFrame) -> str:
    tasks = records["task"].unique().sort().to_list()
    chosen = inputs.native_task or (tasks[0] if len(tasks) == 1 else None)
    if chosen is None:
        raise UsageError(
            f"{inputs.native} has {len(tasks)} tasks: {', '.join(tasks[:8])}; name one (--native-task)"
        )
    if chosen not in tasks:
        raise UnknownNameError("task of the native records", chosen, tasks)
    return str(chosen)


def _strata(
    records: pl.DataFrame, file: Path | None, translated: str | None, inputs: AuditInputs
) -> tuple[Mapping[str, Sequence[str]] | None, str | None, int, bool]:
    picked = read_strata(file) if file is not None else None
    if picked is None or (inputs.strata is None and inputs.tasks and picked.task not in inputs.tasks):
        return None, None, inputs.repeat or 1, False
    asked = records.filter(pl.col("task") == picked.task)
    if asked.is_empty():
        raise DataError(f"holds strata of the task {picked.task!r}, which no record has", file=file)
    rule = picked.rule
    chosen = inputs.repeat or fresh_repeat(asked, translated or rule.translated, rule.repeat)
    reused = rule.anchor == "translated" and (translated, chosen) == (rule.translated, rule.repeat)
    return picked.items, picked.task, chosen, reused


def _checked(
    verdicts: Path | None, checks: Sequence[Path], runs: Sequence[Path]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    said = (declared(runs).get("naturalise") or {}).get("strict") or {}
    return passes(verdicts, checks, StrictPass(**said)), looked_at(verdicts, checks)


def _check_overlap(looked: Mapping[str, frozenset[str]], strata: Mapping[str, Sequence[str]] | None) -> None:
    """Whoever checked anything must have checked items of the strata."""
    chosen = {item for ids in (strata or {}).values() for item in ids}
    for who, items in looked.items():
        if chosen and items and not items & chosen:
            raise DataError(
                f"none of the {len(items)} units that {who} checked is an item of the strata; units are called "
                f"{', '.join(sorted(items)[:3])}, items {', '.join(sorted(chosen)[:3])}"
            )


def run_overview(folder: Path) -> Table:
    """What a run found, an estimate a line."""
    tables = tax_tables(evidence_of(AuditInputs([folder])))
    return overview({name: make() for name, make in tables.items() if name in TAX_ESTIMATORS})


def tax_measure(what: str, inputs: AuditInputs, given: GivenSettings, models: Sequence[str] = ()) -> Table:
    """A table of an audit of a translated benchmark, as a measure of its run.

    `inputs` is what it rests on; of the settings of measures an audit takes `by` and how intervals are made.
    """
    refuse_other_settings(what, given)
    found = evidence_for(what, found_beside(inputs) if what == "rating" else inputs, given)[1]()
    return found.only("model", tuple(models)) if models else found


def refuse_other_settings(what: str, given: GivenSettings) -> None:
    """Refuse settings that measures of answers take and audits do not.

    Raises:
        UsageError: There is one.
    """
    refused = [name for name in ("a", "b", "invalid") if getattr(given, name) is not None]
    if refused:
        raise UsageError(
            f"{what} takes no {', '.join(refused)}: an audit compares valid answers of its own conditions"
        )


def evidence_for(
    what: str, inputs: AuditInputs, given: GivenSettings
) -> tuple[Evidence, Callable[[], Table]]:
    """What an audit has, and what makes one of its tables.

    Raises:
        UsageError: It lacks what the table needs.
    """
    evidence = evidence_of(inputs, given, what=what)
    tables = tax_tables(evidence)
    if what not in tables:
        raise UsageError(_needs(what, evidence, tables))
    return evidence, tables[what]


def audit_notes(found: Table, *, asked: bool, whole: bool) -> Iterator[str]:
    """What to keep in mind next to a table of an audit, each as one line for people.

    `asked`: whether another parser was to read the replies; `whole`: also what the table's own signature says.
    """
    if found.measure == "parsers":
        yield from _sensitive(found, asked=asked)
    quality = found.signature.get("quality")
    if isinstance(quality, str) and quality.startswith("none"):
        yield "no quality threshold was applied: `hesperus score RUN` writes scores.parquet, or give --scores"
    for name in ("quality", "notes", "limits") if whole else ():
        said = found.signature.get(name)
        yield from [f"quality: {said}"] if isinstance(said, str) else ()
        yield from (f"note: {line}" for line in said) if isinstance(said, list) else ()


def _sensitive(found: Table, *, asked: bool) -> Iterator[str]:
    """Which cells depend on the parser, and whether another one read them."""
    lines, unchecked = sensitive_cells(found), unchecked_cells(found)
    yield from (f"parser-sensitive: {line}" for line in lines)
    if unchecked:
        hint = (
            ": they hold no reply that could be read again"
            if asked
            else " (--parser strict --parser ohmer2023)"
        )
        yield f"{unchecked} cells were not read by a second parser{hint}"
    elif not lines:
        yield "no cell is parser-sensitive"


def _needs(what: str, evidence: Evidence, there: Iterable[str]) -> str:
    """What a table needs that an audit does not have."""
    needed = TAX_TABLES[what].needs
    if what == "rating" and evidence.ratings is None:
        needed = "what people said of the items: --ratings FILE, as `hesperus annotate export` writes it"
    senses, tasks = (evidence.records[name].unique().sort().to_list() for name in ("input", "task"))
    has = f"the senses {', '.join(senses)} of {', '.join(tasks)}, which give {', '.join(there)}"
    return f"{what} needs {needed} (the records have {has})"
