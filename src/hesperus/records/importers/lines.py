"""Reads large files of JSON lines in pieces: plain or gzip, and what is whole of one that was cut."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from hesperus.errors import DataError
from hesperus.tables import is_packed, unpacked

PIECE = 1 << 19
"""Bytes read at a time: memory is bounded by this, not by the file. Larger ones are returned to the system and fetched
again for every block, which takes longer than reading them."""

_WINDOW = 31
"""zlib's word for gzip."""

_HEAD = 1 << 10

LONGEST = 1 << 26
"""Bytes of one line; what is longer is no row of a log, and would have to be held as a whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole lines of a file.

    Attributes:
        data: The lines, with their ends; the last of a file may lack it. Beyond `stop` the next piece begins: cutting
            it off would copy the whole.
        stop: How many bytes of `data` belong to the piece.
        cut: True where the file ended in the middle of compressed data after these lines.
        elements: The values of a JSON array, in place of lines.
    """

    data: bytes
    stop: int
    cut: bool = False
    elements: tuple[bytes, ...] | None = None

    @property
    def lines(self) -> Sequence[bytes]:
        """The lines, or the elements of the array."""
        return self.data[: self.stop].splitlines() if self.elements is None else self.elements


def open_bytes(path: Path) -> BinaryIO:
    """Open a file, through gzip where it is compressed (told by its first bytes, not by its name)."""
    return gzip.open(path, "rb") if is_packed(path) else path.open("rb")  # type: ignore[return-value]  # reads alike


def pieces(path: Path) -> Iterator[Piece]:
    """The lines of a file, about 512 KiB at a time; a JSON array comes as one piece.

    Raises:
        DataError: The file is an array that is not JSON.
    """
    if _is_array(path):
        yield _array(path)
        return
    packed = is_packed(path)
    rest = bytearray()
    for block, ends_early in _unpacked(path) if packed else _plain(path):
        end = block.rfind(b"\n") + 1
        if ends_early:
            yield _whole(bytes(rest) + block, cut=True)
            return
        if not end:
            rest += block
            if len(rest) > LONGEST:
                raise DataError(f"a line is longer than {LONGEST:,} bytes", file=path.name)
            continue
        yield _whole(bytes(rest) + block[:end]) if rest else Piece(block, end)
        # A plain file gives what follows its last end of a line again, with the next block.
        rest = bytearray(block[end:] if packed else b"")
    if rest.strip():
        yield _whole(bytes(rest))


def _whole(data: bytes, *, cut: bool = False) -> Piece:
    return Piece(data, len(data), cut)


def _is_array(path: Path) -> bool:
    try:
        with open_bytes(path) as file:
            return file.read(_HEAD).lstrip()[:1] == b"["
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return False


def _plain(path: Path) -> Iterator[tuple[bytes, bool]]:
    """Blocks that end where a line does, as far as lines are shorter than a block."""
    with path.open("rb", buffering=0) as file:
        while block := file.read(PIECE):
            end = block.rfind(b"\n") + 1
            if end:
                # Reading the rest again costs less than putting two large blocks together.
                file.seek(end - len(block), 1)
            yield block, False


def _unpacked(path: Path) -> Iterator[tuple[bytes, bool]]:
    """The bytes of a gzip file; and whether its data end too early after them."""
    with path.open("rb") as file:
        stream, ended = zlib.decompressobj(wbits=_WINDOW), False
        packed = file.read(PIECE)
        while packed:
            try:
                block = stream.decompress(packed, PIECE)
            except zlib.error:
                yield b"", True
                return
            if block:
                yield block, False
            packed, ended = stream.unconsumed_tail, stream.eof
            if ended and stream.unused_data:
                # Files that were packed apart and put together are one file.
                packed, stream = stream.unused_data, zlib.decompressobj(wbits=_WINDOW)
            packed = packed or file.read(PIECE)
        if not ended:
            yield b"", True


def _array(path: Path) -> Piece:
    """A whole JSON array in memory: so the first 0.4 releases of lm-evaluation-harness wrote."""
    text = unpacked(path, path.name)
    try:
        elements = msgspec.json.decode(text, type=list[msgspec.Raw])
        return Piece(b"", 0, elements=tuple(bytes(raw) for raw in elements))
    except (msgspec.DecodeError, RecursionError):
        # NaN and Infinity, as Python writes them.
        pass
    try:
        return Piece(b"", 0, elements=tuple(json.dumps(value).encode() for value in json.loads(text)))
    except (ValueError, RecursionError) as error:
        raise DataError(f"neither JSON lines nor a JSON array: {error}", file=path.name) from error
