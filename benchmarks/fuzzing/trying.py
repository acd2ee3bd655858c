"""Tries one input after another, and says of each whether it was read, refused or brought out a fault."""

from __future__ import annotations

import os
import random
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from hesperus.errors import HesperusError

Target = Callable[[random.Random, Path], None]
"""Draws an input and has it read; raises HesperusError where it is refused, `Changed` where it is misread."""

CPU_SECONDS = 2.0
"""Time of the processor that one input may take, of at most some 100 kB."""

MEMORY = 300 << 20
"""Bytes by which one input may raise the most that the process ever held."""


_PEAK: dict[int, int] = {}
"""Most bytes held so far, by process."""


class Changed(AssertionError):
    """A harmless change of the input gave another answer, or a value did not survive being written and read."""


class TooSlow(BaseException):
    """The bound on time was passed. Not an Exception: what reads the input must not take it for the input's."""


@dataclass(slots=True)
class Fault:
    """A class of faults: the same exception from the same line.

    Attributes:
        what: Exception and its words, those of the first input.
        where: Line of hesperus nearest to where it was raised.
        first: Number of the first input that shows it.
        count: How many inputs show it.
    """

    what: str
    where: str
    first: int
    count: int = 1


@dataclass(slots=True)
class Tally:
    """What became of the inputs of one target.

    Attributes:
        read: Inputs that were read.
        refused: Inputs that were refused with an error that says why.
        faults: Classes of faults.
        slowest: Most seconds of the processor that an input took.
    """

    read: int = 0
    refused: int = 0
    faults: dict[str, Fault] = field(default_factory=dict)
    slowest: float = 0.0

    @property
    def inputs(self) -> int:
        """All that were tried."""
        return self.read + self.refused + sum(fault.count for fault in self.faults.values())

    def note(self, number: int, error: BaseException) -> None:
        """Note a fault."""
        self.put(Fault(f"{type(error).__name__}: {_short(error)}", place_of(error), number))

    def put(self, fault: Fault) -> None:
        """Note a class of faults, or some more of one."""
        name = f"{fault.what.partition(':')[0]} {fault.where}"
        held = self.faults.setdefault(name, fault)
        if held is not fault:
            held.count += fault.count
            if fault.first < held.first:
                held.first, held.what = fault.first, fault.what

    def add(self, other: Tally) -> None:
        """Add what another process found."""
        self.read += other.read
        self.refused += other.refused
        self.slowest = max(self.slowest, other.slowest)
        for fault in other.faults.values():
            self.put(fault)


def numbered(name: str, number: int) -> random.Random:
    """The choices of input `number` of a target: the same everywhere and always."""
    return random.Random(f"{name}:{number}")


def attempt(target: Target, rng: random.Random, folder: Path) -> str:
    """Try one input.

    Returns:
        The name of the error by which it was refused; empty where it was read.

    Raises:
        BaseException: Whatever else happened is a fault.
    """
    before = _PEAK.get(os.getpid()) or _peak()
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        target(rng, folder)
    except HesperusError as error:
        said = type(error).__name__
    else:
        said = ""
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    # Asking takes longer than many inputs: what the last one left is what this one began with.
    _PEAK[os.getpid()] = _peak()
    grown = _PEAK[os.getpid()] - before
    if grown > MEMORY:
        raise MemoryError(f"{grown >> 20} MiB for one input, more than {MEMORY >> 20}")
    return said


def try_numbers(name: str, target: Target, numbers: Iterable[int], seconds: float, folder: Path) -> Tally:
    """Try numbered inputs until the time is up."""
    tally, stop = Tally(), time.monotonic() + seconds
    was = signal.signal(signal.SIGPROF, _too_slow)
    try:
        for number in numbers:
            if time.monotonic() > stop:
                break
            started = time.process_time()
            try:
                refused = attempt(target, numbered(name, number), folder)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a panic of compiled code is no Exception
                tally.note(number, error)
            else:
                tally.read += not refused
                tally.refused += bool(refused)
            tally.slowest = max(tally.slowest, time.process_time() - started)
    finally:
        signal.signal(signal.SIGPROF, was)
    return tally


def place_of(error: BaseException) -> str:
    """File and line of hesperus nearest to where an error was raised, or of whatever raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/hesperus/" in frame.filename and "/fuzzing/" not in frame.filename]
    frame = (ours or frames)[-1] if frames else None
    if isinstance(error, Changed) or frame is None:
        return str(error).partition(":")[0]
    return f"{frame.filename.rpartition('/hesperus/')[2]}:{frame.lineno}"


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _short(error: BaseException) -> str:
    said = str(error).encode("utf-8", "backslashreplace").decode()
    return said if len(said) <= 300 else f"{said[:300]}…"


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {CPU_SECONDS:g} s of the processor")
