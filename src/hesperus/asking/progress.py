"""How far a run is: counters that the asking thread writes and the caller's thread reads."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

WINDOW_SECONDS = 15.0
"""The rate is taken over this long, so that it follows the endpoint."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        total: Different requests in all.
        cached: Of these, answered by the store.
        done: Answered in all, those from the store included.
        failed: Given up.
        in_flight: Under way now.
        retried: Further tries so far.
        tokens_in: Prompt tokens of this run, as far as the model counts them.
        tokens_out: Reply tokens, likewise.
        rate: Replies per second of late, those from the store not counted; 0 before the first.
        faults: Kind of failure to the tries that failed so, tried again or not.
        note: What the run waits for, for people; empty where it does not.
    """

    total: int
    cached: int = 0
    done: int = 0
    failed: int = 0
    in_flight: int = 0
    retried: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    rate: float = 0.0
    faults: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

    @property
    def left(self) -> int:
        """Requests without reply or failure."""
        return self.total - self.done - self.failed

    @property
    def seconds_left(self) -> float | None:
        """Seconds to go at this rate; None before there is one."""
        return self.left / self.rate if self.rate > 0 else None


Report = Callable[[Progress], None]


@dataclass(slots=True, eq=False)
class Parts:
    """Requests that are asked a part at a time, so that not all are held at once, and reported of as a whole.

    Attributes:
        to_come: Requests of the parts after this one.
        reached: How far the parts before it came.
    """

    to_come: int = 0
    reached: Progress = field(default_factory=lambda: Progress(0))


class Tally:
    """Counters of one run. The asking thread is the only writer, but for ``note``: an interrupt writes it, too.

    Args:
        total: Different requests in all.
        cached: Of these, answered by the store.
        clock: Seconds, from anywhere on.
        parts: Where these are a part of what is asked: the others; counted in.
    """

    def __init__(
        self,
        total: int,
        cached: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        parts: Parts | None = None,
    ) -> None:
        before = parts.reached if parts else Progress(0)
        self.total = total + before.done + before.failed + (parts.to_come if parts else 0)
        self.cached = cached + before.cached
        self.done, self.failed, self.in_flight = cached + before.done, before.failed, 0
        self.retried, self.tokens_in, self.tokens_out = before.retried, before.tokens_in, before.tokens_out
        self.faults = Counter(before.faults)
        self.note = ""
        self._clock = clock
        self._marks: deque[tuple[float, int]] = deque([(clock(), self.done)])

    def snapshot(self) -> Progress:
        """The state now; called by the reading thread alone."""
        now, done = self._clock(), self.done
        self._marks.append((now, done))
        while now - self._marks[0][0] > WINDOW_SECONDS and len(self._marks) > 2:
            self._marks.popleft()
        start, before = self._marks[0]
        return Progress(
            total=self.total,
            cached=self.cached,
            done=done,
            failed=self.failed,
            in_flight=self.in_flight,
            retried=self.retried,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            rate=(done - before) / (now - start) if now > start else 0.0,
            faults=dict(self.faults),
            note=self.note,
        )
