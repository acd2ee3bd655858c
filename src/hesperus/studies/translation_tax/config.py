"""What an audit of a translated benchmark is: a declared design, read from YAML or made from flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from hesperus.errors import UnknownNameError
from hesperus.languages import normalise
from hesperus.studies.asked.declaring import (
    Drawing,
    Exclusions,
    Part,
    Reach,
    SampleSize,
)
from hesperus.studies.asked.material import Subject
from hesperus.studies.translation_tax.strata import StrataRule
from hesperus.types import Sense


class GateRule(Part):
    """Which back-translations are near enough to the original: score of an item, and the least that it may be."""

    metric: Literal["bleu", "chrf"] = "bleu"
    threshold: float = Field(default=20.0, ge=0, le=100)


class StrictRule(Part):
    """When a rewriting passes strictly: least grades for meaning and difficulty, highest for needless rewriting."""

    semantic: int = Field(default=4, ge=1, le=5)
    difficulty: int = Field(default=4, ge=1, le=5)
    excess: int = Field(default=2, ge=1, le=5)


class Naturalisation(Part):
    """E4: what is rewritten, by whom, and who checks it.

    Attributes:
        rewriter: Model that rewrites, `provider/name`.
        verifier: Another model that scores six dimensions of each rewriting; null leaves them unchecked.
        anchor: Where the source-centric models must be right, see StrataRule. With `translated` the translated items are
            asked once more, so that the compared replies are not those that picked the items.
        sizes: Stratum to the most items that it gets.
        per_subject: Most items of a subject; null sets no cap.
        subject: Group of the items that is their subject; null takes `subject` where the items have it, and no cap where
            they do not.
        seed: Seed of the draw.
        strict: When a rewriting passes strictly.
    """

    rewriter: str
    verifier: str | None = None
    anchor: Literal["translated", "original"] = "translated"
    sizes: Mapping[str, int] = Field(default_factory=dict)
    per_subject: int | None = Field(default=4, ge=1)
    subject: str | None = None
    seed: int = 42
    strict: StrictRule = StrictRule()

    @model_validator(mode="after")
    def _two_models(self) -> Naturalisation:
        if self.verifier == self.rewriter:
            raise ValueError("the verifier must be another model than the rewriter")
        return self


class Native(Part):
    """E3: a benchmark that was written in the language.

    Attributes:
        task: Name in the catalogue, or path of a task file.
        data: Where the items are, instead of the task's own source.
        sample: Which items; null takes all.
    """

    task: str
    data: str | None = None
    sample: SampleSize | None = None


class TaxStudy(Reach):
    """The whole audit: items, models by group, the way back, what is rewritten, what it is held against.

    Attributes:
        study: Always `translation_tax`.
        task: Name in the catalogue, or path of a task file.
        data: Where the items are, instead of the task's own source.
        models: `provider/name` each.
        groups: Group to its models; the first is the source-centric one.
        source: Language that the benchmark was written in.
        target: Language that it was translated into.
        translator: What translates back: null for each model itself, a model, or a translator (`apertium`, `ct2/…`).
        gate: Which back-translations count.
        naturalise: E4, or null.
        native: E3, or null.
        sample: Which items; null takes all. The paper's: 4 of each subject, seed 42.
        exclude: Items to leave out: a file (as an audit writes it, or an id a line), a list of ids, or id to reason.
        system: System text of every request, or null.
        answers: How answers are drawn.
        making: How translations and rewritings are drawn.
        reader: Preset of the reader.
    """

    study: Literal["translation_tax"] = "translation_tax"
    task: str
    data: str | None = None
    models: tuple[str, ...] = Field(min_length=1)
    groups: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    source: str = "en"
    target: str
    translator: str | None = None
    gate: GateRule = GateRule()
    naturalise: Naturalisation | None = None
    native: Native | None = None
    sample: SampleSize | None = None
    exclude: Exclusions = Field(default_factory=dict)
    system: str | None = "You are a helpful assistant."
    answers: Drawing = Drawing()
    making: Drawing = Drawing(max_tokens=2048)
    reader: Literal["default", "strict", "authors"] = "default"

    @field_validator("models", "target", mode="before")
    @classmethod
    def _one_or_many(cls, value: object, info: Any) -> object:
        if info.field_name == "target" and isinstance(value, list | tuple) and len(value) == 1:
            return value[0]
        return (value,) if info.field_name == "models" and isinstance(value, str) else value

    @field_validator("groups", mode="before")
    @classmethod
    def _from_flags(cls, value: object) -> object:
        """Flags say NAME=MODEL,MODEL; a file has a mapping."""
        if not isinstance(value, list | tuple):
            return value
        found: dict[str, list[str]] = {}
        for text in value:
            name, sign, models = str(text).partition("=")
            if not name or not sign or not models:
                raise ValueError(f"{text!r}: write NAME=MODEL,MODEL")
            found.setdefault(name, []).extend(model.strip() for model in models.split(","))
        return found

    @field_validator("source", mode="before")
    @classmethod
    def _one(cls, value: object) -> object:
        return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value

    @field_validator("source", "target")
    @classmethod
    def _tag(cls, value: str) -> str:
        return normalise(value)

    @model_validator(mode="after")
    def _groups_are_of_models(self) -> TaxStudy:
        if self.source == self.target:
            raise ValueError(f"source and target are both {self.source!r}")
        named = [model for models in self.groups.values() for model in models]
        strangers = [model for model in named if model not in self.models]
        if strangers:
            raise ValueError(f"groups: {strangers[0]!r} is not among the models")
        if len(set(named)) < len(named):
            raise ValueError("groups: a model stands in two")
        if self.naturalise is not None:
            StrataRule(sizes=self.naturalise.sizes)
        return self

    @property
    def back(self) -> Sense:
        """The sense of what came back."""
        return Sense(self.source, source=self.target, maker=_code(self.translator))

    @property
    def natural(self) -> Sense:
        """The sense of the rewritten items."""
        rewriter = self.naturalise.rewriter if self.naturalise is not None else None
        return Sense(self.target, variant="natural", maker=_code(rewriter))

    @property
    def centric(self) -> tuple[str, ...]:
        """The source-centric models: the first group, or all where there are no groups."""
        return next(iter(self.groups.values()), self.models)

    @property
    def others(self) -> tuple[str, ...]:
        """The second group."""
        return tuple(self.groups.values())[1] if len(self.groups) > 1 else ()

    def rule(self, groups: Collection[str]) -> StrataRule:
        """How items of E4 are picked.

        Args:
            groups: Groups that the items have.

        Raises:
            UnknownNameError: The items do not have the named subject.
            ValueError: Nothing is to be naturalised.
        """
        if self.naturalise is None:
            raise ValueError("nothing is to be naturalised")
        what = self.naturalise
        if what.subject is not None and what.subject not in groups:
            raise UnknownNameError("group of the items", what.subject, groups, "naturalise.subject")
        subject = what.subject or "subject"
        capped = what.per_subject if subject in groups else None
        return StrataRule(
            self.source, self.target, self.back.code, what.anchor, sizes=dict(what.sizes),
            per_subject=capped, subject=subject, seed=what.seed,
        )  # fmt: skip

    def subject(self) -> Subject:
        """What is asked about."""
        return Subject(self.task, self.data, self.sample, self.exclude, shard=self.shard)

    def native_subject(self) -> Subject | None:
        """What it is held against."""
        return (
            None
            if self.native is None
            else Subject(self.native.task, self.native.data, self.native.sample, shard=self.shard)
        )


study_from_mapping = TaxStudy.from_mapping
read_study = TaxStudy.read


def _code(name: str | None) -> str | None:
    """A maker's name as a sense code can hold it."""
    if name is None:
        return None
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "_./:-") else "-" for char in name)
    return kept.lstrip("_./:-") or "maker"
