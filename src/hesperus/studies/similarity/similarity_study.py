"""What a similarity study is: where the answers come from, and what is compared; read from YAML or made in Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from hesperus.model_faults import Lines
from hesperus.studies.asked.declaring import (
    BootstrapSettings,
    Declared,
    Instructed,
    InstructionOverride,
    Part,
)
from hesperus.studies.asked.field_types import MANY, PAIRS, PATH, Names, Tags


class LanguageNumbers(Part):
    """A table of one number per language, which the user brings; its file is read when the study is."""

    file: str | None = None
    """CSV or TSV with a header; null where `values` holds the numbers."""
    language: str = "language"
    """Column of language tags, in any style."""
    value: str | None = None
    """Column of numbers."""
    values: Mapping[str, float] = Field(default_factory=dict)
    """Language tag to number, in place of a file."""
    log: bool = False
    """Use the natural logarithm, as the literature does with article counts."""
    source: str = Field(min_length=1)
    """Where the numbers come from; printed next to every correlation."""
    date: str = Field(min_length=1)
    """When they were taken."""

    @model_validator(mode="after")
    def _one_place(self) -> LanguageNumbers:
        if bool(self.values) == (self.file is not None):
            raise ValueError("give either a file and its column of numbers (value), or the values")
        if self.file is not None and self.value is None:
            raise ValueError("value: the column of numbers of the file is missing")
        return self

    @model_serializer(mode="wrap")
    def _numbers_alone(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        return (
            values
            if self.file
            else {k: v for k, v in values.items() if k not in ("file", "language", "value")}
        )

    def resolved(self, wanted: Collection[str] | None = None) -> LanguageNumbers:
        """The same with the numbers of the file in place of its name.

        What is wrong with languages that are not `wanted` does not matter.
        """
        if self.file is None or self.value is None:
            return self
        from hesperus.studies.similarity.grouping import read_numbers

        numbers = read_numbers(Path(self.file), self.language, self.value, wanted=wanted)
        return LanguageNumbers(values=numbers, log=self.log, source=self.source, date=self.date)

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return value if isinstance(value, str | None) else str(value)


class Comparison(Part):
    """What is compared."""

    statistic: Literal[
        "kappa_p", "raw", "cohen_kappa", "scott_pi", "error_consistency", "rank_consistency"
    ] = "kappa_p"
    """Measure of pairs."""
    answers: Literal["auto", "hard", "soft"] = "auto"
    """hard compares labels, soft probabilities; auto takes these where every answer has them."""
    pivot: str = "en"
    """Language whose pairs are a design of their own."""
    sizes: Annotated[Mapping[str, float], PAIRS] = Field(default_factory=dict)
    """Model to its number of parameters."""
    families: Annotated[Mapping[str, str], PAIRS] = Field(default_factory=dict)
    """Model to its family."""
    languages: Mapping[str, LanguageNumbers] = Field(default_factory=dict)
    """Name to a table of numbers per language: file, language, value, values, log, source, date."""
    subsets: Annotated[tuple[int, ...], MANY] = (2, 3)
    """Number of languages whose joint consistency is measured."""
    by: Names = ()
    """Column by whose values everything is also measured."""
    macro: str | None = None
    """Column over whose values similarity is averaged, next to its value over all items together."""
    invalid: Literal["disagree", "agree", "drop"] = "disagree"
    """How invalid answers compare."""
    bootstrap: BootstrapSettings = BootstrapSettings()
    """How intervals are made."""
    permutations: int = Field(default=9999, ge=1, le=10_000_000)
    """Permutations of Mantel's test."""

    @field_validator("sizes")
    @classmethod
    def _positive(cls, value: Mapping[str, float]) -> Mapping[str, float]:
        for model, size in value.items():
            if size <= 0:
                raise ValueError(f"the size of {model} is {size}; parameters are counted above 0")
        return value


class SimilarityStudy(Declared, Instructed):
    """Answers that are in records already, or a task to ask models in several languages; and what is compared."""

    stages_in: ClassVar[str] = "hesperus.studies.similarity.similarity_stages"
    help: ClassVar[str] = (
        "asks models in several languages (or takes the records of earlier runs and of imported logs), and measures "
        "which of these runs make the same mistakes."
    )
    tables: ClassVar[tuple[str, ...]] = (
        "means", "similarity", "contrasts", "correlations", "all_languages", "scoring",
    )  # fmt: skip
    next_commands: ClassVar[tuple[str, ...]] = ("hesperus measure contrasts {run}", "hesperus report {run}")

    study: Literal["similarity"] = "similarity"
    """Which study it is."""
    records: Annotated[Names, PATH] = ()
    """Run folder or records file to compare, instead of asking."""
    task: str | None = None  # type: ignore[assignment]  # records bring their own
    """Task of the catalogue, or path of a task file; with records, which of their tasks."""
    models: Names = ()
    """provider/name, e.g. openai/gpt-4o-mini."""
    languages: Tags = ()
    """Language of the benchmark's own version to ask in."""
    scoring: Literal["logprobs", "generate", "both"] = "logprobs"
    """Score the options, read the label that the model writes, or both on the same items (labels are then read, probabilities scored)."""
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    """Language to hand-written parts."""
    grouping: str | None = None
    """Columns made of the subjects: global-mmlu, or a YAML file."""
    comparison: Comparison = Comparison()
    """What is compared."""

    @model_validator(mode="after")
    def _answers_come_from_somewhere(self) -> SimilarityStudy:
        asks = bool(self.models or self.languages)
        if bool(self.records) == asks:
            raise ValueError("give either records, or models and languages to ask in")
        if asks and not (self.task and self.models and self.languages):
            raise ValueError("asking needs a task, models and languages")
        if asks and len(self.models) * len(self.languages) < 2:
            raise ValueError("nothing to compare: give two languages or two models")
        return self

    @classmethod
    def from_mapping(
        cls, values: Mapping[str, Any], *, file: object = None, lines: Lines | None = None
    ) -> Self:
        """Validate a study, and read the files that it names into it, so that it says by itself what it compares."""
        study = super().from_mapping(values, file=file, lines=lines)
        tables = study.comparison.languages
        wanted: Collection[str] | None = study.languages
        if tables and study.records:
            from hesperus.studies.similarity.grouping import languages_of_records

            wanted = languages_of_records(study.records)
        numbers = {name: table.resolved(wanted) for name, table in tables.items()}
        return study.model_copy(
            update={"comparison": study.comparison.model_copy(update={"languages": numbers})}
        )

    @property
    def run_name(self) -> str:
        """What the names of its run folders begin with."""
        return f"similarity-{Path(self.task or self.records[0]).stem}"
