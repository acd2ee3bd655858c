"""The process that asks and the Ray driver: starting it, speaking with it, and noticing its end."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import BinaryIO

from hesperus.asking.on_ray.cluster import LENGTH, framed
from hesperus.asking.on_ray.messages import (
    LOST,
    Ask,
    Done,
    Drop,
    Failed,
    FromDriver,
    Gone,
    Join,
    Lost,
    Open,
    Opened,
    Parcel,
    Refused,
    Shut,
    ToDriver,
    Work,
    decode_from_driver,
    encode,
    replies_of,
)
from hesperus.errors import EngineError, TransientError

_END_SECONDS = 15.0
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "20",
}
"""Environment of the driver where the user's says nothing else: nothing is sent to Ray's makers, and a head that is gone for
so many seconds is given up."""

Deliver = Callable[[Sequence[Parcel]], None]
"""Takes outcomes; called from the thread that reads."""


class Channel:
    """The way to the workers of one model.

    Attributes:
        opened: Number of workers and batch size, once the first worker is ready.
        deliver: Who takes outcomes; set by who asks.
    """

    def __init__(self, bridge: Bridge, pool: int) -> None:
        self._bridge, self._pool = bridge, pool
        self.opened: Future[Opened] = Future()
        self.opened.set_running_or_notify_cancel()  # who waits may give up; it stays
        self.deliver: Deliver = lambda _: None
        self._waiting: set[int] = set()
        self._end = b""
        self._lock = threading.Lock()

    def ask(self, parcels: Iterable[Parcel]) -> None:
        """Send requests; an outcome is delivered for each.

        Raises:
            HesperusError: The cluster is gone, or has no worker for this model.
        """
        parcels = tuple(parcels)
        with self._lock:
            if self._end:
                replies_of(self._end)
            self._waiting.update(number for number, _ in parcels)
        self._bridge.send(Ask(self._pool, parcels))

    def drop(self, parcels: Iterable[int]) -> None:
        """Say that nobody waits any more."""
        dropped = tuple(parcels)
        with self._lock:
            self._waiting.difference_update(dropped)
        with suppress(EngineError):
            self._bridge.send(Drop(self._pool, dropped))

    def shut(self) -> None:
        """End the workers."""
        with suppress(EngineError):
            self._bridge.send(Shut(self._pool))

    def take(self, outcomes: Iterable[Parcel]) -> None:
        """Hand outcomes on; called by the bridge."""
        with self._lock:
            awaited = [one for one in outcomes if one[0] in self._waiting]
            self._waiting.difference_update(number for number, _ in awaited)
        if awaited:
            self.deliver(awaited)

    def fail(self, outcome: bytes) -> None:
        """Give the same outcome to all who wait or will ask; called by the bridge."""
        if not self.opened.done():
            try:
                replies_of(outcome)
            except Exception as error:
                self.opened.set_exception(error)
        with self._lock:
            self._end = outcome
            waiting = sorted(self._waiting)
        self.take([(number, outcome) for number in waiting])


class Bridge:
    """The driver's process, and channels to it.

    Args:
        address: A node of a cluster as HOST:PORT, `auto`, or None to start a cluster on this machine.
        workers: Workers of each model, or None for the usual number.
    """

    def __init__(self, address: str | None, workers: int | None) -> None:
        self._where = "started for this run" if address is None else f"at {address}"
        self._was_joined = False
        self._channels: list[Channel] = []
        self._sending = threading.Lock()
        self._end = b""
        self._said: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - it is the driver's as long as that runs
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "hesperus.asking.on_ray.cluster", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                env={**_QUIET, **os.environ},
                start_new_session=True,  # an interrupt is for the process that asks alone
            )
        self._socket = ours
        self._reader = threading.Thread(target=self._read, name="hesperus-ray", daemon=True)
        self._reader.start()
        self.send(Join(address, workers))

    def channel(self, spec: bytes, work: Work, key: tuple[str, str] | None) -> Channel:
        """Start the workers of a model.

        Raises:
            EngineError: The cluster is gone.
        """
        channel = Channel(self, len(self._channels))
        self._channels.append(channel)
        self.send(Open(len(self._channels) - 1, spec, work, key))
        return channel

    def send(self, message: ToDriver) -> None:
        """Send a message.

        Raises:
            EngineError: The cluster is gone.
        """
        if self._end:
            replies_of(self._end)
        with self._sending, suppress(OSError):  # the reading thread finds out, and tells all
            self._socket.sendall(framed(message))

    def close(self) -> None:
        """End the driver, its workers, and a cluster that it started."""
        self._end = self._end or encode(Failed("engine", "the engine is closed"))
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(1)
        self._socket.close()
        self._said.close()

    def _read(self) -> None:
        """Hand messages on until the driver ends."""
        with self._socket.makefile("rb") as file, suppress(OSError):
            while len(head := file.read(LENGTH.size)) == LENGTH.size:
                content = file.read(*LENGTH.unpack(head))
                if not self._take(decode_from_driver(content)):
                    break
        self._end = self._end or encode(Failed("engine", self._gone()))
        for channel in self._channels:
            channel.fail(self._end)

    def _take(self, message: FromDriver) -> bool:
        """Do what a message says; False after the last."""
        self._was_joined = True
        match message:
            case Opened():
                self._channels[message.pool].opened.set_result(message)
            case Done():
                self._channels[message.pool].take(message.parcels)
            case Lost():
                why = f"a worker of the Ray cluster was lost before it answered: {message.why}"
                lost = encode(Failed.of(TransientError(why, kind=LOST)))
                self._channels[message.pool].take([(number, lost) for number in message.parcels])
            case Refused():
                self._channels[message.pool].fail(message.outcome)
            case Gone():
                self._end = encode(Failed("engine", message.why))
                return False
        return True

    def _gone(self) -> str:
        """What to say where the driver ended by itself."""
        if self._was_joined:
            return (
                f"the Ray cluster {self._where} is gone; what was answered is kept: run the same command again once it is back, "
                "or with --engine local"
            )
        self._said.seek(0)
        lines = self._said.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        words = re.sub(r"^\[[^]]*\] (\S+:\d+: )?", "", lines[-1])[:100] if lines else "nothing"
        return f"cannot join the Ray cluster {self._where}, which does not answer as one; Ray's last words: {words}"
