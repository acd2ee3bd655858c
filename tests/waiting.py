"""Waits for conditions instead of times: one bound that no machine needs, so that no test passes or fails by speed."""

from __future__ import annotations

import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from own_process import Started

LIMIT = 180.0
"""Seconds after which what a test waits for will not come."""

WORK = 60.0
"""Seconds of the processor that no machine needs for a text of some 100,000 characters, unless the time grows with its square."""

T = TypeVar("T")
Running = subprocess.Popen[str] | subprocess.Popen[bytes] | Started


def until(condition: Callable[[], T], *, running: Running | None = None) -> T:
    """The value of a condition as soon as it holds.

    Raises:
        TimeoutError: It does not hold within `LIMIT`.
        RuntimeError: The process that is to bring it about has ended without it.
    """
    end, pause = time.monotonic() + LIMIT, 0.002
    while True:
        has_ended = running is not None and running.poll() is not None
        if found := condition():
            return found
        if has_ended:
            raise RuntimeError("the process ended before what was waited for")
        if time.monotonic() > end:
            raise TimeoutError(f"not within {LIMIT:.0f} s")
        time.sleep(pause)
        pause = min(0.05, 1.1 * pause)


@contextmanager
def bounded_work() -> Iterator[None]:
    """Hold a block to `WORK`: what is linear takes a second at most, what is quadratic minutes."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < WORK


def answers_at(url: str) -> bool:
    """Whether a server answers there, whatever it says."""
    try:
        urllib.request.urlopen(url, timeout=LIMIT).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def ends(process: Running) -> int:
    """Exit code of a process that ends by itself; one that does not is killed.

    Raises:
        subprocess.TimeoutExpired: It runs on after `LIMIT`.
    """
    try:
        return process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def last_words(process: subprocess.Popen[str] | Started) -> str:
    """Standard error of a process that ends by itself; one that does not is killed.

    Raises:
        subprocess.TimeoutExpired: It runs on after `LIMIT`.
    """
    try:
        return process.communicate(timeout=LIMIT)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
