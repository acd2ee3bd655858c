"""How two runs differ: paired differences, of one measure for a person, of several for a check."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hesperus import records
from hesperus.analysis.measure_names import TAX_ESTIMATORS
from hesperus.analysis.run_kinds import described
from hesperus.analysis.settings import GivenSettings, agreed_given, agreed_settings
from hesperus.analysis.short_signature import with_short
from hesperus.analysis.views import narrowed
from hesperus.api.measured_run import Chosen
from hesperus.errors import HesperusWarning, UsageError

if TYPE_CHECKING:
    from hesperus.analysis.table import Table


def compare(
    run_a: Path | str,
    run_b: Path | str,
    what: str | None = None,
    *,
    model_a: str | None = None,
    model_b: str | None = None,
    native_a: Path | str | None = None,
    native_b: Path | str | None = None,
    exact: bool = False,
    **settings: Any,
) -> Table:
    """Paired differences (second − first) of two runs, with intervals and tests: what `hesperus compare` prints.

    Args:
        run_a: Run folder or records file: the baseline.
        run_b: The run to compare with it; the same one to compare two models.
        what: `consistency` (default), `accuracy`, `validity` or `similarity`; of open answers `scores` (default), `groups` or
            `validity`; of audits of a translated benchmark `back_translation`, `native_control` or `naturalisation`.
        model_a: Model of the baseline, where names differ.
        model_b: Model of the other run.
        native_a: For native_control: records of the native benchmark of the baseline, where they are not in it.
        native_b: Those of the other run.
        exact: The exact McNemar test in place of the Bayesian one.
        settings: Fields of hesperus.analysis.settings.GivenSettings; of audits also the senses of
            hesperus.analysis.tax.tax_settings.AuditInputs (`original`, `translated`, `back`, `natural`) and `native_task`, which are
            those of both runs.

    Raises:
        UnknownNameError: No such comparison, model or column.
        UsageError: Settings that the comparison does not take.
        DataError: The runs share nothing that could be compared.
    """
    from hesperus.analysis.open_answers.open_measures import OPEN_COMPARED, is_open

    if (model_a is None) != (model_b is None):
        raise UsageError("give both --model-a and --model-b, or neither")
    audit = {name: settings.pop(name) for name in OF_BOTH_AUDITS if settings.get(name) is not None}
    runs, given = (Path(run_a), Path(run_b)), GivenSettings.of(**settings)
    matched = (model_a, model_b) if model_a is not None and model_b is not None else None
    what = what or ("scores" if any(is_open(described(run)) for run in runs) else "consistency")
    is_open_table, is_tax = what in OPEN_COMPARED, what in TAX_ESTIMATORS
    if exact and (is_open_table or is_tax or what == "similarity"):
        raise UsageError(f"--exact is about McNemar's test, which {what} does not take")
    natives = {"native_a": native_a, "native_b": native_b}
    audit |= {name: place for name, place in natives.items() if place is not None}
    if audit and not is_tax:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in audit)
        raise UsageError(f"{flags} is for audits of a translated benchmark, not for {what}")
    if is_tax:
        made = compared_taxes(runs, what, given, matched=matched, audit=audit)
    else:
        made = compared_runs(runs, (what,), given, matched=matched, exact=exact)[what]
    # What senses were named is no part of the line, which could not make the table again without them.
    more: dict[str, Any] = {} if is_open_table else {"exact": exact}
    return made if audit else with_short(made, given, model_a=model_a, model_b=model_b, **more)


OF_BOTH_AUDITS = ("original", "translated", "back", "natural", "native_task")
"""Fields of AuditInputs that a comparison of two audits takes, for both of them."""


def compared_taxes(
    runs: tuple[Path, Path],
    what: str,
    given: GivenSettings,
    *,
    matched: tuple[str, str] | None = None,
    audit: Mapping[str, Any] | None = None,
    models: Sequence[str] = (),
    quiet: bool = False,
) -> Table:
    """How the tax of a second audit differs from that of a first, in one estimator.

    `audit` holds fields of AuditInputs that are those of both, and `native_a` and `native_b`; `models` are those that count,
    all if empty. `quiet` as in compared_runs.
    """
    from hesperus.analysis.tax.tax_comparison import compare_taxes
    from hesperus.analysis.tax.tax_settings import AuditInputs
    from hesperus.api.tax_evidence import evidence_for, refuse_other_settings

    refuse_other_settings(what, given)
    agreed, audit = agreed_given(given, [described(run).study for run in runs]), dict(audit or {})
    natives = [None if (place := audit.pop(f"native_{side}", None)) is None else Path(place) for side in "ab"]
    first, second = (
        evidence_for(what, AuditInputs([run], native=native, **audit), replace(agreed, invalid=None))[0]
        for run, native in zip(runs, natives, strict=True)
    )
    if first.senses != second.senses and not quiet:
        told = " and ".join(str(one.senses) for one in (first, second))
        warnings.warn(f"the two audits compare different senses: {told}", HesperusWarning, stacklevel=2)
    sides = [replace(one, records=narrowed(one.records, models=models)) for one in (first, second)]
    return compare_taxes((sides[0], sides[1]), what, models=matched)


def compared_runs(
    runs: tuple[Path, Path],
    whats: Iterable[str],
    given: GivenSettings,
    *,
    matched: tuple[str, str] | None = None,
    chosen: Chosen = ((), ()),
    exact: bool = False,
    quiet: bool = False,
) -> dict[str, Table]:
    """Differences of a second run from a first, in several measures.

    `matched` is a model of either run; None pairs models of the same name, or the only two. `quiet` says nothing of
    what makes the numbers mean little.
    """
    from hesperus.analysis.compared import compare_table, no_shared_items
    from hesperus.analysis.open_answers.open_comparison import compare_open_answers
    from hesperus.analysis.open_answers.open_measures import (
        OPEN_COMPARED,
        refuse_labels,
        refuse_settings,
        with_labels,
    )

    said = (described(runs[0]), described(runs[1]))
    found: dict[str, Table] = {}
    of_labels = []
    for what in whats:
        if what in OPEN_COMPARED:
            refuse_settings(what, given)
            made = compare_open_answers(
                said, what, matched=matched, models=chosen[0], tasks=chosen[1], given=given
            )
            for warning in () if quiet else made.warnings:
                warnings.warn(warning, HesperusWarning, stacklevel=2)
            found[what] = made.table
        elif what in TAX_ESTIMATORS:
            own = replace(given, invalid=None)
            found[what] = compared_taxes(
                runs, what, own, matched=matched, audit={"tasks": chosen[1]}, models=chosen[0], quiet=quiet
            )
        else:
            for one in said:
                refuse_labels(what, one)
            of_labels.append(what)
    if of_labels:
        settings = agreed_settings(given, [one.study for one in said])
        sides = tuple(
            narrowed(records.read_records(run, columns=settings.by), models=chosen[0], tasks=chosen[1])
            for run in runs
        )
        if not quiet:
            _warn_of_silence(sides, matched)
            for told in no_shared_items((sides[0], sides[1])):
                warnings.warn(told, HesperusWarning, stacklevel=2)
        for what in of_labels:
            both = sides if what == "validity" else tuple(with_labels(what, one) for one in sides)
            found[what] = compare_table(
                (both[0], both[1]), what, models=matched, settings=settings, exact=exact
            )
    return found


def _warn_of_silence(sides: Iterable[pl.DataFrame], matched: tuple[str, str] | None) -> None:
    """Say of a side that it has records and no answer."""
    from hesperus.analysis.run_notes import nothing_answered

    for side, answers, model in zip("ab", sides, matched or (None, None), strict=True):
        own = answers if model is None else answers.filter(pl.col("model") == model)
        nothing = nothing_answered(own)
        if nothing and len(own):
            of = f" ({model})" if model is not None else ""
            warnings.warn(f"side {side}{of}: {nothing}", HesperusWarning, stacklevel=3)
