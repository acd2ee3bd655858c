"""What a similarity study is: where the answers come from, and what is compared; read from YAML or made in Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import normalise
from hesperus.studies.multisense.config import (
    BudgetLimits,
    Drawing,
    InstructionOverride,
    MultisenseStudy,
    SampleSize,
)


class _Part(BaseModel):
    """A part of the study file: frozen, and every unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LanguageNumbers(_Part):
    """A table of one number per language, which the user brings.

    Attributes:
        file: CSV or TSV with a header.
        language: Column of language tags, in any style.
        value: Column of numbers.
        log: Use the natural logarithm, as the literature does with article counts.
        source: Where the numbers come from; printed beside every correlation.
        date: When they were taken.
    """

    file: str
    language: str = "language"
    value: str
    log: bool = False
    source: str = Field(min_length=1)
    date: str = Field(min_length=1)

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return value if isinstance(value, str | None) else str(value)


class Resampling(_Part):
    """How intervals are made: resamples of the items, their seed, coverage."""

    resamples: int = Field(default=2000, ge=0)
    seed: int = Field(default=0, ge=0)
    level: float = Field(default=0.95, gt=0, lt=1)


class Comparison(_Part):
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
        exclude: File with an item id on each line to leave out, such as an audit writes.
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
    exclude: str | None = None

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


class SimilarityStudy(_Part):
    """Answers that stand in records already, or a task to ask models in several languages; and what is compared.

    Attributes:
        study: Always `similarity`.
        records: Run folders or records files whose answers are compared, instead of asking.
        task: Name in the catalogue or path of a task file; with `records`, which of their tasks.
        data: Where the items are, instead of the task's own source.
        models: `provider/name` each.
        languages: Languages of the benchmark's own versions.
        sample: Which items; null takes all.
        scoring: `logprobs` scores the options, `generate` reads the label that the model writes, `both` does both on the
            same items: labels are then the generated ones, probabilities the scored ones.
        system: System text of every request, or null.
        answers: How labels are generated.
        instructions: Language to hand-written parts.
        base_url: Endpoint of `http/…` models, or instead of a provider's own.
        concurrency: Most requests in flight.
        budget: Where to stop.
        prices: Price file.
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
    scoring: Literal["logprobs", "generate", "both"] = "logprobs"
    system: str | None = "You are a helpful assistant."
    answers: Drawing = Drawing(temperature=0.0, max_tokens=16)
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    base_url: str | None = None
    concurrency: int = Field(default=64, ge=1)
    budget: BudgetLimits = BudgetLimits()
    prices: str | None = None
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

    def asking(self, scoring: Literal["logprobs", "generate"]) -> MultisenseStudy:
        """The same questions as a multisense study of originals, which knows how to ask.

        Args:
            scoring: How options are chosen.
        """
        assert self.task is not None
        return MultisenseStudy.model_construct(
            task=self.task, data=self.data, models=self.models, source=self.languages, repeats=1, conditions=(),
            sample=self.sample, scoring=scoring, system=self.system, answers=self.answers, base_url=self.base_url,
            instructions=self.instructions, concurrency=self.concurrency, budget=self.budget, prices=self.prices,
        )  # fmt: skip


def study_from_mapping(values: Mapping[str, Any], *, file: object = None) -> SimilarityStudy:
    """Validate a study.

    Args:
        values: Keys as in the YAML file.
        file: Named in error messages.

    Raises:
        UnknownNameError: A key that does not exist, with the nearest that does; or an unknown language.
        DataError: A value of the wrong kind, naming the key.
    """
    try:
        return SimilarityStudy.model_validate(dict(values))
    except ValidationError as error:
        raise _explained(error, file) from None


def read_study(path: Path) -> SimilarityStudy:
    """Read a study file.

    Raises:
        UsageError: No such file.
        DataError: No valid YAML, or a value of the wrong kind.
        UnknownNameError: A key or language that does not exist.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the study {path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = mark.line + 1 if mark else None
        raise DataError(f"no valid YAML: {getattr(error, 'problem', error)}", file=path, line=where) from None
    if not isinstance(values, dict):
        raise DataError("a study is a mapping of keys, such as `study: similarity`", file=path)
    return study_from_mapping(values, file=path)


_NESTED: Mapping[str, type[BaseModel]] = {
    "sample": SampleSize, "answers": Drawing, "budget": BudgetLimits, "instructions": InstructionOverride,
    "comparison": Comparison, "comparison.bootstrap": Resampling, "comparison.languages": LanguageNumbers,
}  # fmt: skip


def _explained(error: ValidationError, file: object) -> UnknownNameError | DataError:
    """The first fault of a pydantic error as one of ours."""
    fault = error.errors(include_url=False)[0]
    place = [str(step) for step in fault["loc"]]
    where = ".".join(place)
    if fault["type"] == "extra_forbidden":
        parents = ".".join(place[:-1])
        near = [key for key in _NESTED if parents == key or parents.startswith(f"{key}.")]
        model = _NESTED[max(near, key=len)] if near else SimilarityStudy
        known = [".".join([*place[:-1], name]) for name in model.model_fields]
        return UnknownNameError(f"key of {file or 'the study'}", where, known)
    given = fault.get("input")
    shown = f" (given: {given!r})" if isinstance(given, str | int | float | bool) else ""
    message = "this key is missing" if fault["type"] == "missing" else f"{fault['msg']}{shown}"
    return DataError(message, file=file, field=where or None)
