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


class Tally:
    """Counters of one run.

    Each has one writer: ``total``, ``cached`` and ``unsayable`` the caller's thread, the others the asking thread; but for
    ``note``, which an interrupt writes, too.

    Args:
        total: Different requests in all.
        clock: Seconds, from anywhere on.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = total
        self.cached = self.unsayable = 0
        self.answered = self.given_up = self.in_flight = self.retried = self.tokens_in = self.tokens_out = 0
        self.faults: Counter[str] = Counter()
        self.note = ""
        self._clock = clock
        self._marks: deque[tuple[float, int]] = deque([(clock(), 0)])

    @property
    def done(self) -> int:
        """Answered in all, by the store or the model."""
        return self.cached + self.answered

    @property
    def failed(self) -> int:
        """Given up, or not to be sent at all."""
        return self.unsayable + self.given_up

    def snapshot(self) -> Progress:
        """The state now; called by the reading thread alone."""
        now, answered = self._clock(), self.answered
        self._marks.append((now, answered))
        while now - self._marks[0][0] > WINDOW_SECONDS and len(self._marks) > 2:
            self._marks.popleft()
        start, before = self._marks[0]
        return Progress(
            total=self.total,
            cached=self.cached,
            done=self.cached + answered,
            failed=self.failed,
            in_flight=self.in_flight,
            retried=self.retried,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            rate=(answered - before) / (now - start) if now > start else 0.0,
            faults=dict(self.faults),
            note=self.note,
        )
