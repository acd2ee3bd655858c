"""What a task is: where its items lie, what they look like, and how a model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hesperus.errors import UnknownNameError
from hesperus.languages import normalise, pack
from hesperus.tasks.task_parts import Columns, Fault, Gold, GoldAcross, Key, Sharing, Source, serving
from hesperus.types import Instruction

Form = Literal["label", "choice", "text", "number"]
"""What an answer is: one of the task's fixed labels, the letter of an option, free text, or a number."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Asking:
    """How a task is asked whose items come with hesperus.

    Attributes:
        name: The task.
        form: What an answer is.
        fields: Field names of its items, in order.
        labels: Canonical labels; empty for free text.
        layout: How instruction and item become a prompt.
        instructions: Language tag to instruction.
    """

    name: str
    form: Form
    fields: tuple[str, ...]
    labels: tuple[str, ...]
    layout: str
    instructions: Mapping[str, Instruction]


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
    def gold_across(self) -> GoldAcross:
        """How gold of several languages goes together: each spells free text, a label or number is the same in all."""
        shared: GoldAcross = "error" if self.key.row else "shared"
        return self.gold.across or ("per_language" if self.form == "text" else shared)

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
        found = (self.instructions[tag] for tag in serving(language) if tag in self.instructions)
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
