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

from hesperus.tasks.definition import LETTERS, Form
from hesperus.tasks.task_parts import Columns, Fault, Gold, Key, Sharing, Source, Words, by_tag


class _Part(BaseModel):
    """A part of the file: every unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


Instructions = Annotated[dict[str, InstructionPart], AfterValidator(by_tag)]
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
    wording: Words = ()
    wordings: dict[str, Instructions] = Field(default_factory=dict)
    answers: dict[str, str | list[str]] = Field(default_factory=dict)
    source: Source = Source()
    columns: Columns = Columns()
    gold: Gold = Gold()
    key: Key = Key(row=True)
    faults: tuple[Fault, ...] = ()
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
