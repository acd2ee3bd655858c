"""The Ray driver: a process of its own between the process that asks and the workers.

It ends with the socket to the process that asks, however that ends; and where Ray ends it because the cluster is gone, the
process that asks reads the end of the socket and says so.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
import threading
from importlib import import_module
from typing import Any

from hesperus.asking.on_ray.messages import (
    Ask,
    Drop,
    FromDriver,
    Gone,
    Join,
    Open,
    Shut,
    ToDriver,
    Work,
    decode_to_driver,
    encode,
)
from hesperus.asking.on_ray.pool import ROOM_SECONDS, Pool
from hesperus.asking.on_ray.worker import Worker
from hesperus.errors import EngineError

LENGTH = struct.Struct("!I")
"""Before each message on the socket: its length."""

JOIN_SECONDS = 60.0
REACH_SECONDS = 5.0

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
        """See pool.Nodes."""
        if self._workers is not None:
            return self._workers
        if work == "compute on a GPU" and self._has_gpu():
            return int(self._all("GPU"))
        return max(1, len(self._alive() if work == "ask" else self._computing()))

    def start(self, work: Work) -> Any:
        """See pool.Nodes."""
        actor = self._ray.remote(Worker).options(
            **self._needs(work), scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0
        )
        return actor.remote()

    def end(self, actor: Any) -> None:
        """See pool.Nodes."""
        self._ray.kill(actor)

    def room(self, work: Work) -> str:
        """See pool.Nodes."""
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


class Driver:
    """Passes messages between a socket and pools of workers."""

    def __init__(self, nodes: Nodes, writer: asyncio.StreamWriter) -> None:
        self._nodes, self._writer = nodes, writer
        self._pools: dict[int, Pool] = {}

    def send(self, message: FromDriver) -> None:
        """Send a message to the process that asks."""
        self._writer.write(framed(message))

    def take(self, message: ToDriver) -> None:
        """Do what a message says."""
        match message:
            case Open():
                self._pools[message.pool] = Pool(message, self._nodes, self.send)
            case Ask():
                self._pools[message.pool].ask(message.parcels)
            case Drop():
                self._pools[message.pool].drop(message.parcels)
            case Shut():
                self._pools.pop(message.pool).shut()


def framed(message: ToDriver | FromDriver) -> bytes:
    """A message as it goes over the socket."""
    content = encode(message)
    return LENGTH.pack(len(content)) + content


def main() -> None:
    """Join, then pass messages until the socket ends. The only argument is the number of the socket's file."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    join = decode_to_driver(_read(sock))
    assert isinstance(join, Join)
    if join.address is None or join.address.rpartition(":")[0].strip("[]") in (
        "localhost",
        "127.0.0.1",
        "::1",
    ):
        # Ray's name for: this machine is alone, listen on its loopback. Without it Ray listens on every network.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    late = threading.Timer(
        JOIN_SECONDS, _give_up, (sock, f"no Ray cluster answered within {JOIN_SECONDS:g} s")
    )
    late.daemon = True
    late.start()
    try:
        _reach(join.address)
        nodes = Nodes(join.address, join.workers)
    except EngineError as error:
        _give_up(sock, str(error))
    late.cancel()
    asyncio.run(_pass_on(sock, nodes))
    import_module("ray").shutdown()


async def _pass_on(sock: socket.socket, nodes: Nodes) -> None:
    reader, writer = await asyncio.open_connection(sock=sock)
    driver = Driver(nodes, writer)
    try:
        while True:
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            driver.take(decode_to_driver(await reader.readexactly(length)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return  # the process that asks has ended, or is done


def _reach(address: str | None) -> None:
    """Find out quickly whether anything answers at an address.

    Raises:
        EngineError: Nothing does.
    """
    host, colon, port = (address or "").rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except OSError as error:
        raise EngineError(
            f"no Ray cluster answers at {address} ({error.strerror or error}): start one with `ray start --head`, or leave "
            "the address out"
        ) from None


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


def _read(sock: socket.socket) -> bytes:
    """The first message of a socket, and no byte of the next."""
    (length,) = LENGTH.unpack(sock.recv(LENGTH.size, socket.MSG_WAITALL))
    return sock.recv(length, socket.MSG_WAITALL)


def _give_up(sock: socket.socket, why: str) -> None:
    sock.setblocking(True)
    sock.sendall(framed(Gone(why)))
    os._exit(1)  # Ray's own threads may hang


if __name__ == "__main__":
    main()
