"""Small runs of all four studies, asked of the embedded models once for all tests of bundles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STUDIES = {"multisense": "", "similarity": "similarity", "open_answers": "open-answers", "tax": "tax"}
SMALL = ("--limit", "12", "--model", "pocket/s", "--model", "pocket/l", "--target", "de", "--target", "sw")


@pytest.fixture(scope="session")
def demo_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Study to its run folder."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "hesperus", "demo", "--quiet", "--out", str(folder), *SMALL]
    subprocess.run(command, check=True, capture_output=True)
    return {name: folder / inside for name, inside in STUDIES.items()}
