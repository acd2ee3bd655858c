"""What the tests of asking share."""

from __future__ import annotations

import signal
import time

import pytest


@pytest.fixture
def quick_backoff(monkeypatch):
    """Waits between tries in milliseconds; the rule is the same."""
    monkeypatch.setattr("hesperus.asking.pacing.BACKOFF_BASE", 0.005)
    monkeypatch.setattr("hesperus.asking.pacing.BACKOFF_CAP", 0.05)


@pytest.fixture
def until():
    """Waits for a condition, and fails where it does not come true within half a minute."""

    def wait(condition):
        limit = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < limit
            time.sleep(0.002)

    return wait


@pytest.fixture
def interruptible():
    """Interrupts reach Python also where the tests run in the background, whose shell has them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
