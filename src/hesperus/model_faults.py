"""Files and settings that become pydantic models: the first mistake in words that say where it is and what to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ValidationError

from hesperus.errors import DataError, UnknownNameError

M = TypeVar("M", bound=BaseModel)

_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
"""What pydantic calls a key that a model, or a dataclass, does not have."""
_NO_MAPPING = ("dict_type", "mapping_type", "model_type", "dataclass_type")


def validated(model: type[M], values: Mapping[str, Any], lines: Mapping[str, int], file: object) -> M:
    """Make a model of the values of a file.

    Args:
        model: What to make.
        values: Keys and values.
        lines: Line of each key by its path.
        file: Named in errors.

    Raises:
        DataError: A value of the wrong kind, naming key and line; a key is missing.
        UnknownNameError: A key that does not exist, with the nearest that does; or another unknown name.
    """
    try:
        return model.model_validate(values)
    except UnknownNameError as error:
        error.kind = f"{error.kind} of {file}"
        raise
    except ValidationError as error:
        raise explained(error, model, lines.get, file) from None


Lines = Callable[[str], int | None]
"""Path of a key to its line; None if it is not there."""


def explained(
    error: ValidationError, model: type[BaseModel], line_of: Lines, file: object
) -> UnknownNameError | DataError:
    """The first mistake as an error that names its key and line, and the nearest key that exists.

    Args:
        error: What pydantic found.
        model: What was to be made.
        line_of: The lines of the file.
        file: Named in the error; None for settings that are in no file.
    """
    faults = error.errors(include_url=False)
    # A key that does not exist is often the misspelling of one that is missing: it says more.
    fault = next((fault for fault in faults if fault["type"] in _UNKNOWN_KEY), faults[0])
    steps = [step for step in fault["loc"] if isinstance(step, int) or not _is_kind(step)]
    place = ".".join(map(str, steps))
    if fault["type"] in _UNKNOWN_KEY:
        line = f", line {line_of(place)}" if line_of(place) is not None else ""
        return UnknownNameError(
            f"key of {'the study' if file is None else file}{line}", place, _keys_beside(model, steps)
        )
    message = "this key is missing" if fault["type"] == "missing" else f"{_plain(fault)}{_given(fault)}"
    if fault["type"] in _NO_MAPPING and (keys := _keys_of(_at(model, steps))):
        message = f"write a mapping of keys: {', '.join(keys)}"
    return DataError(message, file=file, line=line_of(place) if place else None, field=place or None)


def _given(fault: Mapping[str, Any]) -> str:
    given = fault.get("input")
    if isinstance(given, bool) and fault["type"] in ("string_type", "literal_error"):
        return "; a bare true or false is a truth value in YAML: put it in quotes"
    text = repr(given) if isinstance(given, str | int | float) else ""
    text = text if len(text) <= 120 else f"{text[:80]}… ({len(text):,} characters)"
    return f" (given: {text})" if text else ""


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
            return f"at most {float(limits['le']):.15g}"
        case "greater_than_equal":
            return f"at least {float(limits['ge']):.15g}"
        case "string_pattern_mismatch":
            return f"write small letters, digits and marks that fit {limits['pattern']}"
        case "list_type" | "tuple_type":
            return "write a list"
        case "string_type":
            return "write a text"
        case kind if kind in _NO_MAPPING:
            return "write a mapping of keys to values"
    return str(fault["msg"]).removeprefix("Value error, ")


def _is_kind(step: str) -> bool:
    """Whether a step of pydantic's path names the branch of a union instead of a key."""
    return step == "str" or step.startswith(("list[", "function-"))


def _keys_beside(model: type[BaseModel], steps: list[int | str]) -> list[str]:
    """The keys that an unknown one may be meant for, as paths: the nearest, or all."""
    keys = _keys_of(_at(model, steps[:-1]))
    # Whole paths are all alike: what is near is told by the key alone.
    near = get_close_matches(str(steps[-1]), keys, cutoff=0.55) or keys
    return [".".join([*map(str, steps[:-1]), name]) for name in near]


def _at(model: type[BaseModel], steps: list[int | str]) -> type | None:
    """The model or dataclass at a path of keys; steps into a mapping or a list have none of their own."""
    known: type | None = model
    for step in steps:
        if known is not None and step in _keys_of(known):
            known = _model_in(get_type_hints(known, include_extras=True)[str(step)])
    return known


def _keys_of(model: Any) -> list[str]:
    if model is None:
        return []
    return list(model.model_fields) if issubclass(model, BaseModel) else [one.name for one in fields(model)]


def _model_in(annotation: Any) -> type | None:
    """The model or dataclass inside an annotation such as ``dict[str, Model]`` or ``Model | None``."""
    if isinstance(annotation, type) and (
        issubclass(annotation, BaseModel) or hasattr(annotation, "__dataclass_fields__")
    ):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
