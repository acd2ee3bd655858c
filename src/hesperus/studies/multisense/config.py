"""What a multisense study is: a declared design, read from YAML or made from flags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import normalise
from hesperus.types import Sense, Settings


class _Part(BaseModel):
    """A part of the study file: frozen, and every unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Drawing(_Part):
    """How replies are drawn; the defaults are the paper's (section 3.1).

    Attributes:
        temperature: Softmax temperature; null leaves it to the endpoint.
        max_tokens: Longest reply in tokens.
        top_p: Nucleus mass in (0, 1].
        seed: Sampling seed for endpoints that take one.
    """

    temperature: float | None = Field(default=0.25, ge=0, le=2)
    max_tokens: int | None = Field(default=256, ge=1)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None

    def settings(self) -> Settings:
        """The same as the value that travels with a request."""
        return Settings(self.temperature, self.max_tokens, self.top_p, self.seed)


class SampleSize(_Part):
    """Which items: `n` in all, or `per_group` of every value of `by`; the same ids in every language."""

    n: int | None = Field(default=None, ge=1)
    by: str | None = None
    per_group: int | None = Field(default=None, ge=1)
    seed: int = 42

    @model_validator(mode="after")
    def _one_size(self) -> SampleSize:
        if (self.n is None) == (self.per_group is None):
            raise ValueError("give either n, or per_group together with by")
        if self.per_group is not None and self.by is None:
            raise ValueError("per_group needs by: the column whose groups are meant")
        return self


class BudgetLimits(_Part):
    """Where to stop, cleanly; null is no limit.

    Attributes:
        requests: Requests sent.
        tokens: Tokens in and out together, as the endpoint counts them.
        money: In the currency of the price file.
    """

    requests: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    money: float | None = Field(default=None, ge=0)


class InstructionOverride(_Part):
    """A hand-written part that replaces what a model made of it."""

    prefix: str | None = None
    words: Mapping[str, str] = Field(default_factory=dict)
    suffix: str | None = None
    answers: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


class MultisenseStudy(_Part):
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
        scoring: `generate` reads what the model writes; `logprobs` scores the options; `both` does both.
        system: System text of every request, or null.
        answers: How answers are drawn.
        making: How made senses are drawn.
        instructions: Sense code to hand-written parts.
        base_url: Endpoint of `http/…` models, or instead of a provider's own.
        concurrency: Most requests in flight.
        budget: Where to stop.
        prices: Price file, for a budget in money and for the plan.
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
    scoring: Literal["generate", "logprobs"] = "generate"
    system: str | None = "You are a helpful assistant."
    answers: Drawing = Drawing()
    making: Drawing = Drawing(max_tokens=2048)
    instructions: Mapping[str, InstructionOverride] = Field(default_factory=dict)
    base_url: str | None = None
    concurrency: int = Field(default=64, ge=1)
    budget: BudgetLimits = BudgetLimits()
    prices: str | None = None

    @field_validator("models", "source", "target", "senses", "conditions", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("source", "target")
    @classmethod
    def _tags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(normalise(tag) for tag in value))

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


def study_from_mapping(values: Mapping[str, Any], *, file: object = None) -> MultisenseStudy:
    """Validate a study.

    Args:
        values: Keys as in the YAML file.
        file: Named in error messages.

    Raises:
        UnknownNameError: A key that does not exist, with the nearest that does; or an unknown language.
        DataError: A value of the wrong kind, naming the key.
    """
    try:
        return MultisenseStudy.model_validate(dict(values))
    except ValidationError as error:
        raise _explained(error, file) from None


def read_study(path: Path) -> MultisenseStudy:
    """Read a study file.

    Raises:
        UsageError: No such file.
        DataError: No valid YAML, or a value of the wrong kind.
        UnknownNameError: A key or language that does not exist.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read the study {path}: {error.strerror}") from None
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise DataError(
            f"no valid YAML: {getattr(error, 'problem', error)}",
            file=path,
            line=mark.line + 1 if mark else None,
        ) from None
    if not isinstance(values, dict):
        raise DataError("a study is a mapping of keys, such as `task: paws-x`", file=path)
    return study_from_mapping(values, file=path)


def _explained(error: ValidationError, file: object) -> UnknownNameError | DataError:
    """The first fault of a pydantic error as one of ours."""
    fault = error.errors(include_url=False)[0]
    place = [str(step) for step in fault["loc"]]
    where = ".".join(place)
    if fault["type"] == "extra_forbidden":
        return UnknownNameError(f"key of {file or 'the study'}", where, _keys_beside(place))
    given = fault.get("input")
    shown = f" (given: {given!r})" if isinstance(given, str | int | float | bool) else ""
    message = "this key is missing" if fault["type"] == "missing" else f"{fault['msg']}{shown}"
    return DataError(message, file=file, field=where or None)


def _keys_beside(place: list[str]) -> list[str]:
    """The keys that exist at the place of an unknown one, written as a path."""
    model: type[BaseModel] = MultisenseStudy
    parents = place[:-1]
    nested: dict[str, type[BaseModel]] = {
        "sample": SampleSize,
        "answers": Drawing,
        "making": Drawing,
        "budget": BudgetLimits,
        "instructions": InstructionOverride,
    }
    if parents:
        model = nested.get(parents[0], MultisenseStudy)
    return [".".join([*parents, name]) for name in model.model_fields]
