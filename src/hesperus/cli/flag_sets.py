"""Flags that several commands share, as one parameter: a dataclass becomes the flags that are its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints


class Only:
    """Marks that a command takes some flags of a set, in this order; the others are as by default.

    Args:
        names: Names of the fields, separated by blanks.
    """

    def __init__(self, names: str) -> None:
        self.names = tuple(names.split())


def _flags_in(hint: Any) -> tuple[type[Any], tuple[str, ...]] | None:
    """The set of flags that a parameter is, and which of them the command takes; None for a single flag."""
    kind, marks = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
    if not is_dataclass(kind) or not isinstance(kind, type):
        return None
    chosen = next((mark.names for mark in marks if isinstance(mark, Only)), None)
    return kind, chosen or tuple(flag.name for flag in fields(kind))


def takes_flags(body: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function with parameters that are sets of flags.

    Args:
        body: A function as typer takes it, but for parameters annotated with a dataclass: its fields (or those that Only
            names) are annotated and have defaults as the parameters of a command do, and the function is given an
            instance. The class may say under which heading the help lists them (`panel`).
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    hints = get_type_hints(body, include_extras=True)
    parameters: list[inspect.Parameter] = []
    sets: dict[str, tuple[type[Any], tuple[str, ...]]] = {}
    for name, one in inspect.signature(body).parameters.items():
        found = _flags_in(hints[name])
        if found is None:
            parameters.append(one.replace(kind=keyword, annotation=hints[name]))
            continue
        sets[name] = found
        own = get_type_hints(found[0], include_extras=True)
        panel = getattr(found[0], "panel", None)
        for flag in found[1] if panel else ():
            own[flag].__metadata__[0].rich_help_panel = panel
        defaults = {flag.name: flag.default for flag in fields(found[0])}
        parameters += [
            inspect.Parameter(flag, keyword, default=defaults[flag], annotation=own[flag])
            for flag in found[1]
        ]

    def command(**given: Any) -> None:
        for name, (kind, flags) in sets.items():
            given[name] = kind(**{flag: given.pop(flag) for flag in flags})
        body(**given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = body.__doc__
    return command
