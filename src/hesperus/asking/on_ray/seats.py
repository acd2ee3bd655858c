"""Substitutes for models that are asked on a Ray cluster: they look like the models, and pass requests on."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress

from hesperus.asking.on_ray.bridge import Channel
from hesperus.asking.on_ray.messages import Parcel, encode, replies_of
from hesperus.models.protocol import Copies
from hesperus.types import Reply, Request

Opening = Callable[[], Channel]
"""Starts the workers of a model, or gives the channel to them."""


class _Seat:
    """What both have.

    Args:
        name: As the model's.
        identity: As the model's.
        opening: Starts its workers.
    """

    def __init__(self, name: str, identity: Mapping[str, str], opening: Opening) -> None:
        self.name, self.identity = name, identity
        self._opening, self._numbers = opening, itertools.count()


class RemoteSeat(_Seat):
    """A model behind an endpoint that workers ask; arguments as _Seat."""

    def __init__(self, name: str, identity: Mapping[str, str], opening: Opening) -> None:
        super().__init__(name, identity, opening)
        self._channel: Channel | None = None
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._outbox: list[Parcel] = []

    async def open(self) -> None:
        """Wait for the first worker.

        Raises:
            EngineError: No worker can be had.
            UsageError: The workers cannot ask this model.
        """
        self._loop = asyncio.get_running_loop()
        channel = self._opening()
        await asyncio.wrap_future(channel.opened)
        channel.deliver = self._delivered
        self._channel = channel

    async def close(self) -> None:
        """Nothing to give back: the workers keep their connections for the next stage."""
        self._channel = None

    async def reply(self, request: Request) -> Reply:
        """Answer one request with one try, on a worker.

        Raises:
            TransientError: As the model's; or the worker was lost (kind ``worker_lost``).
            PermanentError: As the model's.
            EngineError: The cluster is gone.
        """
        number, future = next(self._numbers), self._loop.create_future()
        self._waiting[number] = future
        if not self._outbox:
            self._loop.call_soon(self._send)
        self._outbox.append((number, encode((request,))))
        try:
            return replies_of(await future)[0]
        except asyncio.CancelledError:
            if self._waiting.pop(number, None) is not None and self._channel is not None:
                self._channel.drop((number,))
            raise

    def _send(self) -> None:
        """Send together what was asked in one turn of the loop."""
        assert self._channel is not None
        outbox, self._outbox = self._outbox, []
        try:
            self._channel.ask(outbox)
        except Exception as error:
            for number, _ in outbox:
                if (future := self._waiting.pop(number, None)) is not None:
                    future.set_exception(error)

    def _delivered(self, outcomes: Sequence[Parcel]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._settle, outcomes)

    def _settle(self, outcomes: Sequence[Parcel]) -> None:
        for number, outcome in outcomes:
            future = self._waiting.pop(number, None)
            if future is not None and not future.done():
                future.set_result(outcome)


class LocalSeat(_Seat):
    """A local model, as often as there are workers; arguments as _Seat."""

    def __init__(self, name: str, identity: Mapping[str, str], opening: Opening) -> None:
        super().__init__(name, identity, opening)
        self._waiting: dict[int, Future[bytes]] = {}

    def copies(self) -> Copies:
        """How many workers there will be; waits for the first.

        Raises:
            EngineError: No worker can be had.
            UsageError: The workers cannot load this model.
        """
        opened = self._opening().opened.result()
        return Copies(opened.workers, opened.batch_size, opened.by_text)

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """Answer the requests on one worker, in their order.

        Raises:
            TransientError: The worker was lost (kind ``worker_lost``).
            PermanentError: As the model's.
            EngineError: The cluster is gone, or has no room.
        """
        channel = self._opening()
        channel.deliver = self._delivered
        number, future = next(self._numbers), Future[bytes]()
        self._waiting[number] = future
        channel.ask([(number, encode(tuple(requests)))])
        return replies_of(future.result())

    def _delivered(self, outcomes: Sequence[Parcel]) -> None:
        for number, outcome in outcomes:
            self._waiting.pop(number).set_result(outcome)
