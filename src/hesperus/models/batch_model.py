"""What a model is with an endpoint that also takes many requests as one file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hesperus.fingerprint import JSON
from hesperus.models.protocol import RemoteModel
from hesperus.types import Reply, Request

if TYPE_CHECKING:
    from hesperus.models.batches import BatchEndpoint
    from hesperus.models.transport import RawReply


@runtime_checkable
class BatchModel(RemoteModel, Protocol):
    """A model with an endpoint that also takes many requests as one file, answered within a day at a lower price."""

    @property
    def batch_url(self) -> str:
        """Where each line of such a file goes, as the file names it."""

    def batch_body(self, request: Request) -> Mapping[str, JSON]:
        """The body of a request as a line of such a file.

        Raises:
            PermanentError: It cannot be asked so.
        """

    def batch_reply(self, request: Request, raw: RawReply) -> Reply:
        """The reply of a line.

        Raises:
            TransientError: Worth another batch; kind ``dialect`` where the body will be another one then.
            PermanentError: Not worth one.
        """

    def batches(self) -> BatchEndpoint:
        """The interface of the endpoint; only between ``open`` and ``close``."""
