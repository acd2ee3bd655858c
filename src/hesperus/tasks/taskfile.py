"""Task files: the YAML in which a benchmark is described, the catalogue's own and a user's alike.

Every scalar is text, so ``no: [no]`` is a Norwegian key and an answer, not two falsehoods, and ``007`` stays an id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from hesperus.errors import DataError, UnknownNameError
from hesperus.languages import normalise
from hesperus.strict_yaml import read_yaml
from hesperus.tasks.definition import LETTERS, Form, GoldAcross, GoldReading

_LONGEST_FILE = 2_000_000
_DEEPEST = 12


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(_listed)]
"""A column's name, or a list of the names that it may have."""

Words = Annotated[list[str], BeforeValidator(_listed)]
"""A word for a label, or a list of words."""


class _Part(BaseModel):
    """A part of the file: every unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourcePart(_Part):
    """See definition.Source."""

    hub: str | None = None
    revision: str | None = None
    revision_note: str = ""
    config: str | None = None
    split: str | None = None
    files: str | None = None
    builtin: str | None = None
    form: str | None = None
    languages: dict[str, str] = Field(default_factory=dict)
    language_column: str | None = None
    header: list[str] | None = None
    quoted: bool | None = None
    where: str = ""

    @field_validator("languages")
    @classmethod
    def _tags(cls, value: dict[str, str]) -> dict[str, str]:
        return {normalise(tag): code for tag, code in value.items()}

    @model_validator(mode="after")
    def _pinned(self) -> SourcePart:
        if self.hub and not self.revision and not self.revision_note:
            raise ValueError(
                "a hub data set needs its revision (a commit), or a revision_note that says why there is none"
            )
        if self.revision in ("main", "master", "HEAD"):
            raise ValueError(f"revision {self.revision!r} moves; give the commit")
        return self


class OptionsPart(_Part):
    """A column for each option, or one that holds them all; a bare list means the former."""

    columns: list[Names] = Field(default_factory=list)
    column: Names | None = None
    separator: str | None = None
    shuffled: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> OptionsPart:
        if bool(self.columns) == (self.column is not None):
            raise ValueError("give either columns (one for each option) or column (one that holds them all)")
        return self


class ColumnsPart(_Part):
    """See definition.Columns."""

    fields: dict[str, Names] = Field(default_factory=dict)
    gold: Names | None = None
    aliases: Names | None = None
    options: OptionsPart | None = None
    groups: dict[str, Names] = Field(default_factory=dict)

    @field_validator("options", mode="before")
    @classmethod
    def _bare_list(cls, value: object) -> object:
        return {"columns": value} if isinstance(value, list) else value


class GoldPart(_Part):
    """See definition.Gold."""

    read: GoldReading = "label"
    labels: dict[str, str] = Field(default_factory=dict)
    separator: str | None = None
    across: GoldAcross | None = None


class KeyPart(_Part):
    """See definition.Key."""

    columns: list[Names] = Field(default_factory=list)
    row: bool = False
    normalised: list[str] = Field(default_factory=list)
    parallel: bool = True

    @model_validator(mode="after")
    def _one_way(self) -> KeyPart:
        if bool(self.columns) == self.row:
            raise ValueError("give either columns, or `row: true` where the data have nothing else")
        return self


class FaultPart(_Part):
    """See definition.Fault."""

    item: str
    language: str
    reason: str


class InstructionPart(_Part):
    """An instruction in one language; answers left out come from the language pack."""

    prefix: str = ""
    words: dict[str, str] = Field(default_factory=dict)
    suffix: str = ""
    answers: dict[str, Words] | None = None


class TaskFile(_Part):
    """See definition.Task."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    description: str
    form: Form
    fields: list[str] = Field(min_length=1)
    labels: list[str] = Field(default_factory=list)
    options: int | None = Field(default=None, ge=2, le=len(LETTERS))
    layout: str = ""
    instructions: dict[str, InstructionPart] = Field(default_factory=dict)
    answers: dict[str, str | list[str]] = Field(default_factory=dict)
    source: SourcePart = SourcePart()
    columns: ColumnsPart = ColumnsPart()
    gold: GoldPart = GoldPart()
    key: KeyPart = KeyPart(row=True)
    faults: list[FaultPart] = Field(default_factory=list)
    licence: str = ""
    citation: str = ""
    url: str = ""
    notes: list[str] = Field(default_factory=list)

    @field_validator("instructions")
    @classmethod
    def _tags(cls, value: dict[str, InstructionPart]) -> dict[str, InstructionPart]:
        return {normalise(tag): part for tag, part in value.items()}

    @model_validator(mode="after")
    def _fits_together(self) -> TaskFile:
        if self.form == "label" and len(self.labels) < 2:
            raise ValueError("form label needs at least two labels")
        if self.form != "label" and self.labels:
            raise ValueError(f"labels belong to form label; this task is of form {self.form}")
        if self.form == "choice" and self.options is None:
            raise ValueError("form choice needs options: the most options that an item has")
        if self.form not in ("text", "number") and (self.columns.aliases or self.gold.separator):
            raise ValueError(
                "columns.aliases and gold.separator are for open answers, of form text or number"
            )
        if self.source.builtin is None and not self.layout:
            raise ValueError(
                "layout is missing: the text of a prompt with its placeholders; see docs/tasks.md"
            )
        if self.source.builtin is None and list(self.columns.fields) != self.fields:
            raise ValueError(
                f"columns.fields must name exactly the fields, in order: {', '.join(self.fields)}"
            )
        return self


def parse_task_file(text: str, file: object) -> TaskFile:
    """Validate a task file.

    Args:
        text: The file's text.
        file: Named in errors.

    Raises:
        DataError: No YAML, or a value of the wrong kind, naming key and line.
        UnknownNameError: A key that does not exist, with the nearest that does; or an unknown language.
    """
    found = read_yaml(text, file, is_text=True, longest=_LONGEST_FILE, deepest=_DEEPEST)
    if not isinstance(found.value, dict):
        raise DataError(
            "a task file is a mapping of keys, such as `name: my-task`; see docs/tasks.md", file=file
        )
    return validated(TaskFile, found.value, lines=found.lines, file=file)


M = TypeVar("M", bound=BaseModel)


def validated(model: type[M], values: Mapping[str, Any], *, lines: Mapping[str, int], file: object) -> M:
    """Build a pydantic model, with the first fault told as one of our errors.

    Args:
        model: What to build.
        values: As read_yaml gives them.
        lines: Line of each key.
        file: Named in errors.

    Raises:
        DataError: A value of the wrong kind, naming key and line.
        UnknownNameError: A key that does not exist.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _explained(error, model, lines, file) from None


def _explained(
    error: ValidationError, model: type[BaseModel], lines: Mapping[str, int], file: object
) -> UnknownNameError | DataError:
    faults = error.errors(include_url=False)
    # A key that does not exist is often the misspelling of one that is missing: it says more.
    fault = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
    steps = [step for step in fault["loc"] if isinstance(step, int) or not _is_kind(step)]
    place = ".".join(map(str, steps))
    if fault["type"] == "extra_forbidden":
        line = f", line {lines[place]}" if place in lines else ""
        return UnknownNameError(f"key of {file}{line}", place, _keys_beside(model, steps))
    given = fault.get("input")
    shown = f" (given: {given!r})" if isinstance(given, str) else ""
    message = fault["msg"].removeprefix("Value error, ")
    message = "this key is missing" if fault["type"] == "missing" else f"{message}{shown}"
    return DataError(message, file=file, line=lines.get(place), field=place or None)


def _is_kind(step: str) -> bool:
    """Whether a step of pydantic's path names the branch of a union instead of a key."""
    return step == "str" or step.startswith(("list[", "function-"))


def _keys_beside(model: type[BaseModel], steps: list[int | str]) -> list[str]:
    """The keys that exist beside an unknown one, as paths."""
    known: type[BaseModel] | None = model
    for step in steps[:-1]:
        if known is None or step not in known.model_fields:
            continue
        known = _model_in(known.model_fields[str(step)].annotation)
    parents = [str(step) for step in steps[:-1]]
    return [".".join([*parents, name]) for name in known.model_fields] if known else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model inside an annotation such as ``dict[str, Model]`` or ``Model | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
