"""From a model's name to the model. Built-in makers and those of other packages come through one door.

A maker is a function ``(name, options) -> Model``. A package offers one under the entry-point group
``hesperus.models``; the entry point's name is the prefix.
"""

from __future__ import annotations

from collections.abc import Callable

from hesperus import plugins
from hesperus.errors import UnknownNameError, UsageError
from hesperus.models.protocol import Loading, Model, ModelOptions
from hesperus.models.providers import PROVIDERS

Maker = Callable[[str, ModelOptions], Model]

GROUP = "hesperus.models"


def model(name: str, options: ModelOptions | None = None) -> Model:
    """The model of that name. Nothing is sent and no key is read before it is asked.

    Args:
        name: ``provider/name``: ``openai/gpt-4o-mini``, ``http/my-model``, ``hf/ORG/NAME``, ``pocket/s``, ``replay/FILE``, …
        options: How it is reached, where the name does not say it.

    Raises:
        UnknownNameError: No such provider, or no such pocket model.
        UsageError: The name or the options cannot be used.
        MissingExtraError: The provider needs a package that is not installed.
    """
    prefix, slash, rest = name.partition("/")
    make = plugins.maker(GROUP, prefix, _MAKERS)
    if make is None:
        raise UnknownNameError(
            "model provider",
            prefix,
            prefixes(),
            "`hesperus models` lists them; names look like openai/gpt-4o-mini",
        )
    if prefix != "scripted" and not (slash and rest):
        raise UsageError(f"model {name!r} names a provider only; write {prefix}/NAME")
    return make(name, options if options is not None else ModelOptions())


def prefixes() -> tuple[str, ...]:
    """The providers that names may begin with, sorted, plugins included."""
    return plugins.names(GROUP, _MAKERS)


def _chat(name: str, options: ModelOptions) -> Model:
    from hesperus.models.chat import ChatModel

    _refuse_loading(name, options)
    return ChatModel(name, options)


def _pocket(name: str, options: ModelOptions) -> Model:
    from hesperus.models.pocket import PocketModel

    _refuse_options(name, options)
    return PocketModel(name)


def _replay(name: str, options: ModelOptions) -> Model:
    from hesperus.models.replay import ReplayModel

    _refuse_options(name, options)
    return ReplayModel(name.partition("/")[2], name=name)


def _inspect(name: str, options: ModelOptions) -> Model:
    from hesperus.models.inspect_bridge import InspectModel

    _refuse_loading(name, options)
    return InspectModel(name, options)


def _hf(name: str, options: ModelOptions) -> Model:
    from hesperus.models.hf import HfModel

    return HfModel(name, options)


def _scripted(name: str, options: ModelOptions) -> Model:
    raise UsageError("a scripted model is made in Python: hesperus.models.ScriptedModel(script)")


def _refuse_options(name: str, options: ModelOptions) -> None:
    if options != ModelOptions():
        raise UsageError(f"{name} runs in this process: it takes no base URL, key or extra members")


def _refuse_loading(name: str, options: ModelOptions) -> None:
    if options.loading != Loading():
        raise UsageError(
            f"{name} runs elsewhere: device, dtype and batch size are for models of transformers (hf/ORG/NAME)"
        )


_MAKERS: dict[str, Maker] = {
    **dict.fromkeys(PROVIDERS, _chat),
    "hf": _hf,
    "inspect": _inspect,
    "pocket": _pocket,
    "replay": _replay,
    "scripted": _scripted,
}
