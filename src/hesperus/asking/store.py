"""The reply store: one SQLite file (WAL) that holds every reply ever paid for, with its question.

A reply is committed before anybody sees it. Other processes may read at any time; who may ask whom at one time is
settled by ``hesperus.asking.turns``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from hesperus.asking.keyed_store import KeyedStore
from hesperus.asking.sources import LOOKUP, NOTES, StoreKind
from hesperus.errors import StoreError
from hesperus.fingerprint import JSON, canonical_json
from hesperus.models.stored import APPLICATION_ID, SCHEMA_VERSION, StoredReply, decode_reply, decode_request
from hesperus.types import Failure, Reply, Request

REPLIES = StoreKind(
    called="reply store",
    application_id=APPLICATION_ID,
    version=SCHEMA_VERSION,
    table="replies",
    value="reply",
    tables=(
        "CREATE TABLE models (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE) STRICT",
        "CREATE TABLE replies (key TEXT NOT NULL UNIQUE, model INTEGER NOT NULL REFERENCES models (id), "
        "request TEXT NOT NULL, reply TEXT NOT NULL, asked_at REAL NOT NULL) STRICT",
    ),
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


@dataclass(frozen=True, slots=True)
class Entry:
    """A reply on its way into the store."""

    key: str
    request: Request
    reply: Reply


class ReplyStore(KeyedStore):
    """Replies by key; see KeyedStore."""

    def __init__(self, path: str | Path, base: Path | None = None) -> None:
        super().__init__(REPLIES, path, base)
        self._models: dict[str, int] = {}

    def find(self, keys: Sequence[str]) -> dict[str, Reply | Failure]:
        """The stored replies among these keys; a Failure where one cannot be read, which holds up no other.

        Raises:
            StoreError: The file cannot be read.
        """
        return {key: self._read(key, reply) for key, reply in self.values(keys)}

    def _read(self, key: str, reply: str) -> Reply | Failure:
        try:
            return decode_reply(reply)
        except ValueError as error:
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
            model = self._model_id(who)
            self._connection.executemany(
                f"INSERT INTO replies (key, model, request, reply, asked_at) VALUES (?, {model}, ?, ?, ?) "
                "ON CONFLICT (key) DO NOTHING",
                rows,
            )
        self._models[who] = model

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
                        decode_request(request),
                        decode_reply(reply),
                        orjson.loads(identity),
                        key,
                        asked_at,
                    )
                except ValueError as error:
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
