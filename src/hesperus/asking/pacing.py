"""How fast to ask: pure state machines, without a clock or a network of their own."""

from __future__ import annotations

import random

BACKOFF_BASE = 1.0
"""Longest wait before the second try, in seconds."""

BACKOFF_CAP = 60.0

START = 8
"""Requests in flight at first."""

DECREASE = 0.7
"""Factor on the limit where the endpoint is overloaded."""

STRETCH = 4.0
"""Growth stops where replies take this many times as long as they took at best: a queue has formed."""

ENDPOINT_KINDS = frozenset(
    {
        "bad_reply",
        "connect",
        "dns",
        "html",
        "http_401",
        "http_404",
        "not_json",
        "quota",
        "redirect",
        "tls",
    }
)
"""Kinds of failure that say something of the endpoint, not of one request."""

ENDPOINT_RUN, ANY_RUN = 3, 20
"""Failures in a row after which a run stops: of an endpoint kind; of another kind, where nothing ever succeeded or
where they were tried again and again."""

UNREACHED_KINDS = frozenset({"connect", "dns"})
UNREACHED_RETRIES = 3
"""Further tries, at most, for an endpoint that was never reached: it is more likely not there than restarting."""

OVERLOAD_KINDS = frozenset({"http_429", "http_503", "http_529", "timeout"})


def backoff(attempt: int, rng: random.Random) -> float:
    """Seconds to wait after a failed try: exponential, with full jitter, so that clients do not march in step.

    Args:
        attempt: 1 after the first try, and so on.
        rng: Where the jitter is drawn from.

    Returns:
        Uniform in [0, min(BACKOFF_CAP, BACKOFF_BASE · 2^(attempt−1))].
    """
    ceiling: float = min(BACKOFF_CAP, BACKOFF_BASE * 2.0 ** min(attempt - 1, 30))
    return rng.uniform(0.0, ceiling)


class Limit:
    """How many requests may be in flight: additive increase, multiplicative decrease, with a slow start.

    Every reply adds one place until the first overload (the limit doubles per round trip), then 1/limit (one
    place per round trip). An overload takes it to 70 %, once per round trip: requests sent before the last cut
    tell nothing new. Growth also stops while replies take STRETCH times as long as at best, since then the
    endpoint queues what it is sent.

    Args:
        most: Upper bound.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(min(START, most))
        self._slow_start = True
        self._cut_at = float("-inf")
        self._latency: float | None = None
        self._best = float("inf")

    @property
    def value(self) -> int:
        """Requests that may be in flight now, at least 1."""
        return max(1, int(self._limit))

    def succeeded(self, seconds: float, in_flight: int) -> None:
        """Note a reply.

        Args:
            seconds: How long it took.
            in_flight: Requests in flight while it was awaited; a limit that is not reached does not grow.
        """
        old = self._latency
        self._latency = seconds if old is None else 0.9 * old + 0.1 * seconds
        self._best = min(self._best, self._latency)
        if in_flight < self.value or self._latency > STRETCH * self._best:
            return
        self._limit = min(float(self._most), self._limit + (1.0 if self._slow_start else 1.0 / self._limit))

    def overloaded(self, sent_at: float, now: float) -> None:
        """Note that the endpoint had too much to do.

        Args:
            sent_at: When the request was sent that shows it.
            now: The time, on the same clock.
        """
        self._slow_start = False
        if sent_at >= self._cut_at:
            self._limit = max(1.0, self._limit * DECREASE)
            self._cut_at = now


class Circuit:
    """Tells when an endpoint needs a rest, and when a run is hopeless: the same failure again and again."""

    def __init__(self) -> None:
        self._kind = ""
        self._run = 0
        self._faltered = 0
        self._any_success = False

    def succeeded(self) -> None:
        """Note a reply."""
        self._any_success, self._run, self._faltered = True, 0, 0

    def faltered(self, kind: str, in_flight: int) -> bool:
        """Note a try that failed in a way that may pass.

        Args:
            kind: Kind of the failure.
            in_flight: Requests in flight.

        Returns:
            True where it is the endpoint that fails, not this request: nothing should be sent until its next try.
        """
        self._faltered += 1
        return kind in UNREACHED_KINDS or self._faltered > 2 * in_flight

    def tries(self, kind: str, retries: int) -> int:
        """Further tries that a failure of this kind is worth.

        Args:
            kind: Kind of the failure.
            retries: What the policy allows.
        """
        unreached = kind in UNREACHED_KINDS and not self._any_success
        return min(retries, UNREACHED_RETRIES) if unreached else retries

    def failed(self, kind: str, left: int, *, retried: bool) -> bool:
        """Note a request that failed for good.

        Args:
            kind: Kind of the failure.
            left: Requests still to be answered, this one not counted.
            retried: True where it is a failure that may pass, and did not.

        Returns:
            True where the run should stop.
        """
        self._run = self._run + 1 if kind == self._kind else 1
        self._kind = kind
        if kind in ENDPOINT_KINDS:
            return self._run >= ENDPOINT_RUN or (left == 0 and not self._any_success)
        return self._run >= ANY_RUN and (retried or not self._any_success)
