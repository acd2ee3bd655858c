"""Hostile inputs for everything that takes bytes from outside, until the time is up.

    python -m benchmarks fuzz --seconds 60                      # every target, one after the other
    python -m benchmarks fuzz --seconds 600 --target decoder --target answers --workers 2
    python -m benchmarks fuzz --target decoder --input 12345    # one input again, with its traceback

A fault is an exception that is no HesperusError; an input that is taken for another one after a harmless change; more
than 2 s of the processor or 300 MiB for one input; a process that dies. Inputs are numbered, and a number is the same
input everywhere.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # inputs are small, and each target has processes of its own
os.environ["RUST_BACKTRACE"] = "0"  # to tell the frames of a panic takes longer than a hundred inputs

from fuzzing.processes import search
from fuzzing.targets import TARGETS
from fuzzing.trying import attempt, numbered
from result_rows import keep

ENOUGH = 200
"""Inputs of which at least one is read, damaged as they are."""

HEADING = f"{'target':<13}{'inputs':>10}{'per s':>8}{'read':>10}{'refused':>10}{'slowest':>9}{'faults':>8}"


def main() -> int:
    """Try inputs as the flags say; 1 where a fault came up."""
    given = _flags()
    names = given.target or list(TARGETS)
    if given.input is not None:
        return _once(names[0], given.input)
    print(HEADING)
    found = False
    for name in names:
        tally = search(name, TARGETS[name], seconds=given.seconds, workers=given.workers, start=given.start)
        # What refuses every input is not what was to be tried.
        found |= bool(tally.faults) or (tally.inputs >= ENOUGH and not tally.read)
        keep(f"{name}, inputs tried", tally.inputs, "inputs")
        keep(f"{name}, faults", len(tally.faults), "faults")
        print(
            f"{name:<13}{tally.inputs:>10,}{tally.inputs / given.seconds:>8,.0f}{tally.read:>10,}{tally.refused:>10,}"
            f"{tally.slowest:>7.2f} s{len(tally.faults):>8}",
            flush=True,
        )
        for fault in sorted(tally.faults.values(), key=lambda fault: -fault.count):
            print(
                f"    {fault.count:>6} × {fault.where}, first input {fault.first}\n           {fault.what}",
                flush=True,
            )
    return 1 if found else 0


def _flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="for each target")
    parser.add_argument(
        "--target", action="append", choices=list(TARGETS), help="again for several; all where none is given"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes for a target")
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument(
        "--input", type=int, help="try one input of the first target, and show what comes of it"
    )
    return parser.parse_args()


def _once(name: str, number: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        try:
            refused = attempt(TARGETS[name], numbered(name, number), Path(folder))
        finally:
            for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
                print(f"{path.name}: {path.read_bytes()[:2000]!r}")
    print(f"refused: {refused}" if refused else "read")
    return 0


if __name__ == "__main__":
    sys.exit(main())
