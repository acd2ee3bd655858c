"""Who answers: the Model protocol, and the models that come with the package.

Light to import: a model's own libraries are loaded when it is made or opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hesperus.lazy import lazily

if TYPE_CHECKING:
    from hesperus.models.protocol import CopiedModel, Loading, LocalModel, Model, ModelOptions, RemoteModel
    from hesperus.models.providers import PROVIDERS, Provider
    from hesperus.models.registry import model, prefixes
    from hesperus.models.replay import ReplayModel
    from hesperus.models.scripted import ScriptedModel
    from hesperus.models.stored import StoredReply

__all__ = [
    "PROVIDERS", "CopiedModel", "Loading", "LocalModel", "Model", "ModelOptions", "Provider",
    "RemoteModel", "ReplayModel", "ScriptedModel", "StoredReply", "model", "prefixes",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
