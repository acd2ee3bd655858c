"""Where the shared test data lives, and small runs of all four studies, asked of the embedded models once for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
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


DEMO_FOLDERS = {"multisense": "", "similarity": "similarity", "open_answers": "open-answers", "tax": "tax"}
SMALL = ("--limit", "12", "--model", "pocket/s", "--model", "pocket/l", "--target", "de", "--target", "sw")


@pytest.fixture(scope="session")
def demo_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Study to its run folder."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "hesperus", "demo", "--quiet", "--out", str(folder), *SMALL]
    subprocess.run(command, check=True, capture_output=True)
    return {name: folder / inside for name, inside in DEMO_FOLDERS.items()}
