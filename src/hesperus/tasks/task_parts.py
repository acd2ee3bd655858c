"""The parts of a task that its file names: where its data lie, which column holds what, how gold and ids are read.

They are read from the file as they are: what is no key of theirs is refused (see hesperus.tasks.taskfile).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from hesperus.errors import UnknownNameError
from hesperus.languages import language as look_up
from hesperus.languages import normalise

T = TypeVar("T")

_STRICT = ConfigDict(extra="forbid")
"""How a part is read from a file."""


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Words for a label, or values of a column; one alone needs no list."""

Column = Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)]
"""A column of the data, under each of the names that it may have; the first that is there counts.

``{language}`` represents the benchmark's own code of the language. Dots step into nested values: ``q.{language}.0`` is
the first element of the list that the mapping ``q`` holds for the language, ``q.{language}.1:`` all that follow it, and
``choices.text`` the ``text`` of each mapping in the list ``choices``. They go into JSON that a cell holds as text, too.
"""


def by_tag(by_language: Mapping[str, T]) -> dict[str, T]:
    """What there is for each language, by the usual form of its tag."""
    return {normalise(tag): value for tag, value in by_language.items()}


def serving(language: str) -> tuple[str, ...]:
    """Tags whose data or instruction can serve a language, all in its script, the nearest first."""
    tag = normalise(language)
    script = look_up(tag).script
    base = tag.split("-")[0]
    near = dict.fromkeys((tag, normalise(f"{base}-{script}"), base))
    return tuple(name for name in near if look_up(name).script == script)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the data of a task lie.

    Attributes:
        languages: BCP-47 tag to the benchmark's own code; empty where codes are tags.
        hub: Data set id on the Hugging Face hub.
        revision: Commit of the hub's repository.
        revision_note: Why there is no revision, if absent.
        config: Configuration, usually ``{language}``; or several that together make one language's data.
        config_column: Column that holds the configuration of each row, if there are several.
        split: Split.
        files: File in the hub's repository, for those that hold plain files.
        builtin: Name of a set of items that comes with hesperus.
        form: Its form.
        language_column: Column that tells the language, where one table holds several.
        where: Column to the values of the rows that are items; other rows are counted, not read.
        header: Column names, where the files have none.
        quoted: Whether a TSV file quotes its values; None goes by the ending (CSV does, TSV does not).
        obtain: How a person gets the data, where no hub has them.
    """

    __pydantic_config__ = _STRICT

    languages: Annotated[Mapping[str, str], AfterValidator(by_tag)] = field(default_factory=dict)
    hub: str | None = None
    revision: str | None = None
    revision_note: str = ""
    config: Column = ()
    config_column: str | None = None
    split: str | None = None
    files: str | None = None
    builtin: str | None = None
    form: str = ""
    language_column: str | None = None
    where: Mapping[str, Words] = field(default_factory=dict)
    header: tuple[str, ...] | None = None
    quoted: bool | None = None
    obtain: str = ""

    def __post_init__(self) -> None:
        if self.hub and not self.revision and not self.revision_note:
            raise ValueError(
                "a hub data set needs its revision (a commit), or a revision_note that says why there is none"
            )
        if self.revision in ("main", "master", "HEAD"):
            raise ValueError(f"revision {self.revision!r} moves; give the commit")
        if self.is_configured != (self.config_column is not None):
            raise ValueError(
                "several configurations (config: [a, b]) and config_column, the column that is to hold them, go together"
            )

    @property
    def is_configured(self) -> bool:
        """Whether several configurations together make the data of a language."""
        return len(self.config) > 1

    def code(self, language: str) -> str:
        """The benchmark's own code of a language: that of ``zh`` for ``zh-CN``, and that of ``zh-Hant`` for ``zh-TW``.

        Raises:
            UnknownNameError: The source lists its languages, and it is not one of them.
        """
        tag = normalise(language)
        if not self.languages:
            return tag
        for candidate in serving(tag):
            if candidate in self.languages:
                return self.languages[candidate]
        raise UnknownNameError("language of this task's data", tag, self.languages)


@dataclass(frozen=True, slots=True)
class Options:
    """Where the options of an item are; in a file, a bare list means columns.

    Attributes:
        columns: A column for each option.
        column: The one column that holds them all, in place of these.
        separator: What parts the options, where they lie in one text.
        at_least: Fewest options of an item: the last options may be empty, down to this many. None if every option
            must be there.
        lettered: Whether the texts of the options begin with their own letter or number, which is taken off.
        shuffled: Whether options get a fixed order of their own (by item, the same in every language).
    """

    __pydantic_config__ = _STRICT

    columns: tuple[Column, ...] = ()
    column: Column | None = None
    separator: str | None = None
    at_least: Annotated[int, Field(ge=2)] | None = None
    lettered: bool = False
    shuffled: bool = False

    def __post_init__(self) -> None:
        if bool(self.columns) == (self.column is not None):
            raise ValueError("give either columns (one for each option) or column (one that holds them all)")

    @property
    def every(self) -> tuple[Column, ...]:
        """All columns that hold options."""
        return self.columns if self.column is None else (self.column,)


def _of_options(value: object) -> object:
    if isinstance(value, str):
        raise ValueError(
            "write a list of columns, one an option, or {column: NAME} for one that holds them all"
        )
    return {"columns": value} if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what.

    Attributes:
        fields: Field of the item to its column, in the order in which the task asks them.
        gold: Column of the right answer; None if absent.
        options: Where the options are; None if the task has none.
        aliases: Column of further texts that count as the right answer; None if absent.
        groups: Group of the item to its column.
    """

    __pydantic_config__ = _STRICT

    fields: Mapping[str, Column] = field(default_factory=dict)
    gold: Column | None = None
    options: Annotated[Options | None, BeforeValidator(_of_options)] = None
    aliases: Column | None = None
    groups: Mapping[str, Column] = field(default_factory=dict)


Sharing = Literal["yes", "unchanged", "non-commercial", "no", "unknown"]
"""Whether the texts of a benchmark may be given to others: yes; unchanged only, so no translations; for non-commercial
purposes only; no; or not known."""

GoldAcross = Literal["shared", "error", "per_language"]
GoldReading = Literal["label", "letter", "position0", "position1", "option", "number", "text"]


@dataclass(frozen=True, slots=True)
class Gold:
    """How the gold column is read.

    Attributes:
        read: As a label (through ``labels``), a letter, the position of an option counted from 0 or 1, the text of an
            option, a number, or text as it is.
        labels: Value in the data to label; for letters, values that represent one, such as ``1`` for ``A``.
        separator: What parts several accepted answers, where they lie in one text.
        unanswered: Values that say that the item has no right answer; such items are left out and listed.
        only_numbers: Whether items whose answer is no plain number (a fraction, a formula) are left out and listed; else such a
            value is an error.
        across: ``shared``: languages share the gold label, and an item on which it differs is left out and listed.
            ``error``: they share it, and a difference is an error because rows do not match. ``per_language``: each
            has its own; a label is kept as it is, a text is one spelling of an answer whose label is the same word in
            every language. None goes by the task (see Task.gold_across).
    """

    __pydantic_config__ = _STRICT

    read: GoldReading = "label"
    labels: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    unanswered: Words = ()
    only_numbers: bool = False
    across: GoldAcross | None = None

    def __post_init__(self) -> None:
        if self.only_numbers and self.read != "number":
            raise ValueError(f"only_numbers needs read: number; it is {self.read}")


@dataclass(frozen=True, slots=True)
class Key:
    """What makes an item the same item in every language.

    Attributes:
        columns: Columns that make the id, joined by ``/``.
        row: Whether the row's number, counted from 0 among the rows with the same values in ``columns``, is part of the
            id; it is all of it if there are no columns.
        normalised: Those of the columns that are compared in lower case with ``_`` for blanks.
        without: Text that is cut out of the value of the first column, where it must be exactly once;
            ``{language}`` is the code, ``{tag}`` the BCP-47 tag.
        parallel: Whether the languages hold the same items at all.
    """

    __pydantic_config__ = _STRICT

    columns: tuple[Column, ...] = ()
    row: bool = False
    normalised: tuple[str, ...] = ()
    without: Annotated[str, Field(min_length=1)] | None = None
    parallel: bool = True

    def __post_init__(self) -> None:
        if not self.columns and not self.row:
            raise ValueError("give columns, or `row: true` where the data have nothing else")
        if self.without is not None and not self.columns:
            raise ValueError("without is cut out of the first of columns, and there are none")

    @property
    def counts_rows(self) -> bool:
        """Whether an id rests on the number of a row, so that files must match row by row."""
        return self.row or not self.columns


@dataclass(frozen=True, slots=True)
class Fault:
    """An item of the published data that is known to be wrong.

    Attributes:
        item: Id, where ``*`` represents anything.
        language: BCP-47 tag.
        reason: What is wrong with it.
    """

    __pydantic_config__ = _STRICT

    item: str
    language: Annotated[str, AfterValidator(normalise)]
    reason: str
