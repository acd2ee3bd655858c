"""Files appear whole or not at all: written beside their place, then renamed into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new file beside `path`, then put it in its place in one step.

    Args:
        path: Where the file shall stand; its folder is made.
        write: Writes the content to the path it is given.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
    os.close(handle)
    partial = Path(name)
    try:
        write(partial)
        # A temporary file is private to its owner; the result gets the rights that any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        partial.chmod(0o666 & ~mask)
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
