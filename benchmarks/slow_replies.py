"""What a study takes at an endpoint of which some replies come late, held against what the requests in flight allow.

A study is asked by the command. One reply in so many takes far longer than the others, and holds its place in flight meanwhile; so
N requests take at least N times the mean time of a reply over the number of places. The last slow reply may come after all others:
its time is added once. What lies beyond is time in which places stood empty, or the processor.

    python benchmarks/slow_replies.py [--requests 40000] [--latency 0.02] [--one-in 200] [--seconds 12]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from loopback_server import serving
from result_rows import keep
from scale import CONCURRENCY, run

MOST_OVER = 1.5
"""The run may take so many times what is possible: the processor of a busy machine is in it."""


def main() -> int:
    """Measure, print, and hold the figure to its bound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=40_000)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--one-in", type=int, default=200, help="one reply in so many is slow")
    parser.add_argument("--seconds", type=float, default=12.0, help="what a slow reply takes")
    given = parser.parse_args()
    slow = (given.one_in, given.seconds)
    with tempfile.TemporaryDirectory() as place, serving(given.latency, 0.0, "B", slow) as url:
        taken = run(url, Path(place) / "slow", given.requests)
    mean = given.latency + (given.seconds - given.latency) / given.one_in
    least = given.requests * mean / CONCURRENCY + given.seconds
    print(
        f"{given.requests:,} requests, one reply in {given.one_in} after {given.seconds:g} s: {taken.seconds:.1f} s by the clock, "
        f"{least:.1f} s at least; {taken.processor / given.requests * 1e3:.3f} ms of the processor a request, "
        f"{taken.memory / 1e6:.0f} MB"
    )
    keep("study with slow replies", taken.seconds, "s", peer="places in flight", ratio=taken.seconds / least)
    return 0 if taken.seconds <= MOST_OVER * least else 1


if __name__ == "__main__":
    sys.exit(main())
