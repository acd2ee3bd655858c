"""A Ray cluster: joining or starting it, and the workers that it has room for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hesperus.asking.on_ray.messages import Work
from hesperus.asking.on_ray.worker import Worker
from hesperus.errors import EngineError

ROOM_SECONDS = 60.0
"""How long a cluster may take to find a place for the first worker of a model."""

_OBJECT_STORE = 200 * 2**20
"""Bytes of shared memory of a cluster that is started for a run: messages are small, and seldom go through it."""


class Nodes:
    """The cluster, as pools see it.

    Args:
        workers: Workers of each model; None for one per GPU, or else one per node.

    Raises:
        EngineError: The cluster does not answer, or cannot be started.
    """

    def __init__(self, address: str | None, workers: int | None) -> None:
        self._ray: Any = import_module("ray")
        self._workers = workers
        raised = self._ray.exceptions
        # What a call to an actor raises that is there no more.
        self.lost: tuple[type[Exception], ...] = (
            raised.RayActorError,
            raised.NodeDiedError,
            raised.ObjectLostError,
            raised.OutOfMemoryError,
            raised.WorkerCrashedError,
        )
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": False}
        try:
            if address is None:
                self._ray.init("local", include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
            else:
                self._ray.init(address, **quiet)
        except Exception as error:  # Ray raises whatever its parts do
            task = "start Ray here" if address is None else f"join the Ray cluster at {address}"
            raise EngineError(f"cannot {task}: {_said(error)}") from None

    def workers(self, work: Work) -> int:
        """How many workers a model has."""
        if self._workers is not None:
            return self._workers
        if work == "compute on a GPU" and self._has_gpu():
            return int(self._all("GPU"))
        return max(1, len(self._alive() if work == "ask" else self._computing()))

    def start(self, work: Work) -> Any:
        """A new actor."""
        actor = self._ray.remote(Worker).options(
            **self._needs(work), scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0
        )
        return actor.remote()

    def end(self, actor: Any) -> None:
        """End an actor."""
        self._ray.kill(actor)

    def room(self, work: Work) -> str:
        """What a worker needs and what is free, for people."""
        needs, free = self._needs(work), self._ray.available_resources()
        return (
            f"no node of the Ray cluster had room for a worker within {ROOM_SECONDS:g} s: it needs {needs['num_cpus']} CPU and "
            f"{needs['num_gpus']} GPU, free are {free.get('CPU', 0):g} and {free.get('GPU', 0):g} on all nodes together; end "
            "what else runs there, or add a node"
        )

    def _needs(self, work: Work) -> dict[str, int]:
        """What a worker occupies: one that asks an endpoint mostly waits; one that computes has a GPU, or CPUs of a node."""
        if work == "ask":
            return {"num_cpus": 0, "num_gpus": 0}
        if work == "compute on a GPU" and self._has_gpu():
            return {"num_cpus": 1, "num_gpus": 1}
        nodes = self._computing()
        least = min((int(node["Resources"]["CPU"]) for node in nodes), default=1)
        each = -(-self.workers(work) // max(1, len(nodes)))
        return {"num_cpus": max(1, least // each), "num_gpus": 0}

    def _has_gpu(self) -> bool:
        return self._all("GPU") >= 1

    def _computing(self) -> list[dict[str, Any]]:
        """Nodes on which something may be computed."""
        return [node for node in self._alive() if node["Resources"].get("CPU", 0) >= 1]

    def _alive(self) -> list[dict[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"]]

    def _all(self, resource: str) -> float:
        return float(sum(node["Resources"].get(resource, 0) for node in self._alive()))


def _said(error: BaseException) -> str:
    """What to know of an exception of Ray, which has its reason at the end of a chain."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    cause: BaseException | None = error
    while cause is not None:
        if "AuthenticationError" in f"{type(cause).__name__} {cause}":
            return (
                "it asks for a token: export RAY_AUTH_MODE=token, and have the token of its head node in ~/.ray/auth_token "
                "(`ray get-auth-token --generate` makes one)"
            )
        cause = cause.__cause__
    return first
