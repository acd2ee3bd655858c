"""E4: accuracy on naturally rewritten items minus accuracy on the translated ones, same items, same prompt.

Reference: "The Translation Tax Is Not a Scalar", section 6.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from hesperus.analysis.table import ANSWERED, NewRow, Table, estimate_cells, table
from hesperus.analysis.tax.difference_rows import (
    COLUMNS,
    EFFECT,
    EMPTY,
    EVERY,
    UNTESTED,
    Shown,
    corrected,
    could_change,
    difference_rows,
    group_difference_rows,
    head,
    narrowed,
    notes_of,
    of_two_sets,
    sensitive_models,
    sensitivity_rows,
)
from hesperus.analysis.tax.item_groups import grouped_columns
from hesperus.analysis.tax.paired_records import PairedAnswers, Side, compared
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.errors import DataError
from hesperus.fingerprint import JSON, signature
from hesperus.measures import Mask, discordant

NOTES = (
    "the rewriting model's habits are part of the effect; a rewriting by people is another contrast",
    "an effect in the high stratum that the low stratum does not show is what cues would do",
)
REUSED = (
    "the strata were picked on the very replies to the translated items that are compared here, so that the high stratum "
    "cannot do better when rewritten; compare another repeat, or pick the strata on the original"
)
NO_GAIN = (
    "every answer to the translated items is right here, as strata are picked for, so that rewriting could lose right answers "
    "and gain none"
)


def naturalisation_table(
    records: pl.DataFrame,
    sides: tuple[Side, Side],
    strata: Mapping[str, Sequence[str]],
    *,
    passed: Mapping[str, Collection[str]] | None = None,
    reused: bool = False,
    settings: TaxSettings | None = None,
) -> Table:
    """The effect of naturalisation: pooled, by stratum, group and model, and under each sensitivity.

    Args:
        records: Records of one task.
        sides: The rewritten items and the translated ones, in this order.
        strata: Stratum to ids, fixed beforehand.
        passed: Checker (``verifier`` is the model) to the ids that it passed; each gives rows of its own, and so do all
            raters together.
        reused: Whether the strata were picked on the replies of the second side.
        settings: Groups, bootstrap, and when a model is parser-sensitive.

    Returns:
        Rows by ``analysis``: ``pooled``, ``stratum`` (``task`` holds its name; also by group), ``strata`` (high minus
        low), ``group``, ``groups`` (difference in differences), ``model``, ``without model``, ``without parser-sensitive
        models``, and ``passed by …`` for each checker and their intersections, pooled and by stratum; of grouped items the
        rows of every group.

    Raises:
        UsageError: A column to group by cannot be one.
        UnknownNameError: A sense, model or column that no record has.
        DataError: Several tasks, no rewritten item of the strata was asked, or an item is in several groups.
    """
    settings = settings or TaxSettings()
    given = compared(records, *sides, by=settings.by)
    if len(given.tasks) > 1:
        raise DataError(f"strata are of one task, and the records have {', '.join(given.tasks)}")
    masks, every = _masks(given, strata)
    if (given.causes["not asked at all"] | given.causes["asked on one side only"])[:, every].all():
        raise DataError(f"no item of the strata was asked as {sides[0].input!r}")
    asked = {item for _, item in given.items}
    absent = sum(item not in asked for ids in strata.values() for item in ids)
    # Groups without an item of the strata have nothing that was to be rewritten.
    whole = given.of_items(every) if given.by else given
    rows = [
        row | {"stratum": row.pop("task")} | named
        for named, part in whole.by_group()
        for row in _rows(part, strata, passed or {}, settings)
    ]
    columns = grouped_columns(settings.by, ["stratum" if name == "task" else name for name in COLUMNS])
    signed: dict[str, JSON] = signature(settings) | {
        "first": sides[0].input,
        "second": sides[1].input,
        "repeats": [side.repeat for side in sides],
        "strata": {name: len(ids) for name, ids in strata.items()},
        "items of the strata that were not asked": absent,
        "asked on one side only": list(given.one_sided),
        "parser_sensitive": {m: round(rate, 4) for m, rate in sensitive_models(given, settings).items()},
        "tests": corrected(rows, settings),
    }
    pairs = narrowed(given, range(len(given.models)), every)
    full = [NO_GAIN] if pairs.strict.any() and pairs.second_right[pairs.strict].all() else []
    signed["notes"] = [*NOTES, *([REUSED] if reused else []), *full, *notes_of(rows)]
    return table("naturalisation", columns, rows=rows, signature=signed)


def _masks(given: PairedAnswers, strata: Mapping[str, Collection[str]]) -> tuple[dict[str, Mask], Mask]:
    """The items of each stratum, and of all of them."""
    masks = {name: _mask(given, ids) for name, ids in strata.items()}
    none = np.zeros(len(given.items), dtype=np.bool_)
    return masks, np.logical_or.reduce(list(masks.values())) if masks else none


def _rows(
    given: PairedAnswers,
    strata: Mapping[str, Collection[str]],
    passed: Mapping[str, Collection[str]],
    settings: TaxSettings,
) -> Iterator[NewRow]:
    masks, every = _masks(given, strata)
    parts, made = {EVERY: every, **masks}, partial(difference_rows, given, settings=settings)
    groups = settings.named_groups(given.models)
    models = list(range(len(given.models)))
    yield from made(models, every, "pooled", shown=EFFECT)
    for name, mask in masks.items():
        for group, rows in {EVERY: models, **groups}.items():
            yield from made(rows, mask, "stratum", shown=EFFECT, task=name, group=group)
    yield from _strata_rows(given, masks, settings)
    for group, rows in groups.items():
        yield from made(rows, every, "group", shown=EFFECT, group=group)
    yield from group_difference_rows(given, groups, every, settings=settings, name="effect")
    shown = Shown("effect", ("accuracy natural", "accuracy translated"))
    for row, model, group in settings.with_groups(given.models):
        yield from made([row], every, "model", shown=shown, group=group, model=model)
    yield from sensitivity_rows(given, parts, settings=settings, shown=EFFECT)
    for who, mask in _passes(given, passed).items():
        for name, part in parts.items():
            yield from made(models, part & mask, f"passed by {who}", shown=EFFECT, task=name)


def _strata_rows(given: PairedAnswers, masks: Mapping[str, Mask], settings: TaxSettings) -> Iterator[NewRow]:
    """The effect on items full of cues minus that on items free of them; other items, so each set is resampled by itself."""
    if not {"high", "low"} <= masks.keys():
        return
    models = list(range(len(given.models)))
    pairs = [narrowed(given, models, masks[name]) for name in ("high", "low")]
    found, p = of_two_sets(*pairs, settings=settings, tests=given.parts)
    could = could_change(found, sum(sum(discordant(part)) for part in pairs), settings.bootstrap.level)
    empty = [name for name in ("high", "low") if not masks[name].any()]
    if empty:
        found = replace(found, reason="; ".join(f"the stratum {name} is {EMPTY}" for name in empty))
    both = np.logical_or(masks["high"], masks["low"])
    about = head("strata", task="high − low") | {ANSWERED: given.answered(models, both)}
    yield {**about, "statistic": "effect", **estimate_cells(found), **UNTESTED, "p": p, "could_change": could}


def _passes(given: PairedAnswers, passed: Mapping[str, Collection[str]]) -> dict[str, Mask]:
    masks = {who: _mask(given, ids) for who, ids in passed.items()}
    people = [mask for who, mask in masks.items() if who != "verifier"]
    if len(people) > 1:
        masks["all raters"] = np.logical_and.reduce(people)
    if people and "verifier" in masks:
        masks["all raters and the verifier"] = np.logical_and.reduce(list(masks.values()))
    return masks


def _mask(given: PairedAnswers, ids: Collection[str]) -> Mask:
    wanted = set(ids)
    return np.array([item in wanted for _, item in given.items], dtype=np.bool_)
