"""What a command took: time by the clock and of the processor, and the memory of all its processes at once.

A small process starts the command and watches it. The system counts as the peak of a process also what the one that started it
held by then, so a benchmark that starts the command itself would measure its own memory.

    python benchmarks/command_usage.py REPORT WORD …
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 0.05
"""How often the memory of all processes is added up."""


@dataclass(frozen=True)
class Usage:
    """What a command took.

    Attributes:
        code: Its exit code.
        seconds: By the clock.
        processor: Of the processor, all of its processes.
        memory: Peak in bytes: of the largest process, or of all of them at a moment if that is more.
    """

    code: int
    seconds: float
    processor: float
    memory: float


def usage_of(words: Sequence[str], variables: Mapping[str, str] | None = None) -> Usage:
    """Run a command to its end, its output thrown away.

    Args:
        words: The program and its arguments.
        variables: Environment variables besides those that are set.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "usage.json"
        subprocess.run(
            [sys.executable, "-S", __file__, str(report), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | dict(variables or {}),
            check=True,
        )
        return Usage(**json.loads(report.read_text()))


def _memory(process: int) -> int:
    """Bytes that a process and all that it started hold now; 0 where the system does not tell."""
    try:
        held = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (OSError, IndexError):  # it has ended, or there is no such file here
        return 0
    return held + sum(map(_memory, map(int, children)))


def main() -> None:
    report, words = Path(sys.argv[1]), sys.argv[2:]
    began, most = time.perf_counter(), 0
    process = subprocess.Popen(words)
    while process.poll() is None:
        most = max(most, _memory(process.pid))
        time.sleep(LOOK_SECONDS)
    seconds, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = max(most, used.ru_maxrss * 1024)
    usage = {
        "code": process.returncode,
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "memory": memory,
    }
    report.write_text(json.dumps(usage))


if __name__ == "__main__":
    main()
