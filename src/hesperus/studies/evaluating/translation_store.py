"""Translated documents by all that decides them, in a file that outlives the run: nothing is translated twice.

A translation is committed as soon as it is made, so a run that is killed goes on after the last one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from hesperus.asking.merging import Merged, absorb, conflicts_in
from hesperus.asking.sources import Source, StoreKind
from hesperus.asking.store import write_ahead
from hesperus.errors import StoreError
from hesperus.fingerprint import JSON, canonical_json
from hesperus.translation import Translated

MEMORY = ":memory:"
"""Path of a store that lives and dies with the process."""

_BUSY_SECONDS = 60.0
_LOOKUP = 500

TRANSLATIONS = StoreKind(
    called="store of translations",
    application_id=0x68657374,
    version=1,
    table="translations",
    value="made",
    differs="true",
    copying=(
        "INSERT INTO main.translations (key, made) SELECT key, made FROM source.translations "
        "WHERE json_valid(made) ON CONFLICT (key) DO NOTHING",
    ),
)
"""What a store of translations is; see StoreKind."""


class TranslationStore:
    """Translations by key. Use it as a context manager.

    Args:
        path: The file, made where it is missing; ``:memory:`` keeps nothing.
        base: Another store; its translations count as this one's; it is only read.

    Raises:
        StoreError: A file cannot be opened, or is no store of translations.
    """

    def __init__(self, path: Path | str, base: Path | None = None) -> None:
        self.path = Path(path)
        self._base = Source(base, TRANSLATIONS) if base is not None else None
        connection: sqlite3.Connection | None = None
        try:
            if str(path) != MEMORY:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            address = MEMORY if str(path) == MEMORY else self.path.absolute().as_uri()
            connection = sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, uri=True)
            self._prepare(connection)
        except (OSError, sqlite3.Error) as error:
            self._give_up(connection)
            raise StoreError(f"cannot use {self.path} as a store of translations: {error}") from None
        except StoreError:
            self._give_up(connection)
            raise
        self._connection = connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # Looking comes first: a stranger's file must not be touched.
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            write_ahead(connection)
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS translations (key TEXT PRIMARY KEY, made TEXT NOT NULL) STRICT"
            )
            connection.execute(f"PRAGMA application_id = {TRANSLATIONS.application_id}")
            connection.execute(f"PRAGMA user_version = {TRANSLATIONS.version}")
            connection.execute("COMMIT")
        TRANSLATIONS.check(connection, self.path)
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
        self._give_up(self._connection)

    def __len__(self) -> int:
        """Number of translations, those of a base not counted."""
        return int(self._connection.execute("SELECT count(*) FROM translations").fetchone()[0])

    def find(self, keys: Sequence[str]) -> dict[str, Translated]:
        """The stored translations among these keys.

        Raises:
            StoreError: The file cannot be read.
        """
        found: dict[str, Translated] = {}
        try:
            for start in range(0, len(keys), _LOOKUP):
                chunk = keys[start : start + _LOOKUP]
                marks = ",".join("?" * len(chunk))
                rows = self._connection.execute(
                    f"SELECT key, made FROM translations WHERE key IN ({marks})", list(chunk)
                )
                found.update((key, msgspec.json.decode(made, type=Translated)) for key, made in rows)
            if self._base is not None:
                left = [key for key in keys if key not in found]
                found.update(
                    (key, msgspec.json.decode(made, type=Translated)) for key, made in self._base.values(left)
                )
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(
                f"{self.path}: a translation cannot be read ({error}); remove the file"
            ) from None
        return found

    def keep(self, key: str, made: Translated) -> None:
        """Keep a translation; it is in the file when this returns.

        Raises:
            StoreError: The file cannot be written.
        """
        try:
            self._connection.execute(
                "INSERT OR IGNORE INTO translations (key, made) VALUES (?, ?)", (key, canonical_json(made))
            )
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be written: {error}") from None

    def merge(self, source: Path) -> Merged:
        """Take in every translation of another store; a key that is there keeps its own, and another is kept aside.

        Raises:
            StoreError: The source cannot be read or is no store of translations, or this one cannot be written.
        """
        return absorb(self._connection, TRANSLATIONS, source)

    def conflicts(self) -> Iterator[dict[str, JSON]]:
        """The translations that merges kept aside; see ReplyStore.conflicts."""
        return conflicts_in(self._connection, TRANSLATIONS)
