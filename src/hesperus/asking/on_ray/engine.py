"""The engine that asks on a Ray cluster."""

from __future__ import annotations

import threading
from importlib.util import find_spec

from hesperus import plugins
from hesperus.asking.on_ray.bridge import Bridge, Channel
from hesperus.asking.on_ray.messages import Spec
from hesperus.asking.on_ray.seats import LocalSeat, RemoteSeat
from hesperus.errors import MissingExtraError, UsageError
from hesperus.models import Model, ModelOptions, RemoteModel
from hesperus.models.providers import key_given

_STAYS = ("replay/", "scripted")
"""Models that read replies from a file or from the caller: there is nothing to compute elsewhere."""


class RayEngine:
    """Asks on a Ray cluster, which is joined or started when the first request is missing in the store.

    Args:
        address: A node of a running cluster as HOST:PORT, or `auto`; None starts Ray on this machine and ends it with the run.
        workers: Workers of each model; None for one per GPU, or else one per node.

    Raises:
        MissingExtraError: Ray is not installed.
        UsageError: The address is one of a Ray client.
    """

    def __init__(self, address: str | None, workers: int | None) -> None:
        if find_spec("ray") is None:
            raise MissingExtraError("ray", "ray", "--engine ray")
        if address is not None and "://" in address:
            raise UsageError(
                f"--engine-address {address}: give HOST:PORT of the head node, from a machine that is a node of the cluster"
            )
        self._settings = (address, workers)
        self._bridge: Bridge | None = None
        self._channels: dict[str, Channel] = {}
        self._local: str | None = None
        self._lock = threading.Lock()

    def seated(self, model: Model, options: ModelOptions) -> Model:
        """A stand-in for the model, whose requests workers answer."""
        if model.name.startswith(_STAYS):
            return model
        is_local = not isinstance(model, RemoteModel)
        seat = LocalSeat if is_local else RemoteSeat
        return seat(model.name, model.identity, lambda: self._channel(model, options, is_local=is_local))

    def close(self) -> None:
        """End the workers, and a cluster that was started."""
        if self._bridge is not None:
            self._bridge.close()

    def _channel(self, model: Model, options: ModelOptions, *, is_local: bool) -> Channel:
        """The channel to the workers of a model; of local models one has the GPUs at a time."""
        with self._lock:
            name = model.name
            if self._bridge is None:
                self._bridge = Bridge(*self._settings)
            if name in self._channels:
                return self._channels[name]
            if is_local:
                if self._local is not None:
                    self._channels.pop(self._local).shut()
                self._local = name
            spec = Spec.of(name, options, dict(model.identity), plugins.loaded())
            key = None if is_local else key_given(name, options.key_variable)
            self._channels[name] = self._bridge.channel(spec, is_local=is_local, key=key)
            return self._channels[name]
