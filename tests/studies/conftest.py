"""What several tests of studies look at, and none of them changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from tests.studies.test_studies_shards import run

from hesperus.api.results import RunResult


@pytest.fixture(scope="session")
def asked_by_one(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunResult]:
    """Kind of study to its run by one process in memory, made when it is first wanted."""

    @cache
    def asked(kind: str) -> RunResult:
        return run(kind, tmp_path_factory.mktemp(kind) / "run")

    return asked
