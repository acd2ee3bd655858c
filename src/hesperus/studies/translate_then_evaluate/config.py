"""What a study of open answers is: prompts, languages, models, a translator, evaluators; from YAML or made in Python."""

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
    Resampling,
    SampleSize,
)
from hesperus.studies.asked.material import Subject


class OpenAnswersStudy(Reach):
    """Prompts asked in several languages, answers put into one, and compared there.

    Attributes:
        study: Always `translate_then_evaluate`.
        task: Name in the catalogue or path of a task file; its prompts need no gold.
        data: Where the items are, instead of the task's own source.
        models: `provider/name` each.
        languages: Languages whose answers are held against those of the reference.
        reference: Language in which everything is compared, and from which prompts are translated.
        translator: `apertium`, `ct2/FOLDER`, `hf/ORG/NAME`, `none`, or any model; also that of the prompts.
        prompt_translator: What translates the prompts, where it is not the translator.
        prompts: `original` takes the task's own version where it has one and translates otherwise; `translated` always
            translates.
        evaluate: `information`, `equivalence`, or properties by name of their classifier.
        judge: `embedded`, or a model.
        classifiers: Property to what tells it, where its name does not (`empathy: FOLDER`).
        control: Whether the reference's answers go there and back, for the ceiling.
        sample: Which items; null takes all.
        exclude: Items to leave out.
        system: System text of every request, or null.
        answers: How answers are drawn; the paper's models were asked greedily, and long answers need room.
        instructions: Language to hand-written parts.
        trained_on: Model to the languages that it was trained on, as its makers say.
        bootstrap: How intervals are made.
    """

    study: Literal["translate_then_evaluate"] = "translate_then_evaluate"
    task: str
    data: str | None = None
    models: tuple[str, ...] = Field(min_length=1)
    languages: tuple[str, ...] = Field(min_length=1)
    reference: str = "en"
    translator: str
    prompt_translator: str | None = None
    prompts: Literal["original", "translated"] = "original"
    evaluate: tuple[str, ...] = Field(default=("information",), min_length=1)
    judge: str = "embedded"
    classifiers: Mapping[str, str] = Field(default_factory=dict)
    control: bool = True
    sample: SampleSize | None = None
    exclude: Exclusions = Field(default_factory=dict)
    system: str | None = None
    answers: Drawing = Drawing(max_tokens=4096)
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    trained_on: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    bootstrap: Resampling = Resampling()

    @field_validator("models", "languages", "evaluate", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("reference")
    @classmethod
    def _tag(cls, value: str) -> str:
        return normalise(value)

    @field_validator("languages")
    @classmethod
    def _tags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(normalise(tag) for tag in value))

    @field_validator("trained_on", mode="before")
    @classmethod
    def _as_lists(cls, value: object) -> object:
        """Languages as a list, or as one text with commas; of flags, MODEL=de,fr each."""
        if isinstance(value, list | tuple):
            pairs = [str(one).rpartition("=") for one in value]
            for model, equals, tags in pairs:
                if not (model and equals and tags):
                    raise ValueError("trained_on is MODEL=de,fr,… for each model")
            value = {model: tags for model, _, tags in pairs}
        if not isinstance(value, Mapping):
            return value
        return {k: tuple(v.replace(",", " ").split()) if isinstance(v, str) else v for k, v in value.items()}

    @field_validator("trained_on")
    @classmethod
    def _trained_tags(cls, value: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        return {model: tuple(normalise(tag) for tag in tags) for model, tags in value.items()}

    @model_validator(mode="after")
    def _compares_something(self) -> OpenAnswersStudy:
        if self.reference in self.languages:
            raise ValueError(f"{self.reference} is the reference; languages are the others")
        if unknown := [name for name in self.trained_on if name not in self.models]:
            raise ValueError(f"trained_on names {', '.join(unknown)}, which the study does not ask")
        return self

    def subject(self) -> Subject:
        """What is asked about."""
        return Subject(self.task, self.data, self.sample, self.exclude, {}, self.shard)


study_from_mapping = OpenAnswersStudy.from_mapping
read_study = OpenAnswersStudy.read
