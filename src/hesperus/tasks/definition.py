"""What a task is: where its items lie, what they look like, and how a model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hesperus.errors import UnknownNameError
from hesperus.languages import language as look_up
from hesperus.languages import normalise, pack
from hesperus.types import Instruction

Form = Literal["label", "choice", "text", "number"]
"""What an answer is: one of the task's fixed labels, the letter of an option, free text, or a number."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Column = tuple[str, ...]
"""A column of the data, under each of the names that it may have; the first that is there counts.

``{language}`` represents the benchmark's own code of the language. Dots step into nested values: ``q.{language}.0`` is
the first element of the list that the mapping ``q`` holds for the language, ``q.{language}.1:`` all that follow it, and
``choices.text`` the ``text`` of each mapping in the list ``choices``. They go into JSON that a cell holds as text, too.
"""


def _serving(language: str) -> tuple[str, ...]:
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
        config: Configuration, usually ``{language}``.
        configs: Configurations that together make one language's data, if there are several.
        config_column: Column that holds the configuration of each row, if there are several.
        split: Split.
        files: File in the hub's repository, for those that hold plain files.
        builtin: Name of a set of items that comes with hesperus, and its form.
        language_column: Column that tells the language, where one table holds several.
        where: Column to the values of the rows that are items; other rows are counted, not read.
        header: Column names, where the files have none.
        quoted: Whether a TSV file quotes its values; None goes by the ending (CSV does, TSV does not).
        obtain: How a person gets the data, where no hub has them.
    """

    languages: Mapping[str, str] = field(default_factory=dict)
    hub: str | None = None
    revision: str | None = None
    revision_note: str = ""
    config: str | None = None
    configs: tuple[str, ...] = ()
    config_column: str | None = None
    split: str | None = None
    files: str | None = None
    builtin: tuple[str, str] | None = None
    language_column: str | None = None
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header: tuple[str, ...] | None = None
    quoted: bool | None = None
    obtain: str = ""

    def code(self, language: str) -> str:
        """The benchmark's own code of a language: that of ``zh`` for ``zh-CN``, and that of ``zh-Hant`` for ``zh-TW``.

        Raises:
            UnknownNameError: The source lists its languages, and it is not one of them.
        """
        tag = normalise(language)
        if not self.languages:
            return tag
        for candidate in _serving(tag):
            if candidate in self.languages:
                return self.languages[candidate]
        raise UnknownNameError("language of this task's data", tag, self.languages)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what.

    Attributes:
        fields: Field of the item to its column, in the order in which the task asks them.
        gold: Column of the right answer; None if absent.
        options: A column for each option; or exactly one that holds them all.
        listed: Whether the one column of ``options`` holds them all.
        separator: What parts the options, where they lie in one text.
        at_least: Fewest options of an item: the last options may be empty, down to this many. None if every option
            must be there.
        lettered: Whether the texts of the options begin with their own letter or number, which is taken off.
        shuffled: Whether options get a fixed order of their own (by item, the same in every language).
        aliases: Column of further texts that count as the right answer; None if absent.
        groups: Group of the item to its column.
    """

    fields: Mapping[str, Column]
    gold: Column | None = None
    options: tuple[Column, ...] = ()
    listed: bool = False
    separator: str | None = None
    at_least: int | None = None
    lettered: bool = False
    shuffled: bool = False
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
            every language.
    """

    read: GoldReading = "label"
    labels: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    unanswered: tuple[str, ...] = ()
    only_numbers: bool = False
    across: GoldAcross = "shared"


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

    columns: tuple[Column, ...] = ()
    row: bool = False
    normalised: tuple[str, ...] = ()
    without: str | None = None
    parallel: bool = True

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

    item: str
    language: str
    reason: str


@dataclass(frozen=True, slots=True)
class Task:
    """A benchmark, or a user's own set of questions.

    Attributes:
        name: As it is in the records; ``NAME@WORDING`` where a wording was chosen.
        description: One sentence.
        form: What an answer is.
        fields: Names of the input fields in their order.
        labels: Canonical labels; letters for a choice; empty for text and numbers.
        layout: How instruction and item become a prompt (grammar: hesperus.senses.layout).
        instructions: BCP-47 tag to the instruction that a person wrote in that language.
        wordings: BCP-47 tag to the name of the wording that its instruction is of.
        presets: Names of the wordings to choose from, those asked by default first.
        answers: Label to a key of the language packs, or to words that hold in every language.
        source: Where the data lie.
        columns: Which column holds what.
        gold: How gold is read.
        key: What makes an item the same in every language.
        faults: Items known to be wrong.
        size: Items of a language, or the most where languages differ; None if that is not known.
        licence: Of the data, in short.
        licence_note: What the licence does not say in short.
        share: Whether the texts may be given to others.
        citation: Of the benchmark.
        url: Where to read about it.
        notes: Pitfalls that a reader of the numbers should know.
        unverified: What of this description has not been checked against the published data.
        example: Command that runs it, where the usual one does not fit.
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
    wordings: Mapping[str, str] = field(default_factory=dict)
    presets: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    size: int | None = None
    licence: str = ""
    licence_note: str = ""
    share: Sharing = "unknown"
    citation: str = ""
    url: str = ""
    notes: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    example: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        """BCP-47 tags of the languages in which the benchmark itself exists; empty where its data decide."""
        return tuple(self.source.languages)

    @property
    def has_wording(self) -> bool:
        """Whether a prompt holds more than the item's own texts, so that a language needs an instruction."""
        return any(found.prefix or found.suffix for found in self.instructions.values())

    @property
    def asks_in_english_only(self) -> bool:
        """Whether the only instruction that a person wrote is English, and other languages need one from a model."""
        return self.has_wording and set(self.instructions) == {"en"}

    def instruction(self, language: str) -> Instruction:
        """The instruction that a person wrote in a language, as find_instruction finds it.

        Raises:
            UnknownNameError: Nothing is written in the language and its script; a model can make one from another language.
        """
        found = self.find_instruction(language)
        if found is None:
            raise UnknownNameError(
                f"language of the instructions of {self.name!r}",
                normalise(language),
                self.instructions,
                "a model can make it from one of these, or write it into a task file of your own",
            )
        return found

    def find_instruction(self, language: str) -> Instruction | None:
        """The instruction that a person wrote in a language, or None.

        That of ``zh`` serves ``zh-CN``, and that of ``zh-Hant`` serves ``zh-TW``; one in another script serves nobody.
        """
        found = (self.instructions[tag] for tag in _serving(language) if tag in self.instructions)
        return next(found, None)

    def answer_words(self, language: str) -> dict[str, tuple[str, ...]]:
        """The words that represent each label in a language, as far as the task and the language packs know them.

        A label without known words is left out: the words that a translated instruction quotes then represent it.
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
