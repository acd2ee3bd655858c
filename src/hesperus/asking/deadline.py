"""A bound on the time of each try, at the cost of one timer for all of them: a timer for each costs more than its bookkeeping."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Deadline:
    """Cancels what a task awaits once it has taken too long. Lives in one event loop.

    Args:
        seconds: What one try may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._due: dict[asyncio.Task[Any], float] = {}  # in the order in which they were begun, hence are due
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def bound(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of some work; a task has one at a time.

        Raises:
            TimeoutError: It took too long, and was cancelled.
        """
        task = asyncio.current_task()
        assert task is not None, "coroutines run in tasks"
        cancelled = task.cancelling()
        self._due[task] = due = self._loop.time() + self._seconds
        if self._timer is None:
            self._timer = self._loop.call_at(due, self._look)
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

    def _look(self) -> None:
        now, self._timer = self._loop.time(), None
        while self._due:
            task, due = next(iter(self._due.items()))
            if due > now:
                self._timer = self._loop.call_at(due, self._look)
                return
            del self._due[task]
            self._late.add(task)
            task.cancel()
