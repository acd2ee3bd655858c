"""The reply store: one SQLite file (WAL) that holds every reply ever paid for, with its question.

A reply is committed before anybody sees it. Other processes may read at any time; who may ask whom at one time is
settled by ``hesperus.asking.turns``.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from hesperus.asking.merging import Merged, absorb, conflicts_in
from hesperus.asking.sources import LOOKUP, NOTES, Source, StoreKind, read_notes, said
from hesperus.errors import DataError, StoreError
from hesperus.fingerprint import JSON, canonical_json
from hesperus.models.stored import APPLICATION_ID, SCHEMA_VERSION, StoredReply, decode_reply, decode_request
from hesperus.types import Failure, Reply, Request

MEMORY = ":memory:"
"""Path of a store that lives and dies with the process."""

BUSY_SECONDS = 60.0

REPLIES = StoreKind(
    called="reply store",
    application_id=APPLICATION_ID,
    version=SCHEMA_VERSION,
    table="replies",
    value="reply",
    # Who served a reply, and how it counts tokens, is no difference in what was said.
    differs=" OR ".join(
        f"json_extract(s.reply, '$.{name}') IS NOT json_extract(m.reply, '$.{name}')"
        for name in ("text", "finish", "option_logprobs", "reasoning")
    ),
    copying=(
        "INSERT INTO main.models (identity) SELECT identity FROM source.models WHERE true ON CONFLICT DO NOTHING",
        "INSERT INTO main.replies (key, model, request, reply, asked_at) "
        "SELECT s.key, m.id, s.request, s.reply, s.asked_at FROM source.replies AS s "
        "JOIN source.models AS sm ON sm.id = s.model JOIN main.models AS m ON m.identity = sm.identity "
        "WHERE json_valid(s.reply) ORDER BY s.rowid ON CONFLICT (key) DO NOTHING",
    ),
)
"""What a reply store is; see StoreKind."""

_TABLES = f"""
CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE replies (
    key TEXT NOT NULL UNIQUE,
    model INTEGER NOT NULL REFERENCES models (id),
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    asked_at REAL NOT NULL
) STRICT;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A reply on its way into the store."""

    key: str
    request: Request
    reply: Reply


class ReplyStore:
    """Replies by key.

    One store may be used from any thread. Use it as a context manager, or close it.

    Args:
        path: The file, made where it is missing; ``:memory:`` keeps nothing.
        base: Another store; its replies count as this one's; it is only read.

    Raises:
        StoreError: A file cannot be opened, is no reply store, or was written by a later version.
    """

    def __init__(self, path: str | Path, base: Path | None = None) -> None:
        self.path = Path(path)
        self._base = Source(base, REPLIES) if base is not None else None
        self._lock = threading.Lock()
        self._models: dict[str, int] = {}
        if str(path) != MEMORY:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"cannot make the folder of the reply store {self.path}: {error.strerror}"
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
            raise StoreError(f"cannot use {self.path} as a reply store: {said(error)}") from None
        except StoreError:
            self._give_up(connection)
            raise
        self._connection = connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check that the file is ours, or make it so."""
        # Looking comes first: setting WAL writes into the file, and a stranger's file must not be touched.
        if self._is_empty(connection):
            write_ahead(connection)
            connection.execute("BEGIN IMMEDIATE")
            if self._is_empty(connection):  # another process may have been quicker
                for statement in _TABLES.strip().split(";\n"):
                    connection.execute(statement)
            connection.execute("COMMIT")
        REPLIES.check(connection, self.path)
        # What is committed survives any end of the process. A power cut may cost the last seconds, never the file.
        connection.execute("PRAGMA synchronous = NORMAL")

    def _give_up(self, connection: sqlite3.Connection | None) -> None:
        for opened in (connection, self._base):
            if opened is not None:
                opened.close()

    @staticmethod
    def _is_empty(connection: sqlite3.Connection) -> bool:
        return not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of replies, those of a base not counted."""
        return int(self._query("SELECT count(*) FROM replies")[0][0])

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            self._connection.close()
            if self._base is not None:
                self._base.close()

    def find(self, keys: Sequence[str]) -> dict[str, Reply | Failure]:
        """The stored replies among these keys; a Failure where one cannot be read, which holds up no other.

        Raises:
            StoreError: The file cannot be read.
        """
        found: dict[str, Reply | Failure] = {}
        for start in range(0, len(keys), LOOKUP):
            chunk = keys[start : start + LOOKUP]
            marks = ",".join("?" * len(chunk))
            rows = self._query(f"SELECT key, reply FROM replies WHERE key IN ({marks})", chunk)
            found.update((key, self._read(key, reply)) for key, reply in rows)
        if self._base is not None and len(found) < len(keys):
            left = [key for key in keys if key not in found]
            with self._lock:
                found.update((key, self._read(key, reply)) for key, reply in self._base.values(left))
        return found

    def _read(self, key: str, reply: str) -> Reply | Failure:
        try:
            return decode_reply(orjson.loads(reply))
        except (KeyError, TypeError, ValueError) as error:
            message = (
                f"the reply under the key {key} in {self.path.name} cannot be read ({error}); delete that row of the table "
                "replies to ask again"
            )
            return Failure("stored", message)

    def put(self, entries: Iterable[Entry], identity: Mapping[str, str]) -> None:
        """Commit replies, all or none. A key that is there already keeps its first reply.

        Args:
            entries: What to store.
            identity: Identity of the model that was asked.

        Raises:
            StoreError: The file cannot be written; nothing of this call was stored.
        """
        now, who = time.time(), canonical_json(identity)
        rows = [
            (entry.key, orjson.dumps(entry.request).decode(), orjson.dumps(entry.reply).decode(), now)
            for entry in entries
        ]
        with self._writing():
            self._connection.execute("BEGIN IMMEDIATE")
            model = self._model_id(who)
            self._connection.executemany(
                f"INSERT INTO replies (key, model, request, reply, asked_at) VALUES (?, {model}, ?, ?, ?) "
                "ON CONFLICT (key) DO NOTHING",
                rows,
            )
            self._connection.execute("COMMIT")
            self._models[who] = model

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
                raise StoreError(f"cannot write to the reply store {self.path}: {said(error)}") from None

    def note(self, name: str, value: JSON) -> None:
        """Keep what the store says of itself; a value of the same name is replaced.

        Raises:
            StoreError: The file cannot be written.
        """
        with self._writing():
            self._connection.execute(NOTES)
            self._connection.execute(
                "INSERT INTO notes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, canonical_json(value)),
            )

    def forget(self, name: str) -> None:
        """Drop a note.

        Raises:
            StoreError: The file cannot be written.
        """
        with self._writing():
            self._connection.execute(NOTES)
            self._connection.execute("DELETE FROM notes WHERE name = ?", (name,))

    def notes(self) -> dict[str, JSON]:
        """What the store, and the one below it, say of themselves.

        Raises:
            StoreError: A file cannot be read.
        """
        with self._lock:
            below = self._base.notes() if self._base is not None else {}
            try:
                return {**below, **read_notes(self._connection)}
            except (sqlite3.Error, ValueError) as error:
                raise StoreError(f"cannot read the reply store {self.path}: {error}") from None

    def merge(self, source: Path) -> Merged:
        """Take in every reply of another store; a key that is there keeps its reply, and another reply is kept aside.

        Raises:
            StoreError: The source cannot be read or is no reply store, or this one cannot be written; nothing of the
                source was taken in.
        """
        with self._lock:
            return absorb(self._connection, REPLIES, source)

    def conflicts(self) -> Iterator[dict[str, JSON]]:
        """The replies that merges kept aside: ``key``, ``kept``, ``other``, and ``other_from``, the file it came from.

        Raises:
            StoreError: The file cannot be read.
        """
        with self._lock:
            try:
                yield from conflicts_in(self._connection, REPLIES)
            except sqlite3.Error as error:
                raise StoreError(f"cannot read the reply store {self.path}: {error}") from None

    def stored(self) -> Iterator[StoredReply]:
        """Every reply with its question, in the order in which they were committed.

        Raises:
            StoreError: The file cannot be read.
        """
        last = 0
        while True:
            rows = self._query(
                "SELECT replies.rowid, key, identity, request, reply, asked_at FROM replies "
                "JOIN models ON models.id = replies.model WHERE replies.rowid > ? ORDER BY replies.rowid LIMIT ?",
                (last, LOOKUP),
            )
            if not rows:
                return
            last = rows[-1][0]
            for _, key, identity, request, reply, asked_at in rows:
                try:
                    yield StoredReply(
                        decode_request(orjson.loads(request)),
                        decode_reply(orjson.loads(reply)),
                        orjson.loads(identity),
                        key,
                        asked_at,
                    )
                except (KeyError, TypeError, ValueError, DataError) as error:
                    raise StoreError(f"{self.path} holds an unreadable reply: {error}") from None

    def export(self, path: str | Path) -> int:
        """Write every reply as a line of JSON, which ``replay/FILE`` reads.

        Args:
            path: The file to write; replaced only when all is written.

        Returns:
            Number of lines.

        Raises:
            StoreError: The store cannot be read or the file not be written.
        """
        target, count = Path(path), 0
        draft = target.with_name(target.name + ".part")
        try:
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                for row in self.stored():
                    file.write(json.dumps(row.to_json(), ensure_ascii=False) + "\n")
                    count += 1
            draft.replace(target)
        except OSError as error:
            raise StoreError(f"cannot write {target}: {error.strerror}") from None
        return count

    def _model_id(self, identity: str) -> int:
        """Row of a model's identity, made where it is missing; inside a transaction."""
        if identity in self._models:
            return self._models[identity]
        self._connection.execute(
            "INSERT INTO models (identity) VALUES (?) ON CONFLICT (identity) DO NOTHING", (identity,)
        )
        row = self._connection.execute("SELECT id FROM models WHERE identity = ?", (identity,)).fetchone()
        return int(row[0])

    def _query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"cannot read the reply store {self.path}: {error}") from None

    def _is_open(self) -> bool:
        try:
            return self._connection.total_changes >= 0
        except sqlite3.ProgrammingError:
            return False


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
