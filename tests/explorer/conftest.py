"""The run of capitals that the pages of reports are tested with."""

from __future__ import annotations

import pytest

from hesperus.records import Run
from reports.simulated_runs import study


@pytest.fixture(scope="module")
def capitals() -> Run:
    return study({"pocket/m": 1.0})
