"""Where the shared test data lives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of public data that is read in place; the test is skipped, saying so, where it is absent."""
    folder = Path(os.environ.get("HESPERUS_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}; set HESPERUS_TEST_DATA")
    return folder
