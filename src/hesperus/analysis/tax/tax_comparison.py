"""Whether the tax differs between two runs: the same items in both, resampled together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from hesperus.analysis.compared import ONE_RUN, matched_models
from hesperus.analysis.p_corrections import CLUSTERED, SETS, tested
from hesperus.analysis.table import NewRow, Table, estimate_cells, table
from hesperus.analysis.tax.audit_evidence import Evidence
from hesperus.analysis.tax.difference_rows import (
    EVERY,
    everywhere,
    exchanged_p,
    left_out_items,
    most_tests,
    narrowed,
    noted,
    of_two_sets,
)
from hesperus.analysis.tax.item_groups import Group, ItemKey, grouped_columns, groups_in_order
from hesperus.analysis.tax.native_control import one_benchmark
from hesperus.analysis.tax.paired_records import PairedAnswers, Side, answered_share, compared
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.errors import DataError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import (
    MISSING,
    Mask,
    difference,
    estimate,
    exchanged_detectable,
    influences,
    side_statistics,
    tax_statistic,
    unmatched_detectable,
)

_ENDING = (
    "statistic", "value_a", "value_b", "answered_a", "answered_b", "value", "low", "high", "p", "p_holm", "detectable", "n", "excluded", "reason",
)  # fmt: skip
_LIMITS = (-1.0, 1.0)
"""The smallest and the largest tax."""
Models = Sequence[tuple[str, str]]
"""Model of the first run and its counterpart in the second."""


def compare_taxes(
    runs: tuple[Evidence, Evidence], what: str, *, models: tuple[str, str] | None = None
) -> Table:
    """The tax of a second run less that of a first, over the items that count in both.

    Args:
        runs: Two audits; the same one twice compares two of its models. How intervals are made and items are grouped is
            as the first has it.
        what: ``back_translation``, ``native_control`` or ``naturalisation``; both runs have what it needs.
        models: A model of the first and one of the second run; None pairs models of the same name, or the only two.

    Returns:
        A row a pair of models, of each benchmark (back-translation), and one of all models and items together: the tax of
        either run over the items with a valid answer in both conditions of both runs, `value` = second − first with its
        interval, `p`, `p_holm` over the rows of single models, or over the others, and what was excluded. Of
        naturalisation also a row for the items that are in the same stratum in both runs. Of grouped items the rows of
        every group. `detectable` is the smallest difference that this test would find in so many items with a chance of 80 %.

    Raises:
        UnknownNameError: A model that a run does not have.
        DataError: The runs share no model or item, or an item is in different groups.
    """
    settings = replace(runs[0].settings, groups={})
    make, place, test = _ESTIMATORS[what]
    found, of = list(make(runs, models, settings)), "single models; all models together"
    signed: dict[str, JSON] = signature(settings) | {
        "first": signature(runs[0].senses),
        "second": signature(runs[1].senses),
        "tests": tested(found, test, settings.bootstrap, of=of, family=lambda row: bool(row["model_a"])),
    }
    columns = grouped_columns(settings.by, ("model_a", "model_b", *place, *_ENDING))
    return table(f"compare {what}", columns, rows=found, signature=signed)


def _taxes(
    runs: tuple[Evidence, Evidence], models: tuple[str, str] | None, settings: TaxSettings
) -> Iterator[NewRow]:
    for named, pair in _joint((_there(runs[0].back_pairs), _there(runs[1].back_pairs)), models):
        whole, tasks = everywhere(pair.first), pair.first.tasks
        if len(pair.models) > 1 or len(tasks) > 1:
            task = tasks[0] if len(tasks) == 1 else EVERY
            yield from pair.row({**named, "task": task}, None, whole, settings, "tax")
        for task in tasks:
            for row in range(len(pair.models)):
                yield from pair.row({**named, "task": task}, [row], pair.first.of_task(task), settings, "tax")


def _effects(
    runs: tuple[Evidence, Evidence], models: tuple[str, str] | None, settings: TaxSettings
) -> Iterator[NewRow]:
    strata = [run.strata or {} for run in runs]
    shared = {name: set(ids) & set(strata[1][name]) for name, ids in strata[0].items() if name in strata[1]}
    for named, pair in _joint((_there(runs[0].natural_pairs), _there(runs[1].natural_pairs)), models):
        whole = everywhere(pair.first)
        parts: dict[str, Mask] = {EVERY: whole} if len(pair.models) > 1 else {}
        for name, ids in shared.items():
            parts[name] = np.array([item in ids for _, item in pair.first.items], dtype=np.bool_)
        for name, items in parts.items():
            yield from pair.row({**named, "stratum": name}, None, items, settings, "effect")
        for row in range(len(pair.models)):
            yield from pair.row({**named, "stratum": EVERY}, [row], whole, settings, "effect")


def _there(pairs: PairedAnswers | None) -> PairedAnswers:
    assert pairs is not None, "both runs have what the comparison needs"
    return pairs


@dataclass(frozen=True, slots=True, eq=False)
class _Joint:
    """Two conditions in two runs, over the same models and items; a pair counts where it does in both.

    Attributes:
        models: Rows: a model of the first run and its counterpart.
        first: The conditions in the first run.
        second: In the second.
    """

    models: Models
    first: PairedAnswers
    second: PairedAnswers

    def row(
        self, about: NewRow, rows: Sequence[int] | None, items: Mask, settings: TaxSettings, statistic: str
    ) -> Iterator[NewRow]:
        """The difference of some models (None: of all, which the row does not name) over some items; none without an item."""
        picked = list(range(len(self.models))) if rows is None else list(rows)
        lost, why = left_out_items(self.first, picked, items)
        pairs = [narrowed(run, picked, items) for run in (self.first, self.second)]
        if not (lost or pairs[0].strict.any()):
            return
        before, after = map(tax_statistic, pairs)
        first, second = estimate(before).value, estimate(after).value
        found = noted(estimate(apart := difference(after, before), settings.bootstrap), lost, why)
        tests, p, detectable = most_tests(self.first, settings), None, None
        if found.value is not None and settings.bootstrap.resamples:
            p = exchanged_p(after, before, settings=settings, tests=tests)
            if first is not None and second is not None:
                detectable = exchanged_detectable(
                    influences(apart), (first, second), _LIMITS, level=settings.bootstrap.level
                )
        yield {
            **about, **_named([self.models[row] for row in picked]), "statistic": statistic,
            "value_a": first, "value_b": second,
            "answered_a": self.first.answered(picked, items), "answered_b": self.second.answered(picked, items),
            **estimate_cells(found), "p": p, "p_holm": None, "detectable": detectable,
        }  # fmt: skip


def _named(models: Models) -> NewRow:
    """The model of a row on either side; of several it names none."""
    first, second = models[0] if len(models) == 1 else (EVERY, EVERY)
    return {"model_a": first, "model_b": second}


def _joint(
    runs: tuple[PairedAnswers, PairedAnswers], named: tuple[str, str] | None
) -> Iterator[tuple[NewRow, _Joint]]:
    """Each group of items that either run has, with what counts in both."""
    models = matched_models([run.models for run in runs], named)
    items = tuple(dict.fromkeys(item for run in runs for item in run.items))
    sides = [
        _laid(run, [pair[side] for pair in models], items, _groups(runs)) for side, run in enumerate(runs)
    ]
    counted = sides[0].pairs.strict & sides[1].pairs.strict
    asked = [(side.answers[0] != MISSING) | (side.answers[1] != MISSING) for side in sides]
    causes = {ONE_RUN: asked[0] ^ asked[1]}
    rest = ~(counted | causes[ONE_RUN]) & asked[0] & asked[1]
    for which, side in zip(("first", "second"), sides, strict=True):
        for cause, mask in side.causes.items():
            causes[f"{cause} ({which} run)"] = mask & rest
            rest = rest & ~mask
    if not (asked[0] & asked[1]).any():
        raise DataError(
            "the runs share no item: items are matched by their id, which has to be the same in both"
        )
    first, second = (replace(side, pairs=replace(side.pairs, asked=counted), causes=causes) for side in sides)
    for (group, one), (_, other) in zip(first.by_group(), second.by_group(), strict=True):
        yield group, _Joint(models, one, other)


def _groups(runs: tuple[PairedAnswers, PairedAnswers]) -> Mapping[ItemKey, Group]:
    """The group of each item, which is the same in both runs."""
    found: dict[ItemKey, Group] = {}
    for run in runs:
        for item, group in zip(run.items, run.groups, strict=False):
            if found.setdefault(item, group) != group:
                raise DataError(
                    f"is in the group {found[item]} of the first run and {group} of the second; group by what both runs say alike",
                    item=item[1],
                )
    return found


def _laid(
    run: PairedAnswers, models: Sequence[str], items: Sequence[ItemKey], groups: Mapping[ItemKey, Group]
) -> PairedAnswers:
    """A run with its models and items in these places; what it lacks was not asked."""
    place = {item: column for column, item in enumerate(items)}
    columns = [place[item] for item in run.items]
    rows = [run.models.index(model) for model in models]

    def laid(held: np.ndarray, fill: int | bool) -> np.ndarray:
        block = np.full((len(models), len(items)), fill, dtype=held.dtype)
        block[:, columns] = held[rows]
        return block

    own = tuple(groups[item] for item in items) if run.by else ()
    return run.mapped(laid, models=tuple(models), items=tuple(items), groups=own)


def _gaps(
    runs: tuple[Evidence, Evidence], named: tuple[str, str] | None, settings: TaxSettings
) -> Iterator[NewRow]:
    """Rows of the native control: either set of items is compared between the runs, and the sets with each other."""
    models = matched_models([run.records["model"].unique() for run in runs], named)
    sets = [_between(runs, models, settings.by, is_native=is_native) for is_native in (False, True)]
    both = [model for model in models if all(_label(model) in one.models for one in sets)]
    if not both:
        raise DataError("no model answered the translated and the native items in both runs")
    groups = groups_in_order([group for one in sets for group in one.groups]) if settings.by else [()]
    for group in groups:
        about = dict(zip(settings.by, group, strict=True))
        parts = [one.of_group(group) if settings.by else one for one in sets]
        for picked in ([both] if len(both) > 1 else []) + [[model] for model in both]:
            yield about | _gap(parts, picked, settings, tests=len(groups) * len(both))


def _label(model: tuple[str, str]) -> str:
    return " and ".join(dict.fromkeys(model))


def _between(
    runs: tuple[Evidence, Evidence], models: Models, by: Sequence[str], *, is_native: bool
) -> PairedAnswers:
    """The translated or the native items as two conditions: in the second run, and in the first."""
    frames, sides = [], []
    for side, (run, which) in enumerate(zip(runs, ("first run", "second run"), strict=True)):
        records = run.records.filter(pl.col("task") == run.native) if is_native else run.audited
        asked = one_benchmark(records, Side(str(run.senses.translated)))
        code = f"{run.senses.translated} ({which})"
        names = {model[side]: _label(model) for model in models}
        kept = asked.filter(pl.col("model").is_in(list(names)))
        frames.append(
            kept.with_columns(
                pl.col("model").replace_strict(names, return_dtype=pl.String), input=pl.lit(code)
            )
        )
        sides.append(Side(code))
    return compared(pl.concat(frames, how="diagonal_relaxed"), sides[1], sides[0], by=by)


def _gap(sets: Sequence[PairedAnswers], models: Models, settings: TaxSettings, *, tests: int) -> NewRow:
    """The gap of the second run less that of the first: how far the runs lie apart on one set, less that on the other."""
    rows = [[one.models.index(_label(model)) for model in models] for one in sets]
    parts = [(one, picked, everywhere(one)) for one, picked in zip(sets, rows, strict=True)]
    pairs = [narrowed(*part) for part in parts]
    found, p = of_two_sets(*pairs, settings=settings, tests=tests)
    detectable = None
    if p is not None:
        translated, native = map(tax_statistic, pairs)
        second, first = (estimate(side).value or 0.0 for side in side_statistics(pairs[0]))
        level = settings.bootstrap.level
        detectable = unmatched_detectable(translated, native, (first, second), level=level)
    lost, why = zip(*(left_out_items(*part) for part in parts), strict=True)
    told = [f"{name}: {text}" for name, text in zip(("translated", "native"), why, strict=True) if text]
    counts = {name: sum(own.values()) for name, own in zip(("translated", "native"), lost, strict=True)}
    # The second run is the first condition of either set.
    (after, before), (after_native, before_native) = (
        [estimate(side).value for side in side_statistics(one)] for one in pairs
    )
    answers = [[one.answers[side][picked] for one, picked in zip(sets, rows, strict=True)] for side in (1, 0)]
    return {
        **_named(models), "statistic": "gap",
        "value_a": _less(before, before_native), "value_b": _less(after, after_native),
        "answered_a": answered_share(*answers[0]), "answered_b": answered_share(*answers[1]),
        **estimate_cells(noted(found, counts, "; ".join(told))), "p": p, "p_holm": None, "detectable": detectable,
    }  # fmt: skip


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


_Make = Callable[[tuple[Evidence, Evidence], tuple[str, str] | None, TaxSettings], Iterator[NewRow]]
_ESTIMATORS: Mapping[str, tuple[_Make, tuple[str, ...], str]] = {
    "back_translation": (_taxes, ("task",), CLUSTERED),
    "native_control": (_gaps, (), SETS),
    "naturalisation": (_effects, ("stratum",), CLUSTERED),
}
"""What makes the rows, which columns they have besides the models, and where p comes from."""
