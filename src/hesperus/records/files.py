"""Files appear whole or not at all: written beside their place, then renamed into it."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new file beside `path`, then put it in its place in one step.

    Args:
        path: Where the file shall stand; its folder is made.
        write: Writes the content to the path it is given.

    Raises:
        OSError: The file system refuses, a full disk included; it names `path`, and nothing is left behind.
    """
    try:
        _write_whole(path, write)
    except OSError as error:
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error
    except pl.exceptions.PolarsError as error:
        # Polars tells a full disk as a fault of the format.
        line = (str(error).splitlines() or ["?"])[0]
        raise OSError(errno.EIO, f"cannot be written; is the disk full? ({line})", str(path)) from error


def _write_whole(path: Path, write: Callable[[Path], None]) -> None:
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
