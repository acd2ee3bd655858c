"""Who answers: the Model protocol, and the models that come with the package.

Light to import: a model's own libraries are loaded when it is made or opened.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hesperus.models.protocol import Loading, LocalModel, Model, ModelOptions, RemoteModel
from hesperus.models.providers import PROVIDERS, Provider
from hesperus.models.registry import model, prefixes
from hesperus.models.scripted import ScriptedModel

if TYPE_CHECKING:
    from hesperus.models.replay import ReplayModel
    from hesperus.models.stored import StoredReply

__all__ = [
    "PROVIDERS",
    "Loading",
    "LocalModel",
    "Model",
    "ModelOptions",
    "Provider",
    "RemoteModel",
    "ReplayModel",
    "ScriptedModel",
    "StoredReply",
    "model",
    "prefixes",
]

_LAZY = {"ReplayModel": "hesperus.models.replay", "StoredReply": "hesperus.models.stored"}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
