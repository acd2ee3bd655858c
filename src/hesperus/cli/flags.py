"""Flags of commands: those that many share, and those that are settings of a function or class of the library."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, get_args, get_type_hints

import typer

from hesperus.cli.mirrored import Mirrored, mirrored, without_arguments

_PLURAL = {"checks", "reads", "replies", "writes"}
"""Settings of several values whose flag stays in the plural: a file of checks has many, and is given once or twice."""
_FORM = re.compile(r"([A-Z]\S*[=:,]\S*): (?=.)")
"""How the text of a setting begins that tells the form of its value: ``COLUMN=FIELD: …``."""


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


@dataclass(frozen=True, slots=True)
class Flag:
    """A setting of a function or class as a flag, or as an argument of a command.

    Attributes:
        setting: The setting; the flag of one with several values is in the singular.
        called: Name of the flag, where it is another than that of the setting.
        panel: Heading under which the help lists it.
        is_argument: Whether it is given by its place and has no flag.
    """

    setting: Mirrored
    called: str | None = None
    panel: str | None = None
    is_argument: bool = False

    @property
    def name(self) -> str:
        """As the function or class names the setting."""
        return self.setting.name

    @property
    def is_many(self) -> bool:
        """Whether the flag may be given several times."""
        return self.setting.shape != "one"

    @property
    def flag(self) -> str:
        """The flag, without dashes."""
        is_plural = not self.is_many or self.name in _PLURAL
        return (self.called or (self.name if is_plural else self.name.removesuffix("s"))).replace("_", "-")

    def is_given(self, value: Any) -> bool:
        """Whether a value is another than the default."""
        return self.setting.is_required or value not in (self.setting.default, None, (), {})

    def parameter(self) -> inspect.Parameter:
        """The flag as typer takes it."""
        is_named = self.setting.shape.endswith("by name")
        hint: Any = list[str if is_named else self.setting.kind] if self.is_many else self.setting.kind  # type: ignore[misc]
        names = [f"--{self.flag}/--no-{self.flag}" if self.setting.default is True else f"--{self.flag}"]
        form, text = self._form_and_text()
        text = f"{text.removesuffix('.')}; repeatable." if self.is_many and not self.is_argument else text
        option: Any = typer.Option(
            *names,
            help=text,
            rich_help_panel=self.panel,
            metavar=form,
            show_default=not self.setting.is_required,
        )
        if self.is_argument:
            option = typer.Argument(help=text, show_default=False)
        is_empty = (self.is_many or self.setting.is_optional) and not self.setting.is_required
        default = (
            inspect.Parameter.empty
            if self.setting.is_required
            else None
            if is_empty
            else self.setting.default
        )
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=default,
            annotation=Annotated[hint | None if is_empty else hint, option],
        )  # fmt: skip

    def _form_and_text(self) -> tuple[str | None, str]:
        """The form of its value, where the docstring tells it, and what else that says."""
        found = _FORM.match(self.setting.text)
        return (
            (None, self.setting.text)
            if found is None
            else (found[1], sentence(self.setting.text[found.end() :]))
        )

    def value(self, given: Any) -> Any:
        """What was given of it, as the function or class takes it."""
        if not given and self.setting.is_optional and self.is_many:
            return None
        if self.setting.shape.endswith("by name"):
            return self._by_name(given or ())
        return tuple(given or ()) if self.is_many else given

    def _by_name(self, given: Sequence[str]) -> dict[str, Any]:
        from hesperus.errors import UsageError

        found: dict[str, Any] = {}
        for name, text in named_values(f"--{self.flag}", given, self._form_and_text()[0] or "NAME=VALUE"):
            if self.setting.shape == "lists by name":
                parts = tuple(part.strip() for part in text.split(",") if part.strip())
                found[name] = (*found.get(name, ()), *parts)
                continue
            if name in found:
                raise UsageError(f"--{self.flag} {name} is given twice")
            try:
                found[name] = self.setting.kind(text)
            except ValueError:
                what = "a whole number" if self.setting.kind is int else "a number"
                raise UsageError(f"--{self.flag} {name}={text}: {text!r} is not {what}") from None
        return found


def sentence(text: str) -> str:
    """The text with its first letter in upper case."""
    return f"{text[:1].upper()}{text[1:]}"


def named_values(flag: str, given: Iterable[str] | None, form: str = "NAME=VALUE") -> list[tuple[str, str]]:
    """Names with their values, as they were given; a name may hold an equals sign, a value may not."""
    from hesperus.errors import UsageError

    found = []
    for text in given or ():
        name, equals, value = text.rpartition("=")
        if not (name and equals and value):
            raise UsageError(f"{flag} {text!r}: write {form}")
        found.append((name, value))
    return found


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

    def settings(self) -> list[Flag]:
        """The settings, each as a flag."""
        known = mirrored(self.home)
        arguments, options = self.arguments.split(), self.options.split()
        others = [name for name, one in known.items() if one.is_by_name and name not in self.without.split()]
        return [
            Flag(known[name], self.called.get(name), self.panel, is_argument=name in arguments)
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
AUDIT = "hesperus.analysis.tax.tax_settings:AuditInputs"
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
    further: list[list[Flag]] = []
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


def own_settings(body: Callable[..., None]) -> dict[str, Flag]:
    """The parameters of a command that its own docstring tells of; those that it takes by their place are arguments."""
    found = mirrored(f"{body.__module__}:{body.__name__}")
    return {name: Flag(one, is_argument=not one.is_by_name) for name, one in found.items()}


def given_values(told: Mapping[str, Flag], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given of a command's parameters, as its function takes it."""
    return {name: told[name].value(value) if name in told else value for name, value in given.items()}
