"""One store taken into another: every row once, what was there stays, and what differs is kept aside."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hesperus.asking.sources import StoreKind, attached
from hesperus.errors import StoreError
from hesperus.fingerprint import JSON

_ASIDE = """CREATE TABLE IF NOT EXISTS conflicts (
    key TEXT NOT NULL,
    other TEXT NOT NULL,
    came_from TEXT NOT NULL,
    PRIMARY KEY (key, other)
) STRICT"""


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of one store that was merged into another.

    Attributes:
        source: Where it came from.
        rows: What it holds.
        new: What the other lacked.
        conflicts: Keys under which both hold something, and not the same.
        damaged: Rows that cannot be read; they stay where they are.
    """

    source: Path
    rows: int
    new: int
    conflicts: int
    damaged: int

    def __str__(self) -> str:
        """One line for people."""
        said = f"{self.source}: {self.rows:,} rows, {self.new:,} of them new"
        said += f", {self.conflicts:,} in conflict with what was there" if self.conflicts else ""
        return said + (f", {self.damaged:,} that cannot be read and were left" if self.damaged else "")


def absorb(connection: sqlite3.Connection, kind: StoreKind, source: Path) -> Merged:
    """Copy a store into an open one, in one transaction: a kill leaves all or nothing of it, and a second call mends it.

    Args:
        connection: The store that takes it in, opened with ``uri=True``.
        kind: What both are.
        source: The file; it is only read.

    Raises:
        StoreError: The source cannot be read, is of another kind or version, or the store cannot be written.
    """
    try:
        with attached(connection, source):
            return _copied(connection, kind, source)
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreError(f"cannot merge {source}: {error}; nothing of it was taken in") from None


def _copied(connection: sqlite3.Connection, kind: StoreKind, source: Path) -> Merged:
    table, value = kind.table, kind.value
    both = (
        f"FROM source.{table} AS s JOIN main.{table} AS m ON m.key = s.key WHERE s.{value} <> m.{value} "
        f"AND json_valid(s.{value}) AND CASE WHEN json_valid(m.{value}) THEN {kind.differs} ELSE 1 END"
    )
    rows, damaged = connection.execute(
        f"SELECT count(*), coalesce(sum(NOT json_valid({value})), 0) FROM source.{table}"
    ).fetchone()
    connection.execute("BEGIN IMMEDIATE")
    try:
        conflicts = connection.execute(f"SELECT count(*) {both}").fetchone()[0]
        if conflicts:
            connection.execute(_ASIDE)
            connection.execute(
                f"INSERT INTO main.conflicts SELECT s.key, s.{value}, ? {both} ON CONFLICT DO NOTHING",
                (str(source),),
            )
        before = connection.total_changes
        for statement in kind.copying:
            before = connection.total_changes
            connection.execute(statement)
        new = connection.total_changes - before
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return Merged(source, rows, new, conflicts, damaged)


def conflicts_in(connection: sqlite3.Connection, kind: StoreKind) -> Iterator[dict[str, JSON]]:
    """What was kept aside in all merges so far, with what is in its place."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'conflicts'").fetchone()[0]:
        return
    rows = connection.execute(
        f"SELECT c.key, m.{kind.value}, c.other, c.came_from FROM conflicts AS c "
        f"JOIN {kind.table} AS m ON m.key = c.key ORDER BY c.rowid"
    )
    for key, kept, other, came_from in rows:
        yield {"key": key, "kept": _read(kept), "other": _read(other), "other_from": came_from}


def _read(value: str) -> JSON:
    try:
        found: JSON = json.loads(value)
    except ValueError:
        return value
    return found
