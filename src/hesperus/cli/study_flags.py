"""The flags that describe a study, made from its fields; `plan` and `run` take a study file, flags, or both."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer._click.exceptions import NoSuchOption

from hesperus.api.studies import study_declaration, study_names
from hesperus.cli.flags import completed, given_values, own_settings
from hesperus.cli.help import PlainCommand
from hesperus.cli.mirrored import without_arguments
from hesperus.cli.said import say
from hesperus.declared_studies import declared_studies
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from typer._click import Context, Parameter

    from hesperus.api.declared import DeclaredStudy
    from hesperus.studies.asked.settings import Setting

_TOLD = "[studies]"
"""Stands in the docstring of a command for what the studies do."""
_NAMED = "hesperus.cli.study"
_GIVEN = "hesperus.cli.settings"
"""Keys under which the context of a command holds the name of the study, and what was given of its settings."""
_WHAT = Annotated[
    str,
    typer.Argument(
        help=f"A study file (YAML), a run folder, or the name of a study: {', '.join(declared_studies())}.",
        show_default=False,
        autocompletion=completed(declared_studies()),
    ),
]


class StudyCommand(PlainCommand):
    """A command with the settings of the study that is named, by its name or its file; else with those of all."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Find out which study is named; its flags are then read."""
        wants_help = bool({"--help", "-h"} & set(args)) or ctx.resilient_parsing
        named = ctx.meta[_NAMED] = _study_named(self._named(args), forgiving=wants_help)
        if named is not None and "--schema" in args and not wants_help:
            typer.echo(json.dumps(study_declaration(named).model_json_schema(), ensure_ascii=False, indent=2))
            raise typer.Exit
        try:
            rest = super().parse_args(ctx, args)
        except NoSuchOption as error:
            if named is None:
                raise
            known = [name for one in self.get_params(ctx) for name in (*one.opts, *one.secondary_opts)]
            raise UnknownNameError(f"flag of the study {named}", error.option_name, known) from None
        flags = _shared_flags() if named is None else _flags(named)
        ctx.meta[_GIVEN] = {one.name: ctx.params.pop(one.name, None) for one in flags}
        return rest

    def get_params(self, ctx: Context) -> list[Parameter]:
        """The command's own parameters, with the flags of the study before them."""
        named = ctx.meta.get(_NAMED)
        flags = _shared_flags() if named is None else _flags(named)
        what, *own = super().get_params(ctx)
        return [what, *flags, *own]

    def shown_parameters(self, ctx: Context) -> list[Parameter]:
        """The settings of what is asked, then those that the study alone has, then the others."""
        names = {"What is asked": 0, f"Of the study {ctx.meta.get(_NAMED)}": 1}
        return sorted(self.get_params(ctx), key=lambda one: names.get(self.group_of(one, ctx), 2))

    def shown_help(self, ctx: Context) -> str:
        """With what the studies are, or the one that is named, and without the examples of others."""
        named = ctx.meta.get(_NAMED)
        kinds = [study_declaration(name) for name in (study_names() if named is None else [named])]
        others = [name for name in study_names() if named not in (name, None)]
        told = " ".join(f"`{kind.name()}` {kind.help}" for kind in kinds if kind.help)
        whole = (self.help or "").replace(_TOLD, told)
        kept = [one for one in whole.split("\n\n") if one and not _is_example_of(one, others)]
        if named is None:
            kept.append(f"`{ctx.command_path} STUDY --help` shows the settings of one study.")
        elif any(one.name == "table" for one in self.params):
            usual, *further = kinds[0].tables
            kept.append(f"Tables: {', '.join([f'{usual} (the usual one)', *further])}.")
        return "\n\n".join(kept)

    def _named(self, args: list[str]) -> str | None:
        """The first word that is neither an option nor its value."""
        alone: set[str] | None = None
        words = iter(args)
        for word in words:
            if not word.startswith("-"):
                return word
            if alone is None:
                params = [*self.params, *(one for name in study_names() for one in _flags(name))]
                alone = {
                    flag for one in params if _is_switch(one) for flag in (*one.opts, *one.secondary_opts)
                }
            if "=" not in word and word not in alone:
                next(words, None)
        return None


def _is_example_of(paragraph: str, studies: Sequence[str]) -> bool:
    return paragraph.startswith("    ") and any(f" {name} " in paragraph for name in studies)


def takes_study(body: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of a study; its first parameter becomes the study that was declared."""
    own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]
    told = own_settings(body)
    keyword = inspect.Parameter.KEYWORD_ONLY

    def command(context: typer.Context, what: str, **given: Any) -> None:
        body(_declared(what, context.meta[_GIVEN]), **given_values(told, given))

    parameters = [
        inspect.Parameter("context", keyword, annotation=typer.Context),
        inspect.Parameter("what", keyword, annotation=_WHAT),
        *(told[one.name].parameter() if one.name in told else one.replace(kind=keyword) for one in own),
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = without_arguments(body.__doc__ or "")
    command.help_class = StudyCommand  # type: ignore[attr-defined]
    return command


def _declared(what: str, flags: Mapping[str, Any]) -> DeclaredStudy:
    """The study that the command line names, with the flags laid over it.

    Names of `flags` are keys of settings, with `__` for a dot.
    """
    from hesperus.api.declared import declared_study, given_key, kind_of
    from hesperus.studies.asked.settings import settings_of

    kind = kind_of(what)
    known = {one.key: one for one in settings_of(kind)}
    given = {}
    for name, value in flags.items():
        if value is None or (isinstance(value, list | tuple) and not value):
            continue
        setting = known[name.replace("__", ".")]
        if isinstance(value, list | tuple) and not setting.is_many:
            if len(value) > 1:
                raise UsageError(
                    f"--{setting.flag} is given {len(value)} times; the study {kind.name()} takes one"
                )
            value = value[0]
        given[setting.key] = value
    missing = [f"--{one.flag}" for one in known.values() if one.is_required and one.key not in given]
    if what in study_names() and missing:
        raise UsageError(f"the study {kind.name()} needs {', '.join(missing)} (or a study file)")
    try:
        declared = declared_study(what, given)
    except DataError as wrong:
        key = given_key(wrong, given) if wrong.file is None else None
        if key is None:
            raise
        raise UsageError(f"--{known[key].flag}: {wrong.problem}") from None
    if declared.home is not None:
        say(f"{declared.file}: its files are those of {declared.home}")
    return declared


def _study_named(what: str | None, *, forgiving: bool) -> str | None:
    """The study of a name or file; None if absent and that is said elsewhere."""
    from hesperus.api.declared import kind_of

    if what is None:
        return None
    try:
        return kind_of(what).name()
    except (HesperusError, OSError):
        if forgiving:
            return None
        raise


def _settings(study: str) -> tuple[Setting, ...]:
    from hesperus.studies.asked.settings import settings_of

    return settings_of(study_declaration(study))


@cache
def _flags(study: str) -> tuple[Parameter, ...]:
    return _made([one for one in _settings(study) if one.kind is not None])


@cache
def _shared_flags() -> tuple[Parameter, ...]:
    first, *others = ({one.key: one for one in _settings(name)} for name in declared_studies())
    shared = [
        one for key, one in first.items() if one.kind is not None and all(key in many for many in others)
    ]
    return _made(
        [replace(one, is_required=all(many[one.key].is_required for many in others)) for one in shared]
    )


def _made(settings: list[Setting]) -> tuple[Parameter, ...]:
    """Flags of settings, as typer makes them from a signature."""
    keyword = inspect.Parameter.KEYWORD_ONLY

    def carrier(**_: Any) -> None:
        """Carries a signature."""

    carrier.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(one.key.replace(".", "__"), keyword, default=None, annotation=_annotation(one))
            for one in settings
        ]
    )
    group = typer.Typer(add_completion=False)
    group.command()(carrier)
    return tuple(typer.main.get_command(group).params)


def _annotation(setting: Setting) -> Any:
    """A flag as typer takes it; what is given stays text, which the study itself validates."""
    key = f"--{setting.key.replace('_', '-')}"
    names = list(dict.fromkeys([f"--{setting.flag}", key]))
    if setting.kind is bool:
        names = [f"{name}/--no-{name[2:]}" for name in names]
        return Annotated[
            bool | None, typer.Option(*names, help=_help(setting), rich_help_panel=setting.section)
        ]
    metavar = setting.shown or {int: "N", float: "X"}.get(setting.kind or str) or _last_word(setting)
    option = typer.Option(*names, help=_help(setting), rich_help_panel=setting.section, metavar=metavar)
    return Annotated[list[str] | None, option]


def _last_word(setting: Setting) -> str:
    return setting.flag.rpartition(".")[2].rpartition("-")[2].upper()


def _help(setting: Setting) -> str:
    text = setting.text.removesuffix(".")
    if setting.choices:
        text += f": {', '.join(setting.choices)}"
    default = setting.default
    if isinstance(default, bool) or default in (None, "", (), {}):
        shown = ""
    else:
        shown = ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)
    text += "; repeatable" if setting.is_many else ""
    text += " (required)" if setting.is_required else ""
    return f"{text} (default {shown})." if shown else f"{text}."


def _is_switch(parameter: Parameter) -> bool:
    return bool(getattr(parameter, "is_flag", False) or getattr(parameter, "count", False))
