"""A SQLite file (WAL) that keeps by key what was paid for: replies, translations. What is there is never replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hesperus.asking.merging import Merged, absorb, conflicts_in
from hesperus.asking.sources import StoreKind, read_notes
from hesperus.errors import StoreError
from hesperus.fingerprint import JSON
from hesperus.storage import Database, open_source, open_to_write


class KeyedStore(Database):
    """Values by key; see Database.

    Args:
        kind: What it keeps.
        path: The file, made where it is missing; ``:memory:`` keeps nothing.
        base: Another store; what it holds counts as this one's; it is only read.
        is_source: Whether the file is only read: it may lie on a disk that cannot be written.

    Raises:
        StoreError: A file cannot be opened, is of another kind, or was written by a later version.
    """

    def __init__(
        self, kind: StoreKind, path: str | Path, base: Path | None = None, *, is_source: bool = False
    ) -> None:
        path, self._kind = Path(path), kind
        self._base = KeyedStore(kind, base, is_source=True) if base is not None else None
        try:
            connection = open_source(path, kind) if is_source else open_to_write(path, kind)
        except StoreError:
            if self._base is not None:
                self._base.close()
            raise
        super().__init__(path, kind, connection)

    def __len__(self) -> int:
        """Number of values, those of a base not counted."""
        return int(self._query(f"SELECT count(*) FROM {self._kind.table}")[0][0])

    def close(self) -> None:
        """Close the file, and the base."""
        super().close()
        if self._base is not None:
            self._base.close()

    def values(self, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Key and value, as JSON text, of those keys that are there.

        Raises:
            StoreError: The file cannot be read.
        """
        left = dict.fromkeys(keys)
        for sql, chunk in self._kind.lookups(keys):
            for key, value in self._query(sql, chunk):
                left.pop(key, None)
                yield key, value
        if self._base is not None and left:
            yield from self._base.values(list(left))

    def notes(self) -> dict[str, JSON]:
        """What the store, and the one below it, say of themselves.

        Raises:
            StoreError: A file cannot be read.
        """
        below = self._base.notes() if self._base is not None else {}
        with self._reading():
            return {**below, **read_notes(self._connection)}

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
        with self._reading():
            yield from conflicts_in(self._connection, self._kind)
