"""Imports logs: finds them, reads each with its tool's reader, and joins what fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hesperus.errors import DataError
from hesperus.records.importers.detecting import find_sources
from hesperus.records.importers.import_settings import Imported, ImportSettings, LeftOut, Log
from hesperus.records.importers.joining import join_logs, records_of
from hesperus.records.importers.reply_languages import with_reply_languages
from hesperus.records.importers.sharing import read_sources


def import_logs(
    given: Sequence[Path | str] | Path | str,
    settings: ImportSettings | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Read the logs of another tool into records.

    Args:
        given: Files and folders.
        settings: How to read them.
        progress: Called with how many files are done, of how many.

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
    for found, more in read_sources(sources, settings, progress):
        logs += found
        left += more
    joined, more, notes = join_logs(logs, settings.again)
    left += more
    if not joined:
        raise DataError(f"nothing could be imported: {_reasons(left) or 'the logs hold no rows'}")
    records = with_reply_languages(records_of(joined))
    return Imported(records, tuple(_described(log) for log in joined), tuple(left), tuple(notes), settings)


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


def _described(log: Log) -> dict[str, str | int | None]:
    return {
        "log": log.place,
        "model": log.model,
        "task": log.task,
        "language": log.language,
        "evidence": f"{log.basis}: {log.evidence}" if log.basis else None,
        "rows": len(log.rows),
        "answered": int((log.rows["outcome"] == "answered").sum()),
        "joined_by": "row, gold checked" if log.by_row else "id",
        "tool": log.tool,
        "split": log.split,
        "date": log.date or None,
    }
