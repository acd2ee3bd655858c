"""What a task is: where its items lie, what they look like, and how a model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hesperus.errors import UnknownNameError
from hesperus.languages import normalise, pack
from hesperus.types import Instruction

Form = Literal["label", "choice", "text", "number"]
"""What an answer is: one of the task's fixed labels, the letter of an option, free text, or a number."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Column = tuple[str, ...]
"""A column of the data, under each of the names that it may have; the first that is there counts.

``{language}`` stands for the benchmark's own code of the language. Dots step into nested values: ``q.{language}.0`` is
the first element of the list that the mapping ``q`` holds for the language, ``q.{language}.1:`` all that follow it.
"""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the data of a task lie.

    Attributes:
        languages: BCP-47 tag to the benchmark's own code; empty where codes are tags.
        hub: Data set id on the Hugging Face hub.
        revision: Commit of the hub's repository.
        revision_note: Why there is no revision, where there is none.
        config: Configuration, usually ``{language}``.
        split: Split.
        files: File in the hub's repository, for those that hold plain files.
        builtin: Name of a set of items that comes with hesperus, and its form.
        language_column: Column that tells the language, where one table holds several.
        header: Column names, where the files have none.
        quoted: Whether a TSV file quotes its values; None goes by the ending (CSV does, TSV does not).
        where: How a person gets the data, where no hub has them.
    """

    languages: Mapping[str, str] = field(default_factory=dict)
    hub: str | None = None
    revision: str | None = None
    revision_note: str = ""
    config: str | None = None
    split: str | None = None
    files: str | None = None
    builtin: tuple[str, str] | None = None
    language_column: str | None = None
    header: tuple[str, ...] | None = None
    quoted: bool | None = None
    where: str = ""

    def code(self, language: str) -> str:
        """The benchmark's own code of a language.

        Raises:
            UnknownNameError: The source lists its languages, and this is none of them.
        """
        tag = normalise(language)
        if not self.languages:
            return tag
        for candidate in (tag, tag.split("-")[0]):
            if candidate in self.languages:
                return self.languages[candidate]
        raise UnknownNameError("language of this task's data", tag, self.languages)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what.

    Attributes:
        fields: Field of the item to its column, in the order in which the task asks them.
        gold: Column of the right answer; None where there is none.
        options: A column for each option; or exactly one that holds them all.
        listed: Whether the one column of ``options`` holds them all.
        separator: What parts the options, where they lie in one text.
        aliases: Column of further texts that count as the right answer; None where there is none.
        shuffled: Whether options get a fixed order of their own (by item, the same in every language).
        groups: Group of the item to its column.
    """

    fields: Mapping[str, Column]
    gold: Column | None = None
    options: tuple[Column, ...] = ()
    listed: bool = False
    separator: str | None = None
    shuffled: bool = False
    aliases: Column | None = None
    groups: Mapping[str, Column] = field(default_factory=dict)


GoldAcross = Literal["shared", "error", "per_language"]
GoldReading = Literal["label", "letter", "position0", "position1", "option", "number", "text"]


@dataclass(frozen=True, slots=True)
class Gold:
    """How the gold column is read.

    Attributes:
        read: As a label (through ``labels``), a letter, the position of an option counted from 0 or 1, the text of an
            option, a number, or text as it stands.
        labels: Value in the data to label.
        separator: What parts several accepted answers, where they lie in one text.
        across: ``shared``: languages share the gold label, and an item on which it differs is left out and listed.
            ``error``: they share it, and a difference is an error because rows do not match. ``per_language``: each
            has its own; a label is kept as it is, a text is one spelling of an answer whose label is the same word in
            every language.
    """

    read: GoldReading = "label"
    labels: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    across: GoldAcross = "shared"


@dataclass(frozen=True, slots=True)
class Key:
    """What makes an item the same item in every language.

    Attributes:
        columns: Columns whose values, joined by ``/``, are the id; none counts rows from 0.
        normalised: Those of the columns whose values are compared in lower case with ``_`` for blanks.
        parallel: Whether the languages hold the same items at all.
    """

    columns: tuple[Column, ...] = ()
    normalised: tuple[str, ...] = ()
    parallel: bool = True


@dataclass(frozen=True, slots=True)
class Fault:
    """An item of the published data that is known to be wrong.

    Attributes:
        item: Id, where ``*`` stands for anything.
        language: BCP-47 tag.
        reason: What is wrong with it.
    """

    item: str
    language: str
    reason: str


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark, or a user's own set of questions.

    Attributes:
        name: As it stands in the records.
        description: One sentence.
        form: What an answer is.
        fields: Names of the input fields in their order.
        labels: Canonical labels; letters for a choice; empty for text and numbers.
        layout: How instruction and item become a prompt (grammar: hesperus.senses.layout).
        instructions: BCP-47 tag to the instruction that a person wrote in that language.
        answers: Label to a key of the language packs, or to words that hold in every language.
        source: Where the data lie.
        columns: Which column holds what.
        gold: How gold is read.
        key: What makes an item the same in every language.
        faults: Items known to be wrong.
        licence: Of the data.
        citation: Of the benchmark.
        url: Where to read about it.
        notes: Pitfalls that a reader of the numbers should know.
    """

    name: str
    description: str
    form: Form
    fields: tuple[str, ...]
    labels: tuple[str, ...]
    layout: str
    instructions: Mapping[str, Instruction]
    answers: Mapping[str, str | tuple[str, ...]]
    source: Source
    columns: Columns
    gold: Gold
    key: Key
    faults: tuple[Fault, ...] = ()
    licence: str = ""
    citation: str = ""
    url: str = ""
    notes: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """BCP-47 tags of the languages in which the benchmark itself exists; empty where its data decide."""
        return tuple(self.source.languages)

    def instruction(self, language: str) -> Instruction:
        """The instruction that a person wrote in a language; ``zh-CN`` falls back to ``zh``.

        Raises:
            UnknownNameError: There is none; a model can make one from another language.
        """
        tag = normalise(language)
        for candidate in (tag, tag.split("-")[0]):
            if candidate in self.instructions:
                return self.instructions[candidate]
        raise UnknownNameError(
            f"language of the instructions of {self.name!r}",
            tag,
            self.instructions,
            "a model can make it from one of these, or write it into a task file of your own",
        )

    def answer_words(self, language: str) -> dict[str, tuple[str, ...]]:
        """The words that stand for each label in a language, as far as the task and the language packs know them.

        A label without known words is left out: the words that a translated instruction quotes then stand for it.
        """
        try:
            known = pack(language).labels
        except UnknownNameError:
            known = {}
        words: dict[str, tuple[str, ...]] = {}
        for label in self.labels:
            given = self.answers.get(label, (label,) if self.form == "choice" else label)
            found = known.get(given, ()) if isinstance(given, str) else given
            if found:
                words[label] = tuple(found)
        return words
