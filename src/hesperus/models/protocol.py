"""What a model is to the rest of hesperus: a name, an identity, and a way to answer requests.

The protocols are structural: a class that has the members is a model, whatever it inherits from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from hesperus.fingerprint import JSON
from hesperus.types import Reply, Request

DEFAULT_TOKENS = 4096
"""Longest reply over HTTP, in tokens, where a request does not bound it: room to think, and an end to babble."""

Scoring = Literal["chat", "echo"]
"""How option log-probabilities are asked for; see hesperus.models.scoring."""


@runtime_checkable
class Model(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str:
        """``provider/name``, as it is in the records."""

    @property
    def identity(self) -> Mapping[str, str]:
        """All that decides the reply besides the request: weights hash, base URL and so on.

        It enters the key of every stored reply, and is stored in the clear: it must hold no secret.
        """


@runtime_checkable
class RemoteModel(Model, Protocol):
    """A model behind an endpoint: one request at a time, many at once, any of which may fail."""

    async def open(self) -> None:
        """Make connections possible; called in the event loop that will call ``reply``, before it.

        Raises:
            MissingKeyError: The endpoint needs a key that is not set.
        """

    async def reply(self, request: Request) -> Reply:
        """Answer one request with one try.

        Raises:
            TransientError: Worth another try.
            PermanentError: Not worth one.
        """

    async def close(self) -> None:
        """Give back what ``open`` took."""


@runtime_checkable
class LocalModel(Model, Protocol):
    """A model that runs in this process, best in batches; ``by_text``, if it has it, is as of Copies."""

    @property
    def batch_size(self) -> int:
        """How many requests ``replies`` is handed at most."""

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """Answer the requests, in their order.

        A reply must not depend on what else is in the batch.

        Raises:
            TransientError: Worth another try.
            PermanentError: Not worth one.
        """


@dataclass(frozen=True, slots=True)
class Copies:
    """How often a model is there.

    Attributes:
        count: How many batches are answered at a time.
        batch_size: Most requests of a batch.
        by_text: Whether prompts that begin alike belong into one batch, since that beginning is computed once; else those
            of like length do, so that little is computed for padding.
    """

    count: int
    batch_size: int
    by_text: bool = False


@runtime_checkable
class CopiedModel(Model, Protocol):
    """A model that is there several times, somewhere else; otherwise as a local one."""

    def copies(self) -> Copies:
        """How often it is there; may wait until it is."""

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """As of LocalModel; called from several threads at once."""


def alone(model: LocalModel) -> Copies:
    """A model that is there once, in this process."""
    return Copies(1, model.batch_size, bool(getattr(model, "by_text", False)))


@dataclass(frozen=True, slots=True)
class Loading:
    """How the weights of a model of transformers are loaded.

    Attributes:
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, …; ``auto`` takes the first of CUDA, MPS and CPU that is there, ``all``
            spreads the layers of a model over all accelerators.
        dtype: ``float32``, ``bfloat16`` or ``float16``; ``auto`` takes that of the checkpoint.
        batch_size: Requests that are answered, and then kept, at a time; None takes 1,024 on an accelerator, and 256 on
            a CPU, down to 32 for large models. How many of them are computed together follows from their lengths and from
            the memory there is.
    """

    device: str = "auto"
    dtype: str = "auto"
    batch_size: int | None = None


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model is reached, where its name does not say it.

    Attributes:
        base_url: Root of an OpenAI-compatible API, such as ``http://localhost:8000/v1`` (default: the provider's).
        key_variable: Environment variable that holds the API key, never the key itself (default: the provider's).
        extra: Further members of the request body, such as ``{"reasoning_effort": "low"}``; None leaves a member out that
            would be sent, such as ``{"temperature": None}``; for a model of transformers,
            arguments of its chat template, such as ``{"enable_thinking": False}``. They decide the reply, hence they are
            part of the model's identity.
        scoring: ``chat`` reads option log-probabilities off the first generated token; ``echo`` has the
            completions endpoint score each whole option after the plain prompt. A model of transformers scores whole
            options in both, after the prompt in its chat template or after the plain prompt.
        loading: How the weights of a model of transformers are loaded; no other model takes it.
    """

    base_url: str | None = None
    key_variable: str | None = None
    extra: Mapping[str, JSON] = field(default_factory=dict)
    scoring: Scoring = "chat"
    loading: Loading = Loading()
