"""A SQLite file (WAL) that keeps by key what was paid for: replies, translations. What is there is never replaced."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hesperus.asking.merging import Merged, absorb, conflicts_in
from hesperus.asking.sources import LOOKUP, Source, StoreKind, said
from hesperus.errors import StoreError
from hesperus.fingerprint import JSON

MEMORY = ":memory:"
"""Path of a store that lives and dies with the process."""

BUSY_SECONDS = 60.0


class KeyedStore:
    """Values by key. It may be used from any thread; use it as a context manager, or close it.

    Args:
        kind: What it keeps.
        path: The file, made where it is missing; ``:memory:`` keeps nothing.
        base: Another store; what it holds counts as this one's; it is only read.

    Raises:
        StoreError: A file cannot be opened, is of another kind, or was written by a later version.
    """

    def __init__(self, kind: StoreKind, path: str | Path, base: Path | None = None) -> None:
        self.path, self._kind = Path(path), kind
        self._base = Source(base, kind) if base is not None else None
        self._lock = threading.Lock()
        if str(path) != MEMORY:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"cannot make the folder of the {kind.called} {self.path}: {error.strerror}"
                ) from None
        connection: sqlite3.Connection | None = None
        try:
            address = MEMORY if str(path) == MEMORY else self.path.absolute().as_uri()
            connection = sqlite3.connect(
                address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
            )
            self._prepare(connection)
        except sqlite3.Error as error:
            self._give_up(connection)
            raise StoreError(f"cannot use {self.path} as a {kind.called}: {said(error)}") from None
        except StoreError:
            self._give_up(connection)
            raise
        self._connection = connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check that the file is ours, or make it so."""
        # Looking comes first: setting WAL writes into the file, and a stranger's file must not be touched.
        if _is_empty(connection):
            write_ahead(connection)
            connection.execute("BEGIN IMMEDIATE")
            if _is_empty(connection):  # another process may have been quicker
                for statement in self._kind.making:
                    connection.execute(statement)
            connection.execute("COMMIT")
        self._kind.check(connection, self.path)
        # What is committed survives any end of the process. A power cut may cost the last seconds, never the file.
        connection.execute("PRAGMA synchronous = NORMAL")

    def _give_up(self, connection: sqlite3.Connection | None) -> None:
        for opened in (connection, self._base):
            if opened is not None:
                opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of values, those of a base not counted."""
        return int(self._query(f"SELECT count(*) FROM {self._kind.table}")[0][0])

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            self._give_up(self._connection)

    def values(self, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Key and value, as JSON text, of those keys that are there.

        Raises:
            StoreError: The file cannot be read.
        """
        left = dict.fromkeys(keys)
        for start in range(0, len(keys), LOOKUP):
            chunk = keys[start : start + LOOKUP]
            marks = ",".join("?" * len(chunk))
            sql = f"SELECT key, {self._kind.value} FROM {self._kind.table} WHERE key IN ({marks})"
            for key, value in self._query(sql, chunk):
                left.pop(key, None)
                yield key, value
        if self._base is not None and left:
            with self._lock:
                found = list(self._base.values(list(left)))
            yield from found

    def merge(self, source: Path) -> Merged:
        """Take in all of another store; a key that is there keeps its value, and another value is kept aside.

        Raises:
            StoreError: The source cannot be read or is of another kind, or this one cannot be written; nothing of the
                source was taken in.
        """
        with self._lock:
            return absorb(self._connection, self._kind, source)

    def conflicts(self) -> Iterator[dict[str, JSON]]:
        """What merges kept aside: ``key``, ``kept``, ``other``, and ``other_from``, the file it came from.

        Raises:
            StoreError: The file cannot be read.
        """
        with self._lock:
            try:
                yield from conflicts_in(self._connection, self._kind)
            except sqlite3.Error as error:
                raise StoreError(f"cannot read the {self._kind.called} {self.path}: {said(error)}") from None

    def _query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"cannot read the {self._kind.called} {self.path}: {said(error)}") from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the connection; what fails is rolled back.

        Raises:
            StoreError: The file cannot be written.
        """
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                if self._is_open() and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise StoreError(
                    f"cannot write to the {self._kind.called} {self.path}: {said(error)}"
                ) from None

    def _is_open(self) -> bool:
        try:
            return self._connection.total_changes >= 0
        except sqlite3.ProgrammingError:
            return False


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]


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
