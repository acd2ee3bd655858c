"""Engines: where the requests to a model are answered. What is asked, tried again, paid and kept is the same for all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Protocol

from hesperus.errors import UsageError
from hesperus.models import Model, ModelOptions

EngineName = Literal["local", "ray"]
"""This process, or a Ray cluster."""


class Engine(Protocol):
    """Puts a substitute in the place of every model."""

    def seated(self, model: Model, options: ModelOptions) -> Model:
        """What is asked in place of a model: of the same kind, name and identity.

        Args:
            model: The model.
            options: What it was made with.
        """


class LocalEngine:
    """Asks in this process: every model answers by itself."""

    def seated(self, model: Model, options: ModelOptions) -> Model:
        """The model itself."""
        return model


@contextmanager
def opened_engine(
    name: EngineName | None, *, address: str | None = None, workers: int | None = None
) -> Iterator[Engine]:
    """An engine, closed at the end; nothing is started before something must be asked.

    Args:
        name: Which; None is ``local``.
        address: Of a running cluster.
        workers: Workers of each model.

    Raises:
        MissingExtraError: It is not installed.
        UsageError: An address or a number of workers, and no engine that takes it.
    """
    if name != "ray":
        if address is not None or workers is not None:
            flag = "--engine-workers" if address is None else "--engine-address"
            raise UsageError(f"{flag} is for --engine ray; give that too, or leave it out")
        yield LocalEngine()
        return
    from hesperus.asking.on_ray.engine import RayEngine

    engine = RayEngine(address, workers)
    try:
        yield engine
    finally:
        engine.close()
