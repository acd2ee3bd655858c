"""The engine that asks on a Ray cluster."""

from __future__ import annotations

import threading
from importlib.util import find_spec

from hesperus import plugins
from hesperus.asking.on_ray.bridge import Bridge, Channel
from hesperus.asking.on_ray.messages import Spec, Work
from hesperus.asking.on_ray.seats import LocalSeat, RemoteSeat
from hesperus.errors import MissingExtraError, UsageError
from hesperus.models import Model, ModelOptions, RemoteModel
from hesperus.models.providers import key_given

_STAYS = ("replay/", "scripted")
"""Models that read replies from a file or from the caller: there is nothing to compute elsewhere."""


_NEEDS_NO_GPU = ("pocket/",)


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
        """A substitute for the model; workers answer its requests."""
        if model.name.startswith(_STAYS):
            return model
        if isinstance(model, RemoteModel):
            return RemoteSeat(model.name, model.identity, lambda: self._channel(model, options, "ask"))
        work: Work = "compute" if model.name.startswith(_NEEDS_NO_GPU) else "compute on a GPU"
        return LocalSeat(model.name, model.identity, lambda: self._channel(model, options, work))

    def close(self) -> None:
        """End the workers, and a cluster that was started."""
        if self._bridge is not None:
            self._bridge.close()

    def _channel(self, model: Model, options: ModelOptions, work: Work) -> Channel:
        """The channel to the workers of a model; of local models one occupies the nodes at a time."""
        with self._lock:
            name = model.name
            if self._bridge is None:
                self._bridge = Bridge(*self._settings)
            if name in self._channels:
                return self._channels[name]
            if work != "ask":
                if self._local is not None:
                    self._channels.pop(self._local).shut()
                self._local = name
            spec = Spec.of(name, options, dict(model.identity), plugins.loaded())
            key = key_given(name, options.key_variable) if work == "ask" else None
            self._channels[name] = self._bridge.channel(spec, work, key)
            return self._channels[name]
