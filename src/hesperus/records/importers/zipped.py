"""Reads the entries of a ZIP file one at a time, those under Zstandard too, which `zipfile` learnt in Python 3.14."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import zstandard

from hesperus.errors import DataError

_ZSTANDARD = 93
_ENCRYPTED = 0x1
_LOCAL = struct.Struct("<4s5H3L2H")

LARGEST = 1 << 25
"""Bytes that one entry may have unpacked. Entries are read one at a time, so that this bounds the memory, whatever the
archive claims."""

_WINDOW = 1 << 25
"""Bytes that Zstandard may look back; it would take as much memory as a hostile frame asks for."""


class Entries:
    """The entries of a ZIP file.

    Args:
        path: The file.
        place: Its name for messages.

    Raises:
        DataError: It is no ZIP file, or was cut (the directory is at its end).
    """

    def __init__(self, path: Path, place: str) -> None:
        self._path, self._place = path, place
        try:
            with zipfile.ZipFile(path) as file:
                # A log that was written on has its later header after the first: the last of a name counts.
                self._entries = {entry.filename: entry for entry in file.infolist()}
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise DataError(
                f"cannot be opened as a ZIP file ({error}); was it cut, or is the run still going?",
                file=place,
            ) from error

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def read(self, name: str) -> bytes:
        """The bytes of an entry.

        Raises:
            DataError: It is damaged, encrypted, packed in a way that is not known, or larger than LARGEST.
        """
        entry = self._entries[name]
        if entry.file_size > LARGEST:
            detail = f"{name} claims {entry.file_size:,} bytes; at most {LARGEST:,} are read"
            raise DataError(detail, file=self._place)
        if entry.flag_bits & _ENCRYPTED:
            raise DataError(f"{name} is encrypted", file=self._place)
        try:
            if entry.compress_type == _ZSTANDARD:
                return self._unpacked(entry)
            with zipfile.ZipFile(self._path) as file:
                return file.read(entry)
        except (
            zipfile.BadZipFile,
            zlib.error,
            zstandard.ZstdError,
            NotImplementedError,
            EOFError,
            ValueError,
            struct.error,
            OSError,
        ) as error:
            raise DataError(f"{name} is damaged: {error}", file=self._place) from error

    def _unpacked(self, entry: zipfile.ZipInfo) -> bytes:
        with self._path.open("rb") as file:
            file.seek(entry.header_offset)
            head = _LOCAL.unpack(file.read(_LOCAL.size))
            file.seek(head[-2] + head[-1], 1)
            # One byte more than is claimed, to see that there is none.
            with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(file) as reader:
                text = reader.read(entry.file_size + 1)
        if len(text) != entry.file_size or zlib.crc32(text) != entry.CRC:
            raise zipfile.BadZipFile("its length or checksum is another")
        return text
