"""What a store of something paid for is, and those that are merged into another, which are only read."""

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

    def lookups(self, keys: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        """Queries of key and value of some keys, each with its parameters."""
        for start in range(0, len(keys), LOOKUP):
            chunk = keys[start : start + LOOKUP]
            yield (
                f"SELECT key, {self.value} FROM {self.table} WHERE key IN ({','.join('?' * len(chunk))})",
                chunk,
            )


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
