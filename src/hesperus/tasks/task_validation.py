"""Validation of task files: from the YAML of plain text to a model, every mistake named with its key and line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel

from hesperus.errors import DataError
from hesperus.model_faults import validated
from hesperus.strict_yaml import Value, read_yaml
from hesperus.tasks.editions import of_edition, parted

_LONGEST_FILE = 2_000_000
_DEEPEST = 12
_EDITION_WORD = re.compile(r"\{edition(?:\.\w+)?\}")


M = TypeVar("M", bound=BaseModel)


def parsed(model: type[M], text: str, file: object, *, edition: str | None = None) -> M:
    """Read and validate a file of YAML in which every scalar is text.

    Args:
        model: What to build.
        text: The file's text.
        file: Named in errors.
        edition: Which of the file's editions to build; None for a file without.

    Raises:
        DataError: No YAML, or a value of the wrong kind, naming key and line.
        UnknownNameError: A key that does not exist, with the nearest that does; or an unknown language.
    """
    values, lines = _mapping(text, file)
    if edition is not None:
        editions, shared = parted(values, file)
        filled = of_edition(shared, edition, editions[edition])
        assert isinstance(filled, dict)
        values = filled
    return validated(model, values, lines, file)


def edition_names(text: str, file: object) -> tuple[str, ...]:
    """Names of the editions that a file describes.

    Raises:
        DataError: It describes none.
    """
    values, _ = _mapping(text, file)
    return tuple(parted(values, file)[0])


def described_editions(text: str, file: object) -> str:
    """What all editions of a file ask: its description, with an ellipsis for each word of one edition.

    Raises:
        DataError: The file describes no editions.
    """
    values, _ = _mapping(text, file)
    return _EDITION_WORD.sub("…", str(parted(values, file)[1].get("description", "")))


def _mapping(text: str, file: object) -> tuple[dict[str, Value], Mapping[str, int]]:
    """The keys of a file, and their lines."""
    found = read_yaml(text, file, is_text=True, longest=_LONGEST_FILE, deepest=_DEEPEST)
    if not isinstance(found.value, dict):
        raise DataError(
            "a task file is a mapping of keys, such as `name: my-task`; see docs/tasks.md", file=file
        )
    return found.value, found.lines
