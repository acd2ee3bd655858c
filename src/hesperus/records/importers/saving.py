"""Writes an import as a run folder or a records file, with the account of what was left out."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from hesperus.errors import UsageError
from hesperus.fingerprint import plain, signature
from hesperus.records.importers.import_settings import Imported
from hesperus.records.runs import Run, write_run
from hesperus.records.writing import write_records

_PARQUET = (".parquet", ".pq")
_OTHER_FILES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".gz", ".zip")


def check_place(out: Path | str) -> None:
    """Refuse a place where records cannot be written, before anything is read.

    Raises:
        UsageError: The name is that of another kind of file, a file is where a folder is needed (or the other way
            round), or the place cannot be written to.
    """
    out = Path(out)
    is_file = out.suffix.lower() in _PARQUET
    if out.suffix.lower() in _OTHER_FILES:
        raise UsageError(
            f"{out}: records are written as a run folder or a .parquet file; `hesperus export table` makes {out.suffix}"
        )
    if is_file and out.is_dir():
        raise UsageError(f"{out}: is a folder, and the name ends as that of a file")
    if not is_file and out.is_file():
        raise UsageError(f"{out}: is a file, a run needs a folder")
    above = next(parent for parent in (out, *out.absolute().parents) if parent.exists())
    if not (above.is_dir() or is_file and above == out) or not os.access(above, os.W_OK):
        raise UsageError(f"{out}: cannot be written below {above}; is it a folder, and yours to write to?")


def save_imported(imported: Imported, out: Path | str) -> None:
    """Write records: a run folder, or one file where the name ends in .parquet.

    A run folder's ``study.yaml`` lists every log with its rows, and everything that was left out with its reason.

    Raises:
        DataError: The records break the contract.
        UsageError: See check_place; or the file system refuses.
    """
    out = Path(out)
    check_place(out)
    try:
        _save(imported, out)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror or error}") from error


def _save(imported: Imported, out: Path) -> None:
    if out.suffix.lower() in _PARQUET:
        write_records(imported.records, out)
        return
    study = {
        "study": "import",
        "logs": [dict(log) for log in imported.logs],
        "left_out": [asdict(one) for one in imported.left_out],
        "notes": list(imported.notes),
    }
    run = Run(
        records=imported.records,
        study=study,
        signature={**signature(imported.settings), "import": plain(_rests_on(imported))},
    )
    write_run(run, out)


def _rests_on(imported: Imported) -> dict[str, object]:
    """How many logs, and what their languages rest on: a guess is part of what the numbers rest on."""
    bases = Counter(str(log["evidence"]).partition(":")[0] for log in imported.logs if log["evidence"])
    return {"logs": len(imported.logs), "languages": dict(sorted(bases.items()))}
