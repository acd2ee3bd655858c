"""Cells: the columns of answers that a study asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hesperus.types import Sense

_NOT_IN_CODES = re.compile(r"[^A-Za-z0-9_./:-]")


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of answers: every item under one instruction, one input and one repeat."""

    instruction: Sense
    input: Sense
    repeat: int = 1

    def __str__(self) -> str:
        again = f",repeat={self.repeat}" if self.repeat > 1 else ""
        return f"instruction={self.instruction},input={self.input}{again}"


def as_maker(name: str | None) -> str | None:
    """The name of a model or translator as a sense code can hold it."""
    return None if name is None else _NOT_IN_CODES.sub("-", name).lstrip("_./:-") or "maker"


def original_cells(languages: Iterable[str], instruction_language: str | None = None) -> tuple[Cell, ...]:
    """A cell for each language in the benchmark's own version, under its own instruction or that of one language."""
    return tuple(Cell(Sense(instruction_language or language), Sense(language)) for language in languages)
