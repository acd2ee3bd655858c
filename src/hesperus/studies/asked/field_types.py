"""Types of the fields of a study: what a file, a flag and a keyword may say, each in its own way, for the same value.

What checks a value is imported when there is one: the help of a study needs the fields alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

import orjson
from pydantic import AfterValidator, BeforeValidator


def _one_or_many(value: object) -> object:
    return (value,) if isinstance(value, str | int) else value


def _one(value: object) -> object:
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _words(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


def _normalised(value: str) -> str:
    from hesperus.languages import normalise

    return normalise(value)


def _once(value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_normalised, value)))


def _excluded(value: object) -> dict[str, str]:
    from hesperus.studies.asked.exclusions import excluded_items

    return excluded_items(value)


def _parted(values: Iterable[object], form: str) -> Iterator[tuple[str, str]]:
    for text in values:
        name, equals, said = str(text).partition("=")
        if not (name and equals):
            raise ValueError(f"{text!r}: write {form}")
        yield name, said


def _pairs(value: object) -> object:
    """Flags say NAME=VALUE, once or several times; a file has a mapping."""
    if not isinstance(value, list | tuple):
        return value
    found: dict[str, str] = {}
    for name, said in _parted(value, "NAME=VALUE"):
        if not said:
            raise ValueError(f"'{name}=': write NAME=VALUE")
        found[name] = f"{found[name]},{said}" if name in found else said
    return found


def _members(value: object) -> object:
    """Flags say NAME=JSON; a file has a mapping."""
    if not isinstance(value, list | tuple):
        return value
    return {name: _json_or_text(said) for name, said in _parted(value, "NAME=JSON, such as top_k=20")}


def _json_or_text(said: str) -> object:
    try:
        return orjson.loads(said)
    except orjson.JSONDecodeError:
        return said


PAIRS = BeforeValidator(_pairs)
"""Marks a mapping that a flag gives as NAME=VALUE."""
MEMBERS = BeforeValidator(_members)
"""Marks a mapping that a flag gives as NAME=JSON."""
PATH = "path"
"""Marks the name of a file or folder."""
MANY = BeforeValidator(_one_or_many)
"""Marks a list that may also be given as one value."""
_ONE_OR_MANY = BeforeValidator(_one_or_many, json_schema_input_type=str | tuple[str, ...])
Names = Annotated[tuple[str, ...], _ONE_OR_MANY]
Words = Annotated[tuple[str, ...], BeforeValidator(_words, json_schema_input_type=str | tuple[str, ...])]
"""A list, or one text with commas or blanks."""
Tag = Annotated[str, BeforeValidator(_one), AfterValidator(_normalised)]
"""A language in any style of tag."""
Tags = Annotated[tuple[str, ...], _ONE_OR_MANY, AfterValidator(_once)]
_LISTED = str | tuple[str, ...] | Mapping[str, str | None]
Exclusions = Annotated[Mapping[str, str], BeforeValidator(_excluded, json_schema_input_type=_LISTED), PATH]
"""Item id to the reason why it is excluded; in a study file also a list of ids, or the name of a file that has them."""
