"""Reads stored replies again: another reader, better packs, corrections by hand. Asks nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from hesperus.answers import Overrides, Reader, read, reader_for, reply_hash
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import conform
from hesperus.studies.evaluating.reading import WHOLE_TEXT
from hesperus.tasks import task as task_of
from hesperus.tasks import tasks
from hesperus.tasks.definition import LETTERS
from hesperus.types import Answer, Finish, Reply

if TYPE_CHECKING:
    from hesperus.tasks import Task

RecordKey = tuple[str, str, str, str, str, int]

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*(?![A-Za-z0-9])")
_FINISHED: Mapping[str, Finish] = {"truncated": "length", "blocked": "filter"}
_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "filter": "filter",
    "unknown": "unknown",
}
_TEXT = pl.String()
_READ_AGAIN = ("outcome", "answer")


@dataclass(frozen=True, slots=True)
class RereadCounts:
    """What reading again did.

    Attributes:
        rows: Rows of the table.
        without_reply: Rows that hold no reply; they are as they were.
        scored: Rows answered by the options' probabilities; they too are as they were.
        whole: Rows of tasks with open answers, where the whole reply is the answer; they too.
        undescribed: Name of a task that no task file describes to its rows that could not be read for it; they too.
        before: Outcome to rows, as the table had it; rows without an outcome are not counted.
        after: Outcome to rows, as it is now.
        changed: Outcome as it is now to rows whose outcome or answer is another than before.
        overridden: Rows corrected by hand.
        stale: Lines of overrides whose reply has changed; not applied.
        unmatched: Lines of overrides whose record is not in the table.
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


@dataclass(frozen=True, slots=True)
class _Row:
    """The part of a record that reading needs."""

    key: RecordKey
    reply: str | None
    outcome: str | None
    labels: tuple[str, ...] | None
    scored: bool
    whole: bool
    finish: Finish


@dataclass(slots=True)
class _Readers:
    """Readers by instruction and labels, and what they read already: replies repeat a great deal."""

    preset: str
    task: str | None
    texts: Mapping[tuple[str, str], tuple[str, ...]]
    described: Task | None = None
    tasks: dict[str, Task | None] = field(default_factory=dict)
    readers: dict[tuple[str, str, tuple[str, ...] | None], Reader] = field(default_factory=dict)
    answers: dict[tuple[Reader, str, Finish], Answer] = field(default_factory=dict)

    def task_for(self, row: _Row) -> Task | None:
        """The task of a row; None where nothing describes it.

        Raises:
            UnknownNameError: The task that the caller named does not exist.
        """
        name = self.task or row.key[1]
        if name not in self.tasks:
            if self.task is None and self.described is not None and self.described.name == name:
                self.tasks[name] = self.described
            else:
                try:
                    self.tasks[name] = task_of(name)
                except UnknownNameError:
                    if self.task is not None:
                        raise
                    self.tasks[name] = None
        return self.tasks[name]

    def readable(self, row: _Row) -> bool:
        """Whether anything says how to read a row: its task, or options that are letters."""
        return self.task_for(row) is not None or (row.labels is not None and _lettered(row.labels))

    def reader(self, row: _Row, number: int) -> Reader:
        task = self.task_for(row)
        form = task.form if task is not None else "choice"
        instruction = row.key[3]
        labels = row.labels if form == "choice" else None
        known = (self.task or row.key[1], instruction, labels)
        if known not in self.readers:
            self.readers[known] = _reader(task, instruction, labels, preset=self.preset, row=number)
        reader = self.readers[known]
        texts = self.texts.get((row.key[2], row.key[4])) if form in ("choice", "text") else None
        fits = texts is not None and (not reader.labels or len(texts) <= len(reader.labels))
        return reader.with_options(texts) if fits else reader

    def read(self, row: _Row, number: int) -> Answer:
        reader = self.reader(row, number)
        reply = row.reply or ""
        if reader.options is not None:
            return read(reader, Reply(reply, row.finish))
        known = (reader, reply, row.finish)
        if known not in self.answers:
            self.answers[known] = read(reader, Reply(reply, row.finish))
        return self.answers[known]


def language_of(instruction: str) -> str:
    """The language of an instruction's sense code, lenient about what follows it: `de_test1`, `de~test1`, `de_from_en`.

    Raises:
        ValueError: The code does not begin with a language tag.
    """
    match = _LANGUAGE.match(instruction.replace("_", "~", 1))
    if match is None:
        raise ValueError(
            f"{instruction!r} does not begin with a language, as in 'de', 'de_from_en' or 'de~formal'"
        )
    return match[0]


def reread(
    records: pl.DataFrame,
    *,
    task: str | None = None,
    overrides: Overrides | None = None,
    reader: str = "default",
    items: pl.DataFrame | None = None,
    described: Task | None = None,
) -> tuple[pl.DataFrame, RereadCounts]:
    """Read the column `reply` of every row again.

    Args:
        records: A records table. `outcome` and `answer` may be absent; an earlier outcome `truncated` or `blocked`, or
            a column `finish`, tells how the reply ended.
        task: Task by whose labels and words every row is read; None takes each row's own. Where no task file describes
            that, a row whose options are letters is read as a lettered choice, and others are left as they are.
        overrides: Corrections by hand; they win over the reader where the reply is the one that was reviewed.
        reader: Preset of the reader (see hesperus.answers.PRESETS).
        items: The run's items, for choices answered by the text of an option.
        described: A task of one's own, for rows that bear its name (the catalogue does not know it).

    Returns:
        The table with `outcome`, `answer` and `rule` written anew, everything else as it was; and what changed.

    Raises:
        DataError: An instruction is no sense code, the task has no words in its language, or an override names a
            label that the task does not have.
        UnknownNameError: No such task or reader; or nothing describes how to read any reply.
    """
    rows = list(_rows(records))
    readers = _Readers(reader, task, _option_texts(items), described)
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
        elif not readers.readable(row):
            answers.append(None)
            undescribed[row.key[1]] += 1
        else:
            answers.append(readers.read(row, number))
    if overrides is not None:
        _check_overrides(overrides, rows, readers)
    if undescribed and all(answer is None for answer in answers):
        raise UnknownNameError(
            "task", next(iter(undescribed)), tasks(), "--task NAME or FILE says how these replies are read"
        )
    written = _write(records, answers)
    return written, replace(_count(records, written, rows, overrides, used), undescribed=dict(undescribed))


def _check_overrides(overrides: Overrides, rows: list[_Row], readers: _Readers) -> None:
    for name, row in {row.key[1]: row for row in rows}.items():
        if name in {key[1] for key in overrides.by_key}:
            known = readers.task_for(row)
            labels = known.labels if known is not None else row.labels or ()
            if labels:
                overrides.check_labels(name, labels)


def _rows(records: pl.DataFrame) -> Iterator[_Row]:
    """The rows; what the table lacks is None, `repeat` is 1."""
    height = records.height
    absent = [
        name
        for name in ("model", "task", "item", "instruction", "input", "reply")
        if name not in records.columns
    ]
    if absent:
        raise DataError(
            f"no column {' and no column '.join(map(repr, absent))}; nothing can be read again without"
        )

    def column(name: str, default: object = None) -> list[object]:
        return records[name].to_list() if name in records.columns else [default] * height

    keys = zip(
        *(map(str, column(name)) for name in ("model", "task", "item", "instruction", "input")), strict=True
    )
    scored = records["probs"].is_not_null().to_list() if "probs" in records.columns else [False] * height
    rules = zip(column("task"), column("rule"), strict=True)
    open_tasks = {str(task) for task, rule in rules if rule == WHOLE_TEXT}
    rest = zip(
        column("repeat", 1),
        column("reply"),
        column("outcome"),
        column("options"),
        column("finish"),
        scored,
        strict=True,
    )
    for key, (repeat, reply, outcome, options, finish, has_probs) in zip(keys, rest, strict=True):
        text = None if reply is None else str(reply)
        ended = _FINISHES.get(str(finish)) or _FINISHED.get(str(outcome), "stop")
        labels = tuple(map(str, options)) if isinstance(options, list) else None
        model, task, item, instruction, input_ = key
        place = (model, task, item, instruction, input_, int(str(repeat or 1)))
        yield _Row(
            place,
            text,
            None if outcome is None else str(outcome),
            labels,
            bool(has_probs) and not text,
            task in open_tasks,
            ended,
        )


def _option_texts(items: pl.DataFrame | None) -> dict[tuple[str, str], tuple[str, ...]]:
    """Item and language to the texts of its options; senses that a model made are not in the items."""
    if items is None or not {"item", "language", "options"} <= set(items.columns):
        return {}
    columns = (items[name].to_list() for name in ("item", "language", "options"))
    return {
        (str(item), str(language)): tuple(map(str, options))
        for item, language, options in zip(*columns, strict=True)
        if isinstance(options, list) and options and all(text is not None for text in options)
    }


def _lettered(labels: tuple[str, ...]) -> bool:
    return 1 < len(labels) <= len(LETTERS) and labels == tuple(LETTERS[: len(labels)])


def _reader(
    task: Task | None, instruction: str, labels: tuple[str, ...] | None, *, preset: str, row: int
) -> Reader:
    try:
        language = language_of(instruction)
        if task is None:
            return reader_for(
                "choice", language, answers={label: (label,) for label in labels or ()}, preset=preset
            )
        answers = _answers(task, language)
        if labels is not None:
            answers = {label: answers.get(label, (label,)) for label in labels}
        return reader_for(task.form, language, answers=answers, preset=preset)
    except ValueError as error:
        raise DataError(str(error), line=row, field="instruction") from error


def _answers(task: Task, language: str) -> dict[str, tuple[str, ...]]:
    """The words of each label: the task's own instruction in the language, then the language's pack.

    Letters hold in every language, so that a translated instruction needs no words of its own.
    """
    known = task.answer_words(language)
    try:
        written: Mapping[str, tuple[str, ...]] = task.instruction(language).answers
    except UnknownNameError:
        written = {}
    found = {label: tuple(written.get(label, ()) or known.get(label, ())) for label in task.labels}
    if all(found.values()):
        return found
    for other in task.instructions.values():
        words = [other.answers.get(label, ()) for label in task.labels]
        if all(words) and all(len(word) == 1 and word.isascii() for each in words for word in each):
            return dict(zip(task.labels, words, strict=True))
    lacking = ", ".join(label for label, words in found.items() if not words)
    raise DataError(
        f"the task {task.name!r} has no words for {lacking} in the language {language!r}; write an instruction in that "
        "language into a task file of your own"
    )


def _write(records: pl.DataFrame, answers: list[Answer | None]) -> pl.DataFrame:
    height = len(answers)

    def old(name: str) -> list[object]:
        return records[name].to_list() if name in records.columns else [None] * height

    merged = {
        "outcome": [
            was if new is None else new.outcome for was, new in zip(old("outcome"), answers, strict=True)
        ],
        "answer": [
            was if new is None else new.label for was, new in zip(old("answer"), answers, strict=True)
        ],
        "rule": [was if new is None else new.rule for was, new in zip(old("rule"), answers, strict=True)],
    }
    return records.with_columns(pl.Series(name, values, dtype=_TEXT) for name, values in merged.items())


def _count(
    records: pl.DataFrame,
    written: pl.DataFrame,
    rows: list[_Row],
    overrides: Overrides | None,
    used: set[RecordKey],
) -> RereadCounts:
    def pairs(frame: pl.DataFrame) -> list[tuple[object, object]]:
        columns = (frame[n].to_list() if n in frame.columns else [None] * len(rows) for n in _READ_AGAIN)
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
        without_reply=sum(row.reply is None for row in rows),
        scored=sum(row.scored and row.reply is not None for row in rows),
        whole=sum(row.whole and row.reply is not None for row in rows),
        before=Counter(str(outcome) for outcome, _ in old if outcome is not None),
        after=Counter(str(outcome) for outcome, _ in new if outcome is not None),
        changed=Counter(str(now[0]) for was, now in zip(old, new, strict=True) if was != now),
        overridden=len(used),
        stale=tuple(sorted(stale)),
        unmatched=tuple(sorted(override.line for key, override in by_key.items() if key not in replies)),
    )


def read_replies(path: Path | str) -> pl.DataFrame:
    """Read a table whose replies are to be read: a records table in which nothing is read yet, or was read wrongly.

    Args:
        path: Run folder, or Parquet, CSV, TSV or JSON lines. `outcome` and `answer` may be absent, null, or at odds
            with each other; the rest must keep the contract of records.

    Raises:
        UsageError: No such file, or its ending is not known.
        DataError: The file cannot be read or breaks the contract.
    """
    file = Path(path) / "records.parquet" if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: no such records file or run folder")
    try:
        raw = _raw(file)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {(str(error).splitlines() or ['?'])[0]}", file=file) from error
    known = [name for name in _READ_AGAIN if name in raw.columns]
    before = raw.select(pl.col(name).cast(_TEXT) for name in known)
    bare = raw.drop(known).with_columns(pl.lit(None, dtype=_TEXT).alias("answer"))
    held = conform(bare, file=file).drop("outcome", "answer")
    return held.with_columns(before.get_columns())


def _raw(file: Path) -> pl.DataFrame:
    kind = file.suffix.lower()
    if kind in (".parquet", ".pq"):
        return pl.read_parquet(file)
    if kind in (".jsonl", ".ndjson"):
        return pl.read_ndjson(file, infer_schema_length=None)
    if kind in (".csv", ".tsv"):
        return pl.read_csv(file, separator="\t" if kind == ".tsv" else ",", infer_schema_length=0)
    raise UsageError(f"{file}: not a records file; expected a run folder, .parquet, .csv, .tsv or .jsonl")
