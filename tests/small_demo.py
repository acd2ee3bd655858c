"""A small demo: all four studies, asked of two embedded models; what it asks, and where its runs lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RUNS = {"multisense": "", "similarity": "similarity", "open_answers": "open-answers", "tax": "tax"}
"""Study to the folder of its run within the demo's."""
_SMALL = ("--limit", "12", "--model", "pocket/s", "--model", "pocket/l", "--target", "de", "--target", "sw")


def ask(folder: Path, *, small: bool = True) -> dict[str, Path]:
    """Run the demo in a process of its own; study to its run folder."""
    command = [sys.executable, "-m", "hesperus", "demo", "--quiet", "--out", str(folder)]
    # With several threads, as people run it; the other tests have one.
    several = {**os.environ, "POLARS_MAX_THREADS": "2"}
    subprocess.run([*command, *(_SMALL if small else ())], check=True, capture_output=True, env=several)
    return runs_in(folder)


def runs_in(folder: Path) -> dict[str, Path]:
    """Study to its run folder, in the folder of a demo."""
    return {study: folder / inside for study, inside in RUNS.items()}
