"""SQLite files of ours: told from those of other programs, made where they are missing, opened to be written or only read.

A file that is written is in WAL mode: others may read it at any time, and what is committed survives any end of the process.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hesperus.errors import StoreError

MEMORY = ":memory:"
"""Path of a store that lives and dies with the process."""

BUSY_SECONDS = 60.0
"""How long another process that writes is waited for."""


@dataclass(frozen=True)
class FileKind:
    """One of the kinds of SQLite file.

    Attributes:
        called: What it is called in messages.
        application_id: ``PRAGMA application_id``.
        version: ``PRAGMA user_version``.
        tables: Statements that make its tables.
    """

    called: str
    application_id: int
    version: int
    tables: tuple[str, ...]

    def check(self, connection: sqlite3.Connection, path: Path) -> None:
        """Refuse a file of another program, kind or version.

        Raises:
            StoreError: It is one.
        """
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != self.application_id:
            raise StoreError(f"{path} is a SQLite file of another program or kind, no {self.called}")
        if version != self.version:
            raise StoreError(
                f"{path} has schema version {version}, this hesperus reads {self.version}; update hesperus on the machine "
                "that is behind"
            )

    def make(self, connection: sqlite3.Connection) -> None:
        """Make the tables in an empty file, inside a transaction, and mark it as one of this kind."""
        marks = (f"PRAGMA application_id = {self.application_id}", f"PRAGMA user_version = {self.version}")
        for statement in (*self.tables, *marks):
            connection.execute(statement)


def open_to_write(
    path: Path, kind: FileKind, *, make: bool = True, is_synced: bool = False
) -> sqlite3.Connection:
    """Open a file to be written, by one thread at a time; what is not in a transaction is committed at once.

    Args:
        path: The file, with its folder made where they are missing; ``:memory:`` keeps nothing.
        kind: What it must be.
        make: Whether an empty file is made one of that kind.
        is_synced: Whether a commit waits for the disk. Otherwise a power cut may cost the last seconds, never the file.

    Raises:
        StoreError: It cannot be opened, or is of another program, kind or version; then nothing of it was touched.
    """
    in_memory = str(path) == MEMORY
    connection: sqlite3.Connection | None = None
    try:
        if not in_memory:
            path.parent.mkdir(parents=True, exist_ok=True)
        address = MEMORY if in_memory else path.absolute().as_uri()
        connection = sqlite3.connect(
            address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
        )
        # Looking comes first: setting WAL writes into the file, and a stranger's file must not be touched.
        if make and _is_empty(connection):
            write_ahead(connection)
            connection.execute("BEGIN IMMEDIATE")
            if _is_empty(connection):  # another process may have been quicker
                kind.make(connection)
            connection.execute("COMMIT")
        kind.check(connection, path)
        connection.execute(f"PRAGMA synchronous = {'FULL' if is_synced else 'NORMAL'}")
        return connection
    except OSError as error:
        raise StoreError(f"cannot make the folder of the {kind.called} {path}: {error.strerror}") from None
    except (sqlite3.Error, StoreError) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"cannot use {path} as a {kind.called}: {reason_of(error)}") from None


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file to be read only; it may lie on a disk that cannot be written, and another process may be writing it.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    *others, last = addresses(path)
    for address in others:
        try:
            return _read(address)
        except sqlite3.OperationalError:
            continue
    return _read(last)


def open_unchanging(path: Path, kind: FileKind) -> sqlite3.Connection:
    """Open a file that nobody can write, and leave nothing next to it.

    Raises:
        StoreError: It is of another program, kind or version, or a part of it still waits in its log.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.is_file() and log.stat().st_size:
        raise StoreError(
            f"{path} cannot be written, and {log.name} next to it holds what is not in it yet; copy both to a folder that "
            "can be written, and use the copy"
        )
    try:
        # A file in WAL mode is read from a folder that cannot be written only if SQLite is told that nobody writes to it.
        return _checked(_read(f"{path.absolute().as_uri()}?immutable=1"), kind, path)
    except sqlite3.Error as error:
        raise StoreError(f"cannot use {path} as a {kind.called}: {reason_of(error)}") from None


def open_source(path: Path, kind: FileKind) -> sqlite3.Connection:
    """As open_to_read, of a file of some kind.

    Raises:
        StoreError: It cannot be read, or is of another program, kind or version.
    """
    try:
        return _checked(open_to_read(path), kind, path)
    except sqlite3.Error as error:
        raise StoreError(f"cannot read {path} as a {kind.called}: {error}") from None


def _checked(connection: sqlite3.Connection, kind: FileKind, path: Path) -> sqlite3.Connection:
    """The connection, closed if the file is not what it must be."""
    try:
        kind.check(connection, path)
    except (sqlite3.Error, StoreError):
        connection.close()
        raise
    return connection


class Database:
    """An open file. It may be used from any thread; use it as a context manager, or close it.

    Args:
        path: The file.
        kind: What it is.
        connection: To the file.
    """

    def __init__(self, path: Path, kind: FileKind, connection: sqlite3.Connection) -> None:
        self.path = path
        self._called, self._connection = kind.called, connection
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            self._connection.close()

    def _query(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._reading():
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Hold the connection.

        Raises:
            StoreError: The file cannot be read.
        """
        with self._lock:
            try:
                yield
            except (sqlite3.Error, ValueError) as error:
                said = reason_of(error) if isinstance(error, sqlite3.Error) else error
                raise StoreError(f"cannot read the {self._called} {self.path}: {said}") from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction: committed as a whole, or not at all.

        Raises:
            StoreError: The file cannot be written.
        """
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise StoreError(
                    f"cannot write to the {self._called} {self.path}: {reason_of(error)}"
                ) from None


def addresses(path: Path) -> tuple[str, ...]:
    """How a file may be opened to be read; the second where the folder cannot be written and nobody is writing."""
    usual = f"{path.absolute().as_uri()}?mode=ro"
    log = path.with_name(path.name + "-wal")
    is_still = not (log.exists() and log.stat().st_size)
    return (usual, f"{usual}&immutable=1") if is_still else (usual,)


def write_ahead(connection: sqlite3.Connection) -> None:
    """Set WAL. SQLite refuses at once, whatever its timeout, where another process is just making the file."""
    limit = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # The low byte is the primary code; the rest says in which phase the file is busy.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > limit:
                raise
            time.sleep(0.01)
        else:
            return


def reason_of(error: sqlite3.Error) -> str:
    """What SQLite says; of a disk without room, or a limit on the size of files, it may say no more than "disk I/O error"."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return f"{error}; is the disk full?" if code == sqlite3.SQLITE_IOERR else str(error)


def _read(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
