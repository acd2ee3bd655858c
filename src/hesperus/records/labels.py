"""Labels of a records table: answers and gold that are options of their item, in one spelling; how many there are.

A table written by hand or by another tool may say `a`, `(B)` or `C.` where the options are A to D, and 1, "1" or 1.0
for one number. Labels go through the cleaning that replies go through (`comparable`); what is an option then is that
option, and any other text is refused with counts, since it would count as wrong without being it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

import polars as pl

from hesperus.normalization import comparable, plain_digits

OPEN_RULES = ("own words", "whole text")
"""Rules of answer extraction whose answer is the reply itself: it need not be one of the options."""

MOST_LABELS = 26
"""Most labels of a task that are still a closed set, as many as there are letters; more are free text."""

OPTION_COUNT = "option_count"
"""Column in which a table that is taken apart keeps how many labels its task has, where items list no options."""

VERDICTS = ("right", "wrong")
"""Labels where nothing else is known of the answers; the first is gold."""

SHORT = 40
"""Characters that most texts must not exceed to be answers that one can give in the same words."""

MOSTLY = 0.9

_LABELS = ("answer", "gold")
_LONGEST = 200


def free_texts(frame: pl.DataFrame) -> tuple[str, ...]:
    """The tasks with answers that are texts of their own: they have no label, and to compare them word for word says nothing.

    Args:
        frame: Records in the types of the contract.

    Returns:
        Tasks without options and without gold, in the order of their names, whose replies were taken whole or whose
        answers are mostly longer than SHORT characters.
    """
    closed = (
        frame.lazy().filter(pl.col("options").is_not_null() | pl.col("gold").is_not_null()).select("task")
    )
    tasks = sorted(set(frame["task"].unique()) - set(closed.unique().collect()["task"]))
    if not tasks:
        return ()
    loose = frame.filter(pl.col("task").is_in(tasks))
    whole = pl.lit(False)
    if _has_rules(frame):
        whole = (pl.col("rule") == OPEN_RULES[1]).fill_null(False).any()
    is_long = pl.col("answer").cast(pl.String).str.len_chars() > SHORT
    found = loose.group_by("task").agg((whole | (is_long.mean() > 1 - MOSTLY)).fill_null(False).alias("long"))
    return tuple(sorted(found.filter("long")["task"]))


def _has_rules(records: pl.DataFrame | pl.LazyFrame) -> bool:
    """Whether the records say by which rules answers were read."""
    return records.collect_schema().get("rule") in (pl.String, pl.Categorical)


@lru_cache(maxsize=65536)
def label_key(label: str) -> str:
    """The form in which labels are compared: numbers by value, everything else as free text is.

    >>> label_key("(B)") == label_key("b"), label_key("1.0") == label_key(" 01 "), label_key("-1") == label_key("1")
    (True, True, False)
    """
    form = comparable(label) or label.strip()
    try:
        value = Decimal(plain_digits(form))
    except InvalidOperation:
        return form
    return f"{value.normalize():f}" if value.is_finite() and abs(value.adjusted()) < 40 else form


class Respelt(NamedTuple):
    """A label of a task that counts in the spelling of another, and how many answers and right answers are so written."""

    task: str
    label: str
    spelling: str
    many: int


@dataclass(frozen=True, slots=True)
class TaskLabels:
    """What a whole table says of the labels of its tasks, so that a part of it can be put into the same words.

    Attributes:
        spellings: Labels that count in another spelling, where items list no options.
        open_tasks: Tasks in which a reply itself was the answer.
    """

    spellings: Sequence[Respelt]
    open_tasks: Sequence[str]

    @classmethod
    def of(cls, records: pl.LazyFrame) -> TaskLabels:
        """Read them off records, in memory or on disk.

        Args:
            records: Records in the types of the contract.
        """
        open_tasks: list[str] = []
        loose = records.filter(pl.col("options").is_null())
        if _has_rules(records):
            is_open = pl.col("rule").is_in(OPEN_RULES)
            open_tasks = _collected(records.filter(is_open).select(pl.col("task").unique()))["task"].to_list()
            loose = loose.filter(~pl.col("rule").is_in([OPEN_RULES[1]]).fill_null(False))
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        golds: dict[str, set[str]] = defaultdict(set)
        for name in _LABELS:
            short = loose.filter(pl.col(name) != "", pl.col(name).str.len_chars() <= _LONGEST)
            for task, label, many in _collected(short.group_by("task", name).len()).iter_rows():
                counts[task][label] += many
                if name == "gold":
                    golds[task].add(label)
        return cls(
            [
                Respelt(task, label, spelling, found[label])
                for task, found in counts.items()
                for label, spelling in one_spelling_of(found, golds[task]).items()
            ],
            open_tasks,
        )


def _collected(rows: pl.LazyFrame) -> pl.DataFrame:
    return rows.collect(engine="streaming")


def settled(frame: pl.DataFrame, labels: TaskLabels) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Answers and gold as options of their items, or in one spelling where the items list none.

    Args:
        frame: Records in the types of the contract.
        labels: What the whole table says of its labels.

    Returns:
        The table, and for `answer` and `gold` which rows hold a label that is not one of the row's options.
    """
    strangers: dict[str, pl.Series] = {}
    listed = frame["options"].is_not_null()
    forms = _Forms({}, {})
    for name in _LABELS:
        found = _as_options(frame, name, listed, forms)
        frame = frame.with_columns(found[0])
        strangers[name] = found[1]
    return (frame if listed.all() else _one_spelling(frame, listed, labels.spellings)), strangers


def _as_options(
    frame: pl.DataFrame, name: str, listed: pl.Series, forms: _Forms
) -> tuple[pl.Series, pl.Series]:
    outside = (
        frame.select(
            (pl.col(name).is_not_null() & ~pl.col(name).is_in(pl.col("options"))).fill_null(False)
        ).to_series()
        & listed
    )
    if not outside.any():
        return frame[name], outside
    rows = frame.select(pl.col(name), "options").filter(outside)
    told = [forms.option(label, tuple(options)) for label, options in rows.iter_rows()]
    replaced = pl.Series(name, told, dtype=pl.String)
    whole = frame[name].scatter(outside.arg_true(), replaced.fill_null(rows[name]))
    still = outside.clone()
    missing = pl.Series([label is None for label in told], dtype=pl.Boolean)
    return whole, still.scatter(outside.arg_true(), missing)


@dataclass(frozen=True, slots=True)
class _Forms:
    """The form of each label, and of each list of options, made once: a large file has more than a cache holds.

    Attributes:
        labels: Label to its form.
        options: List of options to its forms, each with the one option that has it; None if several do.
    """

    labels: dict[str, str]
    options: dict[tuple[str, ...], Mapping[str, str | None]]

    def option(self, label: str, options: tuple[str, ...]) -> str | None:
        """The one option that a label is another spelling of; None if it is no spelling of any, or could be two."""
        if label not in self.labels:
            self.labels[label] = label_key(label)
        if options not in self.options:
            forms = [label_key(option) for option in options]
            self.options[options] = {
                form: option if forms.count(form) == 1 else None
                for form, option in zip(forms, options, strict=True)
            }
        return self.options[options].get(self.labels[label])


def _one_spelling(frame: pl.DataFrame, listed: pl.Series, changes: Sequence[Respelt]) -> pl.DataFrame:
    """Where items list no options: of spellings of one label within a task, that of gold, else the most frequent."""
    if not changes:
        return frame
    tasks, labels, spellings, _ = zip(*changes, strict=True)
    for name in _LABELS:
        table = pl.DataFrame(
            {"task": tasks, name: labels, "spelling": spellings}, schema_overrides={name: pl.String}
        )
        joined = frame.select("task", name).join(table, on=["task", name], how="left", maintain_order="left")
        wanted = (
            pl.when(pl.Series(listed)).then(pl.col(name)).otherwise(pl.coalesce(joined["spelling"], name))
        )
        frame = frame.with_columns(wanted.alias(name))
    return frame


def one_spelling_of(found: Counter[str], golds: Iterable[str]) -> dict[str, str]:
    """Label to the spelling that represents it, for those labels that change."""
    groups: dict[str, list[str]] = defaultdict(list)
    for label in found:
        groups[label_key(label)].append(label)
    right = set(golds)
    return {
        label: best
        for labels in groups.values()
        for best in [min(labels, key=lambda label: (label not in right, -found[label], len(label), label))]
        for label in labels
        if label != best
    }


def label_counts(frame: pl.DataFrame) -> dict[str, int]:
    """Task to the number of its labels, of those rows that list no options; 0 where they are no closed set.

    Args:
        frame: The whole table, before anything is filtered or grouped.
    """
    loose = frame.filter(pl.col("options").is_null())
    if loose.is_empty():
        return {}
    parts = [frame.select("task", label=name).drop_nulls().unique() for name in _LABELS]
    if loose.height < frame.height:
        listed = frame.select("task", label="options").drop_nulls().unique()
        parts.append(listed.explode("label", empty_as_null=False).drop_nulls())
    found = dict(pl.concat(parts).unique().group_by("task").len().iter_rows())
    open_tasks: set[str] = set()
    if _has_rules(loose):
        open_tasks = set(loose.filter(pl.col("rule").is_in(OPEN_RULES).fill_null(False))["task"].unique())
    return {
        task: 0 if many > MOST_LABELS or task in open_tasks else max(2, many)
        for task, many in ((task, found.get(task, 0)) for task in loose["task"].unique().to_list())
    }


def with_option_counts(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with how many labels its tasks have, where items list no options, before it is taken apart."""
    if OPTION_COUNT in frame.columns or not frame.select(pl.col("options").null_count()).item():
        return frame
    counts = label_counts(frame)
    return frame.with_columns(
        pl.when(pl.col("options").is_null())
        .then(pl.col("task").replace_strict(counts, default=0, return_dtype=pl.Int32))
        .alias(OPTION_COUNT)
    )
