"""A study that is asked by files: on a machine that this one cannot reach."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.errors import UsageError

if TYPE_CHECKING:
    from hesperus.api.declared import DeclaredStudy
    from hesperus.api.results import RunResult


def run_by_files(declared: DeclaredStudy, *, out: Path | None = None, store: Path | None = None) -> RunResult:
    """Run a study with the replies that were taken in.

    Raises:
        PendingError: Some are missing: their requests are written, and the message names the files.
    """
    from hesperus.api.results import run_declared

    by_files = declared.study.model_copy(update={"batch": "export"})
    return run_declared(replace(declared, study=by_files), out=out, store=store, progress=False)


def take_replies(
    declared: DeclaredStudy, files: Iterable[Path], *, out: Path | None = None, store: Path | None = None
) -> Path:
    """Copy files of replies to where the next run of a study reads them.

    Returns:
        The folder.

    Raises:
        UsageError: A file is not there.
    """
    from hesperus.asking.batch_files import batches_folder
    from hesperus.studies.asked.keeping import default_store

    given = list(files)
    for path in given:
        if not path.is_file():
            raise UsageError(f"{path}: no such file of replies")
    place = batches_folder(store or default_store(out or declared.folder())) / "replies"
    place.mkdir(parents=True, exist_ok=True)
    held = len(list(place.glob("*.jsonl")))
    for number, path in enumerate(given, start=held + 1):
        shutil.copyfile(path, place / f"{number:04}-{path.stem}.jsonl")
    return place
