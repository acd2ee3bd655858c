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

from hesperus.asking.on_ray.messages import (
    Ask,
    Drop,
    FromDriver,
    Gone,
    Join,
    Open,
    Shut,
    ToDriver,
    decode_to_driver,
    encode,
)
from hesperus.asking.on_ray.nodes import Nodes
from hesperus.asking.on_ray.pool import Pool
from hesperus.errors import EngineError

LENGTH = struct.Struct("!I")
"""Before each message on the socket: its length."""

JOIN_SECONDS = 60.0
REACH_SECONDS = 5.0


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
