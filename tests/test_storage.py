"""Files of SQLite that are ours, and those that are not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hesperus.errors import StoreError
from hesperus.storage import FileKind, open_to_read, open_to_write, open_unchanging

NOTES = FileKind("store of notes", 0x4E4F5445, 3, ("CREATE TABLE a (x)", "CREATE TABLE b (y)"))


def test_a_file_is_made_once_with_its_folder_and_known_again(tmp_path: Path) -> None:
    path = tmp_path / "in" / "notes.sqlite"
    with closing(open_to_write(path, NOTES)) as connection:
        connection.execute("INSERT INTO a VALUES (1)")
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        with closing(open_to_read(path)) as reading:  # while it is written
            assert reading.execute("SELECT x FROM a").fetchall() == [(1,)]
    with closing(open_to_write(path, NOTES)) as connection:
        assert connection.execute("SELECT count(*) FROM a").fetchone() == (1,)
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)


def test_an_empty_file_is_no_store_where_none_is_to_be_made(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    with pytest.raises(StoreError, match="another program or kind, no store of notes"):
        open_to_write(path, NOTES, make=False)
    assert path.read_bytes() == b"" and list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_opened_is_named_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot make the folder of the store of notes"):
        open_to_write(tmp_path / "file" / "s.sqlite", NOTES)
    with pytest.raises(StoreError, match="as a store of notes: file is not a database"):
        open_unchanging(_text(tmp_path), NOTES)
    other = FileKind("store of replies", 0x52455053, 1, ("CREATE TABLE t (x)",))
    open_to_write(tmp_path / "other.sqlite", other).close()
    with pytest.raises(StoreError, match="no store of notes"):
        open_unchanging(tmp_path / "other.sqlite", NOTES)
    with pytest.raises(sqlite3.Error):
        open_to_read(tmp_path / "none.sqlite")


def _text(folder: Path) -> Path:
    path = folder / "text.sqlite"
    path.write_text("not a database, but long enough to be looked at as one" * 20)
    return path
