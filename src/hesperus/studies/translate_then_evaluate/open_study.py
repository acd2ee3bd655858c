"""What a study of open answers is: prompts, languages, models, a translator, evaluators; from YAML or made in Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from hesperus.studies.asked.declaring import (
    BootstrapSettings,
    Declared,
    GenerationSettings,
    InstructionOverride,
)
from hesperus.studies.asked.field_types import PAIRS, Names, Tag, Tags, Words


class OpenAnswersStudy(Declared):
    """Prompts asked in several languages, answers put into one, and compared there."""

    stages_in: ClassVar[str] = "hesperus.studies.translate_then_evaluate.open_stages"
    help: ClassVar[str] = (
        "asks for open answers in several languages, puts them into English and evaluates them there."
    )
    tables: ClassVar[tuple[str, ...]] = ("scores", "groups", "counts", "prompts", "readability")
    next_commands: ClassVar[tuple[str, ...]] = (
        "hesperus report {run}",
        "hesperus evaluate information {run} --judge openai/gpt-4o-mini",
    )

    study: Literal["translate_then_evaluate"] = "translate_then_evaluate"
    """Which study it is."""
    task: str
    """Task of the catalogue, or path of a task file; its prompts need no gold."""
    languages: Tags = Field(min_length=1)
    """Language whose answers are compared with those of the reference."""
    reference: Tag = "en"
    """Language in which everything is compared, and from which prompts are translated."""
    translator: str
    """none, apertium, ct2/FOLDER, hf/ORG/NAME, or a model: of answers, and of prompts."""
    prompt_translator: str | None = None
    """Another translator of the prompts."""
    prompts: Literal["original", "translated"] = "original"
    """Whether the task's own version is asked where it has one, or a translation always."""
    evaluate: Names = Field(default=("information",), min_length=1)
    """information, equivalence, or a property."""
    judge: str = "embedded"
    """embedded, or a model: provider/name."""
    classifiers: Annotated[Mapping[str, str], PAIRS] = Field(default_factory=dict)
    """Property to what tells it, where its name does not: empathy=FOLDER."""
    control: bool = True
    """Send the reference's answers there and back: the ceiling of each score."""
    system: str | None = None
    """System text of every request."""
    answers: GenerationSettings = GenerationSettings(max_tokens=4096)
    """How answers are drawn; the paper's models were asked greedily, and long answers need room."""
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    """Language to hand-written parts."""
    trained_on: Annotated[Mapping[str, Words], PAIRS] = Field(default_factory=dict)
    """MODEL=de,fr,…: languages of its training, as its makers say, for the table of groups."""
    bootstrap: BootstrapSettings = BootstrapSettings()
    """How intervals are made."""

    @field_validator("trained_on")
    @classmethod
    def _trained_tags(cls, value: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        from hesperus.languages import normalise

        return {model: tuple(normalise(tag) for tag in tags) for model, tags in value.items()}

    @model_validator(mode="after")
    def _compares_something(self) -> OpenAnswersStudy:
        if self.reference in self.languages:
            raise ValueError(f"{self.reference} is the reference; languages are the others")
        if unknown := [name for name in self.trained_on if name not in self.models]:
            raise ValueError(f"trained_on names {', '.join(unknown)}, which the study does not ask")
        return self

    @property
    def run_name(self) -> str:
        """What the names of its run folders begin with."""
        return f"open-{Path(self.task).stem}"
