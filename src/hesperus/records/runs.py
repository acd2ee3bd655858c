"""The run folder: what was answered, what was asked about, how the study was declared, how it was made.

    records.parquet   the records table
    items.parquet     the items, as the task room lays them out
    study.yaml        the resolved study
    signature.json    versions and settings; written last, so that its presence means a whole run

Nothing in it tells the time: the same study with the same replies gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from hesperus.errors import DataError, UsageError, first_line
from hesperus.fingerprint import plain
from hesperus.records.earlier import refuse_to_mix, refuse_to_replace
from hesperus.records.files import write_content
from hesperus.records.reading import RECORDS_FILE, read_records
from hesperus.records.schema import SCHEMA_VERSION
from hesperus.records.study_keys import check_study
from hesperus.records.writing import write_parquet, write_records
from hesperus.strict_yaml import read_yaml_file
from hesperus.tables import DAMAGED
from hesperus.text_files import read_mapping

ITEMS_FILE, STUDY_FILE, SIGNATURE_FILE = "items.parquet", "study.yaml", "signature.json"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run in memory.

    Attributes:
        records: The records table.
        items: The items it asked about, or None if they are not known (logs without texts).
        study: The resolved study.
        signature: How it was made (see hesperus.fingerprint.signature).
        whole: Whether its folder was written to its end; a run that is in no folder is whole.
        scan: The records on disk, where those in memory are packed and lack their long texts (see hesperus.records.packed).
    """

    records: pl.DataFrame
    items: pl.DataFrame | None = None
    study: Mapping[str, object] = field(default_factory=dict)
    signature: Mapping[str, object] = field(default_factory=dict)
    whole: bool = True
    scan: pl.LazyFrame | None = None


def write_run(run: Run, folder: Path | str, *, items: pl.LazyFrame | None = None) -> None:
    """Write a run folder; each file appears whole, the signature last.

    A folder that is written again has no signature until it is whole again.

    Args:
        run: The run; records that have a `scan` are read from there.
        folder: The folder.
        items: Items that are not in memory, in place of those of the run.

    Raises:
        DataError: The records break the contract.
        UsageError: The folder's name is taken by a file.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file, a run needs a folder")
    described = json.dumps(
        _sayable(plain(run.signature)), ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False
    )
    study = yaml.safe_dump(_sayable(plain(run.study)), allow_unicode=True, sort_keys=False)
    (folder / SIGNATURE_FILE).unlink(missing_ok=True)
    write_records(run.records if run.scan is None else run.scan, folder / RECORDS_FILE)
    asked = run.items if run.items is not None else items
    if asked is not None:
        write_parquet(asked, folder / ITEMS_FILE, {"hesperus.items": str(SCHEMA_VERSION)})
    else:
        (folder / ITEMS_FILE).unlink(missing_ok=True)
    write_content(folder / STUDY_FILE, study)
    write_content(folder / SIGNATURE_FILE, described + "\n")


def read_run(folder: Path | str, *, in_part: bool = False, records: pl.DataFrame | None = None) -> Run:
    """Read a run folder.

    Args:
        folder: The folder.
        in_part: A folder without a signature is read too, as far as it goes: what shows a run says what is missing.
        records: Its records, where they have been read.

    Raises:
        UsageError: There is no such folder, or it holds no records.
        DataError: A file breaks its contract, or the run was not written to its end.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such run folder")
    records = read_records(folder) if records is None else records
    is_whole = (folder / SIGNATURE_FILE).is_file()
    if not is_whole and not in_part:
        raise DataError(f"no {SIGNATURE_FILE}: the run was not written to its end, run it again", file=folder)
    held = read_items(folder)
    if is_whole:
        return Run(records, held, mapping_in(folder / STUDY_FILE), mapping_in(folder / SIGNATURE_FILE))
    study = mapping_in(folder / STUDY_FILE) if (folder / STUDY_FILE).is_file() else {}
    return Run(records, held, study, whole=False)


def read_items(folder: Path) -> pl.DataFrame | None:
    """Read the items of a run folder; None where it has none.

    Raises:
        DataError: The file cannot be read.
    """
    items = folder / ITEMS_FILE
    try:
        return pl.read_parquet(items) if items.is_file() else None
    except DAMAGED as error:
        raise DataError(f"cannot be read as Parquet: {first_line(error)}", file=items) from error


def read_any_run(path: Path | str) -> Run:
    """Read a run folder, however little is in it, or a records file as a run without items, study and signature.

    Raises:
        UsageError: There is no such folder or file.
        DataError: A file breaks its contract.
    """
    return read_run(path, in_part=True) if Path(path).is_dir() else Run(read_records(path))


def _sayable(value: Any) -> Any:
    """Plain values as UTF-8 can say them: the name of a file may hold bytes that are no text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_sayable(key): _sayable(inner) for key, inner in value.items()}
    return [_sayable(inner) for inner in value] if isinstance(value, list) else value


def refuse_other_run(folder: Path, wanted: Mapping[str, object]) -> None:
    """Refuse a folder with the run of another study, task or version of hesperus: its records would be written over.

    Args:
        folder: Where a run is to be written.
        wanted: Its study and, if it has one, its task.

    Raises:
        UsageError: The folder holds such a run.
        DataError: It holds one of a later version.
    """
    refuse_to_replace(folder / RECORDS_FILE)
    refuse_to_mix(folder)
    try:
        value = read_yaml_file(folder / STUDY_FILE, "study").value
    except (DataError, UsageError):
        value = None  # no run, or one that says nothing of itself
    held = value if isinstance(value, dict) else {}
    for name in ("study", "task"):
        if not held.get(name) or not wanted.get(name):
            continue
        # A file of a task is kept by its place relative to the folder.
        is_file = any(str(one).endswith((".yaml", ".yml")) for one in (held[name], wanted[name]))
        if held[name] != wanted[name] and not is_file:
            raise UsageError(
                f"{folder}: holds a run of the {name} {held[name]!r}, which this run ({wanted[name]!r}) would write over; "
                "give --out another folder"
            )


def mapping_in(path: Path) -> dict[str, object]:
    """The mapping that a YAML or JSON file of a run folder holds; keys of its study are checked (see check_study).

    Raises:
        DataError: The file is missing or cannot be read, or holds something else; or a key of the study is refused (check_study).
    """
    if not path.is_file():
        raise DataError("is missing from the run folder", file=path)
    if path.suffix == ".json":
        return dict(read_mapping(path))
    document = read_yaml_file(path, "study")
    value: object = document.value
    if path.name == STUDY_FILE:
        check_study(path.parent, document)
    if not isinstance(value, dict):
        raise DataError(f"expected a mapping, found {type(value).__name__}", file=path)
    return value
