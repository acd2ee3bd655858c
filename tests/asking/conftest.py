"""What the tests of asking share."""

from __future__ import annotations

import pytest


@pytest.fixture
def quick_backoff(monkeypatch):
    """Waits between tries in milliseconds; the rule is the same."""
    monkeypatch.setattr("hesperus.asking.pacing.BACKOFF_BASE", 0.005)
    monkeypatch.setattr("hesperus.asking.pacing.BACKOFF_CAP", 0.05)
