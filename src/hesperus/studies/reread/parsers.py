"""Who reads which row: the parser of its task and instruction, and what it read already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import polars as pl

from hesperus.answers import Reader, number_of, read, reader_for
from hesperus.answers.reader import Form
from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import pack
from hesperus.records import conform
from hesperus.records.reading import records_file
from hesperus.studies.asked.answering import text_reader
from hesperus.studies.evaluating.replies import WHOLE_TEXT
from hesperus.tables import read_table
from hesperus.tasks import task as task_of
from hesperus.tasks.definition import LETTERS
from hesperus.tasks.frames import accepted_of
from hesperus.types import Answer, Finish, Item, Reply

if TYPE_CHECKING:
    from hesperus.tasks import Task


_MOST_WORDS = 12
"""Labels of a task that are read as words; more are texts of their own."""


@dataclass(frozen=True, slots=True)
class Told:
    """How to read a task that no task file describes, as its options and gold tell.

    Attributes:
        form: Kind of answer.
        labels: All labels, in order; None if each row's options are the labels, and for numbers.
    """

    form: Form
    labels: tuple[str, ...] | None = None


def told_by(records: pl.DataFrame) -> dict[str, Told]:
    """Task to how its replies are read, as far as options and gold tell.

    Letters: by each row's options, else up to the last letter that is gold or alone a reply. Numbers: where all gold is. Words: where every
    row has the same few short options, or gold is words that the language packs know (yes and no, …).
    """
    found: dict[str, Told] = {}
    for (task,), part in records.partition_by("task", as_dict=True).items():
        golds, answers = (
            part[name].drop_nulls().unique().to_list() if name in part.columns else []
            for name in ("gold", "answer")
        )
        options = part["options"].drop_nulls() if "options" in part.columns else pl.Series([])
        if (told := _told(golds, answers, {tuple(one) for one in options.to_list() if one})) is not None:
            found[str(task)] = told
    return found


def _told(golds: list[str], answers: list[str], options: set[tuple[str, ...]]) -> Told | None:
    if options:
        if all(map(_lettered, options)):
            return Told("choice")
        labels = next(iter(options)) if len({frozenset(one) for one in options}) == 1 else ()
        is_words = labels and len(labels) <= _MOST_WORDS and all(len(label.split()) <= 3 for label in labels)
        return Told("label", tuple(labels)) if is_words else None
    if golds and all(gold in LETTERS for gold in golds):
        letters = [*golds, *(answer for answer in answers if answer in LETTERS)]
        return Told("choice", tuple(LETTERS[: max(2, *(LETTERS.index(letter) + 1 for letter in letters))]))
    if golds and all(number_of(gold, "en") is not None and not gold.isalpha() for gold in golds):
        return Told("number")
    return (
        Told("label", tuple(sorted(golds))) if golds and set(golds) <= words_of_labels("en").keys() else None
    )


def words_of_labels(language: str) -> Mapping[str, tuple[str, ...]]:
    """The labels that a language's pack has words for: yes, no, entailment, …; empty without a pack."""
    try:
        return pack(language).labels
    except UnknownNameError:
        return {}


_Found = TypeVar("_Found")

RecordKey = tuple[str, str, str, str, str, int]

READ_AGAIN = ("outcome", "answer")
"""What reading decides; what a table says of it beforehand need not be right."""

_NEEDED = ("model", "task", "item", "instruction", "input", "reply")
_ABSENT = {"repeat": 1, "outcome": None, "options": None, "finish": None, "rule": None, "probs": None}
"""Columns that may be absent, and what then holds."""

_FINISHED: Mapping[str, Finish] = {"truncated": "length", "blocked": "filter"}
_FINISHES: Mapping[str, Finish] = {name: name for name in get_args(Finish)}


@dataclass(frozen=True, slots=True)
class Row:
    """The part of a record that reading needs."""

    key: RecordKey
    reply: str | None
    outcome: str | None
    labels: tuple[str, ...] | None
    scored: bool
    whole: bool
    finish: Finish


def read_replies(path: Path | str) -> pl.DataFrame:
    """Read a table of replies to read: a records table in which nothing is read yet, or was read wrongly.

    `outcome` and `answer` may be absent, null, or at odds with each other; the rest must keep the contract of
    records.
    """
    file = records_file(Path(path))
    raw = read_table(file)
    known = [name for name in READ_AGAIN if name in raw.columns]
    before = raw.select(pl.col(name).cast(pl.String()) for name in known)
    bare = raw.drop(known).with_columns(pl.lit(None, dtype=pl.String()).alias("answer"))
    held = conform(bare, file=file).drop("outcome", "answer")
    return held.with_columns(before.get_columns())


def rows_of(records: pl.DataFrame) -> Iterator[Row]:
    """The rows; what the table lacks is null, `repeat` is 1."""
    absent = [name for name in _NEEDED if name not in records.columns]
    if absent:
        raise DataError(
            f"no column {' and no column '.join(map(repr, absent))}; nothing can be read again without"
        )
    whole = records.with_columns(
        pl.lit(value).alias(name) for name, value in _ABSENT.items() if name not in records.columns
    )
    open_tasks = set(whole.filter(pl.col("rule") == WHOLE_TEXT)["task"])
    columns = whole.select(*_NEEDED, "repeat", "outcome", "options", "finish", pl.col("probs").is_not_null())
    for *names, reply, repeat, outcome, options, finish, has_probs in columns.iter_rows():
        model, task, item, instruction, input_ = map(str, names)
        yield Row(
            (model, task, item, instruction, input_, int(repeat or 1)),
            None if reply is None else str(reply),
            None if outcome is None else str(outcome),
            tuple(map(str, options)) if isinstance(options, list) else None,
            has_probs and not reply,
            task in open_tasks,
            _FINISHES.get(str(finish)) or _FINISHED.get(str(outcome), "stop"),
        )


_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*(?![A-Za-z0-9])")


@dataclass(slots=True)
class Readers:
    """Readers by instruction and labels, and what they read already: replies repeat a great deal."""

    preset: str
    task: str | None
    texts: Mapping[Place, tuple[str, ...]]
    accepted: Mapping[Place, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    described: Task | None = None
    told: Mapping[str, Told] = field(default_factory=dict)
    tasks: dict[str, Task | None] = field(default_factory=dict)
    parsers: dict[tuple[str, str, tuple[str, ...] | None], Reader] = field(default_factory=dict)
    answers: dict[tuple[Reader, str, Finish], Answer] = field(default_factory=dict)

    def task_for(self, row: Row) -> Task | None:
        """The task of a row; None if nothing describes it."""
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

    def readable(self, row: Row) -> bool:
        """Whether anything says how to read a row: its task, options that are letters, or the task's options and gold."""
        if self.task_for(row) is not None or row.key[1] in self.told:
            return True
        return row.labels is not None and _lettered(row.labels)

    def parser(self, row: Row, number: int) -> Reader:
        """Who reads a row."""
        task = self.task_for(row)
        told = self.told.get(row.key[1], Told("choice")) if task is None else Told(task.form)
        if told.form == "text":
            return self._text_reader(row, number)
        form, instruction = told.form, row.key[3]
        labels = row.labels or told.labels if form == "choice" else told.labels
        known = (self.task or row.key[1], instruction, labels)
        if known not in self.parsers:
            self.parsers[known] = _reader(task, form, instruction, labels, preset=self.preset, row=number)
        parser = self.parsers[known]
        texts = _at(self.texts, row, row.key[4]) if form == "choice" else None
        fits = texts is not None and (not parser.labels or len(texts) <= len(parser.labels))
        return parser.with_options(texts) if fits else parser

    def _text_reader(self, row: Row, number: int) -> Reader:
        """Who reads free text: by the item's options and by what its language accepts, as a run does."""
        item, instruction, code = row.key[2], row.key[3], row.key[4]
        try:
            language = language_of(instruction)
            spoken = language_of(code)
        except ValueError as error:
            raise DataError(str(error), line=number, field="instruction") from error
        texts = _at(self.texts, row, code)
        labels = row.labels if row.labels and texts and len(row.labels) == len(texts) else texts or ()
        accepted = _at(self.accepted, row, spoken) or {}
        known = Item(item, spoken if texts or accepted else language, {}, None, texts, {}, accepted)
        return text_reader(known, labels, {}, self.preset)

    def read(self, row: Row, number: int) -> Answer:
        """What a row's reply says, which is read once for all rows that hold the same."""
        parser = self.parser(row, number)
        reply = row.reply or ""
        if parser.options is not None:
            return read(parser, Reply(reply, row.finish))
        known = (parser, reply, row.finish)
        if known not in self.answers:
            self.answers[known] = read(parser, Reply(reply, row.finish))
        return self.answers[known]


def language_of(instruction: str) -> str:
    """The language of an instruction's sense code, lenient about what follows it: `de_test1`, `de~test1`, `de_from_en`."""
    match = _LANGUAGE.match(instruction.replace("_", "~", 1))
    if match is None:
        raise ValueError(
            f"{instruction!r} does not begin with a language, as in 'de', 'de_from_en' or 'de~formal'"
        )
    return match[0]


Place = tuple[str, str, str]
"""Task (empty where the items name none), item and language."""


def option_texts(items: pl.DataFrame | None) -> dict[Place, tuple[str, ...]]:
    """Where an item is to the texts of its options; senses that a model made are not in the items."""
    return {
        place: tuple(map(str, options))
        for place, options in _told_in(items, "options")
        if isinstance(options, list) and options and all(text is not None for text in options)
    }


def accepted_texts(items: pl.DataFrame | None) -> dict[Place, Mapping[str, tuple[str, ...]]]:
    """Where an item is to the open answers that the benchmark accepts there; none in runs that do not say."""
    return {place: found for place, cell in _told_in(items, "accepted") if (found := accepted_of(cell))}


def _told_in(items: pl.DataFrame | None, column: str) -> Iterator[tuple[Place, Any]]:
    if items is None or not {"item", "language", column} <= set(items.columns):
        return
    tasks = items["task"].to_list() if "task" in items.columns else [""] * items.height
    columns = (items[name].to_list() for name in ("item", "language", column))
    for task, item, language, cell in zip(tasks, *columns, strict=True):
        yield (str(task), str(item), str(language)), cell


def _at(found: Mapping[Place, _Found], row: Row, language: str) -> _Found | None:
    _, task, item, *_ = row.key
    return found.get((task, item, language), found.get(("", item, language)))


def _lettered(labels: tuple[str, ...]) -> bool:
    return 1 < len(labels) <= len(LETTERS) and labels == tuple(LETTERS[: len(labels)])


def _reader(
    task: Task | None, form: Form, instruction: str, labels: tuple[str, ...] | None, *, preset: str, row: int
) -> Reader:
    try:
        language = language_of(instruction)
        if task is None:
            words = words_of_labels(language) if form == "label" else {}
            answers = {label: (*words.get(label, ()), label) for label in labels or ()}
            return reader_for(form, language, answers=answers, preset=preset)
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
