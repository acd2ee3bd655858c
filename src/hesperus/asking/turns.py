"""One asker of a model at a time, for each store.

Two processes that ask one model with one store would both find a reply missing and both pay for it. So whoever asks
holds a lock on a file next to the store, one file per model; the second process waits for its turn and then finds the
first one's replies. Different models, and readers, are not held up. The operating system drops the lock with its
holder, however that ends, so there is never a stale one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from hesperus.errors import StoreError
from hesperus.fingerprint import fingerprint
from hesperus.storage import MEMORY

POLL_SECONDS = 0.1


@contextmanager
def turn(store: Path, identity: Mapping[str, str], *, waiting: Callable[[str], None]) -> Iterator[None]:
    """Hold the right to ask this model with this store.

    Args:
        store: Path of the store.
        identity: ``Model.identity``.
        waiting: Called again and again while another process has its turn, with a sentence that says so. It may
            raise to give up.

    Raises:
        StoreError: The lock file cannot be made or locked.
    """
    if str(store) == MEMORY:
        yield
        return
    path = store.with_name(f"{store.name}.asking-{fingerprint(identity)[:12]}.lock")
    handle = _take(path)
    while handle is None:
        waiting(f"waiting for {_holder(path)}, which is asking the same model with {store}")
        time.sleep(POLL_SECONDS)
        handle = _take(path)
    try:
        with suppress(OSError):  # a full disk, which the store names; the number only says who it is
            os.truncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        # Unlinked while held: whoever opened the old file sees below that it is gone, and tries anew.
        with suppress(OSError):
            path.unlink()
        os.close(handle)


def _take(path: Path) -> int | None:
    """An open, locked file, or None if another process holds it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"cannot make the lock file {path}: {error.strerror}") from None
    try:
        is_ours = _lock(handle)
    except OSError as error:
        os.close(handle)
        raise StoreError(
            f"cannot lock {path}: {error.strerror}; the file system has no locks, or too few: put the reply store on "
            "another disk with --store"
        ) from None
    if is_ours:
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
    os.close(handle)
    return None


def _holder(path: Path) -> str:
    """Who has its turn, as far as can be told."""
    try:
        pid = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        pid = ""
    return f"process {pid}" if pid.isdigit() else "another process"


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
