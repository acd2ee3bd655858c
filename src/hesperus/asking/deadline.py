"""A bound on the time of each try, at the cost of one timer for all of them: a timer for each costs more than its bookkeeping."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

LOOK_SECONDS = 0.25
"""How often it is looked whether something is due, at least while something may become so."""

STALL_SECONDS = 0.1
"""A look that comes so much too late tells that the process stood still, and nothing was read meanwhile."""


class Deadline:
    """Cancels what a task awaits once it has taken too long. Lives in one event loop.

    Time in which the process itself stood still does not count: what came meanwhile was not read yet, and that it seems late would be
    taken for a fault of whoever sent it.

    Args:
        seconds: What one try may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._due: dict[asyncio.Task[Any], float] = {}  # in the order in which they were begun, hence are due
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._look_at = self._stood_still = 0.0

    async def bound(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of some work; a task has one at a time.

        Raises:
            TimeoutError: It took too long, and was cancelled.
        """
        task = asyncio.current_task()
        assert task is not None, "coroutines run in tasks"
        cancelled = task.cancelling()
        now = self._loop.time()
        self._due[task] = now - self._stood_still + self._seconds
        if self._timer is None:
            self._look_again(now)
        try:
            return await work
        except asyncio.CancelledError:
            # A cancellation from elsewhere, in the same moment, counts.
            if task in self._late and task.cancelling() - 1 <= cancelled:
                raise TimeoutError from None
            raise
        finally:
            self._due.pop(task, None)
            if task in self._late:
                self._late.remove(task)
                task.uncancel()

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_again(self, now: float) -> None:
        """Look when the first is due, or before that to see whether the process still runs."""
        due = next(iter(self._due.values())) + self._stood_still
        self._look_at = min(due, now + LOOK_SECONDS)
        self._timer = self._loop.call_at(self._look_at, self._look)

    def _look(self) -> None:
        now, self._timer = self._loop.time(), None
        if now - self._look_at > STALL_SECONDS:
            self._stood_still += now - self._look_at
        while self._due:
            task, due = next(iter(self._due.items()))
            if due > now - self._stood_still:
                self._look_again(now)
                return
            del self._due[task]
            self._late.add(task)
            task.cancel()
