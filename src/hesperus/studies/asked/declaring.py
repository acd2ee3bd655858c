"""What study files have in common: keys that many studies share, how a file is read, and how its faults are named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from hesperus.asking.shards import Shard
from hesperus.errors import DataError, UnknownNameError
from hesperus.strict_yaml import read_yaml_file
from hesperus.studies.asked.exclusions import excluded_items
from hesperus.studies.asked.locating import with_found_files
from hesperus.types import Settings

Exclusions = Annotated[Mapping[str, str], BeforeValidator(excluded_items)]
"""Item id to the reason why it is left out; in a study file also a list of ids, or the name of a file that has them."""

DOES_NOT_DECIDE = frozenset({"concurrency", "budget", "prices", "key_variable", "shard"})
"""Keys that decide how a study is asked and never what comes out; they enter no folder's name and no fingerprint."""


DRAWING_PRESETS: Mapping[str, Mapping[str, float]] = {"ohmer2023": {"temperature": 0.25, "max_tokens": 256}}
"""Name to settings of a published study."""


class Part(BaseModel):
    """A part of a study file: frozen, and every unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_ONLY_WHERE_GIVEN = ("exclude", "key_variable", "reasoning_effort", "request", "shard")


class Declared(Part):
    """A whole study file. Keys that few studies need are written only where they are given."""

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        for key in _ONLY_WHERE_GIVEN:
            if not values.get(key):
                values.pop(key, None)
        how = {key: values.pop(key) for key in Reach.model_fields if key in values}
        return {**values, **how}

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], *, file: object = None) -> Self:
        """Validate a study; its first fault becomes an error that people can act on.

        Args:
            values: Keys as in the YAML file.
            file: Named in error messages.

        Raises:
            UnknownNameError: A key that does not exist, with the nearest that does; or an unknown language.
            DataError: A value of the wrong kind, naming the key; or a file it names that breaks its contract.
            UsageError: A file it names that cannot be read.
        """
        try:
            json.dumps(values, ensure_ascii=False, default=str, skipkeys=True).encode()
            return cls.model_validate(dict(values))
        except UnicodeEncodeError:
            raise DataError("a value holds half a surrogate pair, which is no character", file=file) from None
        except ValidationError as error:
            raise _explained(cls, error, file) from None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a study file; its files are found from the working directory, or from the file itself.

        Raises:
            UsageError: No such file.
            DataError: No valid YAML, or a value of the wrong kind.
            UnknownNameError: A key or language that does not exist.
        """
        return cls.from_mapping(with_found_files(read_mapping(path), path), file=path)


class Drawing(Part):
    """How replies are drawn.

    In a study file `ohmer2023` in its place is temperature 0.25 and 256 tokens, as in Ohmer, Bruni and Hupkes 2023
    (section 3.1).

    Attributes:
        temperature: Softmax temperature; null leaves it to the model, as those that think demand.
        max_tokens: Longest reply in tokens, thinking included; null is 4096 over HTTP and 256 for models that run here.
        max_tokens_again: Replies that are cut off before any answer are asked again with this many tokens; null asks once.
        top_p: Nucleus mass in (0, 1].
        seed: Sampling seed for endpoints that take one.
    """

    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_tokens_again: int | None = Field(default=None, ge=1)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, value: object) -> object:
        if isinstance(value, str):
            if value not in DRAWING_PRESETS:
                raise ValueError(f"no preset {value!r}; there are {', '.join(DRAWING_PRESETS)}")
            return dict(DRAWING_PRESETS[value])
        return value

    def settings(self) -> Settings:
        """The same as the value that travels with a request."""
        return Settings(self.temperature, self.max_tokens, self.top_p, self.seed)


class SampleSize(Part):
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


class Resampling(Part):
    """How intervals are made: resamples of the items, their seed, coverage, and how they are drawn."""

    resamples: int = Field(default=2000, ge=0)
    seed: int = Field(default=0, ge=0)
    level: float = Field(default=0.95, gt=0, lt=1)
    interval: Literal["bayesian", "percentile"] = "bayesian"


class BudgetLimits(Part):
    """Where to stop, cleanly; null is no limit.

    Attributes:
        requests: Requests sent.
        tokens: Tokens in and out together, as the endpoint counts them.
        money: In the currency of the price file.
    """

    requests: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    money: float | None = Field(default=None, ge=0)


class Reach(Declared):
    """A study that asks models: how they are reached, and where to stop.

    Attributes:
        base_url: Endpoint of `http/…` models, or instead of a provider's own.
        key_variable: Environment variable that holds the key, in place of the usual.
        reasoning_effort: How long models think that take it: `low`, `medium`, `high`, ….
        request: Further members of every request over HTTP, such as `{"top_k": 20}`; null leaves a member out, such as
            `{"temperature": null}` for a judge or translator that refuses 0.
        concurrency: Most requests in flight.
        budget: Where to stop.
        prices: Price file, for a budget in money and for the plan.
        shard: `I/N`: ask only this part of the items, into a store of its own; `0/N` is what all parts have in common.
    """

    base_url: str | None = None
    key_variable: str | None = None
    reasoning_effort: str | None = None
    request: Mapping[str, Any] = Field(default_factory=dict)
    concurrency: int = Field(default=64, ge=1)
    budget: BudgetLimits = BudgetLimits()
    prices: str | None = None
    shard: str | None = None

    @field_validator("shard")
    @classmethod
    def _a_shard(cls, value: str | None) -> str | None:
        return None if value is None else str(Shard.parse(value))

    @field_validator("request", mode="before")
    @classmethod
    def _members(cls, value: object) -> object:
        """Flags say NAME=JSON; a file has a mapping."""
        if not isinstance(value, list | tuple):
            return value
        members = {}
        for text in value:
            name, equals, said = str(text).partition("=")
            if not (name and equals):
                raise ValueError(f"{text!r}: write NAME=JSON, such as top_k=20")
            try:
                members[name] = orjson.loads(said)
            except orjson.JSONDecodeError:
                members[name] = said
        return members

    @field_validator("system", mode="after", check_fields=False)
    @classmethod
    def _no_empty_system(cls, value: str | None) -> str | None:
        return value or None


class InstructionOverride(Part):
    """A hand-written part that replaces what a task or a model has in its place."""

    prefix: str | None = None
    words: Mapping[str, str] = Field(default_factory=dict)
    suffix: str | None = None
    answers: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


def read_mapping(path: Path) -> dict[str, Any]:
    """The keys of a study file, not yet validated.

    Raises:
        UsageError: No such file.
        DataError: No valid YAML, or no mapping.
    """
    values = read_yaml_file(path, "study").value
    if not isinstance(values, dict):
        raise DataError("a study is a mapping of keys, such as `task: paws-x`", file=path)
    return dict(values)


def _explained(kind: type[BaseModel], error: ValidationError, file: object) -> UnknownNameError | DataError:
    faults = error.errors(include_url=False)
    # A key that does not exist is why another is missing, oftener than not.
    fault = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    place = [str(step) for step in fault["loc"]]
    where = ".".join(place)
    if fault["type"] == "extra_forbidden":
        model = _part_at(kind, place[:-1])
        known = [".".join([*place[:-1], name]) for name in model.model_fields]
        return UnknownNameError(f"key of {file or 'the study'}", where, known)
    given = fault.get("input")
    shown = f" (given: {given!r})" if isinstance(given, str | int | float | bool) else ""
    said = str(fault["msg"]).removeprefix("Value error, ")
    message = "this key is missing" if fault["type"] == "missing" else f"{said}{shown}"
    return DataError(message, file=file, field=where or None)


def _part_at(kind: type[BaseModel], place: list[str]) -> type[BaseModel]:
    """The part of a study file at a path of keys; steps into a mapping or a list have no part of their own."""
    for step in place:
        field = kind.model_fields.get(step)
        if field is not None:
            kind = next(_parts(field.annotation), kind)
    return kind


def _parts(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts(inner)
