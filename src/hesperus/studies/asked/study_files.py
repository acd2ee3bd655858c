"""How a study file is read, and how its faults are named: key, line, and the nearest key that exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from hesperus.errors import DataError, UnknownNameError
from hesperus.strict_yaml import Document, read_yaml_file
from hesperus.studies.asked.endpoints import with_known_endpoint

Lines = Callable[[str], int | None]
"""Key of a study file to its line; None if it is not there."""


def read_study_file(path: Path) -> tuple[dict[str, Any], Document]:
    """The keys of a study file, not yet validated, and where they are; that of a run has its endpoint put back.

    Raises:
        UsageError: No such file.
        DataError: No valid YAML, or no mapping.
    """
    document = read_yaml_file(path, "study")
    if not isinstance(document.value, dict):
        raise DataError("a study is a mapping of keys, such as `task: paws-x`", file=path)
    return with_known_endpoint(document.value, path), document


def explained(
    kind: type[BaseModel], error: ValidationError, file: object, lines: Lines | None
) -> UnknownNameError | DataError:
    """The first fault of a study as an error that names its key and line, and the nearest key that exists."""
    faults = error.errors(include_url=False)
    # A key that does not exist is why another is missing, oftener than not.
    fault = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    place = [str(step) for step in fault["loc"]]
    where = ".".join(place)
    line = lines(where) if lines is not None and where else None
    if fault["type"] == "extra_forbidden":
        model = _part_at(kind, place[:-1])
        known = [".".join([*place[:-1], name]) for name in model.model_fields]
        at = f", line {line}" if line is not None else ""
        return UnknownNameError(f"key of {file or 'the study'}{at}", where, known)
    given = fault.get("input")
    shown = f" (given: {_short(given)})" if isinstance(given, str | int | float | bool) else ""
    said = str(fault["msg"]).removeprefix("Value error, ")
    message = "this key is missing" if fault["type"] == "missing" else f"{said}{shown}"
    return DataError(message, file=file, line=line, field=where or None)


def _short(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 120 else f"{text[:80]}… ({len(text):,} characters)"


def key_tree(kind: type[BaseModel]) -> dict[str, Any]:
    """Keys of a part of a study file: each to the keys below it, or None if anything may be below; `*` is any key."""
    return {name: _keys_below(field.annotation) for name, field in kind.model_fields.items()}


def _keys_below(annotation: object) -> dict[str, Any] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return key_tree(annotation)
    below = [found for inner in get_args(annotation) if (found := _keys_below(inner))]
    is_mapping = isinstance(origin := get_origin(annotation), type) and issubclass(origin, Mapping)
    return None if not below else {"*": below[0]} if is_mapping else below[0]


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
