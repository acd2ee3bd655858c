"""Reads every reply of a table again, and counts what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from hesperus.answers import Overrides, reply_hash
from hesperus.errors import UnknownNameError
from hesperus.languages import language_asked, reply_language
from hesperus.studies.reread.parsers import (
    READ_AGAIN,
    Readers,
    RecordKey,
    Row,
    Told,
    accepted_texts,
    option_texts,
    rows_of,
    told_by,
)
from hesperus.tasks import tasks
from hesperus.types import Answer

if TYPE_CHECKING:
    from hesperus.tasks import Task


@dataclass(frozen=True, slots=True)
class RereadCounts:
    """What reading again did.

    Attributes:
        rows: Rows of the table.
        without_reply: Rows that hold no reply and no probabilities; they are as they were.
        scored: Rows answered by the options' probabilities; they too are as they were.
        whole: Rows of tasks with open answers, where the whole reply is the answer; they too.
        undescribed: Name of a task that no task file describes to its rows that could not be read for it; they too.
        before: Outcome to rows, as the table had it; rows without an outcome are not counted.
        after: Outcome to rows, as it is now.
        changed: Outcome as it is now to rows with another outcome or answer than before.
        overridden: Rows corrected by hand.
        stale: Lines of overrides with a reply that has changed; not applied.
        unmatched: Lines of overrides with a record that is not in the table.
        read: Which rows were read again, [rows]; all others are as they were.
    """

    rows: int
    without_reply: int
    scored: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    changed: Mapping[str, int]
    overridden: int = 0
    stale: tuple[int, ...] = ()
    unmatched: tuple[int, ...] = ()
    whole: int = 0
    undescribed: Mapping[str, int] = field(default_factory=dict)
    read: pl.Series = field(default_factory=pl.Series, compare=False, repr=False)


def reread(
    records: pl.DataFrame,
    *,
    task: str | None = None,
    overrides: Overrides | None = None,
    parser: str = "default",
    items: pl.DataFrame | None = None,
    described: Task | None = None,
) -> tuple[pl.DataFrame, RereadCounts]:
    """Read the column `reply` of every row again.

    Args:
        records: A records table. `outcome` and `answer` may be absent; an earlier outcome `truncated` or `blocked`, or
            a column `finish`, tells how the reply ended.
        task: Task with the labels and words of every row; None takes each row's own. Where no task file describes
            that, options and gold do as far as they tell (see told_by), and other rows are left as they are.
        overrides: Corrections by hand; they win over the parser where the reply is the one that was reviewed.
        parser: How replies are read (see hesperus.answers.PRESETS).
        items: The run's items, for choices answered by the text of an option.
        described: A task of one's own, for rows that bear its name (the catalogue does not know it).

    Returns:
        The table with `outcome`, `answer`, `rule` and `reply_language` written anew, everything else as it was; and what changed.

    Raises:
        DataError: An instruction is no sense code, the task has no words in its language, or an override names a
            label that the task does not have.
        UnknownNameError: No such task or parser; or nothing describes how to read any reply.
    """
    rows = list(rows_of(records))
    parsers = Readers(
        parser, task, option_texts(items), accepted_texts(items), described=described, told=told_by(records)
    )
    answers: list[Answer | None] = []
    used: set[RecordKey] = set()
    undescribed: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        by_hand = overrides.answer(row.key, row.reply) if overrides and row.reply is not None else None
        if by_hand is not None:
            answers.append(by_hand)
            used.add(row.key)
        elif row.reply is None or row.scored or row.whole:
            answers.append(None)
        elif not parsers.readable(row):
            answers.append(None)
            undescribed[row.key[1]] += 1
        else:
            answers.append(parsers.read(row, number))
    if overrides is not None:
        _check_overrides(overrides, rows, parsers)
    if undescribed and all(answer is None for answer in answers):
        raise UnknownNameError(
            "task", next(iter(undescribed)), tasks(), "--task NAME or FILE says how these replies are read"
        )
    written = _write(records, answers)
    read = pl.Series([answer is not None for answer in answers], dtype=pl.Boolean)
    counts = _count(records, written, rows, overrides, used)
    return written, replace(counts, undescribed=dict(undescribed), read=read)


def read_imported(records: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Read the replies of imported records that nobody has read yet (see hesperus.records.importers.ReplyParser).

    Tasks that neither a task file nor their options and gold describe stay as they are.
    """
    told = told_by(records)
    known = [name for name in records["task"].unique(maintain_order=True) if name in told or name in tasks()]
    # Other outcomes are those that the log itself gave, or of replies without a word.
    unread = pl.col("task").is_in(known) & pl.col("outcome").is_in(["answered", "invalid"])
    if records.filter(unread).is_empty():
        return records, []
    written, _ = reread(records.filter(unread))
    notes = [_read_by(name, part, told.get(name)) for name in known if len(part := written.filter(task=name))]
    return pl.concat([written, records.filter(~unread)], how="diagonal"), notes


def _read_by(task: str, records: pl.DataFrame, told: Told | None) -> str:
    answered = int((records["outcome"] == "answered").sum())
    read = f"{task}: replies read by hesperus's own parser, {answered:,} of {len(records):,} answered"
    if told is None or told.labels is None:
        return read
    names = ", ".join(told.labels) if told.form == "label" else f"{told.labels[0]} to {told.labels[-1]}"
    return f"{read}; the labels are {names}"


def _check_overrides(overrides: Overrides, rows: list[Row], parsers: Readers) -> None:
    for name, row in {row.key[1]: row for row in rows}.items():
        if name in {key[1] for key in overrides.by_key}:
            known = parsers.task_for(row)
            labels = known.labels if known is not None else row.labels or ()
            if labels:
                overrides.check_labels(name, labels)


def _write(records: pl.DataFrame, answers: list[Answer | None]) -> pl.DataFrame:
    height = len(answers)

    def old(name: str) -> list[object]:
        return records[name].to_list() if name in records.columns else [None] * height

    read = {"outcome": "outcome", "answer": "label", "rule": "rule"}
    merged = {
        name: [
            was if new is None else getattr(new, place) for was, new in zip(old(name), answers, strict=True)
        ]
        for name, place in read.items()
    }
    merged["reply_language"] = [
        reply_language(None if reply is None else str(reply), language_asked(str(instruction)))
        for reply, instruction in zip(old("reply"), old("instruction"), strict=True)
    ]
    return records.with_columns(pl.Series(name, values, dtype=pl.String()) for name, values in merged.items())


def _count(
    records: pl.DataFrame,
    written: pl.DataFrame,
    rows: list[Row],
    overrides: Overrides | None,
    used: set[RecordKey],
) -> RereadCounts:
    def pairs(frame: pl.DataFrame) -> list[tuple[object, object]]:
        columns = (frame[n].to_list() if n in frame.columns else [None] * len(rows) for n in READ_AGAIN)
        return list(zip(*columns, strict=True))

    old, new = pairs(records), pairs(written)
    replies = {row.key: row.reply for row in rows}
    by_key = overrides.by_key if overrides is not None else {}
    stale = [
        override.line
        for key, override in by_key.items()
        if key in replies and key not in used and reply_hash(replies[key] or "") != override.reply_hash
    ]
    return RereadCounts(
        rows=len(rows),
        without_reply=sum(row.reply is None and not row.scored for row in rows),
        scored=sum(row.scored for row in rows),
        whole=sum(row.whole and row.reply is not None for row in rows),
        before=Counter(str(outcome) for outcome, _ in old if outcome is not None),
        after=Counter(str(outcome) for outcome, _ in new if outcome is not None),
        changed=Counter(str(now[0]) for was, now in zip(old, new, strict=True) if was != now),
        overridden=len(used),
        stale=tuple(sorted(stale)),
        unmatched=tuple(sorted(override.line for key, override in by_key.items() if key not in replies)),
    )
