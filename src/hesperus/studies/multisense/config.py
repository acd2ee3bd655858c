"""What a multisense study is: a declared design, read from YAML or made from flags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator, model_validator

from hesperus.languages import normalise
from hesperus.studies.asked.declaring import (
    Drawing,
    Exclusions,
    InstructionOverride,
    Reach,
    SampleSize,
)
from hesperus.studies.asked.material import Subject
from hesperus.types import Sense


class MultisenseStudy(Reach):
    """The whole design: which items, which senses, which models, which comparisons.

    Attributes:
        study: Always `multisense`.
        task: Name in the catalogue, or path of a task file.
        data: Where the items are, instead of the task's own source.
        models: `provider/name` each.
        source: Languages whose originals are the starting points.
        target: Languages into which each model puts the originals itself.
        senses: Further sense codes to make: `en~paraphrase`, `en_via_zh`, `de_from_en@openai/gpt-4o`.
        conditions: T (instruction and input made), I (instruction only), X (input only).
        originals: Also ask the benchmark's own versions in the target languages.
        repeats: How often the source is asked: 2 gives the noise floor.
        sample: Which items; null takes all.
        exclude: Items to leave out: a file (as an audit writes it, or an id a line), a list of ids, or id to reason.
        scoring: `generate` reads what the model writes; `logprobs` scores the options.
        system: System text of every request, or null.
        answers: How answers are drawn.
        making: How made senses are drawn.
        instructions: Sense code to hand-written parts.
    """

    study: Literal["multisense"] = "multisense"
    task: str
    data: str | None = None
    models: tuple[str, ...] = Field(min_length=1)
    source: tuple[str, ...] = ("en",)
    target: tuple[str, ...] = ()
    senses: tuple[str, ...] = ()
    conditions: tuple[Literal["T", "I", "X"], ...] = ("T", "I", "X")
    originals: bool = False
    repeats: int = Field(default=2, ge=1)
    sample: SampleSize | None = None
    exclude: Exclusions = Field(default_factory=dict)
    scoring: Literal["generate", "logprobs"] = "generate"
    system: str | None = "You are a helpful assistant."
    answers: Drawing = Drawing()
    making: Drawing = Drawing(max_tokens=2048)
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)

    @field_validator("models", "source", "target", "senses", "conditions", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("source", "target")
    @classmethod
    def _tags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(normalise(tag) for tag in value))

    def subject(self) -> Subject:
        """What is asked about."""
        return Subject(self.task, self.data, self.sample, self.exclude, self.instructions, self.shard)

    @field_validator("models")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        doubled = sorted({name for name in value if value.count(name) > 1})
        if doubled:
            raise ValueError(f"named twice: {', '.join(doubled)}")
        return value

    @field_validator("senses")
    @classmethod
    def _made(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for code in value:
            if Sense.parse(code).is_original:
                raise ValueError(f"{code!r} is an original; originals are named under source and originals")
        return value

    @model_validator(mode="after")
    def _something_to_compare(self) -> MultisenseStudy:
        if not self.target and not self.senses and self.repeats < 2:
            raise ValueError("nothing to compare: give a target, a sense, or repeats of at least 2")
        return self


study_from_mapping = MultisenseStudy.from_mapping
read_study = MultisenseStudy.read
