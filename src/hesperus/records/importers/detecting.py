"""Finds the logs below what a user names, and tells which tool wrote them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from hesperus.errors import DataError, UsageError, first_line
from hesperus.records.importers.import_settings import LeftOut, Source
from hesperus.records.importers.known_importers import Importer, importers
from hesperus.records.importers.lines import open_bytes
from hesperus.records.schema import REQUIRED
from hesperus.tables import DAMAGED

_HEAD = 1 << 16
_SHOWN = 200
"""Characters of a parser's message that are shown."""

_Known = Sequence[tuple[str, Importer]]

_TABLES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".pq")
_ENDINGS = (*_TABLES, ".json", ".eval", ".gz")


def find_sources(given: Sequence[Path], tool: str | None) -> tuple[list[Source], list[LeftOut]]:
    """The logs in some files and folders, in the order of their names.

    Args:
        given: Files, or folders that are searched to their bottom.
        tool: Tool that wrote the logs; None tells by names and first bytes.

    Raises:
        UsageError: A path does not exist, or nothing is a log.
        DataError: A single file was named and nobody's log is like it.
    """
    sources: list[Source] = []
    left: list[LeftOut] = []
    known = tuple(importers())
    above = _common([path for path in given if path.is_file()])
    for root in given:
        if not root.exists():
            raise UsageError(f"{root}: no such file or folder")
        for path in _files(root):
            within = root if root.is_dir() else above
            place = path.name if within is None else path.absolute().relative_to(within.absolute()).as_posix()
            try:
                found = _tool_of(path, tool, known, named=root.is_file())
                if found is None and root.is_file() and _is_table(path, known):
                    found = "table"
            except (
                Exception
            ) as error:  # no list of exceptions covers what the head of a hostile file makes of a parser
                said = first_line(error)[:_SHOWN]
                left.append(
                    LeftOut("cannot be opened", 0, place, f"{type(error).__name__}: {said}", failed=True)
                )
                continue
            if found is not None:
                sources.append(Source(path, place, found))
            elif root.is_file() and len(given) == 1:
                raise DataError(_no_log(path), file=place)
            elif root.is_file():
                left.append(LeftOut("not a log", 0, place, _no_log(path), failed=True))
            elif not _by_name(path, known)[1] and _ending(path) != ".json":
                left.append(
                    LeftOut("not a log", 0, place, "no format is known by its name or its first bytes")
                )
    if not sources:
        if left and all(one.failed for one in left):
            raise DataError(f"nothing could be read: {left[0].detail}", file=left[0].place)
        shown = ", ".join(map(str, given))
        raise UsageError(
            f"{shown}: no log of lm-eval, Inspect, HELM, lighteval, promptfoo or Every Eval Ever below it; --from names the format, and "
            "--map says what the columns of a table are"
        )
    return sources, left


def _common(files: Sequence[Path]) -> Path | None:
    """The folder above files if two of them have one name, so that the folders tell them apart; else None."""
    if len({path.name for path in files}) == len(files):
        return None
    return Path(os.path.commonpath([path.absolute().parent for path in files]))


def _is_table(path: Path, known: _Known) -> bool:
    """Whether a file that was named, and is nobody's log, may be a table of the user's own."""
    if _ending(path) not in (*_TABLES, ".json"):
        return False
    return (
        not (_ending(path) == ".parquet" and _columns(path) >= set(REQUIRED)) and not _by_name(path, known)[1]
    )


def _no_log(path: Path) -> str:
    """Why a file that was named is not imported, and what to do."""
    if _ending(path) == ".parquet" and _columns(path) >= set(REQUIRED):
        return "this is a records table already: every command takes it as it is"
    return "nobody's log is like this; name the format with --from, or map the columns of a table with --map"


def _files(root: Path) -> Iterable[Path]:
    if root.is_file():
        return [root]
    return sorted(
        path
        for path in root.rglob("*")
        if path.is_file() and path.suffix.lower() in _ENDINGS and not path.name.startswith(".")
    )


def _tool_of(path: Path, asked: str | None, known: _Known, *, named: bool) -> str | None:
    by_name, is_known = _by_name(path, known)
    if is_known and by_name is None and not named:
        return None
    if asked is not None:
        # In a folder of one tool, the files of that tool are taken; a file that was named is taken at its word.
        if named or by_name == asked:
            return asked
        if asked == "table":
            return asked if _ending(path) in (*_TABLES, ".json") else None
        return asked if by_name is None and _by_head(path, known) == asked else None
    return by_name or _by_head(path, known)


def _by_name(path: Path, known: _Known) -> tuple[str | None, bool]:
    """The tool that gives its logs such a name, and whether a tool has files of such a name at all."""
    for tool, one in known:
        if one.name is not None and one.name.fullmatch(path.name):
            return tool, True
    return None, any(one.others is not None and one.others.fullmatch(path.name) for _, one in known)


def _ending(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _by_head(path: Path, known: _Known) -> str | None:
    if zipfile.is_zipfile(path):
        entries = zipfile.ZipFile(path).namelist()
        return next((tool for tool, one in known if one.entry in entries), None)
    if _ending(path) == ".parquet":
        columns = _columns(path)
        return next((tool for tool, one in known if any(some <= columns for some in one.columns)), None)
    try:
        with open_bytes(path) as file:
            head = file.read(_HEAD)
    except (OSError, EOFError):
        return None
    return next((tool for tool, one in known if one.head is not None and one.head.search(head)), None)


def _columns(path: Path) -> set[str]:
    """The columns of a Parquet file; none if it is no such file."""
    import polars as pl

    try:
        return set(pl.scan_parquet(path).collect_schema().names())
    except DAMAGED:
        return set()
