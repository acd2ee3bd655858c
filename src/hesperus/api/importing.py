"""Logs of other tools, and tables, as a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hesperus.api.results import RunResult
    from hesperus.records.importers import Imported


def import_logs(sources: Sequence[Path | str] | Path | str, out: Path | str, **settings: Any) -> RunResult:
    """Import the logs of another tool, or tables: no model is asked.

    Args:
        sources: Logs, or folders that hold them: of lm-evaluation-harness, Inspect, HELM, lighteval, promptfoo, or tables.
        out: Where the records go: a folder for a run, or a .parquet file.
        settings: Fields of hesperus.records.importers.ImportSettings: `key`, `model`, `task`, `columns`, `wide`, ….

    Returns:
        The run; `notes` say what was excluded and why.

    Raises:
        UsageError: A path does not exist or holds no logs, or no such setting.
        DataError: Nothing at all could be imported.
        UnknownNameError: A format or language that does not exist.
    """
    from hesperus.api.results import RunResult
    from hesperus.records import read_run

    found = imported(sources, out, **settings)
    left = [f"excluded: {one.place}: {one.count} rows: {one.reason}: {one.detail}" for one in found.left_out]
    return RunResult(read_run(out), Path(out), notes=(*found.notes, *left))


def imported(
    sources: Sequence[Path | str] | Path | str,
    out: Path | str,
    *,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> Imported:
    """As import_logs, with an account of all that was excluded. `progress` hears how many files are done, of how many."""
    from dataclasses import fields

    from hesperus.errors import UnknownNameError
    from hesperus.records.importers import ImportSettings, check_place, import_logs, save_imported
    from hesperus.studies.reread.rereading import read_imported

    known = [field.name for field in fields(ImportSettings)]
    for name in settings:
        if name not in known:
            raise UnknownNameError("setting of an import", name, known)
    check_place(Path(out))
    found = import_logs(sources, ImportSettings(**settings), progress=progress, parser=read_imported)
    save_imported(found, Path(out))
    return found
