"""Stores that are read and never written: the store below a shard's own, and those that are merged into another."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hesperus.errors import StoreError
from hesperus.fingerprint import JSON
from hesperus.storage import FileKind, addresses, open_to_read

LOOKUP = 500
"""Keys in one query; SQLite bounds the number of parameters."""

NOTES = "CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"
"""What a store says of itself, each as JSON. Stores that say nothing lack the table."""


@dataclass(frozen=True)
class StoreKind(FileKind):
    """One of the kinds of SQLite file that keep what was paid for.

    Attributes:
        table: Table with the column ``key``.
        value: Its column with what is kept, as JSON.
        differs: SQL that holds where two values under one key, ``a`` and ``b``, do not say the same.
        copying: Statements that copy all rows of ``source`` but those that are there; the last counts.
    """

    table: str
    value: str
    differs: str
    copying: tuple[str, ...]


class Source:
    """A store that is only read.

    It may lie on a disk that cannot be written, and another process may be writing it.

    Args:
        path: The file.
        kind: What it must be.

    Raises:
        StoreError: The file cannot be read, or is of another kind or version.
    """

    def __init__(self, path: Path, kind: StoreKind) -> None:
        self.path, self._kind = path, kind
        connection = None
        try:
            connection = open_to_read(path)
            kind.check(connection, path)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            raise StoreError(f"cannot read {path} as a {kind.called}: {error}") from None
        except StoreError:
            assert connection is not None
            connection.close()
            raise
        self._connection = connection

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self._connection.close()

    def values(self, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Key and value, as JSON text, of those keys that are there.

        Raises:
            StoreError: The file cannot be read.
        """
        for start in range(0, len(keys), LOOKUP):
            chunk = list(keys[start : start + LOOKUP])
            marks = ",".join("?" * len(chunk))
            sql = f"SELECT key, {self._kind.value} FROM {self._kind.table} WHERE key IN ({marks})"
            try:
                yield from self._connection.execute(sql, chunk).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"cannot read {self.path}: {error}") from None

    def notes(self) -> dict[str, JSON]:
        """What the store says of itself; empty where it says nothing.

        Raises:
            StoreError: The file cannot be read.
        """
        try:
            return read_notes(self._connection)
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(f"cannot read {self.path}: {error}") from None


def kind_of(path: Path, kinds: Iterable[StoreKind]) -> StoreKind:
    """Which of some kinds of store a file is.

    Raises:
        StoreError: It cannot be read, or is not one of them.
    """
    try:
        with closing(open_to_read(path)) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreError(f"cannot read {path} as a store: {error}") from None
    for kind in kinds:
        if kind.application_id == application:
            return kind
    raise StoreError(f"{path} is a SQLite file of another program, no store of hesperus")


def read_notes(connection: sqlite3.Connection) -> dict[str, JSON]:
    """The notes in an open store."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'notes'").fetchone()[0]:
        return {}
    return {name: json.loads(value) for name, value in connection.execute("SELECT name, value FROM notes")}


@contextmanager
def attached(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Another store as the schema ``source`` of a connection, read only.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    for address in addresses(path):
        try:
            connection.execute("ATTACH DATABASE ? AS source", (address,))
            connection.execute("SELECT count(*) FROM source.sqlite_schema").fetchone()
        except sqlite3.OperationalError:
            if address == addresses(path)[-1]:
                raise
            if any(row[1] == "source" for row in connection.execute("PRAGMA database_list").fetchall()):
                connection.execute("DETACH DATABASE source")
        else:
            break
    try:
        yield
    finally:
        connection.execute("DETACH DATABASE source")
