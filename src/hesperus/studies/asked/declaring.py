"""What study files have in common: keys that all studies share.

A field of a study is a key of its file, a flag of `hesperus run`, a keyword of `hesperus.run`, and an entry of the
documentation and of the JSON schema; the text under it is the help of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from hesperus.asking.engines import EngineName
from hesperus.asking.policy import BatchMode
from hesperus.asking.shards import Shard
from hesperus.errors import DataError
from hesperus.model_faults import Lines, explained
from hesperus.studies.asked.field_types import MEMBERS, PATH, Exclusions, Names, Tag
from hesperus.studies.asked.study_files import read_study_file, with_found_files
from hesperus.types import Sense, Settings

OF_THIS_MACHINE = frozenset({"engine", "engine_address", "engine_workers"})
"""Keys that say where a study is asked: no run folder has them, which is passed on and run again elsewhere."""
DOES_NOT_DECIDE = OF_THIS_MACHINE | {"concurrency", "budget", "prices", "key_variable", "shard", "batch"}
"""Keys that decide how a study is asked and never what comes out; they enter no folder's name and no fingerprint."""


GENERATION_PRESETS: Mapping[str, Mapping[str, float]] = {
    "ohmer2023": {"temperature": 0.25, "max_tokens": 256}
}
"""Name to settings of a published study."""

_MOST = 10_000_000
"""More of anything than this is a slip."""


class Part(BaseModel):
    """A part of a study file: frozen, and every unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, defer_build=True)

    section: ClassVar[str] = ""
    """Heading under which the help lists the fields; empty for that of the key around them."""

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_value_as_number(cls, value: object, info: ValidationInfo) -> object:
        kinds = set(_leaves(cls.model_fields[str(info.field_name)].annotation))
        if isinstance(value, bool) and kinds & {int, float} and bool not in kinds:
            raise ValueError("expected a number")
        return value


def _or_preset(schema: dict[str, Any]) -> None:
    """The name of a preset may be in place of the settings."""
    settings = dict(schema)
    schema.clear()
    schema["anyOf"] = [settings, {"enum": list(GENERATION_PRESETS)}]


class GenerationSettings(Part):
    """How replies are drawn.

    In a study file `ohmer2023` in its place is temperature 0.25 and 256 tokens, as in Ohmer, Bruni and Hupkes 2023
    (section 3.1).
    """

    model_config = ConfigDict(json_schema_extra=_or_preset)

    temperature: float | None = Field(default=None, ge=0, le=2)
    """Softmax temperature; left to the model if not given, as those that think demand."""
    max_tokens: int | None = Field(default=None, ge=1, le=_MOST)
    """Longest reply in tokens, thinking included; if not given, 4096 over HTTP and 256 for models that run here."""
    max_tokens_again: int | None = Field(default=None, ge=1, le=_MOST)
    """Ask replies that are cut off before any answer again with this many tokens."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Nucleus mass."""
    seed: int | None = None
    """Sampling seed, for endpoints that take one."""

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, value: object) -> object:
        if isinstance(value, str):
            if value not in GENERATION_PRESETS:
                raise ValueError(f"no preset {value[:60]!r}; there are {', '.join(GENERATION_PRESETS)}")
            return dict(GENERATION_PRESETS[value])
        return value

    def settings(self) -> Settings:
        """The same as the value that travels with a request."""
        return Settings(self.temperature, self.max_tokens, self.top_p, self.seed)


class SampleSize(Part):
    """Which items: `n` in all, or `per_group` of every value of `by`; the same ids in every language."""

    n: int | None = Field(default=None, ge=1, le=_MOST)
    """Ask only this many items, drawn by seed."""
    by: str | None = None
    """Group of the items, such as subject, from each of whose values `per_group` are drawn."""
    per_group: int | None = Field(default=None, ge=1, le=_MOST)
    """Items of each value of `by`."""
    seed: int = 42
    """Seed of the draw."""

    @model_validator(mode="after")
    def _one_size(self) -> SampleSize:
        if (self.n is None) == (self.per_group is None):
            raise ValueError("give either n, or per_group together with by")
        if self.per_group is not None and self.by is None:
            raise ValueError("per_group needs by: the column whose groups are meant")
        return self


class BootstrapSettings(Part):
    """How intervals are made."""

    section: ClassVar[str] = "Intervals"

    resamples: int = Field(default=2000, ge=0, le=_MOST)
    """Resamples of the items; 0: no intervals."""
    seed: int = Field(default=0, ge=0)
    """Seed of the resamples."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Coverage."""
    interval: Literal["bayesian", "percentile"] = "bayesian"
    """bayesian, which holds where all items are alike, or percentile, as papers print it."""


class BudgetLimits(Part):
    """Where to stop, cleanly; null is no limit."""

    requests: int | None = Field(default=None, ge=0)
    """Stop after this many requests."""
    tokens: int | None = Field(default=None, ge=0)
    """Stop after this many tokens, in and out, as the endpoint counts them."""
    money: float | None = Field(default=None, ge=0)
    """Stop after this much, in the currency of the price file."""


class AskedItems(Part):
    """What a study asks about."""

    section: ClassVar[str] = "What is asked"

    task: str
    """Task of the catalogue, or path of a task file."""
    data: Annotated[str | None, PATH] = None
    """File or folder of items, instead of the task's own source."""
    sample: SampleSize | None = None
    """Which items; all if not given."""
    exclude: Exclusions = Field(default_factory=dict)
    """Leave these items out: a list that `hesperus audit --out` wrote, or an id a line."""
    plugins: Annotated[Names, PATH] = ()
    """Python file whose senses, models, translators, evaluators or tasks the study uses; it is run."""


class Instructed(Part):
    """A study with questions that may be under an instruction in another language."""

    section: ClassVar[str] = "What is asked"

    instruction_language: Tag | None = None
    """Language of the instruction around every original question, whatever its own; that of the question if not given."""

    def under(self, language: str) -> Sense:
        """The instruction under which original questions in a language are asked."""
        return Sense(self.instruction_language or language)


class AskedModels(Part):
    """Whom a study asks."""

    section: ClassVar[str] = "Who is asked, and how"

    models: Names = Field(min_length=1)
    """provider/name, e.g. openai/gpt-4o-mini."""
    system: str | None = "You are a helpful assistant."
    """System text of every request; '' for none."""
    answers: GenerationSettings = GenerationSettings()
    """How answers are drawn."""

    @field_validator("system")
    @classmethod
    def _no_empty_system(cls, value: str | None) -> str | None:
        return value or None


class ReachedModels(Part):
    """How models are reached."""

    section: ClassVar[str] = "Who is asked, and how"

    base_url: str | None = None
    """Endpoint of http/NAME, or in place of a provider's own."""
    key_variable: str | None = None
    """Environment variable that holds the key, in place of the usual."""
    reasoning_effort: str | None = None
    """low, medium, high, …: how long a model thinks that takes it."""
    request: Annotated[Mapping[str, Any], MEMBERS] = Field(default_factory=dict)
    """Further member of every request over HTTP, e.g. top_k=20; null leaves one out, e.g. temperature=null."""


class AskingLimits(Part):
    """How hard models are asked, and where to stop."""

    section: ClassVar[str] = "Limits"

    concurrency: int = Field(default=64, ge=1, le=100_000)
    """Most requests in flight."""
    budget: BudgetLimits = BudgetLimits()
    """Where to stop."""
    prices: Annotated[str | None, PATH] = None
    """Price file (YAML), for a budget in money and for the plan; see `hesperus plan --help`."""
    shard: str | None = None
    """I/N: ask only this part of the items, for `hesperus merge`; 0/N first: what all parts need."""
    batch: BatchMode | None = None
    """Ask models over HTTP by /v1/batches: wait for them, submit and end, or export them as files; see docs/batches.md."""

    engine: EngineName | None = None
    """Where models are asked: local is this process, ray a Ray cluster (extra `ray`), with the same replies; see docs/scale.md."""
    engine_address: str | None = None
    """Head node of a running Ray cluster, HOST:PORT; if not given, Ray is started on this machine for the run."""
    engine_workers: int | None = Field(default=None, ge=1, le=10_000)
    """Workers that ask each model; if not given, one per GPU for models that run here, or else one per node."""

    @field_validator("shard")
    @classmethod
    def _a_shard(cls, value: str | None) -> str | None:
        return None if value is None else str(Shard.parse(value))


class Terms(AskingLimits, ReachedModels):
    """On what terms models are asked; nothing here decides a reply but how they are reached."""


_LAST = (
    "base_url", "key_variable", "reasoning_effort", "request", "concurrency", "budget", "prices", "shard", "batch", "engine",
    "engine_address", "engine_workers",
)  # fmt: skip
_ONLY_WHERE_GIVEN = (
    "exclude", "plugins", "instruction_language", "key_variable", "reasoning_effort", "request", "shard", "batch", "engine",
    "engine_address", "engine_workers",
)  # fmt: skip


class Declared(Terms, AskedModels, AskedItems):
    """A whole study file. Keys that few studies need are written only where they are given."""

    stages_in: ClassVar[str]
    """Module of its stages: it has `course(study, *, folder=None)`, which loads the study and names its stages."""
    help: ClassVar[str] = ""
    """What it does, in a sentence that goes on from its name."""
    tables: ClassVar[tuple[str, ...]]
    """Names of its tables: measures of its runs. The first is the usual one."""
    shown_first: ClassVar[str] = ""
    """The table that a person is shown first; empty: the usual one."""
    next_commands: ClassVar[tuple[str, ...]] = ("hesperus report {run}",)
    """Commands that go on from a run folder, with {run} in its place."""

    @classmethod
    def name(cls) -> str:
        """Its name: what is under `study` in a study file."""
        return str(cls.model_fields["study"].default)

    @property
    def run_name(self) -> str:
        """What the names of its run folders begin with."""
        return Path(self.task).stem

    @model_serializer(mode="wrap")
    def _in_order(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        for key in _ONLY_WHERE_GIVEN:
            if not values.get(key):
                values.pop(key, None)
        first = {key: values.pop(key) for key in ("study",) if key in values}
        how = {key: values.pop(key) for key in _LAST if key in values}
        return {**first, **values, **how}

    @classmethod
    def from_mapping(
        cls, values: Mapping[str, Any], *, file: object = None, lines: Lines | None = None
    ) -> Self:
        """Validate a study; its first fault becomes an error that people can act on.

        Args:
            values: Keys as in the YAML file.
            file: Named in error messages.
            lines: Key to its line in that file, or None, for messages.

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
            raise explained(error, cls, lines or (lambda _: None), file) from None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a study file; its files are found from the working directory, or from the file itself.

        Raises:
            UsageError: No such file.
            DataError: No valid YAML, or a value of the wrong kind.
            UnknownNameError: A key or language that does not exist.
        """
        values, document = read_study_file(path)
        return cls.from_mapping(with_found_files(values, path), file=path, lines=document.line)


class InstructionOverride(Part):
    """A hand-written part that replaces what a task or a model has in its place."""

    prefix: str | None = None
    """What comes first."""
    words: Mapping[str, str] = Field(default_factory=dict)
    """Field to the word before it."""
    suffix: str | None = None
    """What comes last."""
    answers: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Label to its words."""


def _leaves(annotation: object) -> Iterator[object]:
    """The plain types of an annotation that is no list and no mapping."""
    inner = get_args(annotation)
    if annotation in (int, float, bool, str):
        yield annotation
    elif type(None) in inner:
        for one in inner:
            yield from _leaves(one)
