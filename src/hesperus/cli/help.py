"""Help as plain text that fits a terminal: options in their groups, examples that can be copied.

Nothing is drawn with boxes: the text reads the same in a terminal, in a pipe and in the documentation, and
`hesperus --help` need not load a library that draws.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter, Parameter

WIDEST = 100
"""Columns that help fills at most, however wide the terminal is."""
_OPTIONS = "Options"
_FROM_TO = re.compile(r"(-?[\d.]+)<=x<=(-?[\d.]+)")
_AT_LEAST = re.compile(r"x>=(-?[\d.]+)")
_VALUE_NAMES = {int: "N", float: "X"}


class _Option(TyperOption):
    """An option that is converted only where it is given."""

    def process_value(self, ctx: Context, value: Any) -> Any:
        """The value as the command takes it; typer loads pydantic to convert one, even without one."""
        if value is not None or self.required:
            return super().process_value(ctx, value)
        nothing = () if self.multiple else None
        return nothing if self.callback is None else self.callback(ctx, self, nothing)


def _light(parameters: Iterable[Parameter]) -> list[Parameter]:
    """The same parameters; those that typer made into options of its own are made into ours."""
    found = list(parameters)
    for one in found:
        if type(one) is TyperOption:
            one.__class__ = _Option
    return found


class PlainCommand(TyperCommand):
    """A command with help as plain text."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """The parameters, that of the help among them."""
        return _light(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """The words after the command's name in the line of its usage."""
        return _usage(self, ctx)

    def shown_help(self, ctx: Context) -> str:
        """What the command does, and its examples."""
        return self.help or ""

    def shown_parameters(self, ctx: Context) -> Iterable[Parameter]:
        """The parameters that the help lists."""
        return self.get_params(ctx)

    def group_of(self, parameter: Parameter, ctx: Context) -> str:
        """Name of the group under which the help lists an option."""
        return getattr(parameter, "rich_help_panel", None) or _OPTIONS

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what the command does, and its examples."""
        write_text(self.shown_help(ctx), formatter)

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the arguments and the options, in their groups."""
        groups: dict[str, list[Parameter]] = {"Arguments": []}
        for parameter in self.shown_parameters(ctx):
            name = "Arguments" if isinstance(parameter, TyperArgument) else self.group_of(parameter, ctx)
            groups.setdefault(name, []).append(parameter)
        for name, parameters in groups.items():
            write_parameters(name, parameters, ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what follows the options."""
        write_text(self.epilog or "", formatter)


class PlainGroup(TyperGroup):
    """A command with commands of its own and help as plain text."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """The parameters, that of the help among them."""
        return _light(super().get_params(ctx))

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what the commands are for."""
        write_text(self.help or "", formatter)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write each command with the first sentence of its help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_sentence(found)) for name, found in self.commands.items()])

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        write_parameters(_OPTIONS, self.get_params(ctx), ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what follows the options."""
        write_text(self.epilog or "", formatter)


class ListGroup(PlainGroup):
    """Commands of a list of things; without a command, or with flags alone, it lists them."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the words of the command line."""
        is_bare = not args or (args[0].startswith("-") and args[0] not in ("-h", "--help"))
        return super().parse_args(ctx, ["list", *args] if is_bare and "list" in self.commands else args)


class ShowGroup(ListGroup):
    """Commands of a list of things; the name of a thing is short for `show NAME`."""

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that is called; any other word is a thing to show."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


class Commands(typer.Typer):
    """A group of commands with plain help."""

    def __init__(self, **settings: Any) -> None:
        plain = {"cls": PlainGroup, "rich_markup_mode": None, "add_completion": False}
        super().__init__(**{**plain, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:
        """Register a command, as `typer.Typer.command` does."""
        return super().command(name, **{"cls": PlainCommand, **settings})


def _usage(command: TyperCommand, ctx: Context) -> list[str]:
    arguments = [one for one in command.get_params(ctx) if isinstance(one, TyperArgument) and not one.hidden]
    names = [one.display_name_raw.upper() + ("..." if one.nargs != 1 else "") for one in arguments]
    return [
        "[OPTIONS]",
        *(name if one.required else f"[{name}]" for one, name in zip(arguments, names, strict=True)),
    ]


def _first_sentence(command: Command) -> str:
    paragraph = " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")


def write_text(text: str, formatter: HelpFormatter) -> None:
    """Write paragraphs, wrapped, and indented lines as they are: those are commands to copy."""
    was_example = False
    for paragraph in text.split("\n\n") if text else ():
        is_example = paragraph.startswith("    ")
        if not (is_example and was_example):
            formatter.write_paragraph()
        if is_example:
            formatter.write("".join(f"{line}\n" for line in broken_command(paragraph, formatter.width)))
        else:
            formatter.write_text(" ".join(paragraph.split("\n")))
        was_example = is_example


def broken_command(paragraph: str, width: int) -> Iterator[str]:
    """A command, broken before an option where it is too long, so that the lines can still be copied."""
    words = " ".join(paragraph.split())
    line, indent = "", "    "
    for part in _parts(words):
        if line and len(indent) + len(line) + len(part) + 3 > width:
            yield f"{indent}{line} \\"
            line, indent = part, "        "
        else:
            line = f"{line} {part}" if line else part
    yield f"{indent}{line}"


def _parts(words: str) -> Iterator[str]:
    """An option together with its value; the rest word by word."""
    held = ""
    for word in words.split(" "):
        if held and (word.startswith(("-", "|", "#")) or not held.startswith("-")):
            yield held
            held = word
        else:
            held = f"{held} {word}" if held else word
    yield held


def write_parameters(
    title: str, parameters: Iterable[Parameter], ctx: Context, formatter: HelpFormatter
) -> None:
    """Write arguments or options with what they mean, under a title; nothing where none is to be shown."""
    rows = []
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is not None:
            rows.append((_written(parameter, record[0]), _in_words(record[1])))
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows, col_max=26)


def _in_words(text: str) -> str:
    """A range of numbers in words."""
    return _AT_LEAST.sub(r"at least \1", _FROM_TO.sub(r"\1 to \2", text))


def _written(parameter: Any, usual: str) -> str:
    """An argument, or an option with a name for its value."""
    if isinstance(parameter, TyperArgument):
        return parameter.display_name_raw.upper()
    if not isinstance(parameter, TyperOption) or parameter.is_flag or parameter.count:
        return usual
    longs = [name for name in parameter.opts if name.startswith("--")]
    names = [*(name for name in parameter.opts if name not in longs), *longs[:1]]  # a second one is an alias
    if parameter.metavar is not None:
        value = parameter.metavar
    else:
        described = parameter.type_descriptor
        value = "PATH" if described.is_path else _VALUE_NAMES.get(described.annotation, "")
    return f"{', '.join(names)} {value or names[-1].lstrip('-').rpartition('-')[2].upper()}"
