"""Reads one file with the reader of the tool that wrote it."""

from __future__ import annotations

from polars.exceptions import PanicException

from hesperus.errors import DataError, HesperusError, first_line
from hesperus.records.importers.import_settings import ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.known_importers import importer

Result = tuple[list[Log], list[LeftOut]]
"""What a file holds: its logs (one per task and language), and what was left out of it."""

UNREADABLE = "cannot be read"

_SHOWN = 200
"""Characters of a parser's message that are shown."""


def read_source(source: Source, settings: ImportSettings) -> Result:
    """Read a file; one that cannot be read is left out, with the reason.

    Raises:
        UsageError: The settings cannot be followed.
        UnknownNameError: They name a language that does not exist.
    """
    reader = importer(source.tool).reader()
    try:
        logs, left = reader(source, settings)
    except DataError as error:
        return [], [_failed(UNREADABLE, source, str(error).removeprefix(f"{source.place}: "))]
    except HesperusError:
        raise
    except OSError as error:
        return [], [_failed("cannot be opened", source, error.strerror or str(error))]
    except (Exception, PanicException) as error:
        # A log is hostile input, and no list of exceptions covers what a parser makes of it (an encrypted ZIP file is a
        # RuntimeError, deep nesting a RecursionError). It ends the reading of this file; the others are imported.
        said = first_line(error)[:_SHOWN]
        return [], [_failed(UNREADABLE, source, f"{type(error).__name__}: {said}")]
    named = [log for log in logs if log.model]
    left += [
        LeftOut(
            "model not known",
            len(log.rows),
            log.place,
            "the log does not name its model; give --model NAME",
            failed=True,
        )
        for log in logs
        if not log.model
    ]
    return named, left


def _failed(reason: str, source: Source, detail: str) -> LeftOut:
    return LeftOut(reason, 0, source.place, detail, failed=True)
