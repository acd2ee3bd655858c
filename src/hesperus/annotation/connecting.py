"""The file of a rating store as an open SQLite database, to write or, where that cannot be, to read."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from hesperus.errors import StoreError

APPLICATION_ID = 0x48455352
"""Tells SQLite files of this kind from others ("HESR")."""

SCHEMA_VERSION = 1
BUSY_SECONDS = 30.0


def can_be_written(path: Path) -> bool:
    """Whether the file and its folder can be written: SQLite needs a log next to the file."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def connect(path: Path, *, is_writable: bool) -> sqlite3.Connection:
    """Open a rating store.

    Raises:
        StoreError: The file is no rating store, was written by a later version, or cannot be written although a part of
            it still waits in its log.
    """
    if not is_writable:
        _refuse_unmerged(path)
    # A file in WAL mode is read from a folder that cannot be written only if SQLite is told that nobody writes to it.
    place = f"{path.absolute().as_uri()}{'' if is_writable else '?immutable=1'}"
    connection = sqlite3.connect(
        place, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _check_kind(connection, path)
        if is_writable:
            connection.execute("PRAGMA journal_mode = WAL")
            # A click is small and rare: it may wait for the disk, so that a power cut costs no more than a crash.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"cannot use {path} as a rating store: {error}") from None
    except StoreError:
        connection.close()
        raise
    return connection


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise StoreError(f"{path} is a SQLite file of another program; give another path")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{path} has schema version {version}, this hesperus reads {SCHEMA_VERSION}; update hesperus"
        )


def _refuse_unmerged(path: Path) -> None:
    """The last judgements may be in the log next to the file alone, and without writing it cannot be read."""
    log = path.with_name(f"{path.name}-wal")
    if log.is_file() and log.stat().st_size:
        raise StoreError(
            f"{path} cannot be written, and {log.name} beside it holds judgements that are not in it yet; copy both to "
            "a folder that can be written, and use the copy"
        )
