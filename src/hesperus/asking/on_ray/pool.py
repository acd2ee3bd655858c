"""The workers of one model, as the Ray driver has them: parcels are dealt out, and lost workers are replaced."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from hesperus.asking.on_ray.messages import (
    Done,
    Failed,
    FromDriver,
    Lost,
    Open,
    Opened,
    Parcel,
    Refused,
    decode_parcels,
    encode,
)
from hesperus.asking.on_ray.nodes import ROOM_SECONDS, Nodes
from hesperus.asking.on_ray.worker import decode_opening
from hesperus.errors import EngineError

FAILED_STARTS = 3
"""Workers in a row that end before they are ready, after which a model is given up."""


@dataclass(eq=False)
class _Worker:
    """A worker that is ready.

    Attributes:
        actor: Its handle.
        holds: Parcels that it has.
        outbox: Of these, those that are not sent yet.
        wake: Set if there is something to send.
    """

    actor: Any
    holds: set[int] = field(default_factory=set)
    outbox: list[Parcel] = field(default_factory=list)
    wake: asyncio.Event = field(default_factory=asyncio.Event)


class Pool:
    """Workers of one model. Lives in the event loop of the driver.

    Args:
        opening: What is asked for.
        nodes: Where workers are started.
        send: Sends a message to the process that asks.
    """

    def __init__(self, opening: Open, nodes: Nodes, send: Callable[[FromDriver], None]) -> None:
        self._opening, self._nodes, self._send = opening, nodes, send
        self._queue: deque[Parcel] = deque()
        self._ready: list[_Worker] = []
        self._actors: set[Any] = set()
        self._failed_starts = 0
        self._was_opened = False
        self._wanted = nodes.workers(opening.work)
        self._places = [asyncio.create_task(self._place()) for _ in range(self._wanted)]
        for place in self._places:
            place.add_done_callback(self._ended)

    def ask(self, parcels: Iterable[Parcel]) -> None:
        """Take parcels in."""
        self._queue.extend(parcels)
        self._deal()

    def drop(self, parcels: Iterable[int]) -> None:
        """Forget parcels."""
        gone = set(parcels)
        self._queue = deque(parcel for parcel in self._queue if parcel[0] not in gone)
        for worker in self._ready:
            theirs = worker.holds & gone
            if theirs:
                worker.holds -= theirs
                worker.outbox = [parcel for parcel in worker.outbox if parcel[0] not in theirs]
                worker.actor.drop.remote(list(theirs))

    def shut(self) -> None:
        """End every worker."""
        for place in self._places:
            place.cancel()
        for actor in self._actors:
            self._nodes.end(actor)

    def _deal(self) -> None:
        """Give parcels to the workers with the fewest; one that computes takes one at a time."""
        while self._queue and self._ready:
            worker = min(self._ready, key=lambda one: len(one.holds))
            if self._opening.work != "ask" and worker.holds:
                return
            parcel = self._queue.popleft()
            worker.holds.add(parcel[0])
            worker.outbox.append(parcel)
            worker.wake.set()

    async def _place(self) -> None:
        """One worker, and another one where it is lost, until the pool is shut."""
        while True:
            actor = self._nodes.start(self._opening.work)
            self._actors.add(actor)
            try:
                if not await self._is_opened(actor):
                    return
                await self._serve(_Worker(actor))
            except self._nodes.lost as error:
                self._failed_starts += 1
                if self._failed_starts >= FAILED_STARTS and not self._ready:
                    self._refuse(EngineError(f"workers end before they are ready: {_why(error)}"))
                    return
                await asyncio.sleep(min(30.0, 2.0**self._failed_starts - 1))
            finally:
                self._actors.discard(actor)
                self._nodes.end(actor)

    async def _is_opened(self, actor: Any) -> bool:
        """Wait until a worker has a place and its model; False where the pool is given up."""
        placed = asyncio.ensure_future(_awaited(actor.place.remote()))
        await asyncio.wait([placed], timeout=ROOM_SECONDS)
        if not placed.done() and not self._ready:
            placed.cancel()
            self._refuse(EngineError(self._nodes.room(self._opening.work)))
            return False
        await placed
        found = decode_opening(await actor.open.remote(self._opening.spec, self._opening.key))
        if isinstance(found, Failed):
            self._refuse(found)
            return False
        self._failed_starts = 0
        if not self._was_opened:
            self._was_opened = True
            self._send(Opened(self._opening.pool, self._wanted, found.batch_size, found.by_text))
        return True

    async def _serve(self, worker: _Worker) -> None:
        """Send and receive until the worker is lost."""
        self._ready.append(worker)
        self._deal()
        both = [asyncio.ensure_future(self._put(worker)), asyncio.ensure_future(self._take(worker))]
        try:
            ended, _ = await asyncio.wait(both, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in both:
                task.cancel()
            self._ready.remove(worker)
        error = next(filter(None, (task.exception() for task in ended)))
        if not isinstance(error, self._nodes.lost):
            raise error
        self._send(Lost(self._opening.pool, tuple(sorted(worker.holds)), _why(error)))

    async def _put(self, worker: _Worker) -> None:
        """Send what is to be sent, all that has come together at a time."""
        while True:
            await worker.wake.wait()
            worker.wake.clear()
            parcels, worker.outbox = worker.outbox, []
            if parcels:
                await worker.actor.put.remote(encode(parcels))

    async def _take(self, worker: _Worker) -> None:
        while True:
            done = decode_parcels(await worker.actor.take.remote())
            worker.holds.difference_update(number for number, _ in done)
            self._send(Done(self._opening.pool, done))
            self._deal()

    def _ended(self, place: asyncio.Task[None]) -> None:
        if not place.cancelled() and (error := place.exception()) is not None:
            self._refuse(error)

    def _refuse(self, why: BaseException | Failed) -> None:
        failed = why if isinstance(why, Failed) else Failed.of(why)
        self._send(Refused(self._opening.pool, encode(failed)))
        self.shut()


async def _awaited(reference: Any) -> Any:
    return await reference


def _why(error: BaseException) -> str:
    """Why a worker was lost, in a few words, from the many that Ray has."""
    said = str(error)
    if "running low on memory" in said:
        return "the memory of its node ran low"
    if "node has died" in said or "node died" in said or "owner's node" in said:
        return "its node is gone"
    return "its process ended"
