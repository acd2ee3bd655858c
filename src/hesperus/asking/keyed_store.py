"""A SQLite file (WAL) that keeps by key what was paid for: replies, translations. What is there is never replaced."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hesperus.asking.merging import Merged, absorb, conflicts_in
from hesperus.asking.sources import LOOKUP, Source, StoreKind
from hesperus.errors import StoreError
from hesperus.fingerprint import JSON
from hesperus.storage import open_to_write, reason_of


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
        try:
            self._connection = open_to_write(self.path, kind)
        except StoreError:
            if self._base is not None:
                self._base.close()
            raise

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
            self._connection.close()
            if self._base is not None:
                self._base.close()

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
                raise StoreError(
                    f"cannot read the {self._kind.called} {self.path}: {reason_of(error)}"
                ) from None

    def _query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise StoreError(
                    f"cannot read the {self._kind.called} {self.path}: {reason_of(error)}"
                ) from None

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
                    f"cannot write to the {self._kind.called} {self.path}: {reason_of(error)}"
                ) from None

    def _is_open(self) -> bool:
        try:
            return self._connection.total_changes >= 0
        except sqlite3.ProgrammingError:
            return False
