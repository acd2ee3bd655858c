"""Rating schemes: what raters are shown and asked, as YAML files; those that come with hesperus and a user's own."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hesperus.errors import DataError, UnknownNameError
from hesperus.model_faults import validated
from hesperus.strict_yaml import read_yaml
from hesperus.text_files import read_text

COMMENT = "comment"
"""Name under which a rater's remark on a unit is kept; no question may have it."""

_LONGEST_FILE = 200_000
_NAME = r"^[a-z][a-z0-9_]{0,40}$"


class _Part(BaseModel):
    """A part of the file: unknown keys are refused; ``value: 1`` is the text ``1``."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class Choice(_Part):
    """One answer to a question.

    Attributes:
        value: What is stored.
        label: What the button says; the value where it is empty.
        anchor: What the value means, shown next to it.
    """

    value: str = Field(min_length=1, max_length=200)
    label: str = ""
    anchor: str = ""


class Question(_Part):
    """One question about every unit.

    Attributes:
        name: Name of the column in exports.
        title: What the rater reads.
        help: A second line.
        level: ``ordinal`` where the choices have an order (a scale), else ``nominal``.
        choices: What can be answered.
        labels: Whether each unit's own labels come before the choices.
        cannot_judge: Whether the rater may say so.
    """

    name: str = Field(pattern=_NAME)
    title: str = Field(min_length=1)
    help: str = ""
    level: Literal["ordinal", "nominal"] = "nominal"
    choices: tuple[Choice, ...] = ()
    labels: bool = False
    cannot_judge: bool = True

    @model_validator(mode="after")
    def _can_be_answered(self) -> Self:
        values = [choice.value for choice in self.choices]
        if len(values) + self.labels < 2 and not self.labels:
            raise ValueError(
                "a question needs two choices, or `labels: true` where each unit brings its own labels"
            )
        if len(set(values)) != len(values):
            raise ValueError("two choices have one value")
        if self.level == "ordinal" and any("," in value for value in values):
            raise ValueError(
                "a value on a scale has no comma: exports write the order of the values as a list"
            )
        if self.name == COMMENT:
            raise ValueError(f"{COMMENT!r} is the name of the rater's remark; take another")
        return self

    @property
    def order(self) -> str | None:
        """The values of a scale that are not in the order of their numbers, lowest first, with commas between; else None."""
        values = [choice.value for choice in self.choices]
        if self.level != "ordinal" or self.labels:
            return None
        try:
            numbers = [float(value) for value in values]
        except ValueError:
            return ",".join(values)
        return None if numbers == sorted(numbers) else ",".join(values)

    def values(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """What may be answered about a unit with these labels, in the order in which it is shown."""
        return (*(labels if self.labels else ()), *(choice.value for choice in self.choices))


class Shown(_Part):
    """A text that raters see.

    Attributes:
        name: Column of the table that it comes from, unless it is mapped.
        title: Heading over it.
        required: Whether every unit must have it.
    """

    name: str = Field(pattern=_NAME)
    title: str = Field(min_length=1)
    required: bool = True


class Scheme(_Part):
    """What raters are shown and asked.

    Attributes:
        name: Name of the scheme.
        title: Heading of the page.
        instructions: What the rater reads first; an empty line begins a paragraph.
        blind: Whether outputs of the models under study must not be shown: columns of answers are then refused.
        shows: The texts of a unit, in order. Nothing else of a unit reaches the rater.
        questions: What is asked, in order.
    """

    name: str = Field(pattern=_NAME)
    title: str = Field(min_length=1)
    instructions: str = Field(min_length=1)
    blind: bool = True
    shows: tuple[Shown, ...] = Field(min_length=1)
    questions: tuple[Question, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        for kind, names in (
            ("questions", [question.name for question in self.questions]),
            ("shows", [shown.name for shown in self.shows]),
        ):
            if len(set(names)) != len(names):
                raise ValueError(f"two {kind} have one name")
        if not any(shown.required for shown in self.shows):
            raise ValueError("at least one of the shown texts must be required")
        return self

    def question(self, name: str) -> Question:
        """The question of a name."""
        for question in self.questions:
            if question.name == name:
                return question
        raise UnknownNameError(
            f"question of {self.name}", name, [question.name for question in self.questions]
        )


def schemes() -> tuple[str, ...]:
    """Names of the schemes that come with hesperus, sorted."""
    folder = files("hesperus.annotation") / "schemes"
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    )


def scheme_text(name: str) -> str:
    """The file of a scheme that comes with hesperus, to start an own one from."""
    if name not in schemes():
        raise UnknownNameError("rating scheme", name, schemes(), "or give a file that ends in .yaml")
    return (files("hesperus.annotation") / "schemes" / f"{name}.yaml").read_text(encoding="utf-8")


def read_scheme(name: str | Path) -> Scheme:
    """Read a scheme.

    Args:
        name: Name of one that comes with hesperus, or a file that ends in ``.yaml`` or ``.yml``.

    Raises:
        UnknownNameError: No scheme has the name, or the file has a key that does not exist.
        UsageError: The file cannot be opened.
        DataError: The file breaks the form; names the key.
    """
    path = Path(name)
    if path.suffix.lower() not in (".yaml", ".yml"):
        return _parsed(scheme_text(str(name)), f"{name}.yaml")
    return _parsed(read_text(path, "scheme"), path)


def _parsed(text: str, file: object) -> Scheme:
    document = read_yaml(text, file, longest=_LONGEST_FILE)
    if not isinstance(document.value, dict):
        raise DataError("a scheme is a mapping that begins with `name: …`; see docs/annotation.md", file=file)
    return validated(Scheme, document.value, document.lines, file)
