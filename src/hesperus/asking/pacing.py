"""When to wait, when to try again and when to give up: pure state machines, without a clock or a network of their own."""

from __future__ import annotations

import random
from collections import deque
from itertools import islice

BACKOFF_BASE = 1.0
"""Longest wait before the second try, in seconds."""

BACKOFF_CAP = 60.0

WORKING_CAP = 5.0
"""Longest wait, in seconds, before a request is sent again to an endpoint that answers most others."""

ENDPOINT_KINDS = frozenset(
    {
        "bad_encoding",
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

TWICE_KINDS = frozenset({"bad_encoding", "bad_reply", "html", "no_content", "not_json", "redirect"})
"""Kinds of failure that another try hardly mends; a proxy in between may pass, so one more is made."""

FIRST_RUN = 3
"""Failures of an endpoint kind in a row after which a run stops to which nothing was ever answered."""

RECENT, RECENT_FAILED = 10, 9
"""A run stops where this many of this many requests, the last that ended, failed in an endpoint kind."""

LATE, LATE_FAILED = 20, 19
"""The same for any kind, where nothing ever succeeded or where they were tried again and again."""

UNREACHED_KINDS = frozenset({"connect", "dns"})
UNREACHED_RETRIES = 3
"""Further tries, at most, for an endpoint that was never reached: it is more likely not there than restarting."""

REFUSAL_KINDS = frozenset({"connect", "http_429", "http_503", "http_504", "http_529", "timeout"})
"""Kinds by which an endpoint may say that it has too much to do."""

WAITING_KIND = "http_429"
WAITING_RETRIES = 4
"""A request that is told to come later has done nothing wrong: it may be told so this many times as often."""

TRIES = 128
"""Tries over which shares are taken, at most."""


def backoff(attempt: int, rng: random.Random, *, is_working: bool = False) -> float:
    """Seconds to wait after a failed try: exponential, with full jitter, so that clients do not march in step.

    Args:
        attempt: 1 after the first try, and so on.
        rng: Where the jitter is drawn from.
        is_working: Whether the endpoint answers most requests.

    Returns:
        Uniform in [0, min(cap, BACKOFF_BASE · 2^(attempt−1))]; the cap is BACKOFF_CAP, or WORKING_CAP.
    """
    cap = min(WORKING_CAP, BACKOFF_CAP) if is_working else BACKOFF_CAP
    ceiling: float = min(cap, BACKOFF_BASE * 2.0 ** min(attempt - 1, 30))
    return rng.uniform(0.0, ceiling)


class Circuit:
    """Tells, by shares of what failed of late, when an endpoint needs a rest and when a run is hopeless."""

    def __init__(self) -> None:
        self._tries: deque[str] = deque(maxlen=TRIES)
        self._ended: deque[str] = deque(maxlen=LATE)
        self._any_success = False

    def succeeded(self) -> None:
        """Note a reply."""
        self._any_success = True
        self._tries.append("")
        self._ended.append("")

    @property
    def is_working(self) -> bool:
        """Whether the endpoint answered at least half of the last tries."""
        return 2 * sum(1 for kind in self._tries if not kind) >= len(self._tries)

    @property
    def is_refusing(self) -> bool:
        """Whether at least half of the last tries were refused in a way that may mean too much load."""
        last = list(islice(reversed(self._tries), LATE))
        return 2 * sum(1 for kind in last if kind in REFUSAL_KINDS) >= len(last)

    def faltered(self, kind: str, in_flight: int) -> bool:
        """Note a try that failed in a way that may pass.

        Args:
            kind: Kind of the failure.
            in_flight: Requests in flight.

        Returns:
            True where it is the endpoint that fails, not this request: nothing should be sent until its next try.
        """
        self._tries.append(kind)
        if kind in UNREACHED_KINDS and (not self._any_success or not self.is_working):
            return True
        if kind in TWICE_KINDS and not self._any_success:
            return True
        seen = min(2 * in_flight + 1, TRIES)
        last = list(islice(reversed(self._tries), seen))
        return len(last) == seen and sum(map(bool, last)) >= 0.95 * seen

    def tries(self, kind: str, retries: int) -> int:
        """Further tries that a failure of this kind is worth.

        Args:
            kind: Kind of the failure.
            retries: What the policy allows.
        """
        if kind in TWICE_KINDS:
            return min(retries, 1)
        if kind in UNREACHED_KINDS and not self._any_success:
            return min(retries, UNREACHED_RETRIES)
        return retries * WAITING_RETRIES if kind == WAITING_KIND else retries

    def failed(self, kind: str, left: int, *, retried: bool) -> bool:
        """Note a request that failed for good.

        Args:
            kind: Kind of the failure.
            left: Requests still to be answered, this one not counted.
            retried: True where it is a failure that may pass, and did not.

        Returns:
            True where the run should stop.
        """
        self._ended.append(kind)
        last = list(self._ended)
        if kind in ENDPOINT_KINDS:
            if not self._any_success:
                return left == 0 or last[-FIRST_RUN:] == [kind] * FIRST_RUN
            recent = last[-RECENT:]
            return sum(one in ENDPOINT_KINDS for one in recent) >= RECENT_FAILED
        is_late = len(last) == LATE and sum(map(bool, last)) >= LATE_FAILED
        return is_late and (retried or not self._any_success)
