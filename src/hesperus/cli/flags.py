"""Flags of commands: those that many share, and those that are settings of a function or class of the library."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, get_args, get_type_hints

import typer

from hesperus.cli.mirrored import Mirrored, mirrored, without_arguments


def _format(context: typer.Context, value: str) -> str:
    """Refuse an unknown format before anything is asked or measured."""
    if value != "table" and not context.resilient_parsing:
        from hesperus.errors import UnknownNameError
        from hesperus.reports.formats import FORMATS

        if value not in FORMATS:
            raise UnknownNameError("format", value, FORMATS)
    return value


def completed(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What a shell completes a word to; `names` cost little to know, so that a press of Tab loads nothing."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


_FORMATS = ("table", "wide", "json", "csv", "markdown", "latex", "html")


@dataclass(frozen=True)
class Flags:
    """Marks a parameter of a command as settings of a function or class; each of them is a flag.

    The parameter is then an instance of the class, or the settings by name; of `**` settings these are added to it.

    Attributes:
        home: Module and name: ``hesperus.api.evaluating:evaluate`` (see hesperus.cli.mirrored.mirrored).
        names: Only these settings, in this order, separated by blanks; all that a function takes by name where empty.
        without: Settings that are no flags, separated by blanks.
        arguments: Parameters of a function that are arguments of the command, separated by blanks.
        options: Parameters that a function takes by place and a command by a flag.
        called: Name of a setting to that of its flag, where that is another.
        panel: Heading under which the help lists them.
    """

    home: str
    names: str = ""
    without: str = ""
    arguments: str = ""
    options: str = ""
    called: Mapping[str, str] = field(default_factory=dict)
    panel: str | None = None

    def settings(self) -> list[Mirrored]:
        """The settings."""
        known = mirrored(self.home)
        arguments, options = self.arguments.split(), self.options.split()
        others = [name for name, one in known.items() if one.is_by_name and name not in self.without.split()]
        return [
            known[name].under(self.called.get(name), self.panel, is_argument=name in arguments)
            for name in (*arguments, *options, *(self.names.split() or others))
        ]

    def made(self, values: Mapping[str, Any]) -> Any:
        """What a command is given for them: an instance, or of a function the values themselves."""
        kind = resolve_name(self.home)
        return getattr(kind, "of", kind)(**values) if isinstance(kind, type) else dict(values)


RunPath = Annotated[
    Path, typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False)
]
Format = Annotated[
    str,
    typer.Option(
        callback=_format,
        autocompletion=completed(_FORMATS),
        help="table, wide (every row and column), json, csv, markdown, latex or html.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
MEASURED = "hesperus.analysis.settings:GivenSettings"
AUDIT = "hesperus.api.audit_inputs:AuditInputs"
INTERVALS = Flags(MEASURED, "resamples seed interval")
Drawn = Annotated[Any, INTERVALS]
"""How intervals are made, as GivenSettings."""


def takes_flags(body: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function: its flags are the parameters that Flags marks or its own docstring tells of.

    Args:
        body: A function as typer takes it, but for those parameters. Its `**` parameter takes what was given of the settings,
            and nothing that is the default. Where a setting has the name of another parameter, that one is the flag. Of the
            parameters that its docstring tells of, those that it takes by their place are arguments of the command.
    """
    hints = get_type_hints(body, include_extras=True)
    own = inspect.signature(body).parameters
    told = own_settings(body)
    marks = {name: [one for one in get_args(hints[name])[1:] if isinstance(one, Flags)] for name in own}
    parameters: list[inspect.Parameter] = []
    further: list[list[Mirrored]] = []
    for name, one in own.items():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            further = [[found for found in mark.settings() if found.name not in own] for mark in marks[name]]
        elif marks[name]:
            parameters += [setting.parameter() for setting in marks[name][0].settings()]
        elif name in told:
            parameters.append(told[name].parameter())
        else:
            parameters.append(one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))
    arguments = [one.parameter() for settings in further for one in settings if one.is_argument]
    parameters[:0] = arguments
    for number, settings in enumerate(further):
        # The function's own settings come first, those of intervals after the flags that are the command's alone.
        ahead = (
            [one for one in parameters if one in arguments or one.default is inspect.Parameter.empty]
            if not number
            else [one for one in parameters if one.name not in ("format", "quiet")]
        )
        flags = [one.parameter() for one in settings if not one.is_argument]
        parameters[len(ahead) : len(ahead)] = flags

    def command(**given: Any) -> None:
        mine = [(one, one.value(given.pop(one.name))) for settings in further for one in settings]
        values = {one.name: value for one, value in mine if one.is_given(value)}
        for name, (mark, *_) in ((name, found) for name, found in marks.items() if found):
            if own[name].kind is not inspect.Parameter.VAR_KEYWORD:
                values[name] = mark.made(
                    {one.name: one.value(given.pop(one.name)) for one in mark.settings()}
                )
        body(**given_values(told, given), **values)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__name__, command.__doc__ = body.__name__, without_arguments(body.__doc__ or "")
    return command


def own_settings(body: Callable[..., None]) -> dict[str, Mirrored]:
    """The parameters of a command that its own docstring tells of; those that it takes by their place are arguments."""
    found = mirrored(f"{body.__module__}:{body.__name__}")
    return {name: one.under(None, None, is_argument=not one.is_by_name) for name, one in found.items()}


def given_values(told: Mapping[str, Mirrored], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given of a command's parameters, as its function takes it."""
    return {name: told[name].value(value) if name in told else value for name, value in given.items()}
