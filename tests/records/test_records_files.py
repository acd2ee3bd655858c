"""Files appear whole or not at all, also where the file system refuses."""

from __future__ import annotations

import errno
from pathlib import Path

import polars as pl
import pytest

from hesperus.records.files import write_whole


def fills_the_disk(_: Path) -> None:
    pl.DataFrame({"a": range(100_000)}).write_parquet("/dev/full")


def refuses(_: Path) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    for write in (fills_the_disk, refuses):
        place = tmp_path / "folder" / "records.parquet"
        with pytest.raises(OSError, match="(?i)disk full|no space left") as caught:
            write_whole(place, write)
        assert caught.value.filename == str(place)
        assert list(place.parent.iterdir()) == []


def test_what_stood_there_stays_where_writing_fails(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    write_whole(place, lambda partial: partial.write_bytes(b"first") and None)
    with pytest.raises(OSError, match="No space left"):
        write_whole(place, refuses)
    assert place.read_bytes() == b"first" and list(tmp_path.iterdir()) == [place]


def test_what_a_killed_process_left_is_removed_and_what_another_writes_stays(tmp_path: Path) -> None:
    place = tmp_path / "records.parquet"
    orphan, other = tmp_path / ".records.parquet.abc.partial", tmp_path / ".items.parquet.abc.partial"
    journal = orphan.with_name(f"{orphan.name}-journal")  # of a rating store
    for file in (orphan, other, journal):
        file.write_bytes(b"half")

    def write(partial: Path) -> None:
        assert not orphan.exists() and not journal.exists()
        # A second writer of the same file leaves the first one's alone.
        write_whole(place, lambda own: own.write_bytes(b"second") and None)
        assert partial.exists()
        partial.write_bytes(b"first")

    write_whole(place, write)
    assert place.read_bytes() == b"first" and sorted(tmp_path.iterdir()) == sorted([other, place])
