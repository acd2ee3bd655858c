"""The rating store: one SQLite file (WAL) with the sheet, the raters and an append-only log of judgements.

A judgement is committed, and synced to disk, before its sender hears that it is saved. Nothing in the log is ever
changed: the last entry for a rater, unit and question counts, in the order in which the store took them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hesperus.annotation.links import digest, is_same, new_token
from hesperus.annotation.scales import Judgement, check_judgement
from hesperus.annotation.scheme import Scheme
from hesperus.annotation.units import Sheet, Text, Unit
from hesperus.errors import DataError, StoreError, UnknownNameError, UsageError
from hesperus.fingerprint import canonical_json
from hesperus.records.files import write_whole
from hesperus.storage import Database, FileKind, open_to_write, open_unchanging, write_ahead

Role = Literal["rater", "adjudicator"]
ROLES: tuple[Role, ...] = get_args(Role)

_LONGEST_NAME = 80

_TABLES = """
CREATE TABLE sheet (fingerprint TEXT NOT NULL, scheme TEXT NOT NULL, seed INTEGER NOT NULL) STRICT;
CREATE TABLE units (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, content TEXT NOT NULL) STRICT;
CREATE TABLE raters (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    token_digest TEXT UNIQUE
) STRICT;
CREATE TABLE assignments (
    rater INTEGER NOT NULL REFERENCES raters (number),
    position INTEGER NOT NULL,
    unit TEXT NOT NULL,
    PRIMARY KEY (rater, unit)
) STRICT;
CREATE TABLE judgements (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    rater INTEGER NOT NULL REFERENCES raters (number),
    unit TEXT NOT NULL,
    question TEXT NOT NULL,
    state TEXT NOT NULL,
    value TEXT,
    client_time REAL,
    server_time REAL NOT NULL,
    key TEXT NOT NULL,
    UNIQUE (rater, key)
) STRICT;
"""

RATINGS = FileKind("rating store", 0x48455352, 1, tuple(filter(str.strip, _TABLES.split(";\n"))))


@dataclass(frozen=True, slots=True)
class Rater:
    """Somebody who judges.

    Attributes:
        number: Order in which raters were added, from 1.
        name: As the owner of the sheet calls them.
        role: Adjudicators see where raters differ, and decide.
        has_link: Whether a link was issued.
    """

    number: int
    name: str
    role: Role
    has_link: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A judgement in the log.

    Attributes:
        number: Place in the log; later counts.
        rater: Who.
        judgement: What.
        server_time: Seconds since 1970 when the store took it.
    """

    number: int
    rater: Rater
    judgement: Judgement
    server_time: float


class RatingStore(Database):
    """A sheet with its raters and judgements; see Database.

    Attributes:
        path: The file.
        sheet: What is judged.
        is_writable: False where the file or its folder cannot be written; it is read all the same.

    Args:
        path: The file, made by `create_store`.

    Raises:
        UsageError: There is no such file.
        StoreError: The file is no rating store, or was written by a later version.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        if not path.is_file():
            raise UsageError(f"{path}: no such rating store; `hesperus annotate create` makes one")
        self.is_writable = can_be_written(path)
        super().__init__(path, RATINGS, _opened(path, is_writable=self.is_writable))
        try:
            self.sheet = self._read_sheet()
        except sqlite3.Error as error:
            self._connection.close()
            raise StoreError(f"cannot use {self.path} as a rating store: {error}") from None
        except StoreError:
            self._connection.close()
            raise

    def _read_sheet(self) -> Sheet:
        stored, scheme, seed = self._connection.execute(
            "SELECT fingerprint, scheme, seed FROM sheet"
        ).fetchone()
        rows = self._connection.execute("SELECT id, content FROM units ORDER BY number").fetchall()
        try:
            units = tuple(_unit(id_, json.loads(content)) for id_, content in rows)
            sheet = Sheet(Scheme.model_validate_json(scheme), units, seed)
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{self.path} holds an unreadable sheet: {error}") from None
        if sheet.fingerprint != stored:
            raise StoreError(
                f"the sheet in {self.path} was changed after it was made; use a copy from before"
            )
        return sheet

    def raters(self, role: Role | None = None) -> tuple[Rater, ...]:
        """Everybody who judges, in the order in which they were added."""
        rows = self._query("SELECT number, name, role, token_digest IS NOT NULL FROM raters ORDER BY number")
        everybody = (Rater(number, name, as_role(kind), bool(link)) for number, name, kind, link in rows)
        return tuple(rater for rater in everybody if role in (None, rater.role))

    def rater(self, name: str) -> Rater:
        """The rater of a name."""
        for rater in self.raters():
            if rater.name == name:
                return rater
        raise UnknownNameError("rater", name, (rater.name for rater in self.raters()))

    def rater_of(self, token: str) -> Rater | None:
        """The rater with a token in the link.

        Every digest is compared, in constant time, so that the answer to a guess tells nothing.
        """
        given, found = digest(token), None
        for number, stored in self._query("SELECT number, token_digest FROM raters ORDER BY number"):
            if is_same(given, stored or ""):
                found = number
        return next((rater for rater in self.raters() if rater.number == found), None)

    def add_raters(
        self, names: Sequence[str], role: Role = "rater", *, per_unit: int | None = None
    ) -> tuple[Rater, ...]:
        """Add people and fix what each of them judges, in which order; all or none.

        Adjudicators are assigned every unit; of raters, `per_unit` judge each (None: all). Names are printable, and
        unique in the store.
        """
        taken = {rater.name for rater in self.raters()}
        for at, name in enumerate(names):
            if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
                raise UsageError(
                    f"{name[:100]!r} is no name for a rater: 1 to {_LONGEST_NAME} printable characters"
                )
            if name in taken or name in names[:at]:
                raise UsageError(f"there is a rater {name!r} already; for a new link, re-issue it")
        shares = self.sheet.shares(names, per_unit)
        with self._writing():
            for name, codes in shares.items():
                row = self._connection.execute("INSERT INTO raters (name, role) VALUES (?, ?)", (name, role))
                self._connection.executemany(
                    "INSERT INTO assignments (rater, position, unit) VALUES (?, ?, ?)",
                    ((row.lastrowid, position, code) for position, code in enumerate(codes)),
                )
        return tuple(rater for rater in self.raters() if rater.name in shares)

    def issue_token(self, rater: Rater) -> str:
        """A new token for a rater's link; the one before it is void. The store keeps only its digest."""
        token = new_token()
        with self._writing():
            self._connection.execute(
                "UPDATE raters SET token_digest = ? WHERE number = ?", (digest(token), rater.number)
            )
        return token

    def assigned(self, rater: Rater) -> tuple[str, ...]:
        """Codes of a rater's units, in that rater's order."""
        rows = self._query("SELECT unit FROM assignments WHERE rater = ? ORDER BY position", (rater.number,))
        return tuple(code for (code,) in rows)

    def append(self, rater: Rater, judgements: Sequence[Judgement]) -> int:
        """Commit judgements, all or none; one with a key that is there already was sent twice and counts once.

        Returns:
            How many were new.

        Raises:
            DataError: A judgement does not fit the sheet or the rater's share, or a key was used for another one.
            StoreError: The file cannot be written; nothing of this call was stored.
        """
        share = set(self.assigned(rater))
        for judgement in judgements:
            check_judgement(judgement, self.sheet)
            if judgement.unit not in share:
                raise DataError(f"this unit is not assigned to {rater.name}", item=judgement.unit)
        now, new = time.time(), 0
        with self._writing():
            for judgement in judgements:
                new += self._append(rater, judgement, now)
        return new

    def _append(self, rater: Rater, judgement: Judgement, now: float) -> int:
        said = (judgement.unit, judgement.question, judgement.state, judgement.value)
        done = self._connection.execute(
            "INSERT INTO judgements (rater, unit, question, state, value, client_time, server_time, key) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (rater, key) DO NOTHING",
            (rater.number, *said, judgement.client_time, now, judgement.key),
        ).rowcount
        if not done:
            before = self._connection.execute(
                "SELECT unit, question, state, value FROM judgements WHERE rater = ? AND key = ?",
                (rater.number, judgement.key),
            ).fetchone()
            if tuple(before) != said:
                raise DataError(
                    "its key was used for another judgement", field=judgement.question, item=judgement.unit
                )
        return done

    def log(self) -> Iterator[Entry]:
        """Every judgement ever taken, in order."""
        raters = {rater.number: rater for rater in self.raters()}
        rows = self._query(
            "SELECT number, rater, unit, question, state, value, key, client_time, server_time FROM judgements "
            "ORDER BY number"
        )
        for number, rater, *said, server_time in rows:
            yield Entry(number, raters[rater], Judgement(*said), server_time)

    def current(self, role: Role | None = None) -> dict[tuple[str, str, str], Entry]:
        """What counts: (rater's name, unit's code, question) to the last entry, withdrawn ones left out."""
        found: dict[tuple[str, str, str], Entry] = {}
        for entry in self.log():
            if role not in (None, entry.rater.role):
                continue
            key = (entry.rater.name, entry.judgement.unit, entry.judgement.question)
            found.pop(key, None)
            if entry.judgement.state != "withdrawn":
                found[key] = entry
        return found


def can_be_written(path: Path) -> bool:
    """Whether the file and its folder can be written: SQLite needs a log next to the file."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _opened(path: Path, *, is_writable: bool) -> sqlite3.Connection:
    if not is_writable:
        return open_unchanging(path, RATINGS)
    # A click is small and rare: it may wait for the disk, so that a power cut costs no more than a crash.
    connection = open_to_write(path, RATINGS, make=False, is_synced=True)
    write_ahead(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def create_store(path: str | Path, sheet: Sheet) -> None:
    """Write a new store with a sheet and no raters; the file appears whole or not at all.

    Raises:
        UsageError: Something is there already; ratings are never written over.
        StoreError: The file cannot be written.
    """
    path = Path(path)
    if path.exists():
        raise UsageError(f"{path} exists; give another name, or move it away")

    def write(partial: Path) -> None:
        connection = sqlite3.connect(partial)
        try:
            with connection:
                RATINGS.make(connection)
                connection.execute(
                    "INSERT INTO sheet VALUES (?, ?, ?)",
                    (sheet.fingerprint, sheet.scheme.model_dump_json(), sheet.seed),
                )
                connection.executemany(
                    "INSERT INTO units (id, content) VALUES (?, ?)",
                    ((unit.id, canonical_json(_content(unit))) for unit in sheet.units),
                )
        finally:
            connection.close()

    try:
        write_whole(path, write)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise StoreError(f"cannot write {path}: {error}") from None


def as_role(name: str) -> Role:
    """A role by its name."""
    for role in ROLES:
        if role == name:
            return role
    raise UnknownNameError("role", name, ROLES)


def _content(unit: Unit) -> Mapping[str, object]:
    return {"texts": list(unit.texts), "labels": list(unit.labels), "columns": dict(unit.columns)}


def _unit(id_: str, content: Mapping[str, Any]) -> Unit:
    texts = tuple(Text(text["name"], text["text"], text["language"]) for text in content["texts"])
    return Unit(id_, texts, tuple(content["labels"]), content["columns"])
