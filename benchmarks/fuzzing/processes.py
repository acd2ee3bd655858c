"""Processes that try the inputs of a target: what ends one of them is a fault, not the end of the search."""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from .trying import Fault, Tally, Target, try_numbers

ADDRESS_SPACE = 8 << 30
"""Bytes that a process may map: what asks for more fails as a MemoryError, and the machine goes on."""

SLICE = 5.0
"""Seconds after which a process reports: what one that dies had found before is kept."""


def search(name: str, target: Target, *, seconds: float, workers: int = 1, start: int = 0) -> Tally:
    """Try inputs until the time is up.

    Args:
        name: Name of the target; with its number it makes an input.
        target: The target.
        seconds: Time.
        workers: Processes, each with every n-th number.
        start: Number of the first input.
    """
    # Forked, so that what a target needs is imported once; the threads of polars start with the first table.
    context = multiprocessing.get_context("fork")
    until = time.monotonic() + seconds
    running: dict[Connection, tuple[BaseProcess, Any]] = {}

    def begin(number: int) -> None:
        ours, theirs = context.Pipe(duplex=False)
        # The number of the input that is being tried, which a process that dies leaves behind.
        last = context.RawValue("q", number)
        process = context.Process(
            target=_work, args=(theirs, name, target, last, workers, until - time.monotonic())
        )
        process.start()
        theirs.close()
        running[ours] = (process, last)

    for worker in range(workers):
        begin(start + worker)
    total = Tally()
    while running:
        for ours in wait(list(running)):
            assert isinstance(ours, Connection)
            try:
                total.add(ours.recv())
            except EOFError:
                process, last = running.pop(ours)
                process.join()
                if process.exitcode:
                    total.put(Fault(f"Ended: exit code {process.exitcode}", "a process", last.value))
                    if time.monotonic() < until:
                        begin(last.value + workers)
    return total


def _work(to: Connection, name: str, target: Target, last: Any, step: int, seconds: float) -> None:
    """Try every `step`-th input, and send what was found every few seconds."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    left = seconds
    in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None

    def numbers() -> Iterator[int]:
        for number in count(last.value, step):
            last.value = number
            yield number

    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        while left > 0:
            to.send(try_numbers(name, target, numbers(), min(SLICE, left), Path(folder)))
            left -= SLICE
