"""One ZIP file with stable bytes, and the strict reading of one that a stranger sent.

Nothing is ever extracted by name: entries are read into memory within bounds, and a name that is no plain relative path
of plain characters is refused.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hesperus.errors import DataError, UsageError

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can say: nothing in a bundle tells when it was made."""
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_BLOCK = 1 << 20
_REGULAR = 0o644
_STORED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an archive may be at most.

    Attributes:
        files: Number of entries.
        bytes: Bytes of all entries together, unpacked.
        depth: Parts of a name.
        packed: Bytes of the archive itself.
    """

    files: int = 500
    bytes: int = 4 << 30
    depth: int = 6
    packed: int = 1 << 30


BOUNDS = Bounds()


def pack(files: Mapping[str, bytes]) -> bytes:
    """The same files give the same bytes: sorted names, no time, no rights, no system.

    Args:
        files: Name, with ``/`` between its parts, to content.

    Raises:
        ValueError: A name that `unpack` would refuse.
    """
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            if fault := name_fault(name, BOUNDS):
                raise ValueError(f"{name!r}: {fault}")
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | _REGULAR) << 16
            archive.writestr(entry, files[name], compresslevel=9)
    return held.getvalue()


def unpack(path: Path, bounds: Bounds = BOUNDS) -> dict[str, bytes]:
    """Read an archive of a stranger into memory.

    Returns:
        Name to content, in the order of the archive.

    Raises:
        UsageError: There is no such file.
        DataError: It is no ZIP file, is damaged, or holds what no bundle holds: a link, a name that leads elsewhere, two
            entries of one name, more than the bounds allow.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    if path.stat().st_size > bounds.packed:
        raise DataError(f"is larger than {bounds.packed:,} bytes, which no bundle is", file=path)
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check(entries, bounds, path)
            return _contents(archive, entries, bounds, path)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise DataError(f"cannot be read as a ZIP file: {error}", file=path) from None


def _check(entries: list[zipfile.ZipInfo], bounds: Bounds, path: Path) -> None:
    if len(entries) > bounds.files:
        raise DataError(f"holds {len(entries):,} files, more than {bounds.files}", file=path)
    seen: set[str] = set()
    for entry in entries:
        fault = name_fault(entry.orig_filename, bounds) or _kind_fault(entry)
        if not fault and entry.filename.lower() in seen:
            fault = "the same name, up to upper and lower case, as an entry before it"
        if fault:
            raise DataError(f"entry {entry.orig_filename[:120]!r}: {fault}", file=path)
        seen.add(entry.filename.lower())
    whole = sum(entry.file_size for entry in entries)
    if whole > bounds.bytes:
        raise DataError(f"unpacks to {whole:,} bytes, more than {bounds.bytes:,}", file=path)


def name_fault(name: str, bounds: Bounds) -> str:
    """What is wrong with the name of an entry; empty where nothing is."""
    parts = name.split("/")
    if len(parts) > bounds.depth:
        return f"its name has more than {bounds.depth} parts"
    if not all(_PART.fullmatch(part) for part in parts):
        return "its name is no relative path of letters, digits, '_', '-' and '.'"
    return ""


def _kind_fault(entry: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "it is a link or a special file"
    if entry.flag_bits & 0x1:
        return "it is encrypted"
    if entry.compress_type not in _STORED:
        return f"it is compressed by method {entry.compress_type}; a bundle is stored or deflated"
    return ""


def _contents(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], bounds: Bounds, path: Path
) -> dict[str, bytes]:
    """The contents, counted as they are unpacked: what the directory says of their length may be a lie."""
    left = bounds.bytes
    found: dict[str, bytes] = {}
    for entry in entries:
        blocks = []
        with archive.open(entry) as opened:
            while block := opened.read(min(_BLOCK, left + 1)):
                left -= len(block)
                if left < 0:
                    raise DataError(f"unpacks to more than {bounds.bytes:,} bytes", file=path)
                blocks.append(block)
        found[entry.filename] = b"".join(blocks)
    return found
