"""What a multisense study is: a declared design, read from YAML or made from flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from hesperus.studies.asked.declaring import Declared, GenerationSettings, Instructed, InstructionOverride
from hesperus.studies.asked.field_types import MANY, Names, Tags
from hesperus.studies.asked.study_cells import Cell
from hesperus.types import Sense


class MultisenseStudy(Declared, Instructed):
    """The whole design: which items, which senses, which models, which comparisons."""

    stages_in: ClassVar[str] = "hesperus.studies.multisense.multisense_stages"
    help: ClassVar[str] = (
        "asks a task in several senses that the model makes itself, and measures how consistent it is."
    )
    tables: ClassVar[tuple[str, ...]] = (
        "consistency", "accuracy", "agreement", "decomposition", "directions", "labels", "outcomes", "all_languages", "validity",
    )  # fmt: skip

    study: Literal["multisense"] = "multisense"
    """Which study it is."""
    source: Tags = ("en",)
    """Language of the originals."""
    target: Tags = ()
    """Language into which each model puts the task itself."""
    senses: Names = ()
    """Further sense to make: en~paraphrase, en_via_zh, de_from_en@openai/gpt-4o."""
    conditions: Annotated[tuple[Literal["T", "I", "X"], ...], MANY] = ("T", "I", "X")
    """T (instruction and input made), I (instruction only), X (input only)."""
    originals: bool = False
    """Also ask the benchmark's own version in the targets."""
    repeats: int = Field(default=2, ge=1, le=1000)
    """Times the source is asked; 2 gives the noise floor."""
    scoring: Literal["generate", "logprobs"] = "generate"
    """Whether the label that the model writes is read, or the options are scored."""
    making: GenerationSettings = GenerationSettings(max_tokens=2048)
    """How made senses are drawn."""
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    """Sense code to hand-written parts."""

    @field_validator("models")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        doubled = sorted(name for name, count in Counter(value).items() if count > 1)
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


@dataclass(frozen=True, slots=True)
class Design:
    """All that a study asks of one model.

    Attributes:
        originals: Languages in which the benchmark's own version is read.
        made: Senses to make, in the order in which they are made.
        cells: Columns of answers, each once.
    """

    originals: tuple[str, ...]
    made: tuple[Sense, ...]
    cells: tuple[Cell, ...]


def design(study: MultisenseStudy) -> Design:
    """Spell out the conditions of the paper (section 4.1 and 4.2) for every pair of the study.

    For source s and made sense m: the source is (s, s); T is (m, m), I is (m, s), X is (s, m). Where the study names a
    language of instructions, it is in place of s as an instruction: English around German questions is (en, de). A sense that only
    some rule of the input makes (``~variant`` without a wording of its own) is the study's to restrict to X.
    """
    made: dict[Sense, None] = {}
    for source in study.source:
        for target in study.target:
            if target != source:
                made.setdefault(Sense(target, source=source))
    for code in study.senses:
        made.setdefault(Sense.parse(code))

    starts = dict.fromkeys([*study.source, *(sense.origin for sense in made)])
    cells: dict[Cell, None] = {}
    for language in starts:
        start = Sense(language)
        for repeat in range(1, study.repeats + 1):
            cells.setdefault(Cell(study.under(language), start, repeat))
    if study.originals:
        for language in study.target:
            cells.setdefault(Cell(study.under(language), Sense(language)))
    for sense in made:
        start = Sense(sense.origin)
        for condition in study.conditions:
            instruction = study.under(sense.origin) if condition == "X" else sense
            input_ = start if condition == "I" else sense
            cells.setdefault(Cell(instruction, input_))

    asked = dict.fromkeys([*starts, *(study.target if study.originals else ())])
    return Design(originals=tuple(asked), made=tuple(made), cells=tuple(cells))
