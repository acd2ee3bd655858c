"""What an import is told, what it finds, and what it had to leave out: the values that pass between its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from hesperus.errors import UnknownNameError, UsageError
from hesperus.records.importers.known_importers import tools

Again = Literal["newest", "repeats", "refuse"]
"""What becomes of a second log of one model, task and language: only the newest counts, each is a repeat, or an error."""

Basis = Literal["given", "log", "benchmark", "siblings", "text", "name"]
"""What the language of a log rests on: what the user said, the log's own configuration, the name of a known benchmark, the
names of the other logs, the text of the items, or a name alone. The last three are guesses."""

GUESSES: tuple[Basis, ...] = ("siblings", "text", "name")

WIDE = ("answer", "reply", "correct")

ROW_KEY = "row"
"""As a key: the number of the row in its split, allowed where gold can be compared in every row."""


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """How logs are read. All that decides the records is a field.

    Attributes:
        tool: lm-eval, inspect, helm, lighteval, promptfoo, every-eval-ever or table (default: told by the files).
        language_from: Where the language is said: `=TAG`, `name:REGEX`, `path:REGEX` (the first group), `field:NAME` or
            `config:NAME` (default: what is known of the tool and benchmark).
        languages: NAME=TAG: the language of a task, or of what a language column holds, e.g. kz=kk.
        key: Field that makes the id of an item, the same in every language; or `row` alone (default: the benchmark's own).
        model: Name of the model, in place of the log's.
        task: Name of the task, in place of the log's.
        columns: COLUMN=FIELD: of a long table, column of the records to column of the table, e.g. item=question_id.
        wide: For a table with a column per language or model: these hold `answer`, `reply`, or `correct` (1 and 0).
        wide_columns: How these columns are named, e.g. '{model}_{language}' (default: told by the names).
        model_from: Where a table's model is said: `name:REGEX` or `path:REGEX` (the first group).
        filter: lm-eval: the filter that counts (default: the first of each task); Inspect: the scorer.
        again: A second log of the same model, task and language: `newest`, `repeats` or `refuse`.
        groups: Field of an item that becomes a column.
        replies: Keep the text that the model wrote.
        texts: Keep what was asked, as far as logs hold it, so that pages and the explorer show the questions.
    """

    tool: str | None = None
    language_from: str | None = None
    key: tuple[str, ...] = ()
    model: str | None = None
    task: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    filter: str | None = None
    again: Again = "newest"
    groups: tuple[str, ...] = ()
    replies: bool = True
    texts: bool = True
    wide: str | None = None
    languages: Mapping[str, str] = field(default_factory=dict)
    wide_columns: str | None = None
    model_from: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings that name nothing.

        Raises:
            UnknownNameError: No such tool, rule for a second log, or content of a wide table.
            UsageError: ``row`` is next to other keys.
        """
        if self.tool is not None and self.tool not in tools():
            raise UnknownNameError("format of logs", self.tool, tools())
        if self.again not in get_args(Again):
            raise UnknownNameError("rule for a second log", self.again, get_args(Again))
        if self.wide not in (None, *WIDE):
            raise UnknownNameError("content of a wide table's columns", str(self.wide), WIDE)
        if ROW_KEY in self.key and len(self.key) > 1:
            raise UsageError(f"--key row stands alone, not with {', '.join(self.key)}")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was not imported.

    Attributes:
        reason: Short and the same for all of a kind.
        count: How many rows (or files, where a whole file cannot be read and its rows are not known: 0).
        place: The log, as the user can find it.
        detail: What was found, and what to do.
        failed: The file should have been read and could not be: it is damaged, locked or of another form.
    """

    reason: str
    count: int
    place: str
    detail: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """The answers of one model to one task in one language, as a tool logged them.

    Attributes:
        tool: Tool that wrote the log.
        place: The file, relative to what the user named.
        model: As the tool names it.
        task: Name without the language.
        language: BCP-47 tag.
        rows: LOG_COLUMNS, then group columns (text).
        by_row: True where the id is only the number of the row, so that gold has to prove it.
        split: Which split of the data was asked, where the log says.
        date: When it was written, sortable text; empty where unknown.
        instruction: Language of the instruction, where it is another.
        own_task: The task's name by the log, where the user gave another.
        name: The tool's task name.
        basis: What the language rests on; None if the log alone does not tell, and `language` is empty.
        evidence: The same for a reader.
        texts: Some texts of its items, to tell the language by.
        known: Whether the task is a known benchmark's.
        given_task: Whether the user named the task.
        from_replies: Whether nobody has read the replies yet: answers are only those that are a label and nothing else.
    """

    tool: str
    place: str
    model: str
    task: str
    language: str
    rows: pl.DataFrame
    by_row: bool = False
    split: str | None = None
    date: str = ""
    instruction: str | None = None
    own_task: str = ""
    name: str = ""
    basis: Basis | None = None
    evidence: str = ""
    texts: tuple[str, ...] = ()
    known: bool = False
    given_task: bool = False
    from_replies: bool = False

    @property
    def cell(self) -> tuple[str, str, str, str]:
        """What makes two logs logs of the same: model, task, instruction, language."""
        return (self.model, self.task, self.instruction or self.language, self.language)


LOG_COLUMNS: dict[str, pl.DataType] = {
    "item": pl.String(),
    "repeat": pl.Int32(),
    "outcome": pl.String(),
    "answer": pl.String(),
    "gold": pl.String(),
    "options": pl.List(pl.String()),
    "probs": pl.List(pl.Float64()),
    "reply": pl.String(),
}
"""Columns of a log's rows: those of the records that differ within a log."""


VERDICT = "verdict"
"""Column of the records in which a log says whether it counted the answer as right; absent where no log says."""


VERDICT_METRICS = (
    "acc", "exact_match", "em", "extractive_match", "quasi_exact_match", "prefix_exact_match", "loglikelihood_acc",
    "is_correct", "correct",
)  # fmt: skip
"""Metrics of lm-evaluation-harness and lighteval that say right or wrong of a row, the first that is there counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Imported:
    """Records made from logs, with an account of everything that did not become one.

    Attributes:
        records: A records table.
        items: The texts of the items (see hesperus.records.importers.asked_texts), or None.
        logs: One row per log: tool, file, model, task, language, rows, split, date, joined_by.
        left_out: What was left out, and why.
        notes: What a reader of the numbers should know.
        settings: How it was read.
    """

    records: pl.DataFrame
    items: pl.DataFrame | None
    logs: tuple[Mapping[str, str | int | None], ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    settings: ImportSettings

    @property
    def failed(self) -> tuple[LeftOut, ...]:
        """The files that could not be read."""
        return tuple(left for left in self.left_out if left.failed)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import.

    Attributes:
        path: Where it is.
        place: Its name for messages: relative to what the user named.
        tool: Tool that wrote the log.
    """

    path: Path
    place: str
    tool: str
