"""What the tests of asking share."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture
def quick_backoff(monkeypatch):
    """Waits between tries in milliseconds; the rule is the same."""
    monkeypatch.setattr("hesperus.asking.pacing.BACKOFF_BASE", 0.005)
    monkeypatch.setattr("hesperus.asking.pacing.BACKOFF_CAP", 0.05)


@pytest.fixture
def interruptible():
    """Interrupts reach Python also where the tests run in the background, whose shell has them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
