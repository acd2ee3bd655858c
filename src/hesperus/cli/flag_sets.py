"""Flags that several commands share, as one parameter: a dataclass becomes the flags that are its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints


def takes_flags(body: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function with parameters that are sets of flags.

    Args:
        body: A function as typer takes it, but for parameters annotated with a dataclass: its fields are annotated and
            have defaults as the parameters of a command do, and the function is given an instance.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    hints = get_type_hints(body, include_extras=True)
    parameters: list[inspect.Parameter] = []
    sets: dict[str, type[Any]] = {}
    for name, one in inspect.signature(body).parameters.items():
        if not is_dataclass(hints[name]):
            parameters.append(one.replace(kind=keyword, annotation=hints[name]))
            continue
        sets[name] = hints[name]
        own = get_type_hints(hints[name], include_extras=True)
        parameters += [
            inspect.Parameter(flag.name, keyword, default=flag.default, annotation=own[flag.name])
            for flag in fields(hints[name])
        ]

    def command(**given: Any) -> None:
        for name, kind in sets.items():
            given[name] = kind(**{flag.name: given.pop(flag.name) for flag in fields(kind)})
        body(**given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = body.__doc__
    return command
