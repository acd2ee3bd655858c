"""Reads one file with the reader of the tool that wrote it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from hesperus.errors import DataError
from hesperus.records.importers.settings import ImportSettings, LeftOut, Log, Source, Tool

Result = tuple[list[Log], list[LeftOut]]
"""What a file holds: its logs (one per task and language), and what was left out of it."""

Reader = Callable[[Source, ImportSettings], Result]

_READERS: dict[Tool, tuple[str, str]] = {
    "lm-eval": ("lm_eval", "read_lm_eval"),
    "inspect": ("inspect_logs", "read_inspect"),
    "helm": ("helm", "read_helm"),
    "lighteval": ("lighteval", "read_lighteval"),
    "promptfoo": ("promptfoo", "read_promptfoo"),
    "table": ("tables", "read_table"),
}


def read_source(source: Source, settings: ImportSettings) -> Result:
    """Read a file; one that cannot be read is left out, with the reason.

    Raises:
        UsageError: The settings cannot be followed.
        UnknownNameError: They name a language that does not exist.
    """
    module, name = _READERS[source.tool]
    reader: Reader = getattr(import_module(f"hesperus.records.importers.{module}"), name)
    try:
        logs, left = reader(source, settings)
    except DataError as error:
        detail = str(error).removeprefix(f"{source.place}: ")
        return [], [LeftOut("cannot be read", 0, source.place, detail)]
    except OSError as error:
        return [], [LeftOut("cannot be opened", 0, source.place, error.strerror or str(error))]
    named = [log for log in logs if log.model]
    left += [
        LeftOut(
            "model not known", len(log.rows), log.place, "the log does not name its model; give --model NAME"
        )
        for log in logs
        if not log.model
    ]
    return named, left
