"""How many requests may be in flight, and how fast they may follow each other. Pure: without a clock of its own.

An endpoint that is asked too much refuses (429, 503, time-outs), but some refuse a share of what they are sent however
little it is. A single refusal tells nothing; a share of them says that something is wrong; and whether it is the load shows
when less is sent: refusals by load vanish, refusals by chance stay. So the limit makes this experiment, and repeats it.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

START = 8
"""Requests in flight at first."""

LEAST = 0.02
"""Smallest limit; below 1 it means one request at a time with pauses between."""

TOLERATED = 0.1
"""Share of refusals above what chance explains at which the limit begins to doubt."""

HOPELESS = 0.7
"""Share of refusals that is never put down to chance."""

SAMPLE = 40
"""Outcomes, at least, on which a decision rests."""

STRETCH = 4.0
"""Growth stops where replies take this many times as long as they took at best: a queue has formed."""

STEP, LONGEST_STEP = 1.02, 1.1
"""Growth for each sample without doubt: at first, and after many."""

RECHECK = 20
"""Samples after which a share of refusals that was put down to chance is put to the test again."""

ABOVE = 1.5
"""How much faster than replies come back requests may follow each other where refusals are by chance."""

MADE_UP = 0.05
"""Seconds of places in line that are made up for where who takes them comes late, as on a busy machine each does."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """An experiment under way: the limit is lowered, and the next sample is compared with this."""

    limit: float
    refused: float
    worked: float


class Limit:
    """Requests that may be in flight: doubled each round trip at first, then held at what the endpoint bears.

    Args:
        most: Upper bound.
    """

    def __init__(self, most: int) -> None:
        self._most = float(most)
        self._limit = min(float(START), self._most)
        self._slow_start, self._is_paced, self._is_full = True, False, False
        self._times: deque[float] = deque(maxlen=50)
        self._usual = 0.0
        self._average = 0.0
        self._best = float("inf")
        self._by_chance = 0.0
        self._in_doubt = False
        self._trial: _Trial | None = None
        self._calm = self._since_trial = 0
        self._pace = 1.0
        self._next_at = float("-inf")
        self._refusals: deque[float] = deque()
        self._since: float | None = None
        self._all = self._refused = self._worked = 0

    @property
    def value(self) -> int:
        """Requests that may be in flight now, at least 1."""
        return max(1, math.ceil(self._limit - 1e-9))

    def slot(self, now: float) -> float:
        """Take the next place in line.

        Args:
            now: The time.

        Returns:
            When the request may leave: in the past where it may leave now. Without doubt about the load, always so.
        """
        if not self._is_paced or not self._usual:
            return now
        gap = self._usual / self._limit / self._pace
        at = max(self._next_at, now - MADE_UP)
        self._next_at = at + gap
        return at

    def succeeded(self, in_flight: int, *, sent_at: float, now: float) -> None:
        """Note a reply.

        Args:
            in_flight: Requests in flight while it was awaited; a limit that is not reached does not grow.
            sent_at: When its request was sent.
            now: The time, on the same clock.
        """
        seconds = max(1e-6, now - sent_at)
        self._times.append(seconds)
        self._usual = self._usual or seconds
        self._average = 0.9 * self._average + 0.1 * seconds if self._average else seconds
        self._best = min(self._best, self._average)
        is_reached = in_flight >= self.value or self._is_paced
        self._is_full = self._is_full or is_reached
        if self._slow_start and is_reached and not self._queues:
            self._limit = min(self._most, self._limit + 1.0)
        self._begin(sent_at)
        self._worked += self._counts(sent_at)
        self._all += self._counts(sent_at)
        self._look(now)

    def failed(self, *, is_refusal: bool, sent_at: float, now: float) -> None:
        """Note a try that failed.

        Args:
            is_refusal: Whether it may mean that the endpoint has too much to do.
            sent_at: When it was sent.
            now: The time, on the same clock.
        """
        self._begin(sent_at)
        if is_refusal:
            self._refusals.append(sent_at)
        else:
            self._all += self._counts(sent_at)
        self._look(now)

    @property
    def _queues(self) -> bool:
        return self._average > STRETCH * self._best

    def _begin(self, sent_at: float) -> None:
        if self._since is None:
            self._since = sent_at

    def _counts(self, sent_at: float) -> bool:
        """Whether a request was sent since the limit was last changed; earlier ones tell nothing new."""
        return self._since is not None and sent_at >= self._since

    def _look(self, now: float) -> None:
        """Decide where enough was seen."""
        # A refusal comes at once and a reply takes its time: each counts when a reply to that request would have come.
        while self._times and self._refusals and self._refusals[0] + self._usual <= now:
            counts = self._counts(self._refusals.popleft())
            self._all += counts
            self._refused += counts
        if not (self._all and self._times) or self._since is None:
            return
        refused, seconds = self._refused / self._all, now - self._since - self._usual
        is_much = self._all >= max(SAMPLE, 1.5 * self._limit)
        is_bad = self._all >= SAMPLE // 2 and refused > 4 * TOLERATED + self._by_chance
        if (is_much or is_bad) and seconds > 0.5 * self._usual:
            self._usual = sorted(self._times)[len(self._times) // 2]
            self._decide(refused, self._worked / seconds)
            self._all = self._refused = self._worked = 0
            self._is_full, self._since = False, max(now, self._next_at)

    def _decide(self, refused: float, per_second: float) -> None:
        """Draw the conclusion from a sample: its share of refusals, and the replies per second."""
        if self._trial is not None:
            self._conclude(self._trial, refused)
            return
        chance = self._by_chance
        noise = 2.5 * math.sqrt(max(chance, 0.02) * (1 - chance) / self._all)
        self._since_trial += 1
        is_due = chance > TOLERATED and self._since_trial >= RECHECK
        if refused <= chance + max(TOLERATED, noise) and not is_due:
            self._in_doubt = False
            self._by_chance = min(chance, 0.9 * chance + 0.1 * refused)
            self._grow()
            return
        self._is_paced, self._slow_start, self._calm, self._since_trial = True, False, 0, 0
        if not self._in_doubt and not is_due:
            self._in_doubt = True  # a second look at the same limit: the first was chosen for being bad
            return
        self._in_doubt, self._pace = False, 1.0
        excess = refused if is_due else (refused - chance) / (1 - chance)
        self._trial = _Trial(self._limit, refused, per_second * self._usual)
        self._limit = max(LEAST, self._limit * max(0.25, 0.9 * (1 - max(excess, TOLERATED))))

    def _conclude(self, trial: _Trial, refused: float) -> None:
        """End an experiment: less was sent; were fewer refused?"""
        self._trial = None
        by_load = max(0.0, 1 - (1 - trial.refused) * trial.limit / self._limit)
        if refused > (trial.refused + by_load) / 2 and trial.refused < HOPELESS:
            self._by_chance, self._limit = (refused + trial.refused) / 2, trial.limit
            self._pace, self._calm = ABOVE, 6
        else:
            self._by_chance, self._pace = 0.0, 1.0
            self._limit = min(trial.limit, max(self._limit, trial.worked))

    def _grow(self) -> None:
        if self._slow_start or not self._is_full or self._queues:
            return
        self._calm += 1
        step = STEP**2 ** min(10, max(0, self._calm - 5))
        self._limit = min(self._most, self._limit * min(LONGEST_STEP, step))
