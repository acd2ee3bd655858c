"""Writes an import as a run folder or a records file, with the account of what was left out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from hesperus.fingerprint import plain, signature
from hesperus.records.importers.settings import Imported
from hesperus.records.runs import Run, write_run
from hesperus.records.writing import write_records


def save_imported(imported: Imported, out: Path | str) -> None:
    """Write records: a run folder, or one file where the name ends in .parquet.

    A run folder's ``study.yaml`` lists every log with its rows, and everything that was left out with its reason.

    Raises:
        DataError: The records break the contract.
        UsageError: The folder's name is taken by a file.
    """
    out = Path(out)
    if out.suffix.lower() in (".parquet", ".pq"):
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
        signature={**signature(imported.settings), "import": plain({"logs": len(imported.logs)})},
    )
    write_run(run, out)
