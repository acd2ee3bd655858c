"""The flags that describe a study, shared by `plan` and `run`: a YAML file, flags, or a file with flags on top."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from hesperus.studies.multisense import MultisenseStudy

_WHAT = Annotated[
    str, typer.Argument(help="A study file (YAML), or the name of a study: `multisense`.", show_default=False)
]
_FLAGS: dict[str, Any] = {
    "task": Annotated[str | None, typer.Option(help="Task of the catalogue, or path of a task file.")],
    "data": Annotated[
        str | None, typer.Option(help="File or folder of items, instead of the task's own source.")
    ],
    "model": Annotated[
        list[str] | None, typer.Option(help="provider/name, e.g. openai/gpt-4o-mini; repeat for several.")
    ],
    "source": Annotated[
        list[str] | None, typer.Option(help="Language of the originals (default en); repeatable.")
    ],
    "target": Annotated[
        list[str] | None, typer.Option(help="Language into which the model puts the task itself; repeatable.")
    ],
    "sense": Annotated[
        list[str] | None, typer.Option(help="Further sense to make: en~paraphrase, en_via_zh; repeatable.")
    ],
    "originals": Annotated[
        bool | None,
        typer.Option(
            "--originals/--no-originals", help="Also ask the benchmark's own version in the targets."
        ),
    ],
    "limit": Annotated[int | None, typer.Option(min=1, help="Ask only this many items (seeded sample).")],
    "repeats": Annotated[
        int | None, typer.Option(min=1, help="Times the source is asked; 2 (default) gives the noise floor.")
    ],
    "scoring": Annotated[str | None, typer.Option(help="generate, or logprobs of the options.")],
    "base_url": Annotated[
        str | None, typer.Option(help="Endpoint, for http/NAME or in place of a provider's.")
    ],
    "concurrency": Annotated[int | None, typer.Option(min=1, help="Most requests in flight.")],
    "max_requests": Annotated[int | None, typer.Option(min=0, help="Stop after this many requests.")],
    "max_tokens_total": Annotated[
        int | None, typer.Option(min=0, help="Stop after this many tokens, in and out.")
    ],
    "max_money": Annotated[
        float | None, typer.Option(min=0, help="Stop after this much, by the price file.")
    ],
    "prices": Annotated[Path | None, typer.Option(help="Price file (YAML); see `hesperus plan --help`.")],
}


def takes_study(body: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of a study; its first parameter becomes the validated study.

    Args:
        body: A function of `study` and further keyword parameters, annotated for typer.
    """
    # The study's class is imported when a command runs, so its annotation has no name to be resolved by here.
    signature = inspect.signature(body, eval_str=True, locals={"MultisenseStudy": object})
    own = list(signature.parameters.values())[1:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in _FLAGS.items()
    ]
    what = inspect.Parameter("what", keyword, annotation=_WHAT)

    def command(**given: Any) -> None:
        flags = {name: given.pop(name) for name in _FLAGS}
        body(study_from_flags(given.pop("what"), flags), **given)

    parameters = [what, *shared, *(parameter.replace(kind=keyword) for parameter in own)]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = body.__doc__
    return command


def study_from_flags(what: str, flags: dict[str, Any]) -> MultisenseStudy:
    """Read the study file, if `what` names one, and lay the flags over it.

    Raises:
        UnknownNameError: `what` is neither a file nor a study.
        UsageError: Flags alone, without a task or a model.
    """
    from hesperus.studies.multisense import read_study, study_from_mapping

    values: dict[str, Any] = {}
    if what.endswith((".yaml", ".yml")) or Path(what).is_file():
        values = read_study(Path(what)).model_dump(mode="json", exclude_unset=True)
    elif what != "multisense":
        raise UnknownNameError(
            "study", what, ["multisense"], "or give the path of a study file ending in .yaml"
        )
    renamed = {"model": "models", "sense": "senses"}
    budget = {"max_requests": "requests", "max_tokens_total": "tokens", "max_money": "money"}
    for flag, value in flags.items():
        if value is None or value == []:
            continue
        if flag in budget:
            values["budget"] = {**values.get("budget", {}), budget[flag]: value}
        elif flag == "limit":
            values["sample"] = {"n": value}
        else:
            values[renamed.get(flag, flag)] = str(value) if isinstance(value, Path) else value
    for key, flag in (("task", "--task"), ("models", "--model")):
        if key not in values:
            raise UsageError(f"which {key.removesuffix('s')}? give {flag} (or put {key!r} into a study file)")
    return study_from_mapping(values, file=what if what != "multisense" else None)
