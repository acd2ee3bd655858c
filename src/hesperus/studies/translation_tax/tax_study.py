"""What an audit of a translated benchmark is: a declared design, read from YAML or made from flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from hesperus.errors import UnknownNameError
from hesperus.studies.asked.declaring import Declared, GenerationSettings, Instructed, Part, SampleSize
from hesperus.studies.asked.field_types import PAIRS, Tag, Words
from hesperus.studies.asked.study_cells import as_maker
from hesperus.studies.translation_tax.strict_pass import StrictPass
from hesperus.types import Sense

if TYPE_CHECKING:
    from hesperus.studies.translation_tax.strata import StrataRule


class QualityRule(Part):
    """Which back-translations are near enough to the original."""

    metric: Literal["bleu", "chrf"] = "bleu"
    """Score of an item."""
    threshold: float = Field(default=20.0, ge=0, le=100)
    """The least that it may be."""


class Naturalisation(Part):
    """E4: what is rewritten, by whom, and who checks it."""

    rewriter: str
    """Model that rewrites items naturally (E4)."""
    verifier: str | None = None
    """Another model, which scores six dimensions of each rewriting; unchecked if not given."""
    anchor: Literal["translated", "original"] = "translated"
    """Where the source-centric models must be right; translated items are asked once more, so that the compared replies are not those that picked the items."""
    sizes: Annotated[Mapping[str, int], PAIRS] = Field(default_factory=dict)
    """Stratum to the most items that it gets."""
    per_subject: int | None = Field(default=4, ge=1)
    """Most items of a subject; null sets no cap."""
    subject: str | None = None
    """Group of the items that is their subject; if not given, `subject` where the items have it."""
    seed: int = 42
    """Seed of the draw."""
    strict: StrictPass = StrictPass()
    """When a rewriting passes strictly."""

    @model_validator(mode="after")
    def _two_models(self) -> Naturalisation:
        if self.verifier == self.rewriter:
            raise ValueError("the verifier must be another model than the rewriter")
        return self


class Native(Part):
    """E3: a benchmark that was written in the language."""

    task: str
    """Task that was written in the target language (E3), or path of a task file."""
    data: str | None = None
    """Where its items are, instead of the task's own source."""
    sample: SampleSize | None = None
    """Which of its items; all if not given."""


class TaxStudy(Declared, Instructed):
    """The whole audit: items, models by group, the way back, what is rewritten, what it is compared with."""

    stages_in: ClassVar[str] = "hesperus.studies.translation_tax.tax_stages"
    help: ClassVar[str] = "asks a translated benchmark, its way back to English and its naturalised form."
    tables: ClassVar[tuple[str, ...]] = (
        "back_translation", "native_control", "naturalisation", "parsers", "bounds", "checklist",
    )  # fmt: skip
    shown_first: ClassVar[str] = "audit"
    next_commands: ClassVar[tuple[str, ...]] = ("hesperus report {run}", "hesperus tax checklist {run}")

    study: Literal["translation_tax"] = "translation_tax"
    """Which study it is."""
    groups: Annotated[Mapping[str, Words], PAIRS] = Field(default_factory=dict)
    """NAME=MODEL,MODEL; the first is the source-centric group."""
    source: Tag = "en"
    """Language that the benchmark was written in."""
    target: Tag
    """Language that it was translated into."""
    translator: str | None = None
    """What translates back: a model, or a translator (apertium, ct2/FOLDER); each model itself if not given."""
    quality: QualityRule = QualityRule()
    """Which back-translations count."""
    naturalise: Naturalisation | None = None
    """E4: which items are rewritten, by whom, and who checks it."""
    native: Native | None = None
    """E3: a benchmark that was written in the language."""
    making: GenerationSettings = GenerationSettings(max_tokens=2048)
    """How translations and rewritings are drawn."""
    parser: Literal["default", "strict", "ohmer2023"] = "default"
    """How replies are read."""

    @model_validator(mode="after")
    def _groups_are_of_models(self) -> TaxStudy:
        if self.source == self.target:
            raise ValueError(f"source and target are both {self.source!r}")
        named = [model for models in self.groups.values() for model in models]
        strangers = [model for model in named if model not in self.models]
        if strangers:
            raise ValueError(f"groups: {strangers[0]!r} is not among the models")
        if len(set(named)) < len(named):
            raise ValueError("groups: a model is in two")
        if self.naturalise is not None:
            from hesperus.studies.translation_tax.strata import StrataRule

            StrataRule(sizes=self.naturalise.sizes)
        return self

    @property
    def back(self) -> Sense:
        """The sense of what came back."""
        return Sense(self.source, source=self.target, maker=as_maker(self.translator))

    @property
    def natural(self) -> Sense:
        """The sense of the rewritten items."""
        rewriter = self.naturalise.rewriter if self.naturalise is not None else None
        return Sense(self.target, variant="natural", maker=as_maker(rewriter))

    @property
    def centric(self) -> tuple[str, ...]:
        """The source-centric models: the first group, or all if there are no groups."""
        return next(iter(self.groups.values()), self.models)

    @property
    def others(self) -> tuple[str, ...]:
        """The second group."""
        return tuple(self.groups.values())[1] if len(self.groups) > 1 else ()

    def rule(self, groups: Collection[str]) -> StrataRule:
        """How items of E4 are picked."""
        from hesperus.studies.translation_tax.strata import StrataRule

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

    @property
    def run_name(self) -> str:
        """What the names of its run folders begin with."""
        return f"tax-{Path(self.task).stem}"

    @property
    def of_native(self) -> TaxStudy:
        """The same of the native benchmark, of which nothing is left out."""
        if self.native is None:
            raise ValueError("the audit has no native benchmark")
        own = self.native
        return self.model_copy(
            update={"task": own.task, "data": own.data, "sample": own.sample, "exclude": {}}
        )
