"""E3: accuracy on the translated benchmark minus accuracy on one that was written in the language. Other items, so unmatched.

Reference: "The Translation Tax Is Not a Scalar", sections 3.3 and 5.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import polars as pl

from hesperus.analysis.p_corrections import SETS, tested
from hesperus.analysis.table import ANSWER_COLUMNS, ANSWERED, NewRow, Table, estimate_cells, table
from hesperus.analysis.tax.difference_rows import EVERY
from hesperus.analysis.tax.item_groups import (
    Group,
    ItemKey,
    group_of_items,
    grouped_columns,
    groups_in_order,
)
from hesperus.analysis.tax.paired_records import Side, answered_share
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.errors import DataError
from hesperus.fingerprint import signature
from hesperus.measures import (
    FAILED,
    Codes,
    Mask,
    Statistic,
    enough_permutations,
    replied,
    unmatched_difference,
    unmatched_p,
    wilson,
)
from hesperus.measures.statistic import ratio, share_corners
from hesperus.records import answer_arrays

COLUMNS = ("group", "model", "statistic", *ANSWER_COLUMNS, "p", "p_holm")
LIMITS = (
    "the two sets have different items: subject, difficulty and register differ along with being translated",
    "a gap is no item-level effect, and a group's gap may be its training on such exams, not its use of cues",
    "the same items in both conditions (naturalisation) are needed to tell these apart",
)
"""What this estimator cannot tell; printed with every number of it."""


def native_control_table(
    translated: pl.DataFrame,
    native: pl.DataFrame,
    sides: tuple[Side, Side],
    *,
    settings: TaxSettings | None = None,
) -> Table:
    """The gap of each model and group, translated minus native, with the accuracies of both.

    Args:
        translated: Records of the translated benchmark.
        native: Records of the native one; may be the same table, where the task differs.
        sides: Sense of the translated items and of the native ones, both in the language of the audit.
        settings: Groups and bootstrap.

    Returns:
        For each model ``translated`` and ``native`` (Wilson intervals, over valid answers) and ``gap`` (each set of
        items resampled by itself); for each group its pooled ``gap``, items with all their models. ``p`` of a gap is of items
        that change sets at random, ``p_holm`` over the models, or over the groups. Of grouped items the rows of every group
        that either set has.

    Raises:
        UsageError: A column to group by cannot be one.
        UnknownNameError: No record has the sense, or the column.
        DataError: No model answered both, the two are the same items, a set is of several tasks, or an item is in several groups.
    """
    settings = settings or TaxSettings()
    first, second = (
        AskedItems.of(frame, side, settings.by)
        for frame, side in zip((translated, native), sides, strict=True)
    )
    models = [model for model in first.models if model in second.models]
    alone = sorted(set(first.models) ^ set(second.models))
    if not models:
        raise DataError("no model answered both the translated and the native items")
    if set(first.items) & set(second.items):
        shared = len(set(first.items) & set(second.items))
        raise DataError(
            f"{shared} items stand in both sets; a native control has items of its own (matched items: `hesperus measure back_translation`)"
        )
    rows = [
        named | row
        for named, one, other, parts in _groups(first, second, settings.by)
        for row in _rows(one, other, models, settings, parts)
    ]
    gaps = [row for row in rows if row["statistic"] == "gap"]
    of = "the models; the groups"
    signed = signature(settings) | {"translated": sides[0].input, "native": sides[1].input}
    signed |= {
        "tasks": [first.task, second.task],
        "answered one set only": list(alone),
        "limits": list(LIMITS),
        "tests": tested(gaps, SETS, settings.bootstrap, of=of, family=lambda row: bool(row["model"])),
    }
    return table("native_control", grouped_columns(settings.by, COLUMNS), rows=rows, signature=signed)


def one_benchmark(records: pl.DataFrame, side: Side) -> pl.DataFrame:
    """The records of one sense and repeat, which are of one benchmark.

    Raises:
        UnknownNameError: No record has the sense.
        DataError: They are of several benchmarks.
    """
    side.check(records)
    records = records.filter((pl.col("input") == side.input) & (pl.col("repeat") == side.repeat))
    tasks = records["task"].unique().sort().to_list()
    if len(tasks) > 1:
        raise DataError(
            f"a native control takes one benchmark, and {side.input!r} was asked of {len(tasks)}: "
            f"{', '.join(tasks)}; name the one to compare (--task)"
        )
    return records


@dataclass(frozen=True, slots=True, eq=False)
class AskedItems:
    """One set of items: which answers of which model are right, and which readable.

    Attributes:
        task: Their benchmark.
        items: Columns: (task, item).
        models: Rows.
        answers: Class codes, [models, items].
        gold: Likewise of the right answers.
        group_of: Group of each item; empty if they are not grouped.
    """

    task: str
    items: tuple[ItemKey, ...]
    models: tuple[str, ...]
    answers: Codes
    gold: Codes
    group_of: Mapping[ItemKey, Group]

    @classmethod
    def of(cls, records: pl.DataFrame, side: Side, by: Sequence[str]) -> AskedItems:
        """The answers to one sense of the records of one benchmark."""
        records = one_benchmark(records, side)
        arrays = answer_arrays(records)
        doubled = [c.model for c in arrays.cells if sum(c.model == other.model for other in arrays.cells) > 1]
        if doubled:
            raise DataError(
                f"{doubled[0]} was asked {side.input!r} under several instructions; keep one of them"
            )
        task = "" if records.is_empty() else str(records["task"][0])
        items = tuple((task, item) for item in arrays.items)
        models = tuple(cell.model for cell in arrays.cells)
        return cls(task, items, models, arrays.answers, arrays.gold, group_of_items(records, by))

    def of_group(self, group: Group) -> AskedItems:
        """The items of a group."""
        inside = np.array([self.group_of[item] == group for item in self.items], dtype=np.bool_)
        items = tuple(compress(self.items, inside))
        return replace(self, items=items, answers=self.answers[:, inside], gold=self.gold[:, inside])

    def masks(self, models: Sequence[str]) -> tuple[Mask, Mask, Mask]:
        """Right, readable and asked (with a gold) of some models, [models, items]."""
        rows = [self.models.index(model) for model in models]
        answers: Codes = self.answers[rows]
        gold: Codes = self.gold[rows]
        asked = replied(answers) & (gold >= 0)
        return asked & (answers == gold), asked & (answers >= 0), asked

    def lost(self, models: Sequence[str]) -> tuple[int, str]:
        """Replies that carry no answer and questions without a reply, and what to say of them."""
        _, readable, asked = self.masks(models)
        rows = [self.models.index(model) for model in models]
        failed = int((self.answers[rows] == FAILED).sum())
        unread = int(asked.sum() - readable.sum())
        parts = [f"{failed} without a reply (error)"] if failed else []
        parts += [f"{unread} invalid answers"] if unread else []
        return failed + unread, "; ".join(parts)

    def codes(self, models: Sequence[str]) -> Codes:
        """Answers of some models, [models, items]."""
        return self.answers[[self.models.index(model) for model in models]]

    def accuracy(self, models: Sequence[str]) -> Statistic:
        """Accuracy over valid answers, an item with all the models."""
        right, readable, _ = self.masks(models)
        kept = readable.any(axis=0)
        answers = readable.sum(axis=0).astype(np.float64)
        return Statistic(
            (right.sum(axis=0).astype(np.float64), answers),
            ratio,
            share_corners(answers),
            int(kept.sum()),
            *self.lost(models),
            "no valid answer",
        )


def _groups(
    first: AskedItems, second: AskedItems, by: Sequence[str]
) -> Iterator[tuple[NewRow, AskedItems, AskedItems, int]]:
    """Each group that either set has: its values, its items of both sets, and how many groups there are."""
    groups = groups_in_order([*first.group_of.values(), *second.group_of.values()]) if by else [()]
    for group in groups:
        one, other = (side.of_group(group) if by else side for side in (first, second))
        yield dict(zip(by, group, strict=True)), one, other, len(groups)


def _rows(
    first: AskedItems, second: AskedItems, models: Sequence[str], settings: TaxSettings, parts: int
) -> Iterator[NewRow]:
    level = settings.bootstrap.level
    grouped = settings.grouped(models)
    ceiling = enough_permutations(settings.bootstrap.resamples, parts * max(len(models), len(grouped)))
    for _, model, group in settings.with_groups(models):
        about: NewRow = {"group": group, "model": model}
        for name, side in (("translated", first), ("native", second)):
            right, readable, _ = side.masks([model])
            accuracy = wilson(int(right.sum()), int(readable.sum()), level=level)
            lost, why = side.lost([model])
            cells = estimate_cells(accuracy) | {"excluded": lost}
            if lost:
                cells["reason"] = "; ".join(filter(None, (accuracy.reason, why)))
            share = answered_share(side.codes([model]))
            yield {**about, "statistic": name, **cells, ANSWERED: share, "p": None, "p_holm": None}
        yield {**about, **_gap(first, second, [model], settings, ceiling)}
    for group, rows in grouped.items():
        named = [models[row] for row in rows]
        yield {"group": group, "model": EVERY, **_gap(first, second, named, settings, ceiling)}


def _gap(
    first: AskedItems, second: AskedItems, models: Sequence[str], settings: TaxSettings, ceiling: int
) -> NewRow:
    """Translated less native of some models, with its test: items change sets at random."""
    sides, bootstrap = (first.accuracy(models), second.accuracy(models)), settings.bootstrap
    gap = unmatched_difference(*sides, bootstrap)
    is_tested = gap.value is not None and bootstrap.resamples
    shares = [(side.columns[0], side.columns[1]) for side in sides]
    resamples, seed = bootstrap.resamples, bootstrap.seed
    p = unmatched_p(*shares, resamples=resamples, seed=seed, ceiling=ceiling) if is_tested else None
    share = answered_share(first.codes(models), second.codes(models))
    return {"statistic": "gap", **estimate_cells(gap), ANSWERED: share, "p": p, "p_holm": None}
