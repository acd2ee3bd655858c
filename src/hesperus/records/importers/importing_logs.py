"""Imports logs: finds them, reads each with its tool's reader, joins what fits, and writes the run with what was left out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import plain, signature
from hesperus.records.importers.asked_texts import items_of, without_known
from hesperus.records.importers.detecting import find_sources
from hesperus.records.importers.import_settings import Imported, ImportSettings, LeftOut, Log
from hesperus.records.importers.joining import join_logs, records_of
from hesperus.records.importers.settling import with_reply_languages
from hesperus.records.importers.sharing import read_sources
from hesperus.records.runs import Run, refuse_other_run, write_run
from hesperus.records.writing import write_records


def import_logs(
    given: Sequence[Path | str] | Path | str,
    settings: ImportSettings | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    parser: ReplyParser | None = None,
) -> Imported:
    """Read the logs of another tool into records.

    Args:
        given: Files and folders.
        settings: How to read them.
        progress: Called with how many files are done, of how many.
        parser: Reads the replies of tables without answers; None takes those that are a label and nothing else.

    Returns:
        Records (see hesperus.records), one row per model, task, language, item and repeat, with an account of all that
        was left out. Items have the same id in every language; what cannot be joined is not in the records.

    Raises:
        UsageError: A path does not exist, or holds no logs.
        DataError: Nothing at all could be imported; the message says why.
        UnknownNameError: A format or language that does not exist.

    Example:
        >>> from hesperus.records.importers import import_logs
        >>> imported = import_logs("logs/")                                                      # doctest: +SKIP
        >>> imported.records.shape, imported.left_out                                            # doctest: +SKIP
    """
    settings = settings or ImportSettings()
    paths = [Path(given)] if isinstance(given, str | Path) else [Path(path) for path in given]
    sources, left = find_sources(
        paths,
        settings.tool or ("table" if settings.columns or settings.wide or settings.wide_columns else None),
    )
    logs: list[Log] = []
    known: dict[tuple[str, str], frozenset[str]] = {}
    for found, more in read_sources(sources, settings, progress):
        logs += without_known(found, known)
        left += more
    joined, more, notes = join_logs(logs, settings.again)
    left += more
    if not joined:
        raise DataError(f"nothing could be imported: {_reasons(left) or 'the logs hold no rows'}")
    items, joined = items_of(joined)
    records = records_of(joined)
    cells = {log.cell for log in joined if log.from_replies}
    if cells:
        records, more_notes = _read(records, cells, parser, settings)
        notes += more_notes
    # Records are in the order of the logs, of which several may be parts of one cell (subjects, splits).
    starts = list(accumulate((len(log.rows) for log in joined), initial=0))
    answered = [
        int((records["outcome"].slice(start, len(log.rows)) == "answered").sum())
        for start, log in zip(starts, joined, strict=False)
    ]
    return Imported(
        with_reply_languages(records),
        items,
        tuple(_described(log, count) for log, count in zip(joined, answered, strict=True)),
        tuple(left),
        tuple(notes),
        settings,
    )


ReplyParser = Callable[[pl.DataFrame], tuple[pl.DataFrame, list[str]]]
"""Records with replies to the same with `outcome`, `answer` and `rule`, and what to know of the reading."""

_CELL = ("model", "task", "instruction", "input")


def _read(
    records: pl.DataFrame,
    cells: Collection[tuple[str, str, str, str]],
    parser: ReplyParser | None,
    settings: ImportSettings,
) -> tuple[pl.DataFrame, list[str]]:
    """Records in which the replies of these cells are read, in the same order."""
    asked = pl.DataFrame(list(cells), schema=list(_CELL), orient="row")
    numbered = records.with_row_index("place")
    unread, rest = (numbered.join(asked, on=_CELL, how=how) for how in ("semi", "anti"))
    found, notes = (unread, []) if parser is None else parser(unread)
    if not settings.replies:
        found = found.with_columns(reply=pl.lit(None, dtype=pl.String))
    return pl.concat([found, rest], how="diagonal").sort("place").drop("place"), notes


def _reasons(left: Sequence[LeftOut]) -> str:
    """Why nothing is left: the first three reasons, each with the first log that it is about."""
    places: dict[str, list[str]] = {}
    for out in left:
        places.setdefault(f"{out.reason}: {out.detail}", []).append(out.place)
    told = [
        f"{where[0]}{f' and {len(where) - 1:,} more' if len(where) > 1 else ''}: {reason}"
        for reason, where in places.items()
    ]
    return "; ".join(told[:3]) + (f"; and {len(told) - 3:,} more reasons" if len(told) > 3 else "")


def _described(log: Log, answered: int) -> dict[str, str | int | None]:
    return {
        "log": log.place,
        "model": log.model,
        "task": log.task,
        "language": log.language,
        "evidence": f"{log.basis}: {log.evidence}" if log.basis else None,
        "rows": len(log.rows),
        "answered": answered,
        "joined_by": "row, gold checked" if log.by_row else "id",
        "tool": log.tool,
        "split": log.split,
        "date": log.date or None,
    }


_PARQUET = (".parquet", ".pq")
_OTHER_FILES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".gz", ".zip")


def check_place(out: Path | str) -> None:
    """Refuse a place where records cannot be written, before anything is read.

    Raises:
        UsageError: The name is that of another kind of file, a file is where a folder is needed (or the other way
            round), the folder holds a run that asked, or the place cannot be written to.
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
    if out.is_dir():
        refuse_other_run(out, {"study": "import"})
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
        items=imported.items,
        study=study,
        signature={**signature(imported.settings), "import": plain(_rests_on(imported))},
    )
    write_run(run, out)


def _rests_on(imported: Imported) -> dict[str, object]:
    """How many logs, and what their languages rest on: a guess is part of what the numbers rest on."""
    bases = Counter(str(log["evidence"]).partition(":")[0] for log in imported.logs if log["evidence"])
    return {"logs": len(imported.logs), "languages": dict(sorted(bases.items()))}
