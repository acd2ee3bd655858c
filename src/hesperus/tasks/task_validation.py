"""Validation of task files: from the YAML of plain text to a model, every mistake named with its key and line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from hesperus.errors import DataError, UnknownNameError
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
    return _validated(model, values, lines, file)


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


def _validated(model: type[M], values: Mapping[str, Any], lines: Mapping[str, int], file: object) -> M:
    try:
        return model.model_validate(values)
    except UnknownNameError as error:
        error.kind = f"{error.kind} of {file}"
        raise
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
    message = "this key is missing" if fault["type"] == "missing" else f"{_plain(fault)}{shown}"
    return DataError(message, file=file, line=lines.get(place), field=place or None)


def _plain(fault: Mapping[str, Any]) -> str:
    """What pydantic found, in words that say what to write."""
    limits = fault.get("ctx", {})
    match fault["type"]:
        case "literal_error":
            return f"write {limits['expected']}".replace("'", "")
        case "int_parsing" | "int_type":
            return "write a whole number"
        case "bool_parsing" | "bool_type":
            return "write true or false"
        case "less_than_equal":
            return f"at most {limits['le']}"
        case "greater_than_equal":
            return f"at least {limits['ge']}"
        case "string_pattern_mismatch":
            return "write small letters, digits, '-', '_' and '.' only, a letter or digit first"
        case "list_type":
            return "write a list"
        case "dict_type" | "model_type":
            return "write a mapping of keys to values"
        case "string_type":
            return "write a text"
    return str(fault["msg"]).removeprefix("Value error, ")


def _is_kind(step: str) -> bool:
    """Whether a step of pydantic's path names the branch of a union instead of a key."""
    return step == "str" or step.startswith(("list[", "function-"))


def _keys_beside(model: type[BaseModel], steps: list[int | str]) -> list[str]:
    """The keys that exist besides an unknown one, as paths."""
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
