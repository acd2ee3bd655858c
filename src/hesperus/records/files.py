"""Files appear whole or not at all: written next to their place, then renamed into it."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl

from hesperus.errors import UsageError, first_line

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PARTIAL, _PARTS = ".partial", ".parts"

_BESIDE = ("-journal", "-wal", "-shm")
"""Ends of the names of files that SQLite has beside its own."""

_ROWS_TOGETHER = 1 << 13
"""Rows of a part that are read together."""

_OLD = 86_400.0
"""Seconds after which a partial file that cannot be locked is nobody's."""


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a new file next to `path`, then put it in its place in one step.

    Args:
        path: Where the file shall be; its folder is made.
        write: Writes the content to the path it is given.

    Raises:
        OSError: The file system refuses, a full disk included; it names `path`, and nothing is left behind.
    """
    with _naming(path):
        _write_whole(path, write)


def write_part(frame: pl.DataFrame, path: Path) -> None:
    """Write rows as Parquet that are read again before the process ends.

    Raises:
        OSError: The file system refuses, a full disk included; it names `path`.
    """
    with _naming(path):
        frame.write_parquet(path, compression="lz4", row_group_size=_ROWS_TOGETHER, statistics=False)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have what goes wrong name the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error
    except pl.exceptions.PolarsError as error:
        # Polars tells a full disk as a fault of the format.
        message = f"cannot be written; is the disk full? ({first_line(error)})"
        raise OSError(errno.EIO, message, str(path)) from error


@contextmanager
def parts_folder(path: Path) -> Iterator[Path]:
    """A folder next to `path` for parts of what will be written there; it is removed at the end, and what was left of others too.

    Raises:
        OSError: The file system refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for orphan in path.parent.glob(f".{glob.escape(path.name)}.*{_PARTS}"):
        if _remove_unlocked(orphan / _PARTS):
            shutil.rmtree(orphan, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", suffix=_PARTS, dir=path.parent) as made:
        handle = os.open(Path(made) / _PARTS, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
            yield Path(made)
        finally:
            os.close(handle)


def write_content(path: Path, content: str | bytes, called: str = "") -> None:
    """Write a text (UTF-8, with its line breaks as they are) or bytes; the file appears whole or not at all.

    Args:
        path: The file; its folder is made.
        content: What it shall hold.
        called: What the file is called in messages, such as ``the report``.

    Raises:
        UsageError: It cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(path, lambda partial: partial.write_bytes(data))
    except OSError as error:
        raise UsageError(f"cannot write {f'{called} ' if called else ''}{path}: {error.strerror}") from error


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    _clean(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_PARTIAL, dir=path.parent)
    partial = Path(name)
    try:
        _lock(handle)
        write(partial)
        # A temporary file is private to its owner; the result gets the rights that any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        partial.chmod(0o666 & ~mask)
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    finally:
        os.close(handle)
        partial.unlink(missing_ok=True)


def _clean(path: Path) -> None:
    """Remove what a process that was killed left of this file.

    Whoever writes holds a lock on its partial file, which ends with the process. Where the file system has no locks, only
    what nobody has touched for a day is removed.
    """
    for orphan in path.parent.glob(f".{glob.escape(path.name)}.*{_PARTIAL}"):
        _remove_unlocked(orphan)


def _remove_unlocked(orphan: Path) -> bool:
    """Remove a file that no process holds, and what SQLite put beside it; whether it is gone."""
    with suppress(OSError):
        handle = os.open(orphan, os.O_RDWR)
        try:
            if _lock(handle) or time.time() - orphan.stat().st_mtime > _OLD:
                orphan.unlink()
                for end in _BESIDE:
                    orphan.with_name(orphan.name + end).unlink(missing_ok=True)
                return True
        finally:
            os.close(handle)
    return False


def _lock(handle: int) -> bool:
    """Lock an open file for this process; False where another has it, or nothing can be locked."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
