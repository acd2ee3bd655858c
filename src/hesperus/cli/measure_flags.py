"""Flags that several commands share; a dataclass of flags becomes parameters of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from hesperus.cli.mirrored import Mirrored, mirrored

if TYPE_CHECKING:
    from hesperus.analysis.settings import GivenSettings


def _format(context: typer.Context, value: str) -> str:
    """Refuse an unknown format before anything is asked or measured."""
    if value != "table" and not context.resilient_parsing:
        from hesperus.errors import UnknownNameError
        from hesperus.reports.formats import FORMATS

        if value not in FORMATS:
            raise UnknownNameError("format", value, FORMATS)
    return value


def _formats(incomplete: str) -> list[str]:
    """The formats as a shell completes them; written out, so that a press of Tab loads nothing."""
    return [
        name
        for name in ("table", "wide", "json", "csv", "markdown", "latex", "html")
        if name.startswith(incomplete)
    ]


RunPath = Annotated[
    Path, typer.Argument(help="Run folder or records file (Parquet, CSV, JSON lines).", show_default=False)
]
Invalid = Annotated[
    str | None,
    typer.Option(
        help="How invalid answers compare: disagree, agree or drop (default: the study's, else disagree).",
        show_default=False,
    ),
]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="Only this task; repeatable.")]
Format = Annotated[
    str,
    typer.Option(
        callback=_format,
        autocompletion=_formats,
        help="table, wide (every row and column), json, csv, markdown, latex or html.",
    ),
]


@dataclass(frozen=True, slots=True)
class Resampling:
    """The flags of intervals."""

    resamples: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Resamples of the items; 0: no intervals (default: the study's, else 2000; 10,000 in an audit of a translated benchmark).",
            show_default=False,
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Seed of the resamples (default: the study's, else 0; 42 in an audit of a translated benchmark).",
            show_default=False,
        ),
    ] = None
    interval: Annotated[
        str | None,
        typer.Option(
            help="How intervals are made: bayesian, which holds where all items are alike, or percentile, as papers print it (default: the study's, else bayesian).",
            show_default=False,
        ),
    ] = None

    def named(self) -> dict[str, Any]:
        """Name of each setting to what was given; an empty list is nothing."""
        values = {flag.name: getattr(self, flag.name) for flag in fields(self)}
        return {name: None if value == [] else value for name, value in values.items()}

    def given(self, **others: Any) -> GivenSettings:
        """What they say, and other settings of a table (see GivenSettings.of)."""
        from hesperus.analysis.settings import GivenSettings

        return GivenSettings.of(**self.named(), **others)


@dataclass(frozen=True, slots=True)
class TableFlags(Resampling):
    """The flags of a table of answers."""

    by: Annotated[list[str] | None, typer.Option(help="Column of the records to group by; repeatable.")] = (
        None
    )
    invalid: Invalid = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The flags that choose among the records of a run."""

    model: Annotated[list[str] | None, typer.Option("--model", help="Only this model; repeatable.")] = None
    task: Tasks = None

    def named(self) -> dict[str, object]:
        """Name of each flag to what was given."""
        return {"model": self.model, "task": self.task}

    @property
    def pair(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Models and tasks; empty for all."""
        return tuple(self.model or ()), tuple(self.task or ())


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


def takes_flags(
    body: Callable[..., None] | None = None, *, mirrors: str = "", without: str = ""
) -> Callable[..., Any]:
    """Make a command of a function with parameters that are sets of flags.

    Args:
        body: A function as typer takes it, but for parameters annotated with a dataclass: its fields (or those that Only
            names) are annotated and have defaults as the parameters of a command do, and the function is given an
            instance. The class may say under which heading the help lists them (`panel`).
        mirrors: A function or class whose settings the command takes as its `**` parameter, see
            hesperus.cli.mirrored.mirrored; the command's own parameters come in place of those of the same name.
        without: Settings of it that are no flags, separated by blanks.
    """
    if body is None:
        return partial(takes_flags, mirrors=mirrors, without=without)
    hints = get_type_hints(body, include_extras=True)
    own = inspect.signature(body).parameters
    parameters: list[inspect.Parameter] = []
    sets: dict[str, tuple[type[Any], tuple[str, ...]]] = {}
    for name, one in own.items():
        found = _flags_in(hints[name])
        if found is not None:
            sets[name] = found
            parameters += _set_parameters(*found)
        elif one.kind is not inspect.Parameter.VAR_KEYWORD:
            parameters.append(one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))
    taken = {*(one.name for one in parameters), *without.split()}
    settings = {name: one for name, one in mirrored(mirrors).items() if name not in taken} if mirrors else {}
    place = sum(one.default is inspect.Parameter.empty for one in parameters)
    parameters[place:place] = [one.parameter() for one in settings.values()]
    for kind, _ in sets.values():
        settings |= _mirrored_set(kind)

    def command(**given: Any) -> None:
        given = {
            name: settings[name].value(held) if name in settings else held for name, held in given.items()
        }
        for name, (kind, flags) in sets.items():
            given[name] = kind(**{flag: given.pop(flag) for flag in flags})
        body(**given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__name__, command.__doc__ = body.__name__, body.__doc__
    return command


def _mirrored_set(kind: type[Any]) -> dict[str, Mirrored]:
    """The settings of a set of flags that is no matter of commands: those that its docstring tells of."""
    is_of_commands = any(
        get_origin(hint) is Annotated for hint in get_type_hints(kind, include_extras=True).values()
    )
    return {} if is_of_commands else mirrored(f"{kind.__module__}:{kind.__name__}")


def _set_parameters(kind: type[Any], flags: tuple[str, ...]) -> Iterator[inspect.Parameter]:
    """The fields of a set of flags as parameters of a command."""
    if settings := _mirrored_set(kind):
        yield from (settings[flag].parameter() for flag in flags)
        return
    hints = get_type_hints(kind, include_extras=True)
    panel = getattr(kind, "panel", None)
    defaults = {flag.name: flag.default for flag in fields(kind)}
    for flag in flags:
        if panel:
            hints[flag].__metadata__[0].rich_help_panel = panel
        yield inspect.Parameter(
            flag, inspect.Parameter.KEYWORD_ONLY, default=defaults[flag], annotation=hints[flag]
        )


def named_values(
    flag: str, given: Iterable[str] | None, form: str = "NAME=VALUE", example: str = "", *, last: bool = False
) -> list[tuple[str, str]]:
    """Names with their values, as they were given.

    Args:
        flag: Named in the message, such as ``--map``.
        given: What was given; None: nothing.
        form: What is to be written.
        example: One of it.
        last: Whether names, and not values, may hold an equals sign: the last one divides.

    Raises:
        UsageError: One without a name, a value or an equals sign.
    """
    from hesperus.errors import UsageError

    found = []
    for text in given or ():
        name, equals, value = text.rpartition("=") if last else text.partition("=")
        if not (name and equals and value):
            such = f", as in {flag} {example}" if example else ""
            raise UsageError(f"{flag} {text!r}: write {form}{such}")
        found.append((name, value))
    return found
