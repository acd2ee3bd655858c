"""What runs on the nodes: a model, in a process that Ray starts and ends."""

from __future__ import annotations

import asyncio
import os

import msgspec

from hesperus import plugins
from hesperus.asking.on_ray.messages import (
    OTHER_BUILD,
    Answered,
    Failed,
    Parcel,
    Spec,
    build,
    decode_parcels,
    decode_requests,
    decode_spec,
    encode,
)
from hesperus.asking.runs import storable
from hesperus.errors import UsageError
from hesperus.models import LocalModel, RemoteModel
from hesperus.models import model as model_named
from hesperus.models.protocol import Copies, alone
from hesperus.types import Request
from hesperus.version import __version__


class Ready(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The model of a worker can be asked."""

    batch_size: int
    by_text: bool


decode_opening = msgspec.msgpack.Decoder(Ready | Failed).decode


class Worker:
    """An actor that answers for one model. Its methods take and return bytes, see messages."""

    def __init__(self) -> None:
        self._model: RemoteModel | LocalModel | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._done: list[Parcel] = []
        self._news = asyncio.Event()

    async def place(self) -> int:
        """Say that a place was found; the process."""
        return os.getpid()

    async def open(self, spec: bytes, key: tuple[str, str] | None) -> bytes:
        """Make the model; Ready or Failed, encoded.

        Args:
            spec: See Spec.
            key: Variable and API key that are set in this process, and nowhere else.
        """
        try:
            if key is not None:
                os.environ[key[0]] = key[1]
            self._model, copies = await asyncio.to_thread(_made, decode_spec(spec))
            if isinstance(self._model, RemoteModel):
                await self._model.open()
        except Exception as error:
            return encode(Failed.of(error))
        return encode(Ready(copies.batch_size, copies.by_text))

    async def put(self, parcels: bytes) -> None:
        """Begin to answer parcels."""
        for number, requests in decode_parcels(parcels):
            self._tasks[number] = asyncio.create_task(self._answer(number, decode_requests(requests)))

    async def take(self) -> bytes:
        """Outcomes that are there; waits for the first."""
        await self._news.wait()
        self._news.clear()
        done, self._done = self._done, []
        return encode(done)

    async def drop(self, parcels: list[int]) -> None:
        """Stop answering parcels for which nobody waits."""
        for number in parcels:
            if (task := self._tasks.get(number)) is not None:
                task.cancel()

    async def _answer(self, number: int, requests: tuple[Request, ...]) -> None:
        try:
            outcome = encode(await self._outcome(requests))
        except Exception as error:
            outcome = encode(Failed.of(error))
        finally:
            del self._tasks[number]
        self._done.append((number, outcome))
        self._news.set()

    async def _outcome(self, requests: tuple[Request, ...]) -> Answered:
        model = self._model
        assert model is not None
        if isinstance(model, RemoteModel):
            replies = [await model.reply(request) for request in requests]
        else:
            replies = list(await asyncio.to_thread(model.replies, requests))
        return Answered(tuple(storable(reply, model.name) for reply in replies))


def _made(spec: Spec) -> tuple[RemoteModel | LocalModel, Copies]:
    """The model, and what requests it takes at a time.

    Raises:
        UsageError: This node has another hesperus, or other files of the model.
    """
    if spec.version != __version__:
        raise UsageError(
            f"a node has hesperus {__version__}, the process that asks has {spec.version}: install one version"
        )
    if spec.build != build():
        raise UsageError(OTHER_BUILD)
    for file in spec.plugins:
        plugins.load_file(file)
    made = model_named(spec.name, spec.model_options())
    assert isinstance(made, RemoteModel | LocalModel)
    own = dict(made.identity)
    other = sorted(name for name in {*own, *spec.identity} if own.get(name) != spec.identity.get(name))
    if other:
        raise UsageError(
            f"{spec.name} on a node is not that of the process that asks: {', '.join(other)} differ; have the same files on all"
        )
    return made, alone(made) if isinstance(made, LocalModel) else Copies(1, 1)
