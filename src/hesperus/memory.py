"""Memory that was let go, given back to the system."""

from __future__ import annotations

import sys
from contextlib import suppress


def give_back() -> None:
    """Have the C library give back what it keeps for later; it keeps most of what many small values took.

    Where it cannot be asked to (other libraries than glibc), nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
