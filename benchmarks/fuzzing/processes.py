"""Processes that try the inputs of a target: what ends one of them is a fault, not the end of the search."""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import warnings
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

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
    running = []
    for worker in range(workers):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(theirs, name, target, start + worker, workers, seconds))
        process.start()
        theirs.close()
        running.append((process, ours))
    total = Tally()
    for process, ours in running:
        last = start
        try:
            while True:
                last, tally = ours.recv()
                total.add(tally)
        except EOFError:
            process.join()
        if process.exitcode:
            total.put(Fault(f"Ended: exit code {process.exitcode}", f"at input {last} or later", last))
    return total


def _work(to: Connection, name: str, target: Target, start: int, step: int, seconds: float) -> None:
    """Try every `step`-th input, and send the next number and what was found every few seconds."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    left = seconds
    in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        while left > 0:
            tally = try_numbers(name, target, count(start, step), min(SLICE, left), Path(folder))
            left -= SLICE
            start += step * tally.inputs
            to.send((start, tally))
