"""What a similarity study is: where the answers come from, and what is compared; read from YAML or made in Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from hesperus.languages import normalise
from hesperus.studies.asked.declaring import (
    Drawing,
    Exclusions,
    InstructionOverride,
    Part,
    Reach,
    Resampling,
    SampleSize,
)
from hesperus.studies.asked.material import Subject
from hesperus.studies.similarity.numbers import languages_of_records, read_numbers


class LanguageNumbers(Part):
    """A table of one number per language, which the user brings; its file is read when the study is.

    Attributes:
        file: CSV or TSV with a header; null where `values` holds the numbers.
        language: Column of language tags, in any style.
        value: Column of numbers.
        values: Language tag to number, in place of a file.
        log: Use the natural logarithm, as the literature does with article counts.
        source: Where the numbers come from; printed beside every correlation.
        date: When they were taken.
    """

    file: str | None = None
    language: str = "language"
    value: str | None = None
    values: Mapping[str, float] = Field(default_factory=dict)
    log: bool = False
    source: str = Field(min_length=1)
    date: str = Field(min_length=1)

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

        Args:
            wanted: Languages of the study; what is wrong with others does not matter. None: they are not known.

        Raises:
            UsageError: The file cannot be read.
            UnknownNameError: It lacks a column, or names a language that does not exist.
            DataError: A number that is none, or a language with two.
        """
        if self.file is None or self.value is None:
            return self
        numbers = read_numbers(Path(self.file), self.language, self.value, wanted=wanted)
        return LanguageNumbers(values=numbers, log=self.log, source=self.source, date=self.date)

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return value if isinstance(value, str | None) else str(value)


class Comparison(Part):
    """What is compared.

    Attributes:
        statistic: The measure of pairs.
        answers: `hard` compares labels, `soft` probabilities; `auto` takes these where every answer has them.
        pivot: Language whose pairs are a design of their own.
        sizes: Model to number of parameters.
        families: Model to family.
        languages: Name to a table of numbers per language.
        subsets: Numbers of languages whose joint consistency is measured.
        by: Columns by whose values everything is also measured.
        macro: Column over whose values similarity is averaged, beside its value over all items together.
        invalid: How unreadable answers compare.
        bootstrap: How intervals are made.
        permutations: Permutations of Mantel's test.
    """

    statistic: Literal[
        "raw", "kappa_p", "cohen_kappa", "scott_pi", "error_consistency", "rank_consistency"
    ] = "kappa_p"
    answers: Literal["auto", "hard", "soft"] = "auto"
    pivot: str = "en"
    sizes: Mapping[str, float] = Field(default_factory=dict)
    families: Mapping[str, str] = Field(default_factory=dict)
    languages: Mapping[str, LanguageNumbers] = Field(default_factory=dict)
    subsets: tuple[int, ...] = (2, 3)
    by: tuple[str, ...] = ()
    macro: str | None = None
    invalid: Literal["disagree", "agree", "drop"] = "disagree"
    bootstrap: Resampling = Resampling()
    permutations: int = Field(default=9999, ge=1)

    @field_validator("by", "subsets", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str | int) else value

    @field_validator("sizes")
    @classmethod
    def _positive(cls, value: Mapping[str, float]) -> Mapping[str, float]:
        for model, size in value.items():
            if size <= 0:
                raise ValueError(f"the size of {model} is {size}; parameters are counted above 0")
        return value


class SimilarityStudy(Reach):
    """Answers that stand in records already, or a task to ask models in several languages; and what is compared.

    Attributes:
        study: Always `similarity`.
        records: Run folders or records files whose answers are compared, instead of asking.
        task: Name in the catalogue or path of a task file; with `records`, which of their tasks.
        data: Where the items are, instead of the task's own source.
        models: `provider/name` each.
        languages: Languages of the benchmark's own versions.
        sample: Which items; null takes all.
        exclude: Items to leave out: a file (as an audit writes it, or an id a line), a list of ids, or id to reason.
        scoring: `logprobs` scores the options, `generate` reads the label that the model writes, `both` does both on the
            same items: labels are then the generated ones, probabilities the scored ones.
        system: System text of every request, or null.
        answers: How labels are generated.
        instructions: Language to hand-written parts.
        grouping: Name or file of a grouping that makes columns of the subjects (`global-mmlu`: domain, topic).
        comparison: What is compared.
    """

    study: Literal["similarity"] = "similarity"
    records: tuple[str, ...] = ()
    task: str | None = None
    data: str | None = None
    models: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    sample: SampleSize | None = None
    exclude: Exclusions = Field(default_factory=dict)
    scoring: Literal["logprobs", "generate", "both"] = "logprobs"
    system: str | None = "You are a helpful assistant."
    answers: Drawing = Drawing()
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    grouping: str | None = None
    comparison: Comparison = Comparison()

    @field_validator("records", "models", "languages", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("languages")
    @classmethod
    def _tags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(normalise(tag) for tag in value))

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
    def from_mapping(cls, values: Mapping[str, Any], *, file: object = None) -> Self:
        """Validate a study, and read the files that it names into it, so that it says by itself what it compares."""
        study = super().from_mapping(values, file=file)
        tables = study.comparison.languages
        wanted: Collection[str] | None = study.languages
        if tables and study.records:
            wanted = languages_of_records(study.records)
        numbers = {name: table.resolved(wanted) for name, table in tables.items()}
        return study.model_copy(
            update={"comparison": study.comparison.model_copy(update={"languages": numbers})}
        )

    def subject(self) -> Subject:
        """What is asked about, where models are asked."""
        return Subject(self.task or "", self.data, self.sample, self.exclude, self.instructions, self.shard)


study_from_mapping = SimilarityStudy.from_mapping
read_study = SimilarityStudy.read
