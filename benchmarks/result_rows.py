"""What a benchmark found, as rows of `benchmarks/results.json`."""

from __future__ import annotations

import json
import os
from pathlib import Path

ROWS = "HESPERUS_BENCHMARK_ROWS"
"""Environment variable with the file that takes the rows; without it they are only printed by the benchmark itself."""


def keep(
    name: str, value: float | None, unit: str, *, peer: str | None = None, ratio: float | None = None
) -> None:
    """Keep a figure.

    Args:
        name: What was measured.
        value: The figure; None where it could not be taken.
        unit: Its unit, or why there is no value.
        peer: What it is compared with, taken in the same run; says so where that is not installed.
        ratio: The figure of hesperus over that of the peer, both in the same unit; None without a peer.
    """
    file = os.environ.get(ROWS)
    if file is None:
        return
    row = {"name": name, "value": _short(value), "unit": unit, "peer": peer, "ratio": _short(ratio)}
    with Path(file).open("a", encoding="utf-8") as rows:
        rows.write(json.dumps(row, ensure_ascii=False) + "\n")


def _short(value: float | None) -> float | None:
    """Four digits; more would be noise."""
    return None if value is None else float(f"{value:.4g}")
