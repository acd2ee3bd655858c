"""What goes over the wire, as MessagePack: nothing that is unpickled, and nothing that names a secret but ``Open.key``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from hesperus.errors import (
    DataError,
    EngineError,
    HesperusError,
    ModelError,
    PermanentError,
    TransientError,
    UsageError,
)
from hesperus.fingerprint import fingerprint, plain
from hesperus.models import Loading, ModelOptions
from hesperus.types import Reply, Request
from hesperus.version import __version__

Parcel = tuple[int, bytes]
"""A number, and requests on their way there or an outcome on its way back."""

LOST = "worker_lost"
"""Kind of a failure by which a worker was lost before it answered."""


Work = Literal["ask", "compute", "compute on a GPU"]
"""What a worker does: it asks an endpoint, or computes; on a GPU if the cluster has one."""


class Join(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Where to ask: address of a cluster, or None to start one; workers of each model, or None for the usual number."""

    address: str | None
    workers: int | None


class Open(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Start the workers of a model.

    Attributes:
        pool: Number of the model.
        spec: See Spec, encoded.
        work: What its workers do. One that computes does so a parcel at a time.
        key: Environment variable and API key that the workers need, or None if they have it or need none.
    """

    pool: int
    spec: bytes
    work: Work
    key: tuple[str, str] | None


class Ask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Requests to the model of a pool."""

    pool: int
    parcels: tuple[Parcel, ...]


class Drop(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Nobody waits for these parcels any more."""

    pool: int
    parcels: tuple[int, ...]


class Shut(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """End the workers of a model."""

    pool: int


class Opened(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The first worker of a model is ready.

    Attributes:
        pool: Number of the model.
        workers: How many there will be.
        batch_size: Most requests in a parcel, for local models.
        by_text: As of `hesperus.models.protocol.Copies`.
    """

    pool: int
    workers: int
    batch_size: int
    by_text: bool


class Done(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Outcomes of parcels of a pool."""

    pool: int
    parcels: tuple[Parcel, ...]


class Lost(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A worker of a pool was lost with these parcels."""

    pool: int
    parcels: tuple[int, ...]
    why: str


class Refused(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """No worker of a model can be had."""

    pool: int
    outcome: bytes


class Gone(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The cluster cannot be used; the last message."""

    why: str


ToDriver = Join | Open | Ask | Drop | Shut
FromDriver = Opened | Done | Lost | Refused | Gone


OTHER_BUILD = "a node has another build of hesperus than the process that asks: install the same on all"


@cache
def build() -> str:
    """The fingerprint of the code that asks and answers; the same where every request has the same reply."""
    home = Path(__file__).parents[2]
    files = [
        home / "types.py",
        *sorted((home / "asking").rglob("*.py")),
        *sorted((home / "models").rglob("*.py")),
    ]
    return fingerprint([[path.name, path.read_text("utf-8")] for path in files if path.is_file()])


class Spec(msgspec.Struct, frozen=True, array_like=True):
    """How a worker makes its model.

    Attributes:
        name: Name of the model.
        options: Its ModelOptions, as JSON.
        identity: Its identity where it is asked for; that of the worker must be the same.
        plugins: Plug-in files to load first.
        version: Of hesperus.
        build: What asks and answers in it, see `build`: two of one version may differ.
    """

    name: str
    options: dict[str, Any]
    identity: dict[str, str]
    plugins: tuple[str, ...]
    version: str = __version__
    build: str = ""

    @classmethod
    def of(cls, name: str, options: ModelOptions, identity: dict[str, str], plugins: Sequence[str]) -> bytes:
        """The encoded spec of a model."""
        said = plain(options)
        assert isinstance(said, dict)
        return encode(cls(name, said, identity, tuple(plugins), build=build()))

    def model_options(self) -> ModelOptions:
        """The options as the model takes them."""
        return ModelOptions(**{**self.options, "loading": Loading(**self.options["loading"])})


class Answered(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """An outcome: replies in the order of the requests."""

    replies: tuple[Reply, ...]


class Failed(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """An outcome: what was raised, by its sort, words, kind and the seconds that an endpoint asked to wait."""

    sort: Literal["transient", "permanent", "usage", "engine", "defect"]
    message: str
    kind: str = ""
    retry_after: float | None = None

    @classmethod
    def of(cls, error: BaseException) -> Failed:
        """What a worker says of an exception."""
        match error:
            case TransientError():
                return cls("transient", str(error), error.kind, error.retry_after)
            case ModelError():
                return cls("permanent", str(error), error.kind)
            case UsageError() | DataError():
                return cls("usage", str(error))
            case HesperusError():
                return cls("engine", str(error))
            case msgspec.MsgspecError():
                return cls("usage", OTHER_BUILD)
        return cls("defect", f"{type(error).__name__}: {error}")

    def raised(self) -> Exception:
        """The exception as the process that asks raises it."""
        match self.sort:
            case "transient":
                return TransientError(self.message, kind=self.kind, retry_after=self.retry_after)
            case "permanent":
                return PermanentError(self.message, kind=self.kind)
            case "usage":
                return UsageError(self.message)
            case "engine":
                return EngineError(self.message)
        return RuntimeError(f"in a worker: {self.message}")


encode = msgspec.msgpack.Encoder().encode
decode_to_driver = msgspec.msgpack.Decoder(ToDriver).decode
decode_from_driver = msgspec.msgpack.Decoder(FromDriver).decode
decode_spec = msgspec.msgpack.Decoder(Spec).decode
decode_parcels = msgspec.msgpack.Decoder(tuple[Parcel, ...]).decode
decode_requests = msgspec.msgpack.Decoder(tuple[Request, ...]).decode
_outcomes: msgspec.msgpack.Decoder[Answered | Failed] = msgspec.msgpack.Decoder(Answered | Failed)


def replies_of(outcome: bytes) -> tuple[Reply, ...]:
    """The replies of an outcome.

    Raises:
        ModelError: The model failed.
        HesperusError: The worker cannot be used.
        RuntimeError: A defect, in the worker.
    """
    found = _outcomes.decode(outcome)
    if isinstance(found, Failed):
        raise found.raised()
    return found.replies
