"""Puts logs together: the same item in every language under one id, or left out with the reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from hesperus.errors import DataError, UsageError
from hesperus.records.importers.benchmark_table import benchmarks
from hesperus.records.importers.declared_languages import contradictions
from hesperus.records.importers.import_settings import GUESSES, Again, LeftOut, Log
from hesperus.records.importers.log_names import short_models
from hesperus.records.importers.settling import settle_languages
from hesperus.records.importers.tool_answers import is_text
from hesperus.records.importers.verdicts import disagreements, labelled, placed
from hesperus.records.schema import SCHEMA

_DIFFERENT = 0.2
"""Share of gold labels in which a log may differ from the others before its options are taken to stand otherwise.

A benchmark with four options that were shuffled differs in 75 % of the items, with two in 50 %; the golds of
Global-MMLU differ between languages in 1.4 %.
"""


_GUESSED = {
    "siblings": "the names of the logs",
    "text": "the text of the items",
    "name": "the end of the name",
}


def join_logs(logs: Sequence[Log], again: Again) -> tuple[list[Log], list[LeftOut], list[str]]:
    """Check logs against each other.

    Args:
        logs: All logs of an import.
        again: What becomes of a second log of the same model, task and language.

    Returns:
        The logs that fit together, what was left out, and what a reader should know.

    Raises:
        DataError: There is a second log, and `again` is ``refuse``.
        UsageError: Logs of different tasks, which the user gave one name, have the same items.
    """
    short = short_models(log.model for log in logs)
    logs, left = settle_languages([replace(log, model=short[log.model]) for log in logs])
    kept = [_once(log, left) for log in logs]
    kept = _single(kept, again, left)
    notes: list[str] = [*_guessed(kept), *contradictions(kept)]
    joined: list[Log] = []
    for task, group in _by(kept, "task"):
        fitting = _same_split(task, group, left)
        texts = _open_logs(fitting)
        fitting = [log for log in fitting if not any(log is text for text in texts)]
        fitting = _same_gold(task, fitting, left, notes)
        fitting += labelled(task, _checked_texts(task, texts, left, notes), notes)
        joined += _same_options(fitting, left)
        notes += disagreements(task, fitting)
    for task, group in _by(joined, "task"):
        notes += _coverage(task, group)
        if all(
            log.rows["options"].null_count() == log.rows["gold"].null_count() == len(log.rows)
            for log in group
        ):
            notes.append(
                f"{task}: no options and no gold; answers that are texts of their own are compared by `hesperus evaluate`"
            )
    return joined, left, notes


def _guessed(logs: Sequence[Log]) -> list[str]:
    """Say which languages nobody said."""
    by_basis: dict[str, list[Log]] = defaultdict(list)
    for log in logs:
        if log.basis in GUESSES:
            by_basis[str(log.basis)].append(log)
    return [
        f"language guessed by {_GUESSED[basis]} for {len(many):,} of {len(logs):,} logs, first "
        f"{many[0].place}: {many[0].language} ({many[0].evidence}); each is listed with its evidence"
        for basis, many in by_basis.items()
    ]


def records_of(logs: Iterable[Log]) -> pl.DataFrame:
    """The records table of logs that fit together; columns that only some have are null in the others."""
    frames = [
        log.rows.with_columns(
            model=pl.lit(log.model),
            task=pl.lit(log.task),
            instruction=pl.lit(log.instruction or log.language),
            input=pl.lit(log.language),
        )
        for log in logs
    ]
    if not frames:
        return pl.DataFrame(schema=SCHEMA)
    whole = pl.concat(frames, how="diagonal")
    return whole.select(*SCHEMA, *(name for name in whole.columns if name not in SCHEMA))


def _by(logs: Iterable[Log], name: str) -> list[tuple[str, list[Log]]]:
    groups: dict[str, list[Log]] = defaultdict(list)
    for log in logs:
        groups[getattr(log, name)].append(log)
    return sorted(groups.items())


def _once(log: Log, left: list[LeftOut]) -> Log:
    """A row that is twice counts once; of two that differ, neither is known to be right."""
    rows = log.rows
    unnamed = rows["item"].is_null() | (rows["item"] == "")
    if unnamed.any():
        left.append(LeftOut("no id", int(unnamed.sum()), log.place, "the fields that make the id are empty"))
        rows = rows.filter(~unnamed)
    # Counting items first takes half the time and memory; only where they repeat it matters which repeat it is.
    if rows["item"].n_unique() < len(rows) and rows.select("item", "repeat").is_duplicated().any():
        distinct = rows.unique(["item", "repeat", "outcome", "answer", "gold"], maintain_order=True)
        doubled = distinct.select("item", "repeat").is_duplicated()
        same, other = len(rows) - len(distinct), int(doubled.sum())
        if same:
            left.append(LeftOut("row occurs twice", same, log.place, "the same answer again; counted once"))
        if other:
            item = distinct.filter(doubled)["item"][0]
            detail = f"first {item!r}: the id names rows with different answers; is the key right (--key)?"
            left.append(LeftOut("id occurs twice", other, log.place, detail))
        rows = distinct.filter(~doubled)
    return replace(log, rows=rows)


def _single(logs: list[Log], again: Again, left: list[LeftOut]) -> list[Log]:
    """One log of each model, task and language: logs of other items (subjects) are parts of it."""
    cells: dict[tuple[str, str, str, str], list[Log]] = defaultdict(list)
    for log in logs:
        cells[log.cell].append(log)
    kept: list[Log] = []
    for cell, many in cells.items():
        if _all_apart(many):
            kept += many
            continue
        newest_first = sorted(many, key=lambda log: (log.date, log.place), reverse=True)
        taken: list[Log] = []
        for log in newest_first:
            over = [other for other in taken if _shares_items(log, other)]
            if over and again != "repeats" and log.own_task != over[0].own_task:
                raise UsageError(
                    f"{log.place} and {over[0].place} ask the same items in {log.language!r}, as {log.own_task!r} and as "
                    f"{over[0].own_task!r}: --task gives both one name; import them apart, or without --task"
                )
            if not over:
                taken.append(log)
            elif again == "refuse":
                raise DataError(
                    f"a second log of {' '.join(dict.fromkeys(cell))}: {log.place} and {over[0].place}; "
                    "--again newest takes the newer, --again repeats both"
                )
            elif again == "repeats":
                taken.append(_as_repeat(log, max(_last_repeat(other) for other in over)))
            else:
                detail = f"{over[0].place} is newer; --again repeats takes both"
                left.append(LeftOut("a second log of the same", len(log.rows), log.place, detail))
        kept += taken
    order = {id(log): place for place, log in enumerate(logs)}
    return sorted(kept, key=lambda log: order.get(id(log), len(order)))


def _all_apart(logs: list[Log]) -> bool:
    """Whether no item is in two of the logs, as in those of the subjects of one benchmark."""
    if len(logs) == 1:
        return True
    return not pl.concat([log.rows.select("item", "repeat") for log in logs]).is_duplicated().any()


def _shares_items(log: Log, other: Log) -> bool:
    return not log.rows.join(other.rows, on=["item", "repeat"], how="semi").is_empty()


def _last_repeat(log: Log) -> int:
    return max(log.rows["repeat"].to_list(), default=0)


def _as_repeat(log: Log, after: int) -> Log:
    return replace(log, rows=log.rows.with_columns(repeat=(pl.col("repeat") + after).cast(pl.Int32)))


def _same_split(task: str, logs: list[Log], left: list[LeftOut]) -> list[Log]:
    """Row numbers of different splits say nothing about each other."""
    if not any(log.by_row for log in logs):
        return logs
    rows: dict[str, int] = defaultdict(int)
    for log in logs:
        rows[log.split or ""] += len(log.rows)
    if len(rows) < 2:
        return logs
    kept = max(rows, key=lambda split: (rows[split], split))
    for log in logs:
        if (log.split or "") != kept:
            detail = f"{task} is joined by row: this is split {log.split!r}, the others are {kept!r}"
            left.append(LeftOut("another split", len(log.rows), log.place, detail))
    return [log for log in logs if (log.split or "") == kept]


def _same_gold(task: str, logs: list[Log], left: list[LeftOut], notes: list[str]) -> list[Log]:
    """Gold decides whether logs speak of the same items, with their options in the same order."""
    if not logs:
        return []
    differ = any(benchmark.golds_differ for benchmark in benchmarks() if benchmark.name == task)
    disputed = _disputed(logs)
    kept: list[Log] = []
    mismatched: set[str] = set()
    odd: list[tuple[LeftOut, Log]] = []
    several = len({(log.model, log.language) for log in logs}) > 1
    for log in logs:
        held = log.rows["gold"].count()
        if log.by_row and several and not held:
            detail = "items are joined by row, and there is no gold label to check it; give --key FIELD"
            left.append(LeftOut("row order cannot be checked", len(log.rows), log.place, detail))
            continue
        wrong = (
            log.rows.select("item", "gold")
            .join(disputed, on="item", how="inner", maintain_order="left")
            .filter(pl.col("gold") != pl.col("reference"))
        )
        share = len(wrong) / held if held else 0.0
        found = f"gold differs from the other logs in {len(wrong):,} of {held:,} items"
        if log.by_row and len(wrong):
            item, gold, other = wrong.row(0)
            detail = f"{found}, first in row {item} ({gold}, not {other}): not the same rows; another split, or filtered?"
            left.append(LeftOut("rows do not match", len(log.rows), log.place, detail))
        elif share > _DIFFERENT and len(wrong) > 1 and not differ:
            detail = f"{found}: are its options in another order, or its ids of other items?"
            odd.append((LeftOut("gold differs", len(log.rows), log.place, detail), log))
        else:
            mismatched |= set(wrong["item"])
            kept.append(log)
    fits = list(kept)
    for reason, log in odd:
        own = placed(log, fits, 1.0 - _DIFFERENT)
        if own is None:
            left.append(reason)
            continue
        kept.append(own)
        notes.append(
            f"{task}: the options of {log.place} are words of its own language; an answer has the label of the option in the "
            "same place in the other logs"
        )
    if mismatched:
        notes.append(
            f"{task}: gold differs between logs in {len(mismatched):,} items; each row keeps its own gold"
        )
    return kept


def _open_logs(logs: list[Log]) -> list[Log]:
    """The logs of a task with texts as right answers in place of labels of options, in one language or more (0 and zero)."""
    bare = [
        log for log in logs if log.rows["options"].null_count() == len(log.rows) and log.rows["gold"].count()
    ]
    return bare if any(is_text(log.rows["gold"]) for log in bare) else []


def _checked_texts(task: str, logs: list[Log], left: list[LeftOut], notes: list[str]) -> list[Log]:
    """Gold texts can be compared within a language only."""
    kept: list[Log] = []
    by_language = _by(logs, "language")
    for _, group in by_language:
        for log in _same_gold(task, group, left, notes):
            if log.by_row and len(by_language) > 1:
                detail = "items are joined by row, and gold texts of two languages cannot be compared; give --key FIELD"
                left.append(LeftOut("row order cannot be checked", len(log.rows), log.place, detail))
            else:
                kept.append(log)
    return kept


def _disputed(logs: list[Log]) -> pl.DataFrame:
    """The items with gold that differs between logs, with the label that most logs give.

    A language votes once; English decides a tie, then the first language.
    """
    ranked = sorted(logs, key=lambda log: (log.language != "en", log.language, log.model))
    golds = [log.rows.select("item", "gold").drop_nulls() for log in ranked]
    pairs = pl.concat(golds).unique()
    doubted = pairs.filter(pl.col("item").is_duplicated()).select("item").unique()
    # Only of these, which are few, votes are counted: to count them for all took six times as long.
    votes = pl.concat(
        gold.join(doubted, on="item", how="semi", maintain_order="left")
        .unique("item", keep="first", maintain_order=True)
        .with_columns(rank=pl.lit(place, dtype=pl.Int32), language=pl.lit(log.language))
        for place, (log, gold) in enumerate(zip(ranked, golds, strict=True))
    )
    counted = votes.group_by("item", "gold").agg(pl.col("language").n_unique(), pl.col("rank").min())
    return (
        counted.sort("language", "rank", descending=[True, False])
        .unique("item", keep="first", maintain_order=True)
        .select("item", reference="gold")
    )


def _same_options(logs: list[Log], left: list[LeftOut]) -> list[Log]:
    """An item with two options here and four there is not one item."""
    counts = [log.rows["options"].list.len().drop_nulls().unique() for log in logs]
    if not counts or pl.concat(counts).n_unique() < 2:
        return [log for log in logs if len(log.rows)]
    sizes = [log.rows.select("item", size=pl.col("options").list.len()).drop_nulls().unique() for log in logs]
    usual = (
        pl.concat(sizes)
        .group_by("item", "size")
        .len()
        .sort("len", "size", descending=True)
        .unique("item", keep="first")
    )
    kept = []
    for log in logs:
        rows = log.rows.with_columns(size=pl.col("options").list.len()).join(
            usual.select("item", usual="size"), on="item", how="left", maintain_order="left"
        )
        other = (rows["size"] != rows["usual"]).fill_null(False)
        if other.any():
            row = rows.filter(other).row(0, named=True)
            detail = f"first {row['item']!r}: {row['size']} options, {row['usual']} in other logs"
            left.append(LeftOut("another number of options", int(other.sum()), log.place, detail))
        kept.append(replace(log, rows=log.rows.filter(~other)) if other.any() else log)
    return [log for log in kept if len(log.rows)]


def _coverage(task: str, logs: list[Log]) -> list[str]:
    """Say which languages lack items that others have."""
    groups = _by(logs, "language")
    if len(groups) < 2:
        return []
    items = {language: pl.concat([log.rows["item"] for log in group]).unique() for language, group in groups}
    every = pl.concat(list(items.values()))
    counted = every.value_counts()
    common = counted.filter(pl.col("count") == len(items))
    total = len(counted)
    if len(common) == total:
        return []
    if common.is_empty():
        return [
            f"{task}: no item is in all of {', '.join(items)}; other splits, or a key that differs by language?"
        ]
    lacking = ", ".join(
        f"{language} {total - len(own):,}" for language, own in items.items() if len(own) < total
    )
    return [
        f"{task}: {len(common):,} of {total:,} items are in all {len(items)} languages; lacking: {lacking}"
    ]
