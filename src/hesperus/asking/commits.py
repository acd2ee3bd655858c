"""Group commit: replies that arrive close together share a transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from hesperus.asking.store import Entry, ReplyStore

GATHER_SECONDS = 0.002
"""How long the first reply of a group waits for company."""


class Committer:
    """Writes replies to the store in the order in which they arrive. Lives in one event loop.

    It writes in the loop's own thread: a group takes well under a millisecond, while a thread next to the loop would
    fight it for the interpreter at every row.

    Args:
        store: Where they go.
        identity: Identity of the model that is asked.
    """

    def __init__(self, store: ReplyStore, identity: Mapping[str, str]) -> None:
        self._store, self._identity = store, identity
        self._loop = asyncio.get_running_loop()
        self._group: list[Entry] = []
        self._group_done: asyncio.Future[None] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self._error: Exception | None = None

    def add(self, entry: Entry, in_flight: int) -> asyncio.Future[None]:
        """Take a reply in.

        Args:
            entry: The reply.
            in_flight: Requests that may still bring one; where all have, nothing is waited for.

        Returns:
            Done when the reply is committed; raises StoreError where it could not be.
        """
        done = self._group_done  # flushing begins a new group
        self._group.append(entry)
        if len(self._group) >= in_flight:
            self._flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(GATHER_SECONDS, self._flush)
        return done

    def close(self) -> None:
        """Write what is left.

        Raises:
            StoreError: This or an earlier reply could not be written.
        """
        self._flush()
        if self._error is not None:  # those who waited know; where nobody did, it must not be lost
            raise self._error

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._group:
            return
        group, done = self._group, self._group_done
        self._group, self._group_done = [], self._loop.create_future()
        try:
            self._store.put(group, self._identity)
        except Exception as error:  # whatever it is, it belongs to those who wait
            self._error = self._error or error
            if not done.done():
                done.set_exception(error)
                done.exception()  # seen, also where nobody waits any more
        else:
            if not done.done():
                done.set_result(None)
