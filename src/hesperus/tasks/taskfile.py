"""Task files: the YAML in which a benchmark is described, the catalogue's own and a user's alike.

Every scalar is text, so ``no: [no]`` is a Norwegian key and an answer, not two falsehoods, and ``007`` stays an id.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from hesperus.languages import normalise
from hesperus.tasks.definition import LETTERS, Form, GoldAcross, GoldReading, Sharing


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)]
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
    config: Names | None = None
    config_column: str | None = None
    split: str | None = None
    files: str | None = None
    builtin: str | None = None
    form: str | None = None
    languages: dict[str, str] = Field(default_factory=dict)
    language_column: str | None = None
    where: dict[str, Words] = Field(default_factory=dict)
    header: list[str] | None = None
    quoted: bool | None = None
    obtain: str = ""

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
        if (len(self.config or ()) > 1) != (self.config_column is not None):
            raise ValueError(
                "several configurations (config: [a, b]) and config_column, the column that is to hold them, go together"
            )
        return self


class OptionsPart(_Part):
    """A column for each option, or one that holds them all; a bare list means the former."""

    columns: list[Names] = Field(default_factory=list)
    column: Names | None = None
    separator: str | None = None
    at_least: int | None = Field(default=None, ge=2)
    lettered: bool = False
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
        if isinstance(value, str):
            raise ValueError(
                "write a list of columns, one an option, or {column: NAME} for one that holds them all"
            )
        return {"columns": value} if isinstance(value, list) else value


class GoldPart(_Part):
    """See definition.Gold."""

    read: GoldReading = "label"
    labels: dict[str, str] = Field(default_factory=dict)
    separator: str | None = None
    unanswered: Words = Field(default_factory=list)
    only_numbers: bool = False
    across: GoldAcross | None = None

    @model_validator(mode="after")
    def _numbers(self) -> GoldPart:
        if self.only_numbers and self.read != "number":
            raise ValueError(f"only_numbers needs read: number; it is {self.read}")
        return self


class KeyPart(_Part):
    """See definition.Key."""

    columns: list[Names] = Field(default_factory=list)
    row: bool = False
    normalised: list[str] = Field(default_factory=list)
    without: str | None = Field(default=None, min_length=1)
    parallel: bool = True

    @model_validator(mode="after")
    def _given(self) -> KeyPart:
        if not self.columns and not self.row:
            raise ValueError("give columns, or `row: true` where the data have nothing else")
        if self.without is not None and not self.columns:
            raise ValueError("without is cut out of the first of columns, and there are none")
        return self


class FaultPart(_Part):
    """See definition.Fault."""

    item: str
    language: str
    reason: str


def _for_any(value: object) -> object:
    return {"any": value} if isinstance(value, str) else value


class InstructionPart(_Part):
    """An instruction in one language; answers left out come from the language pack.

    ``suffix`` may differ by the number of options: ``{4: …, any: …}``.
    """

    prefix: str = ""
    words: dict[str, str] = Field(default_factory=dict)
    suffix: Annotated[dict[str, str], BeforeValidator(_for_any)] = Field(default_factory=dict)
    answers: dict[str, Words] | None = None

    @field_validator("suffix")
    @classmethod
    def _numbers(cls, value: dict[str, str]) -> dict[str, str]:
        for key in value:
            if key != "any" and not key.isdecimal():
                raise ValueError(f"{key!r} is no number of options; write one, or `any`")
        return value


def _tagged(value: dict[str, InstructionPart]) -> dict[str, InstructionPart]:
    return {normalise(tag): part for tag, part in value.items()}


Instructions = Annotated[dict[str, InstructionPart], AfterValidator(_tagged)]
"""BCP-47 tag to instruction."""


class WordingFile(_Part):
    """Instructions that many tasks share: the files under ``wordings``.

    ``suffixes`` names another such file, whose suffix in a language holds for each instruction here that has none.
    ``reviewed`` lists the languages in which a native reader has confirmed the texts.
    """

    description: str
    fields: list[str] = Field(min_length=1)
    layout: str
    suffixes: str | None = None
    reviewed: list[str] = Field(default_factory=list)
    instructions: Instructions


class TaskFile(_Part):
    """See definition.Task."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    description: str
    form: Form
    fields: list[str] = Field(min_length=1)
    labels: list[str] = Field(default_factory=list)
    options: int | None = Field(default=None, ge=2, le=len(LETTERS))
    layout: str = ""
    instructions: Instructions = Field(default_factory=dict)
    wording: Words = Field(default_factory=list)
    wordings: dict[str, Instructions] = Field(default_factory=dict)
    answers: dict[str, str | list[str]] = Field(default_factory=dict)
    source: SourcePart = SourcePart()
    columns: ColumnsPart = ColumnsPart()
    gold: GoldPart = GoldPart()
    key: KeyPart = KeyPart(row=True)
    faults: list[FaultPart] = Field(default_factory=list)
    size: int | None = Field(default=None, ge=1)
    licence: str = ""
    licence_note: str = ""
    share: Sharing = "unknown"
    citation: str = ""
    url: str = ""
    notes: list[str] = Field(default_factory=list)
    unverified: list[str] = Field(default_factory=list)
    example: str = ""

    @model_validator(mode="after")
    def _fits_together(self) -> TaskFile:
        if self.form == "label" and len(self.labels) < 2:
            raise ValueError("form label needs at least two labels")
        if self.form != "label" and self.labels:
            raise ValueError(f"labels belong to form label; this task is of form {self.form}")
        if self.form == "choice" and self.options is None:
            raise ValueError("form choice needs options: the most options that an item has")
        options = self.columns.options
        if self.form == "choice" and options is not None and len(options.columns) > (self.options or 0):
            raise ValueError(
                f"columns.options names {len(options.columns)} columns, and options says {self.options} at most"
            )
        if self.form not in ("text", "number") and (self.columns.aliases or self.gold.separator):
            raise ValueError(
                "columns.aliases and gold.separator are for open answers, of form text or number"
            )
        if self.source.builtin is None and not self.layout and not self.wording:
            raise ValueError(
                "layout is missing: the text of a prompt with its placeholders; see docs/tasks.md"
            )
        if self.form != "choice" and any(
            set(part.suffix) - {"any"}
            for parts in (self.instructions, *self.wordings.values())
            for part in parts.values()
        ):
            raise ValueError("a suffix for a number of options belongs to form choice")
        if self.source.builtin is None and list(self.columns.fields) != self.fields:
            raise ValueError(
                f"columns.fields must name exactly the fields, in order: {', '.join(self.fields)}"
            )
        return self
