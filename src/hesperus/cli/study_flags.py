"""The flags that describe a study, shared by `plan` and `run`: a YAML file, flags, or a file with flags on top."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.api.studies import STUDIES, StudyKind
from hesperus.cli.flags_of import FLAGS_OF
from hesperus.cli.help import PlainCommand
from hesperus.errors import UsageError

if TYPE_CHECKING:
    from typer._click import Context, Parameter

    from hesperus.api.declared import DeclaredStudy

_NAMED = "hesperus.cli.study"
"""Key under which the context of a command holds the name of the study."""
_ITEMS, _ASKED, _LIMITS = "What is asked", "Who is asked, and how", "Limits"
_OF_STUDY = "Of the study"
_MULTISENSE, _SIMILARITY = f"{_OF_STUDY} multisense", f"{_OF_STUDY} similarity"
_OPEN, _TAX = f"{_OF_STUDY} translate_then_evaluate", f"{_OF_STUDY} translation_tax"
_NUMBERS = "Intervals"

_WHAT = Annotated[
    str,
    typer.Argument(
        help=f"A study file (YAML), a run folder, or the name of a study: {', '.join(STUDIES)}.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class _Flag:
    """A flag: the key of the study file that it sets, as a path, and its annotation for typer."""

    path: tuple[str, ...]
    kind: Any


def _flag(path: str, type_: Any, text: str, *, panel: str, **more: Any) -> _Flag:
    return _Flag(
        tuple(path.split(".")), Annotated[type_, typer.Option(help=text, rich_help_panel=panel, **more)]
    )


_MANY = list[str] | None
_FLAGS: Mapping[str, _Flag] = {
    "task": _flag("task", str | None, "Task of the catalogue, or path of a task file.", panel=_ITEMS),
    "data": _flag(
        "data", str | None, "File or folder of items, instead of the task's own source.", panel=_ITEMS
    ),
    "limit": _flag("sample.n", int | None, "Ask only this many items (seeded sample).", panel=_ITEMS, min=1),
    "exclude": _flag(
        "exclude",
        Path | None,
        "Leave these items out: a list that `hesperus audit --out` wrote, or an id a line.",
        panel=_ITEMS,
    ),
    "model": _flag(
        "models", _MANY, "provider/name, e.g. openai/gpt-4o-mini; repeat for several.", panel=_ASKED
    ),
    "scoring": _flag(
        "scoring",
        str | None,
        "generate, or logprobs of the options; similarity also: both.",
        panel=_ASKED,
    ),
    "base_url": _flag(
        "base_url", str | None, "Endpoint, for http/NAME or in place of a provider's.", panel=_ASKED
    ),
    "key_variable": _flag(
        "key_variable",
        str | None,
        "Environment variable that holds the key, in place of the usual.",
        panel=_ASKED,
    ),
    "temperature": _flag(
        "answers.temperature",
        float | None,
        "Softmax temperature of answers; left to the model if not given.",
        panel=_ASKED,
        min=0,
    ),
    "max_tokens": _flag(
        "answers.max_tokens",
        int | None,
        "Longest answer in tokens, thinking included (default 4096 over HTTP).",
        panel=_ASKED,
        min=1,
    ),
    "max_tokens_again": _flag(
        "answers.max_tokens_again",
        int | None,
        "Ask replies that are cut off before any answer again with this many tokens.",
        panel=_ASKED,
        min=1,
    ),
    "system": _flag("system", str | None, "System text of every request; '' for none.", panel=_ASKED),
    "reasoning_effort": _flag(
        "reasoning_effort",
        str | None,
        "low, medium, high, …: how long a model thinks that takes it.",
        panel=_ASKED,
    ),
    "request": _flag(
        "request",
        _MANY,
        "NAME=JSON: further member of every request over HTTP, e.g. top_k=20; repeatable.",
        panel=_ASKED,
    ),
    "source": _flag(
        "source", _MANY, "Language of the originals (default en); repeatable.", panel=_MULTISENSE
    ),
    "target": _flag(
        "target",
        _MANY,
        "Language into which the model puts the task itself; repeatable.",
        panel=_MULTISENSE,
    ),
    "sense": _flag(
        "senses",
        _MANY,
        "Further sense to make: en~paraphrase, en_via_zh; repeatable.",
        panel=_MULTISENSE,
    ),
    "originals": _Flag(
        ("originals",),
        Annotated[
            bool | None,
            typer.Option(
                "--originals/--no-originals",
                help="Also ask the benchmark's own version in the targets.",
                rich_help_panel=_MULTISENSE,
            ),
        ],
    ),
    "repeats": _flag(
        "repeats",
        int | None,
        "Times the source is asked; 2 (default) gives the noise floor.",
        panel=_MULTISENSE,
        min=1,
    ),
    "language": _flag(
        "languages",
        _MANY,
        "Language of the benchmark's own version to ask in; repeatable.",
        panel=_SIMILARITY,
    ),
    "records": _flag(
        "records",
        _MANY,
        "Run folder or records file to compare, instead of asking; repeatable.",
        panel=_SIMILARITY,
    ),
    "grouping": _flag(
        "grouping",
        str | None,
        "Columns made of the subjects: global-mmlu, or a YAML file.",
        panel=_SIMILARITY,
    ),
    "by": _flag(
        "comparison.by",
        _MANY,
        "Column by whose values everything is also measured; repeatable.",
        panel=_SIMILARITY,
    ),
    "pivot": _flag(
        "comparison.pivot",
        str | None,
        "Language whose pairs are a design of their own (default en).",
        panel=_SIMILARITY,
    ),
    "statistic": _flag(
        "comparison.statistic",
        str | None,
        "kappa_p (default), raw, cohen_kappa, scott_pi, error_consistency or rank_consistency.",
        panel=_SIMILARITY,
    ),
    "reference": _flag(
        "reference",
        str | None,
        "Language whose answers the others are held against (default en).",
        panel=_OPEN,
    ),
    "translator": _flag(
        "translator",
        str | None,
        "none, apertium, ct2/FOLDER, hf/ORG/NAME, or a model: of answers, and of prompts.",
        panel=_OPEN,
    ),
    "prompt_translator": _flag(
        "prompt_translator", str | None, "Another translator of the prompts.", panel=_OPEN
    ),
    "evaluate": _flag(
        "evaluate",
        _MANY,
        "information (default), equivalence, or a property; repeatable.",
        panel=_OPEN,
    ),
    "judge": _flag("judge", str | None, "embedded (default), or a model: provider/name.", panel=_OPEN),
    "trained_on": _flag(
        "trained_on",
        _MANY,
        "MODEL=de,fr,…: languages of its training, for the table of groups; repeatable.",
        panel=_OPEN,
    ),
    "control": _Flag(
        ("control",),
        Annotated[
            bool | None,
            typer.Option(
                "--control/--no-control",
                help="Send the reference's answers there and back: the ceiling of each score.",
                rich_help_panel=_OPEN,
            ),
        ],
    ),
    "group": _flag(
        "groups", _MANY, "NAME=MODEL,MODEL; the first is the source-centric group; repeatable.", panel=_TAX
    ),
    "rewriter": _flag(
        "naturalise.rewriter", str | None, "Model that rewrites items naturally (E4).", panel=_TAX
    ),
    "verifier": _flag(
        "naturalise.verifier", str | None, "Another model, which checks each rewriting.", panel=_TAX
    ),
    "native": _flag(
        "native.task", str | None, "Task that was written in the target language (E3).", panel=_TAX
    ),
    "resamples": _flag(
        "bootstrap.resamples", int | None, "Resamples of the items; 0: no intervals.", panel=_NUMBERS, min=0
    ),
    "seed": _flag("bootstrap.seed", int | None, "Seed of the resamples.", panel=_NUMBERS, min=0),
    "interval": _flag(
        "bootstrap.interval",
        str | None,
        "How intervals are made: bayesian, which holds where all items are alike, or percentile, as papers print it.",
        panel=_NUMBERS,
    ),
    "concurrency": _flag("concurrency", int | None, "Most requests in flight.", panel=_LIMITS, min=1),
    "max_requests": _flag(
        "budget.requests", int | None, "Stop after this many requests.", panel=_LIMITS, min=0
    ),
    "max_tokens_total": _flag(
        "budget.tokens", int | None, "Stop after this many tokens, in and out.", panel=_LIMITS, min=0
    ),
    "max_money": _flag(
        "budget.money", float | None, "Stop after this much, by the price file.", panel=_LIMITS, min=0
    ),
    "shard": _flag(
        "shard",
        str | None,
        "I/N: ask only this part of the items, for `hesperus merge`; 0/N first: what all parts need.",
        panel=_LIMITS,
    ),
    "prices": _flag("prices", Path | None, "Price file (YAML); see `hesperus plan --help`.", panel=_LIMITS),
}


class StudyCommand(PlainCommand):
    """A command whose help shows the settings of one study if its name was given, else those that all studies have."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Remember which study was named: help is shown before the arguments are read."""
        ctx.meta[_NAMED] = next((word for word in args if word in STUDIES), None)
        return super().parse_args(ctx, args)

    def shown_help(self, ctx: Context) -> str:
        """Without the examples of other studies."""
        named = ctx.meta.get(_NAMED)
        paragraphs = (self.help or "").split("\n\n")
        if named is None:
            return "\n\n".join(
                (*paragraphs, f"`{ctx.command_path} STUDY --help` shows the settings of one study.")
            )
        others = [name for name in STUDIES if name != named]
        return "\n\n".join(
            one
            for one in paragraphs
            if not (one.startswith("    ") and any(f" {name} " in one for name in others))
        )

    def shown_parameters(self, ctx: Context) -> list[Parameter]:
        """Without the flags of other studies."""
        named = ctx.meta.get(_NAMED)
        kinds = FLAGS_OF.values() if named is None else (FLAGS_OF[named],)
        shown = set.intersection(*(set(kind.flags) for kind in kinds))
        return [one for one in self.get_params(ctx) if one.name not in _FLAGS or one.name in shown]

    def group_of(self, parameter: Parameter, ctx: Context) -> str:
        """The group of an option; what several studies have stands with the study that was named."""
        group = super().group_of(parameter, ctx)
        named = ctx.meta.get(_NAMED)
        return f"{_OF_STUDY} {named}" if named and group.startswith(_OF_STUDY) else group


def takes_study(body: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of a study; its first parameter becomes what was chosen.

    Args:
        body: A function of `chosen` and further keyword parameters, annotated for typer.
    """
    own = list(inspect.signature(body, eval_str=True).parameters.values())[1:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(name, keyword, default=None, annotation=flag.kind) for name, flag in _FLAGS.items()
    ]
    what = inspect.Parameter("what", keyword, annotation=_WHAT)

    def command(**given: Any) -> None:
        flags = {name: given.pop(name) for name in _FLAGS}
        body(chosen_study(given.pop("what"), flags), **given)

    parameters = [what, *shared, *(parameter.replace(kind=keyword) for parameter in own)]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = body.__doc__
    command.help_class = StudyCommand  # type: ignore[attr-defined]
    return command


def chosen_study(what: str, flags: Mapping[str, Any]) -> DeclaredStudy:
    """The study that the command line names, with the flags laid over it.

    Args:
        what: A study file, a run folder with one, or the name of a study.
        flags: Name of a flag to what was given, or None.

    Raises:
        UnknownNameError: `what` is neither a file nor a study, or the study has no such key.
        UsageError: A flag that the study does not take, or flags alone that do not say enough.
        DataError: The file is no study.
    """
    from hesperus.api.declared import declared_study, kind_of

    kind = kind_of(what)
    given = {name: value for name, value in flags.items() if value is not None and value != []}
    settings = {}
    for name, value in given.items():
        if name not in FLAGS_OF[kind.name].flags:
            known = ", ".join(_shown(flag) for flag in FLAGS_OF[kind.name].flags)
            raise UsageError(f"{_shown(name)} is no flag of the study {kind.name}; it takes {known}")
        path = _FLAGS[name].path
        settings[".".join((*FLAGS_OF[kind.name].intervals_in, *path) if path[0] == "bootstrap" else path)] = (
            value
        )
    if what in STUDIES:
        _check_enough(kind, given)
    declared = declared_study(what, settings)
    if declared.home is not None:
        typer.echo(f"{declared.file}: its files are those of {declared.home}", err=True)
    return declared


def _check_enough(kind: StudyKind, given: Mapping[str, Any]) -> None:
    missing = [[name for name in needed if name not in given] for needed in FLAGS_OF[kind.name].needs]
    if not all(missing):
        return
    if len(missing) == 1:
        name = missing[0][0]
        key = _FLAGS[name].path[0]
        raise UsageError(f"which {name}? give {_shown(name)} (or put {key!r} into a study file)")
    ways = "; or ".join(", ".join(_shown(name) for name in needed) for needed in FLAGS_OF[kind.name].needs)
    raise UsageError(f"the study {kind.name} needs {ways} (or a study file)")


def _shown(flag: str) -> str:
    return f"--{flag.replace('_', '-')}"
